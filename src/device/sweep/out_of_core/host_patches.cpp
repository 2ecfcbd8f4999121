#include "device/sweep/out_of_core/host_patches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "shardfft/programs/team.hpp"
#include "support/memory/copy_box.hpp"

namespace shardfft {
namespace {

// Copies the axes from `axis` on.
void copy_rows(Queue& queue, const BoxMove& m, int axis, std::byte* to, const std::byte* from, Index element_bytes) {
  const int last = m.axes - 1;
  const bool contiguous = last >= 0 && m.from_step[last] == element_bytes && m.to_step[last] == element_bytes;
  const int outside = contiguous ? last : m.axes;  // axes beside the row
  if (outside - axis > 2) {
    for (Index i = 0; i < m.extent[axis]; ++i)
      copy_rows(queue, m, axis + 1, to + i * m.to_step[axis], from + i * m.from_step[axis], element_bytes);
    return;
  }
  RowsCopy rows{
      .to = to, .from = from, .row_bytes = static_cast<std::size_t>((contiguous ? m.extent[last] : 1) * element_bytes)};
  if (outside - axis >= 1)
    rows.rows = m.extent[outside - 1], rows.to_row_step = m.to_step[outside - 1],
    rows.from_row_step = m.from_step[outside - 1];
  if (outside - axis == 2)
    rows.planes = m.extent[axis], rows.to_plane_step = m.to_step[axis], rows.from_plane_step = m.from_step[axis];
  queue.copy_rows(rows);
}

// The coordinate along one axis of the patch's first element in memory.
Index lowest(const Patch& patch, const Box& part, int axis) {
  return patch.strides[axis] < 0 ? part.hi[axis] - 1 : part.lo[axis];
}

}  // namespace

// Axes that go on in each other are joined, the last one is a row, the two before it go together.
void copy_rows(Queue& queue, const Box& box, std::byte* to, const Coord& to_strides, const std::byte* from,
               const Coord& from_strides, Index element_bytes) {
  BoxMove whole_box{.axes = box.dims()};
  for (int a = 0; a < box.dims(); ++a) {
    whole_box.extent[a] = box.extent(a);
    whole_box.from_step[a] = from_strides[a];
    whole_box.to_step[a] = to_strides[a];
  }
  for (const BoxMove& m : simplified({whole_box}, element_bytes)) copy_rows(queue, m, 0, to, from, element_bytes);
}

HostPatches::HostPatches(const SweepSpec& spec, bool in)
    : all_(in ? spec.from : spec.to),
      patches_(all_),
      element_bytes_(in ? element_bytes_in(spec) : element_bytes_out(spec)),
      scalar_bytes_(static_cast<Index>(size_of(spec.scalar))),
      threads_(spec.tuning.threads) {}

Patch HostPatches::upwards(const Patch& patch, const Box& part) {
  Patch up = patch;
  up.box = part;
  up.conjugated = false;
  for (int a = 0; a < part.dims(); ++a) {
    up.offset += (lowest(patch, part, a) - patch.box.lo[a]) * patch.strides[a];
    up.strides[a] = std::abs(patch.strides[a]);
  }
  return up;
}

std::byte* HostPatches::place(const Patch& patch, const Coord& at, const Buffers& buffers) {
  std::byte* p = patch.base == Base::input    ? const_cast<std::byte*>(buffers.input)
                 : patch.base == Base::output ? buffers.output
                                              : patch.address;
  return p + patch.offset + offset_between(patch.box.lo, at, patch.strides);
}

void HostPatches::bring(const Box& box, std::byte* alone, const Coord& strides, const Buffers& buffers) const {
  const Patch there{.box = box, .address = alone, .strides = strides};
  patches_.for_meeting(box, [&](std::size_t number) {
    const Patch part = upwards(patches_.patch(number), intersect(patches_.patch(number).box, box));
    copy(part, there, part.box, buffers);
  });
}

void HostPatches::take(const Box& box, std::byte* alone, const Coord& strides, const Buffers& buffers) const {
  const Patch there{.box = box, .address = alone, .strides = strides};
  patches_.for_meeting(box, [&](std::size_t number) {
    const Patch part = upwards(patches_.patch(number), intersect(patches_.patch(number).box, box));
    copy(there, part, part.box, buffers);
  });
}

void HostPatches::copy_to(const HostPatches& other, const Box& box, const Buffers& buffers) const {
  patches_.for_meeting(box, [&](std::size_t number) {
    const Patch& from = patches_.patch(number);
    const Box part = intersect(from.box, box);
    other.patches_.for_meeting(part, [&](std::size_t to) {
      copy(from, other.patches_.patch(to), intersect(part, other.patches_.patch(to).box), buffers);
    });
  });
}

// By all threads of the rank, along the longest axis but the last.
void HostPatches::copy(const Patch& from, const Patch& to, const Box& box, const Buffers& buffers) const {
  int along = 0;
  for (int a = 1; a + 1 < box.dims(); ++a)
    if (box.extent(a) > box.extent(along)) along = a;
  constexpr Index worth_a_thread = 1 << 18;
  const Index parts = std::min<Index>({threads_, box.extent(along), 1 + box.count() * element_bytes_ / worth_a_thread});
  const auto copy_part = [&](Index i) {
    Box part = box;
    part.lo[along] = box.lo[along] + box.extent(along) * i / parts;
    part.hi[along] = box.lo[along] + box.extent(along) * (i + 1) / parts;
    const std::byte* source = place(from, part.lo, buffers);
    std::byte* target = place(to, part.lo, buffers);
    if (from.conjugated != to.conjugated)
      copy_conjugates(source, from.strides, target, to.strides, part.shape(), scalar_bytes_);
    else
      copy_box(source, from.strides, target, to.strides, part.shape(), element_bytes_, false);
  };
  for_each_shared(static_cast<int>(parts), parts, copy_part);
}

std::vector<Patch> HostPatches::on_device(const Patch& tile) const {
  std::vector<Patch> turned, others;
  patches_.for_meeting(tile.box, [&](std::size_t number) {
    const Patch& of_caller = patches_.patch(number);
    Patch part = tile;
    part.box = intersect(of_caller.box, tile.box);
    part.conjugated = of_caller.conjugated;
    for (int a = 0; a < tile.box.dims(); ++a) {
      const bool down = of_caller.conjugated && of_caller.strides[a] < 0;
      part.offset += ((down ? part.box.hi[a] - 1 : part.box.lo[a]) - tile.box.lo[a]) * tile.strides[a];
      if (down) part.strides[a] = -tile.strides[a];
    }
    (part.conjugated ? turned : others).push_back(std::move(part));
  });
  if (turned.empty()) return {tile};
  turned.insert(turned.end(), others.begin(), others.end());
  return turned;
}

std::vector<std::span<const std::byte>> HostPatches::inboxes() const {
  constexpr std::uintptr_t page = 4096, close = 16 * page;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> pages;
  for (const Patch& p : all_)
    if (p.base == Base::fixed && p.address && !p.box.empty()) {  // a plan that is only looked at has no addresses
      const auto start = reinterpret_cast<std::uintptr_t>(p.address + p.offset),
                 end = start + static_cast<std::uintptr_t>(packed_bytes(p.box.shape(), p.strides, element_bytes_));
      pages.emplace_back(start / page * page, (end + page - 1) / page * page);
    }
  std::sort(pages.begin(), pages.end());
  std::vector<std::span<const std::byte>> ranges;
  for (std::size_t i = 0; i < pages.size();) {
    auto [start, end] = pages[i];
    for (++i; i < pages.size() && pages[i].first <= end + close; ++i) end = std::max(end, pages[i].second);
    ranges.emplace_back(reinterpret_cast<const std::byte*>(start), end - start);
  }
  return ranges;
}

CallersExtent callers_extent(const SweepSpec& spec, Base base) {
  CallersExtent all;
  for (const auto& [patches, element_bytes] :
       {std::pair(&spec.from, element_bytes_in(spec)), {&spec.to, element_bytes_out(spec)}})
    for (const Patch& p : *patches) {
      if (p.base != base || p.box.empty()) continue;
      Index start = p.offset;
      Coord strides = p.strides;
      for (int a = 0; a < p.box.dims(); ++a) {
        start += (lowest(p, p.box, a) - p.box.lo[a]) * p.strides[a];
        strides[a] = std::abs(strides[a]);
      }
      const Index end = start + packed_bytes(p.box.shape(), strides, element_bytes);
      all =
          all.end == 0 ? CallersExtent{start, end} : CallersExtent{std::min(all.start, start), std::max(all.end, end)};
    }
  return all;
}

}  // namespace shardfft
