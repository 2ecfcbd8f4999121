#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "navier_stokes/arrays.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/operators/elementary.hpp"
#include "shardfft/text.hpp"

namespace shardfft::solvers {

const FlowProblem& checked(const Comm& comm, const FlowProblem& p) {
  require_same(
      comm, "the problem of a flow",
      fmt::format("shape {}\nlengths {}\nviscosity {}\nform {}\ndealias {}\nbatched {}\nfused {}\nprecision {}",
                  to_string(p.shape), fmt::join(p.lengths, " "), p.viscosity, name(p.form), p.dealias, p.batched,
                  p.fused, to_string(p.precision)));
  if (p.shape.dims() != 3 || std::any_of(p.shape.begin(), p.shape.end(), [](Index n) { return n < 4; }))
    refuse("a flow must have three axes of at least 4 points", to_string(p.shape), "choose for example 64 x 64 x 64");
  for (const double length : p.lengths)
    if (!(length > 0 && std::isfinite(length)))
      refuse("lengths of the box must be positive", fmt::format("{:g}", length), "leave them out for 2 pi");
  if (!(p.viscosity >= 0 && std::isfinite(p.viscosity)))
    refuse("viscosity must be at least 0", fmt::format("{:g}", p.viscosity), "choose 1 over the Reynolds number");
  if (p.fused && (p.form != Form::rotational || !p.batched))
    refuse("a fused flow must be rotational and batched",
           fmt::format("the {} form{}", name(p.form), p.batched ? "" : ", one component at a time"),
           "leave one of them out");
  return p;
}

std::string_view name(Form form) {
  constexpr std::string_view names[] = {"rotational", "convective", "divergence"};
  return names[static_cast<int>(form)];
}

NavierStokes::NavierStokes(const Comm& comm, const FlowProblem& problem, const Options& options)
    : impl_(std::make_unique<Arrays>(comm, problem, options)) {}
NavierStokes::~NavierStokes() = default;
NavierStokes::NavierStokes(NavierStokes&&) noexcept = default;
NavierStokes& NavierStokes::operator=(NavierStokes&&) noexcept = default;

void NavierStokes::set(const Velocity& u) {
  impl_->set(u);
  impl_->begin(0, 0);
}
void NavierStokes::taylor_green() {
  const std::array<double, 3> l = impl_->problem.lengths;
  set([l](double x, double y, double z) {
    const double unit = 2 * std::numbers::pi, a = unit * x / l[0], b = unit * y / l[1], c = unit * z / l[2];
    return std::array{nearest_sin(a) * nearest_cos(b) * nearest_cos(c),
                      -nearest_cos(a) * nearest_sin(b) * nearest_cos(c), 0.0};
  });
}
void NavierStokes::step(double dt) { impl_->step(dt); }
double NavierStokes::time() const { return impl_->time; }
Index NavierStokes::steps() const { return impl_->steps; }

FlowSums NavierStokes::sums() const {
  const FlowSums sums = impl_->sums();
  if (!std::isfinite(sums.energy)) impl_->require_bounded(sums.energy);
  return sums;
}
double NavierStokes::dissipation() const { return 2 * impl_->problem.viscosity * enstrophy(); }
std::vector<double> NavierStokes::spectrum() const { return impl_->spectrum(); }
double NavierStokes::largest_velocity() const { return impl_->speed(); }
double NavierStokes::stable_step() const { return impl_->stable_step(impl_->speed()); }

View NavierStokes::state() const { return impl_->state(); }
const Layout& NavierStokes::state_layout() const { return impl_->transforms.state_layout(); }
std::uint64_t NavierStokes::hash() const { return impl_->hash(); }
void NavierStokes::restore(View state, double time, Index steps) {
  require_same(impl_->comm, "the time of a state", fmt::format("time {}\nsteps {}", time, steps));
  collectively(impl_->comm, [&] {
    if (state.bytes < impl_->state_bytes())
      refuse(fmt::format("a state must have {} bytes on this rank", impl_->state_bytes()),
             fmt::format("{}", state.bytes), "give what state() of the same problem was");
    if (steps < 0 || !std::isfinite(time))
      refuse("a state comes after 0 steps or more, at a finite time", fmt::format("{} steps, time {}", steps, time),
             "give what steps() and time() were");
  });
  impl_->restore(state);
  impl_->begin(time, steps);
}

const FlowSeconds& NavierStokes::seconds() const { return impl_->seconds; }
void NavierStokes::forget_seconds() { impl_->seconds = {}; }
Space NavierStokes::space() const { return impl_->transforms.plan().space(); }
std::string NavierStokes::describe() const { return impl_->transforms.describe(); }
const FlowProblem& NavierStokes::problem() const { return impl_->problem; }

}  // namespace shardfft::solvers
