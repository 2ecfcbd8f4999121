#include "shardfft/solvers/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/fields.hpp"
#include "common/modes_run.hpp"
#include "poisson/estimate.hpp"
#include "poisson/inverse.hpp"
#include "poisson/tridiagonal.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/exact_sum.hpp"
#include "shardfft/operators/formula.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::solvers {
namespace {

std::string words_of(const PoissonProblem& p) {
  std::string text = fmt::format("shape {}\nlengths {}\nspacing {}\nends", to_string(p.shape),
                                 fmt::join(p.lengths, " "), fmt::join(p.spacing, " "));
  for (const Ends& ends : p.ends) text += fmt::format(" {}{}", static_cast<int>(ends.low), static_cast<int>(ends.high));
  text += fmt::format("\npoints {} scheme {} shift {} precision {}\nvalues", static_cast<int>(p.points),
                      static_cast<int>(p.scheme), p.shift, to_string(p.precision));
  for (const EndValues& v : p.values) text += fmt::format(" {}{}", v.low ? 1 : 0, v.high ? 1 : 0);
  return text + fmt::format("\ncompatible {} project {}\nstretched {} faces {}", p.compatible, p.project, p.stretched,
                            fmt::join(p.faces, " "));
}

const PoissonProblem& checked(const Comm& comm, const PoissonProblem& problem, const Options& options) {
  require_same(comm, "the problem", words_of(problem));
  collectively(comm, [&] {
    check(problem);
    check_field_options(options, problem.stretched < 0);
  });
  return problem;
}

std::vector<Axis> axes_of(const PoissonProblem& problem) {
  std::vector<Axis> axes;
  for (int a = 0; a < problem.shape.dims(); ++a) axes.push_back(make_axis(problem, a));
  return axes;
}

Problem transforms_of(const PoissonProblem& problem, const std::vector<Axis>& axes) {
  Problem transforms{.shape = problem.shape, .kind = r2r, .precision = problem.precision};
  for (int a = 0; a < problem.shape.dims(); ++a) {
    if (a == problem.stretched) continue;
    const Axis& axis = axes[static_cast<std::size_t>(a)];
    transforms.axes.push_back(a);
    transforms.kinds.push_back(axis.kind);
    if (axis.is_periodic()) transforms.kind = r2c;
  }
  return transforms;
}

// The largest singular value of a transform of this kind, over the least one.
double condition_of(AxisKind kind) {
  using enum AxisKind;
  if (kind == cosine1) return 2;
  return kind == cosine2 || kind == cosine3 || kind == sine2 || kind == sine3 ? std::sqrt(2.0) : 1;
}

}  // namespace

struct Poisson::Impl {
  /// A point beside an end, and what the value there is multiplied with.
  struct EndPoint {
    std::size_t element = 0;
    double factor = 0;
    const std::function<double(const Position&)>* value = nullptr;
    Position place{};
  };

  Comm comm;
  PoissonProblem problem;
  std::vector<Axis> axes;
  ModeTables tables;
  std::optional<Tridiagonal> sweep{};
  bool in_place = false;
  bool gauge = true;
  std::optional<ModesRun> transforms{};
  Operator inverse{};
  std::vector<EndPoint> end_points{};
  Array end_terms{};         // on a device, what they add to f
  double amplification = 1;  ///< of errors of the transforms

  Impl(const Comm& group, const PoissonProblem& asked, const Options& options)
      : comm(group), problem(checked(group, asked, options)), axes(axes_of(problem)), tables(axes, problem) {
    gauge = problem.shift == 0;
    for (const Axis& axis : axes) gauge = gauge && axis.has_constants();
    if (problem.stretched >= 0)
      sweep.emplace(problem, axes[static_cast<std::size_t>(problem.stretched)], tables, gauge);
    in_place = options.in_place;
    make_transforms(options);
    inverse = on_device() ? inverse_formula(tables, plan()) : inverse_operator(tables, problem.precision);
    find_end_points();
    amplification = sweep ? std::numeric_limits<double>::quiet_NaN() : tables.largest();
    for (const Axis& axis : axes) amplification *= condition_of(axis.kind);
    if (transforms->is_complex()) amplification *= std::sqrt(2.0);  // half of the modes stand for all
  }

