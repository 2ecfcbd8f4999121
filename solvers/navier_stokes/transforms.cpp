#include "navier_stokes/transforms.hpp"

#include <algorithm>
#include <chrono>

#include "navier_stokes/impl.hpp"

namespace shardfft::solvers {
namespace {

Problem problem_of(const FlowProblem& flow, Index components) {
  const Coord kept = kept_modes(flow);
  return {.shape = {components, flow.shape[0], flow.shape[1], flow.shape[2]},
          .kind = Kind::r2c,
          .precision = flow.precision,
          .axes = {1, 2, 3},
          .forward = Scaling::by_n,  // so that modes are those of the flow, whatever the number of points
          .backward = Scaling::none,
          .modes = {0, kept[0], kept[1], kept[2]}};
}

/// Without the components.
Box flat(const Layout& layout, int rank) {
  const std::vector<Box> boxes = layout.boxes(rank);
  if (boxes.empty()) return {{0, 0, 0}, {0, 0, 0}};
  const Box& box = boxes.front();
  return {{box.lo[1], box.lo[2], box.lo[3]}, {box.hi[1], box.hi[2], box.hi[3]}};
}

// Arrays a power of two apart share the places of a cache and the banks of memory. Devices want pairs of reals.
Index apart(const Box& points) {
  constexpr Index some_lines = 17 * 16;
  return (points.count() + 1) / 2 * 2 + some_lines;
}

/// Slabs while every rank can have some, else pencils.
void set_layouts(Options& options, const FlowProblem& flow, int ranks) {
  options.input = slabs(1), options.output = slabs(2);
  if (ranks <= std::min(flow.shape[0], kept_modes(flow)[1])) return;
  Index p = 1;
  for (Index d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) p = d;
  options.input = process_grid({1, ranks / p, p, 1}), options.output = process_grid({1, 1, ranks / p, p});
}

Options options_of(Options options, const FlowProblem& flow, const Comm& comm) {
  set_layouts(options, flow, comm.size());
  options.input_memory = options.output_memory = {};
  const Layout input(options.input, {3, flow.shape[0], flow.shape[1], flow.shape[2]}, comm.size());
  if (const Box box = flat(input, comm.rank()); !box.empty())
    options.input_memory = {{0, {apart(box), box.extent(1) * box.extent(2), box.extent(2), 1}}};
  options.in_place = options.destroy_input = options.padded_reals = false;
  options.apply = Apply::none;
  options.components_in = options.components_out = 0;
  return options;
}

Options fused_options(Options options) {
  options.apply = Apply::to_inputs;
  options.components_in = 6, options.components_out = 3;
  options.input_memory = {};
  return options;
}

Layout layout_of_state(const FlowProblem& flow, const Options& options, int ranks) {
  const Coord kept = kept_modes(flow);
  return {options.output, {3, kept[0], kept[1], kept[2] / 2 + 1}, ranks};
}

}  // namespace

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

double lap(std::int64_t& from_ns) {
  const std::int64_t now = now_ns();
  const double seconds = static_cast<double>(now - from_ns) * 1e-9;
  from_ns = now;
  return seconds;
}

Coord kept_modes(const FlowProblem& flow) {
  Coord kept = flow.shape;
  for (int axis = 0; axis < 3; ++axis)
    kept[axis] = flow.dealias ? dealiased(flow.shape[axis]) : (flow.shape[axis] - 1) / 2 * 2 + 1;
  return kept;
}

FlowTransforms::FlowTransforms(const Comm& comm, const FlowProblem& flow, Options options)
    : comm_(comm),
      together_(flow.batched ? 3 : 1),
      scalar_(flow.precision == f64 ? 8 : 4),
      state_(layout_of_state(flow, options = options_of(std::move(options), flow, comm), comm.size())),
      plan_(comm, problem_of(flow, together_), options) {
  if (flow.fused) fused_.emplace(comm, problem_of(flow, 6), fused_options(options));
}

Box FlowTransforms::modes() const { return flat(state_, comm_.rank()); }
Box FlowTransforms::points() const { return flat(plan_.input(), comm_.rank()); }
Index FlowTransforms::points_apart() const { return apart(points()); }

void FlowTransforms::count(const Plan& plan, std::int64_t start_ns, FlowSeconds& seconds) {
  seconds.transforms += lap(start_ns);
  for (const StepReport& step : plan.last_run()) {
    double& part = step.label.starts_with("sweep")      ? seconds.sweeps
                   : step.label.starts_with("exchange") ? seconds.exchanges
                                                        : seconds.copies;
    part += step.seconds;
  }
}

void FlowTransforms::run(Direction direction, const void* in, void* out, FlowSeconds& seconds) {
  const bool forward = direction == Direction::forward;
  const std::size_t points = static_cast<std::size_t>(points_apart()) * scalar_,
                    modes = static_cast<std::size_t>(this->modes().count()) * 2 * scalar_;
  for (std::size_t c = 0; c < 3; c += static_cast<std::size_t>(together_)) {
    const View before(static_cast<const std::byte*>(in) + c * (forward ? points : modes),
                      forward ? plan_.input_bytes() : plan_.output_bytes());
    const View after(static_cast<std::byte*>(out) + c * (forward ? modes : points),
                     forward ? plan_.output_bytes() : plan_.input_bytes());
    const std::int64_t start = now_ns();
    forward ? plan_.forward(before, after) : plan_.backward(before, after);
    count(plan_, start, seconds);
  }
}

void FlowTransforms::backward(const void* modes, void* points, FlowSeconds& seconds) {
  run(Direction::backward, modes, points, seconds);
}
void FlowTransforms::forward(const void* points, void* modes, FlowSeconds& seconds) {
  run(Direction::forward, points, modes, seconds);
}

void FlowTransforms::rate(const void* modes, void* rate, const Operator& f, FlowSeconds& seconds) {
  const std::int64_t start = now_ns();
  fused_->apply_physical(View(modes, fused_->output_bytes()), View(rate, fused_->applied_bytes()), f);
  fused_->synchronize();  // what follows is in the queue of the other plan
  count(*fused_, start, seconds);
}

std::string FlowTransforms::describe() const { return fused_ ? fused_->describe() : plan_.describe(); }

}  // namespace shardfft::solvers
