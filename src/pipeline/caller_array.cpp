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

CallerArray CallerArray::with_whole_rows(Scalar scalar) const {
  CallerArray result = *this;
  const AxisSplit s = *split();
  const Layout& callers = whole->layout;
  const Index extent = callers.global()[s.axis], element = element_bytes(scalar);
  std::vector<Box> rests;
  Index elements = 0;
  for (const Patch& patch : patches) {
    const Box& box = patch.box;  // the one that ends with the caller's last element
    if (box.empty() || box.hi[s.axis] < s.slow || box.hi[s.axis + 1] != extent - (s.slow - 1) * s.fast) continue;
    Box rest = box;
    rest.lo[s.axis] = s.slow - 1;
    rest.lo[s.axis + 1] = box.hi[s.axis + 1], rest.hi[s.axis + 1] = s.fast;
    if (!rest.empty()) rests.push_back(rest), elements += rest.count();
  }
  const auto memory = std::make_shared<double[]>(static_cast<std::size_t>(elements * element) / sizeof(double));
  result.rest_of_row = {memory, reinterpret_cast<std::byte*>(memory.get())};
  std::byte* at = result.rest_of_row.get();
  for (const Box& rest : rests) {
    std::vector<int> order;
    for (int a = 0; a < rest.dims(); ++a) order.push_back(a);
    result.patches.push_back({.box = rest,
                              .base = Base::fixed,
                              .address = at,
                              .strides = packed_strides(rest.shape(), order, element, false)});
    at += rest.count() * element;
  }
  return result;
}

}  // namespace shardfft
