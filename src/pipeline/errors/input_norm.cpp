#include "pipeline/errors/input_norm.hpp"

#include <algorithm>

#include "grid/cells.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft {
namespace {

constexpr Index part_bytes = 1 << 18;  // small enough that what is read twice, at the rims of half spectra, is still in
                                       // cache, and that threads share evenly

}  // namespace

InputNorm::InputNorm(const CallerArray& array, Scalar scalar, const Weights& weights, int threads)
    : type_{scalar, array.complex}, weights_(weights), threads_(threads) {
  for (const Patch& patch : array.patches) add(patch);
}

// Cut as memory lies: the axes of small strides stay whole as long as that fits.
void InputNorm::add(const Patch& patch) {
  if (patch.box.empty()) return;
  const int dims = patch.box.dims();
  std::vector<int> axes;
  for (int a = 0; a < dims; ++a) axes.push_back(a);
  std::sort(axes.begin(), axes.end(), [&](int a, int b) { return patch.strides[a] < patch.strides[b]; });
  Coord steps = Coord::filled(dims, 1);
  Index bytes = type_.element_bytes();
  for (const int a : axes) {
    steps[a] = std::clamp<Index>(part_bytes / bytes, 1, patch.box.extent(a));
    bytes *= steps[a];
    if (steps[a] == patch.box.extent(a)) steps[a] = patch.box.hi[a];  // steps count from 0: whole
  }
  const Cells cells(patch.box, steps);
  for (Index c = 0; c < cells.count(); ++c) {
    Block part{.box = cells.cell(c), .offset = patch.offset, .strides = patch.strides};
    for (int a = 0; a < dims; ++a) part.offset += (part.box.lo[a] - patch.box.lo[a]) * patch.strides[a];
    bytes_ += part.box.count() * type_.element_bytes();
    parts_.push_back(part);
  }
}

void InputNorm::look(Block& part, const std::byte* input) const {
  part.norm2 = weighted_squares(type_, weights_, part.box, input + part.offset, part.strides);
}

double InputNorm::norm2(const std::byte* input) {
  const auto count = static_cast<Index>(parts_.size());
  for_each_shared(threads_, count, [&](Index i) { look(parts_[static_cast<std::size_t>(i)], input); });
  double sum = 0;
  for (const Block& part : parts_) sum += part.norm2;
  return sum;
}

}  // namespace shardfft
