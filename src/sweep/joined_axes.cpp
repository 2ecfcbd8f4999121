#include "sweep/joined_axes.hpp"

#include <algorithm>

#include "sweep/host/interleaved_kernel.hpp"

namespace shardfft {
namespace {

struct CoordRange {
  Index lo = 0, hi = 0;
  friend bool operator==(const CoordRange&, const CoordRange&) = default;
};

CoordRange range(const Box& box, int axis) { return {box.lo[axis], box.hi[axis]}; }

template <class Visit>
void for_boxes(SweepSpec& spec, Visit visit) {
  for (auto& chunk : spec.chunks)
    for (Box& box : chunk) visit(box);
  for (auto* patches : {&spec.from, &spec.to})
    for (Patch& patch : *patches) visit(patch.box);
}

bool goes_on(const Patch& patch, int axis) {
  const Index n = patch.box.extent(axis + 1);
  return n == 1 || patch.box.extent(axis) == 1 || patch.strides[axis] == n * patch.strides[axis + 1];
}

// Whether all boxes and patches allow it, whatever is transformed.
bool go_on(SweepSpec& spec, int axis) {
  bool alike = true;
  const CoordRange all = range(spec.to.front().box, axis + 1);
  for_boxes(spec, [&](const Box& box) { alike &= box.empty() || range(box, axis + 1) == all; });
  const auto joins = [&](const Patch& patch) { return goes_on(patch, axis); };
  return alike && std::all_of(spec.from.begin(), spec.from.end(), joins) &&
         std::all_of(spec.to.begin(), spec.to.end(), joins);
}

bool can_join(SweepSpec& spec, int axis) {
  const auto swept = [&](const SweepAxis& s) {
    const auto is = [&](int one) { return one == axis || one == axis + 1; };
    return is(s.axis) || is(s.other) || is(s.weights.other) || is(s.chirp_rows);
  };
  return std::none_of(spec.axes.begin(), spec.axes.end(), swept) && go_on(spec, axis);
}

// Rows of a unit, which is whole along the swept axes: those that fill the lanes of its tiles. In the mean over all
// boxes.
Index rows_of_unit(const SweepSpec& spec, const SweepAxis& swept, int last) {
  const auto in_unit = [&](int axis) {
    return spec.axes.size() == 1 ||
           std::any_of(spec.axes.begin(), spec.axes.end(), [&](const SweepAxis& s) { return s.axis == axis; });
  };
  Index sum = 0, boxes = 0;
  for (const auto& chunk : spec.chunks)
    for (const Box& box : chunk) {
      if (box.empty()) continue;
      Index rows = 1;
      for (int a = 0; a < last; ++a) rows *= a != swept.axis && in_unit(a) ? box.extent(a) : 1;
      sum += rows;
      ++boxes;
    }
  return boxes == 0 ? 0 : sum / boxes;
}

bool can_interleave(SweepSpec& spec, const SweepAxis& swept, int last) {
  constexpr std::size_t most_bytes = 1 << 20;  // of a tile's two buffers, which stay in the second-level cache
  if (swept.axis != last - 1 || swept.other >= 0 || swept.weights.other >= 0 || swept.twiddles ||
      swept.chirp_rows >= 0 || swept.owners_in != 1 || swept.owners_out != 1)
    return false;
  if (std::any_of(spec.axes.begin(), spec.axes.end(),
                  [&](const SweepAxis& s) { return s.axis == last || s.other == last || s.other == swept.axis; }))
    return false;
  const TileFormat& tile = swept.kernel->in();
  const Index copies = spec.to.front().box.extent(last);
  if (tile.order != TileFormat::Order::lanes || copies < 2 || copies >= 2 * tile.pencils ||
      copies % tile.pencils == 0 || rows_of_unit(spec, swept, last) < tile.pencils)
    return false;
  if (2 * InterleavedKernel::buffer_bytes(*swept.kernel, spec.scalar, copies) > most_bytes) return false;
  const auto rows = [&](const std::vector<Patch>& patches, Index element) {
    return std::all_of(patches.begin(), patches.end(), [&](const Patch& p) { return p.strides[last] == element; });
  };
  return rows(spec.from, element_bytes_in(spec)) && rows(spec.to, element_bytes_out(spec)) && go_on(spec, last - 1);
}

Coord without(const Coord& c, int axis) {
  Coord result = Coord::filled(c.dims() - 1, 0);
  for (int a = 0; a < result.dims(); ++a) result[a] = c[a < axis ? a : a + 1];
  return result;
}

void join(SweepSpec& spec, int axis) {
  const Index n = spec.to.front().box.extent(axis + 1);
  for (auto* patches : {&spec.from, &spec.to})
    for (Patch& patch : *patches) patch.strides = without(patch.strides, n == 1 ? axis + 1 : axis);
  for_boxes(spec, [&](Box& box) {
    const CoordRange outer = box.empty() ? CoordRange{} : range(box, axis);
    box.lo = without(box.lo, axis + 1), box.hi = without(box.hi, axis + 1);
    box.lo[axis] = outer.lo * n, box.hi[axis] = outer.hi * n;
  });
  for (SweepAxis& s : spec.axes) {
    if (s.axis > axis) --s.axis;
    if (s.other > axis) --s.other;
    if (s.weights.other > axis) --s.weights.other;
    if (s.chirp_rows > axis) --s.chirp_rows;
  }
}

}  // namespace

SweepSpec with_joined_axes(SweepSpec spec) {
  if (spec.from.empty() || spec.to.empty()) return spec;
  for (int axis = spec.from.front().box.dims() - 2; axis >= 0; --axis)
    if (can_join(spec, axis)) join(spec, axis);
  return spec;
}

SweepSpec with_interleaved_rows(SweepSpec spec) {
  if (spec.from.empty() || spec.to.empty() || spec.staged()) return spec;
  const int last = spec.from.front().box.dims() - 1;
  for (SweepAxis& swept : spec.axes) {
    if (!can_interleave(spec, swept, last)) continue;
    const Index copies = spec.to.front().box.extent(last);
    swept.kernel = std::make_shared<InterleavedKernel>(swept.kernel, spec.scalar, copies);
    swept.n *= copies;
    std::vector<AdjointWeights::Element> of_copies;
    for (const AdjointWeights::Element& element : swept.weights.elements)
      for (Index copy = 0; copy < copies; ++copy) of_copies.push_back({element.k * copies + copy});
    swept.weights.elements = std::move(of_copies);
    join(spec, last - 1);
    break;
  }
  return spec;
}

std::optional<SweepSpec> stored_with_joined_axes(SweepSpec spec, int pencils) {
  if (spec.axes.size() != 1 || spec.to.empty()) return {};
  const int last = spec.to.front().box.dims() - 1, swept = spec.axes.front().axis;
  const Index element = element_bytes_out(spec);
  const auto in_order = [&](const Patch& patch) { return patch.strides[last] == element; };
  if (!std::all_of(spec.to.begin(), spec.to.end(), in_order) || spec.to.front().box.extent(last) < pencils) return {};
  spec.from.clear();
  int axis = last - 1;
  for (; axis > swept && can_join(spec, axis); --axis) join(spec, axis);
  if (axis == last - 1) return {};
  return spec;
}

}  // namespace shardfft
