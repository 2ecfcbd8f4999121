#include "grid/swept_side.hpp"

namespace shardfft {
namespace {

// All axes but the split one: how an index of that is cyclic follows from its digits.
Coord beside(const SweptSide& side) {
  Coord owners = side.owners;
  if (side.split) owners[side.split->axis] = 1;
  return owners;
}

}  // namespace

Layout SweptSide::seen(const Layout& layout) const {
  const bool digits_say = split && owners_of(layout)[split->axis] > 1;
  const Layout others = digits_say ? layout : counted(layout, beside(*this));
  return split ? shardfft::split(*split, digits, others) : others;
}

std::vector<Patch> SweptSide::seen(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                                   bool reads) const {
  const std::vector<Patch> others = counted(patches, global, own, beside(*this));
  return split ? shardfft::split(*split, digits, others, owners[split->axis], reads) : others;
}

}  // namespace shardfft
