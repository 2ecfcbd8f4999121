#include "answers/parts.hpp"

#include "files/file_runs.hpp"
#include "grid/patch.hpp"
#include "support/memory/copy_box.hpp"

namespace shardfft {
namespace {

Coord strides_of(const Shape& shape, Index element_bytes) {
  return packed_strides(shape, files::c_order(shape.dims()), element_bytes, /*padded=*/false);
}

}  // namespace

void put_part(const PartOfArray& where, const std::byte* part, std::byte* array) {
  const Coord strides = strides_of(where.array, where.element_bytes), origin = Coord::filled(where.at.dims(), 0);
  copy_box(part, strides_of(where.part, where.element_bytes), array + offset_between(origin, where.at, strides),
           strides, where.part, where.element_bytes);
}

void take_part(const PartOfArray& where, const std::byte* array, std::byte* part) {
  const Coord strides = strides_of(where.array, where.element_bytes), origin = Coord::filled(where.at.dims(), 0);
  copy_box(array + offset_between(origin, where.at, strides), strides, part,
           strides_of(where.part, where.element_bytes), where.part, where.element_bytes);
}

}  // namespace shardfft