  void make_transforms(Options options) {
    if (options.input.kind == LayoutSpec::Kind::any) options.input = slabs(0);
    options.in_place = in_place || !problem.values.empty();
    if (sweep) options.output = sweep->layout();
    transforms.emplace(comm, transforms_of(problem, axes), options, sweep.has_value());
  }
  [[nodiscard]] const Plan& plan() const { return transforms->plan(); }
  [[nodiscard]] bool on_device() const { return plan().space() != Space::host; }

  [[nodiscard]] Position place(const Coord& at) const {
    Position x{};
    for (int a = 0; a < at.dims(); ++a)
      x[static_cast<std::size_t>(a)] = axes[static_cast<std::size_t>(a)].places[static_cast<std::size_t>(at[a])];
    return x;
  }

  void find_end_points() {
    if (problem.values.empty()) return;
    for_each_element(plan().input(), comm.rank(), [&](const Coord& at, std::size_t element) {
      for (int a = 0; a < at.dims(); ++a) {
        const auto& [low, high] = problem.values[static_cast<std::size_t>(a)];
        const Axis& axis = axes[static_cast<std::size_t>(a)];
        const auto add = [&](const auto& value, const AxisEnd& end) {
          EndPoint point{element, end.factor, &value, place(at)};
          point.place[static_cast<std::size_t>(a)] = end.place;
          if (value) end_points.push_back(point);
        };
        if (at[a] == 0) add(low, axis.low);
        if (at[a] + 1 == problem.shape[a]) add(high, axis.high);
      }
    });
    if (on_device()) collectively(comm, [&] { end_terms = plan().make_array(plan().input_bytes()); });
  }

  template <class T>
  void add_values(T* u) const {
    for (const EndPoint& point : end_points)
      u[point.element] += static_cast<T>(point.factor * (*point.value)(point.place));
  }

  /// To u on a device: functions of the host say what.
  template <class T>
  void add_values_there(View u) const {
    std::vector<T> terms(plan().input_bytes() / sizeof(T));
    add_values(terms.data());
    plan().copy(terms, end_terms);
    Formula add(problem.precision);
    add.write(0, add.read(0) + add.read(1));
    const std::vector<FormulaArray> arrays{{u.data}, {end_terms.data()}};
    plan().evaluate(add, {static_cast<Index>(terms.size())}, arrays);
  }

  void add_weighted(const Coord& at, double x, ExactSum& sum, ExactSum& squares) const {
    double weight = 1;
    for (int a = 0; a < at.dims(); ++a)
      weight *= axes[static_cast<std::size_t>(a)].weights[static_cast<std::size_t>(at[a])];
    sum.add(weight * x);
    squares.add(weight * x * x);
  }

  // Exact sums may be added in any order.
  template <class T>
  void add_box(const Box& box, const std::vector<int>& order, const T* f, ExactSum& sum, ExactSum& squares) const {
    const int outer = order.front();
    const Index planes = box.extent(outer), plane = box.count() / planes;
    std::mutex lock;
    on_team(static_cast<int>(std::min<Index>(transforms->threads(), planes)), [&](TeamMember me) {
      ExactSum own_sum, own_squares;
      for (Index p = me.begin(planes); p < me.end(planes); ++p) {
        Box one = box;
        one.lo[outer] += p;
        one.hi[outer] = one.lo[outer] + 1;
        const T* x = f + p * plane;
        for_each_position(one, order, [&](const Coord& at) { add_weighted(at, *x++, own_sum, own_squares); });
      }
      const std::lock_guard guard(lock);
      sum.add(own_sum), squares.add(own_squares);
    });
  }

  /// The weighted mean and root mean square of f.
  template <class T>
  void measure(const T* f, PoissonReport& report) const {
    ExactSum sum, squares;
    const Layout& all = plan().input();
    const bool rows = all.spec().kind != LayoutSpec::Kind::cyclic;
    for (const Box& box : rows ? all.boxes(comm.rank()) : std::vector<Box>{}) {
      add_box(box, all.order(), f, sum, squares);
      f += box.count();
    }
    if (!rows)
      for_each_element(all, comm.rank(), [&](const Coord& at, std::size_t i) { add_weighted(at, f[i], sum, squares); });
    report.mean = sum.value(comm);
    const double rms = std::sqrt(squares.value(comm));
    report.compatibility = rms == 0 ? 0 : std::abs(report.mean) / rms;
    const double limit =
        problem.compatible > 0 ? problem.compatible : std::sqrt(problem.precision == f32 ? 0x1p-24 : 0x1p-53);
    if (problem.project || report.compatibility <= limit) return;
    throw Error(
        Status::invalid_argument,
        fmt::format("with no end and no shift that fix u, the mean of f and of the values at the ends is zero, "
                    "up to {:.1e} of their root mean square; got a mean of {:.6g}, {:.3g} of {:.3g}; correct f, "
                    "allow more, or set project, which subtracts the mean",
                    limit, report.mean, report.compatibility, rms));
  }

