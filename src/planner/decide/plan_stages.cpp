#include "planner/decide/plan_stages.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include <fmt/format.h>

#include "planner/decide/chirped_axis.hpp"
#include "planner/decide/decompose.hpp"
#include "planner/decide/four_step_axis.hpp"
#include "planner/decide/memory.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

// Planes may be somewhat larger than a core's own cache where its share of the common one holds them.
Index plane_limit(const Machine& m) {
  return std::max(m.l2_bytes / 2, std::min(4 * m.l2_bytes, m.l3_bytes / (4 * std::max(1, m.cores))));
}

// Lines of such planes are as short as those of a tile. Where a core's own cache does not hold the plane beside what
// passes through it, two sweeps are up to twice as fast as one (docs/performance/lessons.md).
Index narrow_plane_limit(const Machine& m) { return m.l2_bytes / 2 - 1; }

int cyclic_axis(const LayoutSpec& spec) { return spec.kind == LayoutSpec::Kind::cyclic ? spec.axis : -1; }

// Before a sweep transforms an axis it is counted as one end of the plan deals it, and afterwards as the other one
// does. An axis that is never transformed is counted one way, so that `any` takes it as the other end has it.
void choose_sides(Recipe& r, int ranks, CallersLayouts& ends) {
  const Coord one = Coord::filled(r.problem.dims(), 1);
  if (r.chirped) {
    r.space_side = r.spectrum_side = {.split = r.chirped->halves(), .digits = Digits::before, .owners = one};
    return;
  }
  r.space_side = {.split = r.split, .digits = Digits::before, .owners = one};
  r.spectrum_side = {
      .split = r.split, .digits = r.split ? digits_after(*r.split, r.problem) : Digits::after, .owners = one};
  const auto is_transformed = [&](int axis) {
    return std::find(r.problem.axes.begin(), r.problem.axes.end(), axis) != r.problem.axes.end();
  };
  for (const auto& [end, other, side, others] :
       {std::tuple(&ends.space, &ends.spectrum, &r.space_side, &r.spectrum_side),
        {&ends.spectrum, &ends.space, &r.spectrum_side, &r.space_side}}) {
    const int axis = cyclic_axis(*end);
    if (axis < 0) continue;
    side->owners[axis] = ranks;
    if (is_transformed(axis)) continue;
    others->owners[axis] = ranks;
    if (other->kind == LayoutSpec::Kind::any) *other = cyclic(axis);
  }
}

LayoutSpec seen(const SweptSide& side, const LayoutSpec& end, const Shape& shape, int ranks) {
  if (end.kind == LayoutSpec::Kind::any || side.is_callers()) return end;
  return side.seen(Layout(end, shape, ranks)).spec();
}

std::vector<AxisTransform> with_owners(const Recipe& r, std::vector<AxisTransform> order) {
  const Coord before = r.space_side.owners_swept(), after = r.spectrum_side.owners_swept();
  for (AxisTransform& axis : order) {
    axis.owners_in = before[axis.axis];
    axis.owners_out = after[axis.axis];
  }
  return order;
}

// Encoded, a spectrum is best sent as it is, as long as few of its coefficients are large. A device's library does
// several axes at once, and the halves of an axis come in one order.
bool has_own_synthesis_order(const Recipe& r) {
  const bool loses = r.encoding.codec && !r.encoding.codec->is_exact();
  return r.choices.options.expert.axis_order.empty() && !loses && !r.device && !r.split;
}

// Found once for all variants of a recipe: they take as long as all else, and depend on what none of them changes.
const std::vector<AxisTransform>& order_of(Recipe& r, const CallersLayouts& ends) {
  if (!r.orders)
    r.orders =
        AxisOrders{.analysis = axis_order(r.problem, ends.space, ends.spectrum, r.choices.options.expert.axis_order)};
  return r.orders->analysis;
}

const std::vector<AxisTransform>& order_back_of(Recipe& r, const CallersLayouts& ends) {
  if (!r.orders->synthesis)
    r.orders->synthesis = synthesis_order(r.problem, ends.space, ends.spectrum, r.orders->analysis);
  return *r.orders->synthesis;
}

// Exchanges the ends of the problem.
CheckedProblem from_the_spectrum(CheckedProblem p) {
  std::swap(p.space, p.spectrum);
  return p;
}

