#include "planner/decide/recipe.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "planner/options/option_table.hpp"

namespace shardfft {

// Blocks of an encoded exchange are to run along an axis of space, which a plane of two transformed axes has not: then
// one axis at a time. So do kernels of a device; its library does three at once, or two whose planes stay in its cache.
// Half spectra in place that stay in a core's own cache anyway need no plane either, whose short rows cost more than
// they save (docs/performance/lessons.md).
int usual_fuse(const Recipe& r) {
  if (r.encoding.codec || r.fused()) return 1;
  const double bytes = r.problem.largest_array() * r.problem.element_bytes();
  if (r.device) return r.device->takes_two_passes(r) ? 2 : 3;
  if (r.problem.real && r.choices.options.in_place && r.tuning.intermediate == Intermediate::output &&
      bytes <= 1.5 * static_cast<double>(r.machine.l2_bytes))
    return 1;
  return 2;
}

namespace {

std::string cut_of(const Recipe& r) {
  std::size_t cut = 0;
  for (const Stage& stage : r.analysis) {
    std::size_t here = 0;
    for (const Index p : stage.in.grid()) here += p > 1;
    cut = std::max(cut, here);
  }
  return cut <= 1 ? "slab" : cut == 2 ? "pencil" : "brick";
}

std::string grids_of(const Recipe& r) {
  std::string grids;
  for (const Stage& stage : r.analysis) grids += (grids.empty() ? "" : " -> ") + to_string(stage.in.grid());
  return grids;
}

std::string tile_of(const Recipe& r) { return r.tuning.tile == 0 ? "each sweep's own" : option_word(r.tuning.tile); }

std::string split_of(const Recipe& r) {
  return r.split ? fmt::format("axis {} into {} x {}", r.split->axis, r.split->slow, r.split->fast) : "";
}

std::string convolution_of(const ChirpedAxis& a) {
  return fmt::format("axis {} by bluestein, {} rows of {} in {} x {}", a.axis, a.rows, a.row, a.tall, a.wide);
}

std::string fused_axes_of(const Recipe& r) {
  std::size_t fused = 1;
  for (const Stage& stage : r.analysis) fused = std::max(fused, stage.axes.size());
  return std::to_string(fused);
}

/// Choices that the stages describe better than their values.
struct FromStages {
  std::string_view name{};
  std::string (*text)(const Recipe&) = nullptr;
};
constexpr FromStages from_stages[] = {{"decomposition", cut_of},
                                      {"ranks_grid", grids_of},
                                      {"tile", tile_of},
                                      {"split", split_of},
                                      {"fuse", fused_axes_of}};

}  // namespace

std::vector<Choice> choices_of(const Recipe& r) {
  std::vector<Choice> list;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) list.push_back({name, value, r.choices.origin(name)});
  };
  for (const OptionEntry& entry : option_entries()) {
    if (entry.decided == Decided::by_default) continue;
    const auto found = std::ranges::find(from_stages, entry.row.name, &FromStages::name);
    const std::string own = entry.is_open(r.tuning) ? "" : entry.text(r.tuning);
    add(std::string(entry.row.name), found == std::end(from_stages) ? own : found->text(r));
  }
  if (r.chirped) list.push_back({"convolution", convolution_of(*r.chirped), r.choices.origin("split")});
  add("codec", to_string(r.encoding));
  return list;
}

std::string to_string(const Recipe& r) {
  std::string text;
  for (const Choice& choice : choices_of(r))
    if (choice.name != "threads") text += fmt::format("{} {}; ", choice.name, choice.value);
  text += "transports";
  for (const Transport* t : r.transports) text += fmt::format(" {}", t->name());
  text += fmt::format("; {}", to_string(r.space.spec()));
  for (const auto& stages : {r.analysis, r.synthesis})
    for (const Stage& stage : stages) {
      text += fmt::format("; {}:", to_string(stage.in.spec()));
      for (const AxisTransform& axis : stage.axes) text += fmt::format(" {}", axis.axis);
    }
  if (r.applied)
    for (const Stage& stage : r.applied->stages) {
      text += fmt::format("; apply {}:", to_string(stage.in.spec()));
      for (const AxisTransform& axis : stage.axes) text += fmt::format(" {}", axis.axis);
    }
  return text + "; " + to_string(r.spectrum.spec());
}

Tuning variant_of(const Recipe& r) {
  Tuning v = r.tuning;
  v.threads = 0;
  return v;
}

}  // namespace shardfft
