#include "device/sweep/device_tiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "grid/patch_index.hpp"

namespace shardfft {
namespace {

Index element_bytes(const SweepSpec& spec, bool complex) {
  return static_cast<Index>(size_of(spec.scalar)) * (complex ? 2 : 1);
}

bool transforms(const SweepSpec& spec, int axis) {
  return std::any_of(spec.axes.begin(), spec.axes.end(), [&](const SweepAxis& a) { return a.axis == axis; });
}

bool halves(const SweepAxis& a) { return a.transform == Transform1d::r2c || a.transform == Transform1d::c2r; }

KeptModes kept_of(const SweepAxis& a, bool in) { return in ? a.kept_in() : a.kept_out(); }

// The box of all transformed elements, not only of those that are kept.
Box whole_tile(const SweepSpec& spec, Box tile, bool in) {
  for (const SweepAxis& a : spec.axes) {
    const KeptModes kept = kept_of(a, in);
    if (!kept.are_all()) tile.hi[a.axis] = tile.lo[a.axis] + (kept.half ? kept.n / 2 + 1 : kept.n);
  }
  return tile;
}

Index offset_in(const Patch& patch, const Coord& at) {
  return patch.offset + offset_between(patch.box.lo, at, patch.strides);
}

struct Side {
  DevicePlace place{};
  Coord strides{};
  bool conjugated = false;
};

BoxMove move_of(const Box& box, const Side& from, const Side& to) {
  BoxMove m{.axes = box.dims(),
            .from_base = from.place.base,
            .to_base = to.place.base,
            .conjugates = from.conjugated != to.conjugated,
            .from = from.place.at,
            .to = to.place.at};
  for (int a = 0; a < box.dims(); ++a) {
    m.extent[a] = box.extent(a);
    m.from_step[a] = from.strides[a];
    m.to_step[a] = to.strides[a];
  }
  return m;
}

}  // namespace

std::vector<int> order_in_work(const SweepSpec& spec, int dims) {
  std::vector<int> order;
  for (int a = 0; a < dims; ++a)
    if (!transforms(spec, a)) order.push_back(a);
  std::vector<SweepAxis> axes = spec.axes;
  std::sort(axes.begin(), axes.end(), [](const SweepAxis& a, const SweepAxis& b) {
    return std::pair(halves(a), a.axis) < std::pair(halves(b), b.axis);
  });
  for (const SweepAxis& a : axes) order.push_back(a.axis);
  return order;
}

DevicePlace place_in(const Patch& patch, const Coord& at) {
  const Index bytes = offset_in(patch, at);
  switch (patch.base) {
    case Base::input:
      return {MoveBase::input, bytes};
    case Base::output:
      return {MoveBase::output, bytes};
    case Base::plane:
      return {MoveBase::work, bytes};
    default:
      return {MoveBase::fixed, static_cast<Index>(reinterpret_cast<std::intptr_t>(patch.address)) + bytes};
  }
}

DeviceTransform transform_of(const SweepSpec& spec) {
  for (const SweepAxis& a : spec.axes) {
    if (a.transform == Transform1d::r2c) return DeviceTransform::r2c;
    if (a.transform == Transform1d::c2r) return DeviceTransform::c2r;
  }
  return spec.axes.front().transform == Transform1d::forward ? DeviceTransform::forward : DeviceTransform::backward;
}

std::optional<PencilKind> kind_of(const SweepSpec& spec) {
  if (spec.axes.empty() || !is_r2r(spec.axes.front().transform)) return std::nullopt;
  const SweepAxis& axis = spec.axes.front();
  return PencilKind{.kind = kind_of(axis.transform), .orthonormal = axis.orthonormal, .complex = axis.complex};
}

namespace {

// The folded modes of a sweep along one axis whose spectrum has an even number of modes.
std::optional<FoldedModes> folded_of(const SweepSpec& spec) {
  if (spec.axes.size() != 1) return std::nullopt;
  for (const bool in : {true, false})
    if (const KeptModes kept = kept_of(spec.axes.front(), in); kept.folds())
      return FoldedModes{.in = in,
                         .length = kept.half ? kept.n / 2 + 1 : kept.n,
                         .middle = kept.middle(),
                         .mirrored = kept.half ? 0 : kept.mirrored()};
  return std::nullopt;
}

}  // namespace

bool lacks_some(const SweepSpec& spec, bool in) {
  return std::any_of(spec.axes.begin(), spec.axes.end(),
                     [in](const SweepAxis& a) { return !kept_of(a, in).are_all(); });
}

TileForm form_of(const SweepSpec& spec, const Box& of_array) {
  const Box tile = whole_tile(spec, of_array, true), result = whole_tile(spec, after(spec, of_array), false);
  const auto order = order_in_work(spec, tile.dims());
  TileForm form;
  form.fft.scalar = spec.scalar;
  form.fft.transform = transform_of(spec);
  form.kind = kind_of(spec);
  form.folded = folded_of(spec);
  for (const int a : order) {
    if (!transforms(spec, a)) {
      form.fft.batch *= tile.extent(a);
      continue;
    }
    const auto axis = std::find_if(spec.axes.begin(), spec.axes.end(), [&](const SweepAxis& x) { return x.axis == a; });
    form.fft.n.push_back(axis->n);
  }
  form.in_strides = packed_strides(tile.shape(), order, element_bytes(spec, spec.complex_in), false);
  form.out_strides = packed_strides(result.shape(), order, element_bytes(spec, spec.complex_out), false);
  form.in_bytes = tile.count() * element_bytes(spec, spec.complex_in);
  form.out_bytes = result.count() * element_bytes(spec, spec.complex_out);
  return form;
}

std::vector<Box> tiles_of(const SweepSpec& spec, const Box& box, const Coord& strides, const Coord& units, Index most) {
  if (box.empty()) return {};
  const auto several = [&](int a) { return box.lo[a] / units[a] < (box.hi[a] - 1) / units[a]; };
  int cut = -1;
  for (int a = 0; a < box.dims(); ++a)
    if (!transforms(spec, a) && several(a) && (cut < 0 || std::abs(strides[a]) > std::abs(strides[cut]))) cut = a;
  const Index all = std::max(whole_tile(spec, box, true).count(), whole_tile(spec, after(spec, box), false).count());
  if (cut < 0 || all <= most) return {box};
  const Index each = all / box.extent(cut), step = std::max<Index>(1, most / each / units[cut]) * units[cut];
  std::vector<Box> tiles;
  for (Index lo = box.lo[cut], hi = lo; lo < box.hi[cut]; lo = hi) {
    hi = std::min(lo / units[cut] * units[cut] + step, box.hi[cut]);
    Box part = box;
    part.lo[cut] = lo;
    part.hi[cut] = hi;
    for (Box& tile : tiles_of(spec, part, strides, units, most)) tiles.push_back(std::move(tile));
  }
  return tiles;
}

namespace {

// An axis alone whose elements are apart: its pencils lie side by side, the last axis innermost.
std::optional<AsItLies> side_by_side(const SweepSpec& spec, const Patch& patch, const Box& box, Index bytes) {
  const int axis = spec.axes.front().axis;
  Index expected = bytes;
  for (int a = box.dims() - 1; a >= 0; --a) {
    if (a == axis || box.extent(a) == 1) continue;
    if (patch.strides[a] != expected) return std::nullopt;
    expected *= box.extent(a);
  }
  const Index stride = patch.strides[axis];
  if (stride < expected || stride % bytes != 0) return std::nullopt;
  return AsItLies{place_in(patch, box.lo), stride / bytes, 1};
}

}  // namespace

std::optional<AsItLies> as_it_lies(const SweepSpec& spec, const std::vector<Patch>& patches, const Box& box,
                                   bool complex) {
  const auto covers = [&](const Patch& p) { return intersect(p.box, box) == box; };
  const auto patch = std::find_if(patches.begin(), patches.end(), covers);
  if (patch == patches.end() || patch->conjugated || box.empty()) return std::nullopt;
  const Index bytes = element_bytes(spec, complex);
  // Libraries want real rows where complex ones could begin.
  if (!kind_of(spec) && offset_in(*patch, box.lo) % (2 * static_cast<Index>(size_of(spec.scalar))) != 0)
    return std::nullopt;
  if (spec.axes.size() == 1 && box.extent(spec.axes.front().axis) > 1 &&
      patch->strides[spec.axes.front().axis] != bytes)
    return side_by_side(spec, *patch, box, bytes);
  const auto order = order_in_work(spec, box.dims());
  // From the inside out each axis must go on where the one before it ends; only where there is one transformed axis may
  // there be a gap behind it.
  Index expected = bytes;
  std::size_t transformed = spec.axes.size();
  std::optional<Index> distance;
  for (auto a = order.rbegin(); a != order.rend(); ++a) {
    const bool first_outside = transformed == 0 && !distance;
    const Index extent = box.extent(*a);
    if (transformed > 0) --transformed;
    if (extent == 1 && !transforms(spec, *a)) continue;
    if (first_outside) distance = spec.axes.size() == 1 ? patch->strides[*a] : expected;
    if (first_outside && spec.axes.size() == 1 && *distance >= expected) expected = *distance;
    if (extent > 1 && patch->strides[*a] != expected) return std::nullopt;
    expected *= extent;
  }
  if (distance.value_or(bytes) % bytes != 0) return std::nullopt;
  return AsItLies{place_in(*patch, box.lo), 1, distance.value_or(0) / bytes};
}

namespace {

// How the elements of an axis are ordered by owner, and which they are of the whole axis.
struct AxisOrder {
  CyclicMap map{};
  KeptModes kept{};
};

/// visit(at, index in the whole axis, how many) for parts of the range `counted`: of one owner, on one side of the gap.
template <class Visit>
void for_runs_of_whole(const AxisOrder& order, IndexRange counted, Visit visit) {
  const Index owners = order.map.owners;
  for_runs(order.map, counted, [&](Index at, Index first, Index count) {
    const Index low = std::clamp<Index>((order.kept.first() - first + owners - 1) / owners, 0, count);
    if (low > 0) visit(at, first, low);
    if (low < count) visit(at + low, order.kept.index(first + low * owners), count - low);
  });
}

// A cyclic axis that is transformed takes a part of each patch for each owner. In the packed tile the elements of a
// part are as far apart as there are owners.
std::vector<BoxMove> moves_in_order(const std::vector<AxisOrder>& orders, const std::vector<Patch>& patches,
                                    const Box& box, const DevicePlace& start, const Coord& strides) {
  std::vector<BoxMove> moves;
  for (const Patch& patch : patches) {
    const Box both = intersect(patch.box, box);
    if (both.empty()) continue;
    std::vector<std::pair<Box, Side>> parts{{both, {start, strides}}};
    for (int a = 0; a < box.dims(); ++a) {
      std::vector<std::pair<Box, Side>> runs;
      for (const auto& [part, side] : parts)
        for_runs_of_whole(orders[static_cast<std::size_t>(a)], {part.lo[a], part.hi[a]},
                          [&, &part = part, &side = side](Index counted, Index first, Index count) {
                            auto& [run, place] = runs.emplace_back(part, side);
                            run.lo[a] = counted, run.hi[a] = counted + count;
                            place.place.at += (first - box.lo[a]) * strides[a];
                            place.strides[a] *= orders[static_cast<std::size_t>(a)].map.owners;
                          });
      parts = std::move(runs);
    }
    for (const auto& [part, side] : parts)
      moves.push_back(move_of(part, {place_in(patch, part.lo), patch.strides, patch.conjugated}, side));
  }
  return moves;
}

// Axes that are not transformed keep their order: one owner, and all elements.
std::vector<AxisOrder> orders_of(const SweepSpec& spec, const Box& box, bool in) {
  std::vector<AxisOrder> orders;
  for (int a = 0; a < box.dims(); ++a)
    orders.push_back({{.n = box.hi[a]}, {.n = box.hi[a], .modes = box.hi[a], .periodic = false}});
  for (const SweepAxis& axis : spec.axes) {
    AxisOrder& order = orders[static_cast<std::size_t>(axis.axis)];
    order.map.owners = in ? axis.owners_in : axis.owners_out;
    if (const KeptModes kept = kept_of(axis, in); !kept.are_all()) order.kept = kept;
  }
  return orders;
}

}  // namespace

std::vector<BoxMove> gathers(const SweepSpec& spec, const std::vector<Patch>& from, const Box& box,
                             const DevicePlace& start, const Coord& strides) {
  return moves_in_order(orders_of(spec, box, true), from, box, start, strides);
}

std::vector<BoxMove> scatters(const SweepSpec& spec, const std::vector<Patch>& to, const Box& box,
                              const DevicePlace& start, const Coord& strides) {
  std::vector<BoxMove> moves = moves_in_order(orders_of(spec, box, false), to, box, start, strides);
  for (BoxMove& m : moves) {
    std::swap(m.from, m.to);
    std::swap(m.from_base, m.to_base);
    std::swap(m.from_step, m.to_step);
  }
  return moves;
}

bool has_twiddles(const SweepSpec& spec) {
  return std::any_of(spec.axes.begin(), spec.axes.end(), [](const SweepAxis& a) { return a.other >= 0; });
}

std::optional<TileTwiddles> twiddles_of(const SweepSpec& spec, const Box& tile, const TileForm& form, Index at) {
  const auto axis = std::find_if(spec.axes.begin(), spec.axes.end(), [](const SweepAxis& a) { return a.other >= 0; });
  if (axis == spec.axes.end()) return std::nullopt;
  const Index element = element_bytes(spec, true);
  return TileTwiddles{.backward = axis->transform != Transform1d::forward,
                      .n = axis->whole,
                      .length = axis->length_in(),
                      .step = form.in_strides[axis->axis] / element,
                      .other_extent = tile.extent(axis->other),
                      .other_step = form.in_strides[axis->other] / element,
                      .from = tile.lo[axis->other],
                      .other_length = axis->other_map.n,
                      .owners = axis->other_map.owners,
                      .at = at};
}

std::vector<BoxMove> moves_between(const std::vector<Patch>& from, const std::vector<Patch>& to,
                                   const std::vector<Box>& boxes) {
  std::vector<BoxMove> moves;
  const PatchIndex sources(from), targets(to);
  for (const Box& box : boxes)
    for (const std::size_t s : sources.meeting(box)) {
      const Box part = intersect(from[s].box, box);
      for (const std::size_t t : targets.meeting(part)) {
        const Box both = intersect(part, to[t].box);
        moves.push_back(move_of(both, {place_in(from[s], both.lo), from[s].strides, from[s].conjugated},
                                {place_in(to[t], both.lo), to[t].strides, to[t].conjugated}));
      }
    }
  return moves;
}

}  // namespace shardfft
