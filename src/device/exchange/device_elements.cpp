#include "device/exchange/device_elements.hpp"

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

MoveBase base_of(Base base) {
  switch (base) {
    case Base::input:
      return MoveBase::input;
    case Base::output:
      return MoveBase::output;
    case Base::plane:
      return MoveBase::work;
    default:
      return MoveBase::fixed;
  }
}

}  // namespace

const Patch& patch_with(const PatchIndex& patches, const Box& box) {
  if (const Patch* patch = patches.holder(box)) return *patch;
  throw Error(
      Status::internal,
      fmt::format("what is encoded on a device lies in one patch of the rank's arrays; {} does not", to_string(box)));
}

BlockSegment elements_of(const Box& box, const Patch& patch, const std::vector<int>& order) {
  BlockSegment segment{.elements = static_cast<std::uint32_t>(box.count()), .base = base_of(patch.base)};
  segment.at =
      patch.base == Base::fixed ? static_cast<Index>(reinterpret_cast<std::intptr_t>(patch.address)) : patch.offset;
  segment.at += offset_between(patch.box.lo, box.lo, patch.strides);
  for (const int axis : order)
    if (box.extent(axis) > 1) segment.add_axis(box.extent(axis), patch.strides[axis]);
  return segment;
}

}  // namespace shardfft