// One stage without a transform, where the array is before.
Stage standing(const Layout& layout) { return {.in = layout, .out = layout}; }

void plan_move(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  CallersLayouts ends{.space = o.input, .spectrum = o.output};
  if (ends.space.kind == LayoutSpec::Kind::any) ends.space = ends.spectrum;
  if (ends.space.kind == LayoutSpec::Kind::any) ends.space = slabs(0);
  if (ends.spectrum.kind == LayoutSpec::Kind::any) ends.spectrum = ends.space;
  choose_sides(r, comm.size(), ends);
  choose_memory(r, comm);
  r.space = Layout(ends.space, r.problem.space, comm.size());
  r.spectrum = Layout(ends.spectrum, r.problem.spectrum, comm.size());
  const Layout from = r.space_side.is_callers() ? r.space : r.space_side.seen(r.space),
               to = r.spectrum_side.is_callers() ? r.spectrum : r.spectrum_side.seen(r.spectrum);
  r.analysis = {standing(from)};
  r.synthesis = {standing(to)};
  const Model model = model_of(r, comm);
  const double bytes = r.problem.space_bytes();
  r.seconds = model.copy(largest_part(from), bytes);
  if (!from.same_owners(to)) r.seconds += model.exchange(from, to, bytes) + model.copy(largest_part(to), bytes);
}

// All components of an element fill the planes that stay in cache.
Costs costs_of(const Recipe& r, const Comm& comm, const Model& model, const DeviceCosts* device) {
  const Options& o = r.choices.options;
  const int together = std::max({1, o.components_in, o.components_out});
  return {.model = &model,
          .device = device,
          .plane_limit = (r.device ? r.device->room(r, comm) : plane_limit(r.machine)) / together,
          .narrow_plane_limit = narrow_plane_limit(r.machine) / together,
          .fuse = r.tuning.fuse,
          .on_device = r.device != nullptr};
}

// Both directions are the same convolution, there and back, each from its own layout.
void plan_convolution(Recipe& r, const Comm& comm, const CallersLayouts& ends, const GridRules& rules,
                      const Costs& costs) {
  const CheckedProblem swept = chirped(*r.chirped, r.problem);
  const std::vector<AxisTransform> axes{swept.analysis(r.chirped->axis + 1), swept.analysis(r.chirped->axis)};
  const auto stages_from = [&](const SweptSide& side, const LayoutSpec& end, const Shape& shape) {
    const Decomposition d = decompose(swept, axes, seen(side, end, shape, comm.size()), any, comm.size(), rules, costs);
    r.seconds = 2 * d.cost;
    return there_and_back(d.stages, {});
  };
  r.space = Layout(ends.space, r.problem.space, comm.size());
  r.spectrum = Layout(ends.spectrum, r.problem.spectrum, comm.size());
  r.synthesis = stages_from(r.spectrum_side, ends.spectrum, r.problem.spectrum);
  r.analysis = stages_from(r.space_side, ends.space, r.problem.space);
}

