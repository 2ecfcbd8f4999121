#include "boxes.hpp"

namespace shardfft::apps {

std::vector<Part> parts_in_a_row(const Layout& layout, int rank, std::byte* data, Index element_bytes) {
  std::vector<Part> parts;
  const std::vector<int>& order = layout.order();
  for (const Box& box : layout.boxes(rank)) {
    Part part{box, data, Coord::filled(box.dims(), element_bytes)};
    Index stride = element_bytes;
    for (int i = box.dims() - 1; i >= 0; --i) {
      const int axis = order.empty() ? i : order[static_cast<std::size_t>(i)];
      part.strides[axis] = stride;
      stride *= box.extent(axis);
    }
    data += stride;
    parts.push_back(part);
  }
  return parts;
}

}  // namespace shardfft::apps
