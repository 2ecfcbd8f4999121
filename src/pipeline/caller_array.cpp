#include "pipeline/bind/memory.hpp"
#include "pipeline/spec.hpp"

namespace shardfft {

std::vector<Patch> CallerArray::default_patches(int rank, Base base, Scalar scalar) const {
  const Layout& asked = whole ? whole->layout : layout;
  const OwnPart part = own_part(asked, rank, {}, "");
  const std::vector<Patch> patches = caller_patches(part.boxes, part.placements, base, element_bytes(scalar));
  return whole ? whole->side.seen(patches, asked.global(), whole->owners, whole->reads) : patches;
}

CallerArray CallerArray::seen_by(const SweptSide& side, bool reads) const {
  if (side.is_callers()) return *this;
  return {.layout = side.seen(layout),
          .patches = side.seen(patches, layout.global(), owners, reads),
          .complex = complex,
          .owners = side.owners_swept(),
          .whole = Whole{layout, owners, side, reads}};
}

}  // namespace shardfft