void plan_transform(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  const bool direct = r.problem.analysis_is_forward();
  CallersLayouts ends{.space = direct ? o.input : o.output, .spectrum = direct ? o.output : o.input};
  r.split = choose_split(r.problem, o, ends, comm.size());
  r.chirped = r.split ? std::nullopt : choose_chirped(r.problem, o, ends);
  choose_sides(r, comm.size(), ends);
  choose_memory(r, comm);
  if (r.tuning.fuse < 0) r.tuning.fuse = usual_fuse(r);
  const Model model = model_of(r, comm);
  const std::unique_ptr<DeviceCosts> on_device = r.device ? r.device->costs(r, model) : nullptr;
  const Costs costs = costs_of(r, comm, model, on_device.get());
  // Operators see all components of an element.
  GridRules rules{o.expert.decomposition, o.expert.ranks_grid, o.components_in > 0 ? 0 : -1};
  if (!r.device && rules.decomposition.empty())
    rules.fewer = fewer_ranks(r.problem, comm.size(), ranks_on_first_node(comm));
  if (r.chirped) return plan_convolution(r, comm, ends, rules, costs);
  const auto& order = order_of(r, ends);
  const CheckedProblem swept = r.split ? split(*r.split, r.problem) : r.problem;
  const auto axes = with_owners(r, r.split ? split(*r.split, swept, order) : order);
  const LayoutSpec space = seen(r.space_side, ends.space, r.problem.space, comm.size()),
                   spectrum = seen(r.spectrum_side, ends.spectrum, r.problem.spectrum, comm.size());
  const Decomposition d = decompose(swept, axes, space, spectrum, comm.size(), rules, costs);
  const auto callers = [&](const LayoutSpec& end, const Shape& shape, const Layout& found) {
    return end.kind == LayoutSpec::Kind::any ? found : Layout(end, shape, comm.size());
  };
  r.space = callers(ends.space, r.problem.space, d.space);
  r.spectrum = callers(ends.spectrum, r.problem.spectrum, d.spectrum);
  r.analysis = d.stages;
  r.synthesis = reversed(d.stages);
  const auto back = has_own_synthesis_order(r) ? order_back_of(r, ends) : std::vector<AxisTransform>{};
  if (!back.empty())
    r.synthesis = decompose(from_the_spectrum(swept), inverted({{.axes = back}}).front().axes, spectrum, space,
                            comm.size(), rules, costs)
                      .stages;
  r.seconds = d.cost;
  if (on_device) r.expected = expected_steps(d, *on_device, r.problem);
}

// Those of a plan of the same array whose other end is left to the planner, and the same back: nothing is moved in the
// middle.
void plan_apply(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  const bool to_outputs = o.apply == Apply::to_outputs, analysis = to_outputs == r.problem.analysis_is_forward();
  Recipe open = r;
  LayoutSpec &own = to_outputs ? open.choices.options.input : open.choices.options.output,
             &other = to_outputs ? open.choices.options.output : open.choices.options.input;
  if (other.kind != LayoutSpec::Kind::any) {
    own = (analysis ? r.space : r.spectrum).spec();
    other = any;
    open.orders.reset();
    plan_transform(open, comm);
  }
  const bool together = o.components_in > 0;
  const Index in = std::max(1, o.components_in), out = o.components_out > 0 ? o.components_out : in;
  r.applied = AppliedStages{.stages = there_and_back(analysis ? open.analysis : open.synthesis,
                                                     {.axis = together ? 0 : -1, .in = in, .out = out}),
                            .side = analysis ? open.space_side : open.spectrum_side,
                            .middle = analysis ? open.spectrum : open.space};
}

std::string label_of(const Stage& stage) {
  std::string text = stage.axes.size() == 1 ? "sweep axis" : "sweep axes";
  for (const AxisTransform& axis : stage.axes) text += fmt::format(" {}", axis.axis);
  return text;
}

}  // namespace

std::vector<ExpectedStep> expected_steps(const Decomposition& d, const DeviceCosts& costs,
                                         const CheckedProblem& problem) {
  std::vector<ExpectedStep> steps;
  double bytes = problem.space_bytes();
  const auto exchange = [&](const Layout& from, const Layout& to) {
    if (!from.same_owners(to)) steps.push_back({"exchange", costs.exchange(from, to, bytes)});
  };
  const auto copy = [&](const Layout& layout) { steps.push_back({"copy", costs.copy(largest_part(layout), bytes)}); };
  const bool enters = d.space.same_owners(d.stages.front().in), leaves = d.stages.back().out.same_owners(d.spectrum);
  if (!enters) copy(d.space);
  exchange(d.space, d.stages.front().in);
  bytes = problem.element_bytes();
  for (std::size_t i = 0; i < d.stages.size(); ++i) {
    const Stage& stage = d.stages[i];
    if (i > 0) exchange(d.stages[i - 1].out, stage.out);
    steps.push_back({label_of(stage), costs.sweep(stage.axes, largest_part(stage.out), bytes, i == 0 && enters)});
  }
  exchange(d.stages.back().out, d.spectrum);
  if (!leaves) copy(d.spectrum);
  return steps;
}

void plan_stages(Recipe& r, const Comm& comm) {
  if (r.problem.moves()) return plan_move(r, comm);
  plan_transform(r, comm);
  r.applied.reset();
  if (r.choices.options.apply != Apply::none) plan_apply(r, comm);
}

}  // namespace shardfft
