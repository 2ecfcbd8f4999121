#include "pipeline/memory.hpp"
#include "pipeline/pipeline.hpp"

namespace shardfft {

std::vector<Patch> CallerArray::default_patches(int rank, Base base, Scalar scalar) const {
  const Layout& asked = whole ? whole->layout : layout;
  std::vector<Patch> patches = caller_patches(asked.boxes(rank), placements(asked, rank, {}, ""), base, element_bytes(scalar));
  return whole ? split(whole->split, whole->digits, patches, whole->reads) : patches;
}

CallerArray CallerArray::split_by(const AxisSplit& s, Digits digits, bool reads) const {
  return {.layout = split(s, digits, layout), .patches = split(s, digits, patches, reads), .complex = complex, .whole = Whole{layout, s, digits, reads}};
}

}  // namespace shardfft
