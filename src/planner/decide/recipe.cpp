#include "planner/decide/recipe.hpp"

#include <fmt/format.h>

#include "planner/options/option_table.hpp"

namespace shardfft {

// Blocks of an encoded exchange are to run along an axis of space, which a plane of two transformed axes has not: then
// one axis at a time. So do kernels of a device; its library does three at once, or two whose planes stay in its cache.
// Half spectra in place that stay in a core's own cache anyway need no plane either, whose short rows cost more than
// they save (docs/performance/lessons.md).
int usual_fuse(const Recipe& r) {
  if (r.encoding.codec || r.fused) return 1;
  const double bytes = r.problem.largest_array() * r.problem.element_bytes();
  if (r.device) return r.device->takes_two_passes(r) ? 2 : 3;
  if (r.problem.real && r.choices.options.in_place && !r.intermediate_buffers &&
      bytes <= 1.5 * static_cast<double>(r.machine.l2_bytes))
    return 1;
  return 2;
}

std::string to_string(const Recipe& r) {
  std::string text = fmt::format("{} chunks {} tile {} intermediate {} non_temporal {} transports", r.engine_name(),
                                 r.chunks, r.tile, option_word(intermediate_of(r)), option_word(r.non_temporal));
  for (const Transport* t : r.transports) text += fmt::format(" {}", t->name());
  if (r.streams > 0) text += fmt::format("; streams {}", r.streams);
  text += fmt::format("; {}", to_string(r.space.spec()));
  if (r.split) text += fmt::format("; axis {} as {} x {}", r.split->axis, r.split->slow, r.split->fast);
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
  return text + fmt::format("; {}; codec {}", to_string(r.spectrum.spec()), to_string(r.encoding));
}

Variant variant_of(const Recipe& r) {
  const Options& o = r.choices.options;
  return {.engine = r.engine_name(),
          .transport = std::string(r.transports.front()->name()),
          .decomposition = o.expert.decomposition,
          .ranks_grid = o.expert.ranks_grid,
          .threads = 0,
          .chunks = r.chunks,
          .tile = r.tile,
          .fuse = o.expert.fuse < 0 ? usual_fuse(r) : o.expert.fuse,
          .streams = r.streams,
          .intermediate = intermediate_of(r),
          .non_temporal = r.non_temporal};
}

}  // namespace shardfft
