#include "planner/recipe.hpp"

#include <fmt/format.h>

namespace shardfft {

std::string to_string(const Recipe& r) {
  std::string text = fmt::format("{} chunks {} tile {} stream {} transports", r.engine->name(), r.chunks, r.tile, int{r.stream});
  for (const Transport* t : r.transports) text += fmt::format(" {}", t->name());
  text += fmt::format("; {}", to_string(r.space.spec()));
  for (const Stage& stage : r.analysis) {
    text += fmt::format("; {}:", to_string(stage.in.spec()));
    for (const StageAxis& axis : stage.axes) text += fmt::format(" {}", axis.axis);
  }
  return text + fmt::format("; {}; codec {}", to_string(r.spectrum.spec()), to_string(r.encoding));
}

Variant variant_of(const Recipe& r) {
  const Options& o = r.choices.options;
  return {.engine = std::string(r.engine->name()), .transport = std::string(r.transports.front()->name()), .decomposition = o.decomposition,
          .ranks_grid = o.ranks_grid, .threads = 0, .chunks = r.chunks, .tile = r.tile, .fuse = o.fuse < 0 ? (r.encoding.codec ? 1 : 2) : o.fuse, .stream = r.stream};
}

}  // namespace shardfft
