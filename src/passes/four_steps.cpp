#include "passes/four_steps.hpp"

#include <algorithm>

#include "files/file_runs.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::files {
namespace {

/// The axes of both factors where the axis was, the slower digit of the index first.
std::vector<int> order_of_factors(const std::vector<int>& order, const AxisSplit& s, bool before) {
  std::vector<int> result;
  for (const int axis : order) {
    if (axis == s.axis) result.push_back(before ? axis : axis + 1);
    result.push_back(axis == s.axis ? before ? axis + 1 : axis : s.inner(axis));
  }
  return result;
}

Index second_length(const FileTransform& t) { return t.in[t.order.back()]; }

}  // namespace

FileTransform in_four_steps(const FileTransform& asked, const AxisSplit& s) {
  const bool forward = asked.direction == Direction::forward;
  FileTransform t = asked;
  t.split = s;
  t.in = t.out = t.far = t.problem.shape = split(s, Digits::before, asked.in);
  t.problem.axes = {s.axis, s.axis + 1};
  t.problem.kinds.clear();
  t.problem.modes = t.problem.support = {};
  t.order = forward ? std::vector<int>{s.axis, s.axis + 1} : std::vector<int>{s.axis + 1, s.axis};
  t.file_order = order_of_factors(asked.file_order, s, forward);
  t.result_order = order_of_factors(c_order(asked.out.dims()), s, !forward);
  return t;
}

bool multiplies_twiddles(const FileTransform& t, const Pass& pass) { return t.split && pass.does(t.order.back()); }

Index twiddle_bytes(const FileTransform& t) { return Twiddles::table_bytes(t.split->length(), second_length(t)); }

TileTwiddles::TileTwiddles(const FileTransform& t)
    : axis_(t.order.back()),
      other_(t.order.front()),
      precision_(t.problem.precision),
      twiddles_(t.split->length(), second_length(t),
                t.direction == Direction::forward ? Transform1d::forward : Transform1d::backward) {}

void TileTwiddles::multiply(const Box& tile, std::byte* memory, int threads) const {
  constexpr Index together = 4 * Twiddles::fine;  // pencils that fill cache lines where they are neighbours
  const Scalar scalar = precision_ == f32 ? Scalar::f32 : Scalar::f64;
  Coord strides = tile.lo;
  Index stride = 1;
  for (int a = tile.dims() - 1; a >= 0; --a) strides[a] = stride, stride *= tile.extent(a);
  const Index pencils = tile.extent(other_), groups = (pencils + together - 1) / together;
  const Index others = tile.count() / (tile.extent(axis_) * pencils);
  for_each_dealt(threads, others * groups, 1, [&](Index i) {
    const Index first = i % groups * together;
    Index at = first * strides[other_], rest = i / groups;
    for (int a = tile.dims() - 1; a >= 0; --a) {
      if (a == axis_ || a == other_) continue;
      at += rest % tile.extent(a) * strides[a];
      rest /= tile.extent(a);
    }
    twiddles_.multiply(scalar, memory + at * 2 * static_cast<Index>(size_of(scalar)), strides[axis_], strides[other_],
                       std::min(together, pencils - first), tile.lo[other_] + first);
  });
}

}  // namespace shardfft::files
