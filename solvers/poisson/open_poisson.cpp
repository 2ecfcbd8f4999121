#include "shardfft/solvers/open_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/fields.hpp"
#include "common/modes_run.hpp"
#include "poisson/axis.hpp"
#include "poisson/truncated_kernel.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"

namespace shardfft::solvers {
namespace {

const OpenProblem& checked(const Comm& comm, const OpenProblem& problem, const Options& options) {
  require_same(
      comm, "the problem",
      fmt::format("shape {}\nlengths {}\nspacing {}\nprecision {}", to_string(problem.shape),
                  fmt::join(problem.lengths, " "), fmt::join(problem.spacing, " "), to_string(problem.precision)));
  collectively(comm, [&] {
    check({.shape = problem.shape, .lengths = problem.lengths, .spacing = problem.spacing});
    if (problem.shape.dims() < 2)
      throw Error(Status::invalid_problem,
                  "open boundaries are of 2 or 3 axes; got 1; take periodic or fixed ends along it");
    check_field_options(options, /*devices=*/true);
  });
  return problem;
}

KernelBox box_of(const OpenProblem& problem) {
  KernelBox box{.shape = problem.shape, .spacing = problem.spacing};
  for (int a = 0; problem.spacing.empty() && a < problem.shape.dims(); ++a)
    box.spacing.push_back((problem.lengths.empty() ? 1 : problem.lengths[static_cast<std::size_t>(a)]) /
                          static_cast<double>(problem.shape[a]));
  return box;
}

}  // namespace

OpenProblem without_ends(const PoissonProblem& box) {
  return {.shape = box.shape, .lengths = box.lengths, .spacing = box.spacing, .precision = box.precision};
}

struct OpenPoisson::Impl {
  OpenProblem problem;
  KernelBox box;
  bool in_place;
  std::optional<ModesRun> transforms{};
  KernelOperator kernel{};

  Impl(const Comm& comm, const OpenProblem& asked, Options options)
      : problem(checked(comm, asked, options)), box(box_of(problem)), in_place(options.in_place) {
    Shape doubled = problem.shape;
    for (int a = 0; a < doubled.dims(); ++a) doubled[a] *= 2;
    if (options.input.kind == LayoutSpec::Kind::any) options.input = slabs(0);
    options.output = slabs(-1);  // of modes that are stored: along the half axis k has no mirror
    transforms.emplace(comm,
                       Problem{.shape = doubled, .kind = r2c, .precision = problem.precision, .support = problem.shape},
                       options);
    kernel = truncated_kernel(comm, box, transforms->layout(), problem.precision, options.threads,
                              plan().space() == Space::host ? nullptr : &plan());
  }
  [[nodiscard]] const Plan& plan() const { return transforms->plan(); }
};

OpenPoisson::OpenPoisson(const Comm& comm, const OpenProblem& problem, const Options& options)
    : impl_(std::make_unique<Impl>(comm, problem, options)) {}
OpenPoisson::~OpenPoisson() = default;
OpenPoisson::OpenPoisson(OpenPoisson&&) noexcept = default;
OpenPoisson& OpenPoisson::operator=(OpenPoisson&&) noexcept = default;

const Layout& OpenPoisson::layout() const { return plan().input(); }
Array OpenPoisson::make_array() const { return impl_->transforms->make_field(); }
const Plan& OpenPoisson::plan() const { return impl_->plan(); }

Position OpenPoisson::position(const Coord& index) const {
  Position x{};
  for (std::size_t a = 0; a < impl_->box.spacing.size(); ++a)
    x[a] = (static_cast<double>(index[static_cast<int>(a)]) + 0.5) * impl_->box.spacing[a];
  return x;
}

// The largest eigenvalue is that of a constant: half the square of the radius, up to a factor in the plane.
PoissonReport OpenPoisson::solve(View f, View u) {
  check_fields(plan(), f, u, impl_->in_place);
  const double radius = kernel_radius(impl_->box), largest = radius * radius * (1 + std::abs(std::log(radius))) / 2;
  ModesRun::Cost cost;
  where_plan_is(plan(), f, u,
                [&](View from, View to) { cost = impl_->transforms->run(from, to, impl_->kernel.convolve); });
  return {.error_bound = std::sqrt(2.0) * largest * cost.lost,
          .bytes_before = cost.bytes_before,
          .bytes_after = cost.bytes_after};
}

}  // namespace shardfft::solvers