  /// The operator drops the mean, whatever it is.
  template <class T>
  void measure_there(View f, PoissonReport& report) const {
    if (problem.project) {
      report.mean = report.compatibility = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    std::vector<T> here(plan().input_bytes() / sizeof(T));
    plan().copy(f, here);
    measure(here.data(), report);
  }

  ModesRun::Cost solve_modes(View f, View u) {
    if (!sweep) return transforms->run(f, u, inverse);
    return transforms->run(f, u, [&](std::byte* modes) {
      sweep->solve(plan().output(), comm.rank(), problem.precision, transforms->is_complex(), modes,
                   transforms->threads());
    });
  }

  PoissonEstimate estimate(View f) {
    if (sweep)
      throw Error(
          Status::unsupported,
          "the error is estimated where all axes are transformed; got a stretched axis; halve the widths of its "
          "cells and compare");
    if (on_device())
      throw Error(Status::unsupported,
                  "the error is estimated on the host; got arrays on a device; make another solver without one");
    if (!problem.values.empty())
      throw Error(
          Status::unsupported,
          "the error is estimated where values at the ends are zero; got others; halve the spacing and compare");
    check_fields(plan(), f, f, true);
    const bool together = transforms->is_in_place();  // f and its modes are one memory then
    Array modes;
    collectively(comm, [&] { modes = together ? plan().make_input() : plan().make_output(); });
    if (together && plan().input_bytes() > 0) std::memcpy(modes.data(), f.data, plan().input_bytes());
    if (together) f = modes;
    (void)transforms->forward(f, modes);
    PoissonEstimate estimate = estimate_error(*transforms, modes, axes, tables, amplification);
    const Loss loss = plan().loss();
    const double arithmetic = loss.bound - loss.encoded;
    if (estimate.tolerance < 4 * arithmetic) estimate.tolerance = 0;  // there is nothing to save
    return estimate;
  }

  template <class T>
  PoissonReport solve(View f, View u) {
    auto* to = static_cast<T*>(const_cast<void*>(u.data));  // NOLINT: a View is of the caller's memory
    if (!problem.values.empty()) {
      collectively(comm, [&] {
        if (f.data != u.data) plan().copy({f.data, plan().input_bytes()}, u);
        on_device() ? add_values_there<T>(u) : add_values(to);
      });
      f = u;
    }
    PoissonReport report{.gauge = gauge};
    if (gauge && on_device())
      measure_there<T>(f, report);
    else if (gauge)
      measure(static_cast<const T*>(f.data), report);
    const ModesRun::Cost cost = solve_modes(f, u);
    report.error_bound = amplification * cost.lost;
    report.bytes_before = cost.bytes_before, report.bytes_after = cost.bytes_after;
    return report;
  }
};

Poisson::Poisson(const Comm& comm, const PoissonProblem& problem, const Options& options)
    : impl_(std::make_unique<Impl>(comm, problem, options)) {}
Poisson::~Poisson() = default;
Poisson::Poisson(Poisson&&) noexcept = default;
Poisson& Poisson::operator=(Poisson&&) noexcept = default;

const Layout& Poisson::layout() const { return impl_->plan().input(); }
Array Poisson::make_array() const { return impl_->transforms->make_field(); }
Position Poisson::position(const Coord& index) const { return impl_->place(index); }
const Plan& Poisson::plan() const { return impl_->plan(); }

PoissonEstimate Poisson::estimate(View f) { return impl_->estimate(f); }

PoissonReport Poisson::solve(View f, View u) {
  check_fields(plan(), f, u, impl_->in_place);
  PoissonReport report;
  where_plan_is(plan(), f, u, [&](View from, View to) {
    report = impl_->problem.precision == f32 ? impl_->solve<float>(from, to) : impl_->solve<double>(from, to);
  });
  return report;
}

}  // namespace shardfft::solvers
