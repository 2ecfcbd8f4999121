#include "sweep/host/rows.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace shardfft {
namespace {

// The origin of a row may lie before the patch's memory; it is an address to count from, never one to read.
std::byte* displaced(std::byte* start, Index bytes) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(start) + static_cast<std::uintptr_t>(bytes));
}

}  // namespace

std::byte* Bases::start(const Patch& patch) const {
  switch (patch.base) {
    case Base::input:
      return input + patch.offset;
    case Base::output:
      return output + patch.offset;
    case Base::plane:
      return plane + patch.offset;
    default:
      return patch.address + patch.offset;
  }
}

void PencilRows::reserve(std::size_t patches, Index length) {
  selected_.reserve(patches);
  row_.reserve(patches);
  starts_.reserve(static_cast<std::size_t>(length));
}

void PencilRows::select(const PatchIndex& all, const Box& box, const Walk& walk, const Bases& bases) {
  walk_ = walk;
  next_ = nullptr;
  resolved_ = false;
  selected_.clear();
  all.for_meeting(
      box, [&](std::size_t number) { selected_.push_back({&all.patch(number), bases.start(all.patch(number))}); });
  std::sort(selected_.begin(), selected_.end(), [](const Selected& a, const Selected& b) { return a.patch < b.patch; });
}

void PencilRows::select(const Patch& one, const Walk& walk, const Bases& bases) {
  walk_ = walk;
  next_ = nullptr;
  resolved_ = false;
  selected_.assign(1, {&one, bases.start(one)});
}

bool PencilRows::same_row(const Coord& at) const {
  for (int a = 0; a < at.dims(); ++a)
    if (a != walk_.axis && a != walk_.lane && at[a] != at_[a]) return false;
  return resolved_;
}

const std::vector<RowPatch>& PencilRows::row(const Coord& at) {
  if (!same_row(at)) resolve(at);
  return row_;
}

Index PencilRows::to_next_tile(const Coord& from, const Coord& to) const {
  const Patch& patch = *selected_.front().patch;
  return distance(selected_.front(), from, to) +
         (walk_.lane < 0 ? 0 : (to[walk_.lane] - from[walk_.lane]) * patch.strides[walk_.lane]);
}

// From row to row.
Index PencilRows::distance(const Selected& in, const Coord& from, const Coord& to) const {
  Index bytes = 0;
  for (int a = 0; a < to.dims(); ++a)
    if (a != walk_.axis && a != walk_.lane) bytes += (to[a] - from[a]) * in.patch->strides[a];
  return bytes;
}

ContiguousLanes PencilRows::contiguous_lanes(const Coord& at, Index count, Index length, Index element,
                                             const Index* indices) {
  if (walk_.lane < 0) return {};
  if (!same_row(at)) resolve(at);
  const Index v = at[walk_.lane];
  if (!(start_lo_ <= v && v + count <= start_hi_) && !find_starts(v, v + count, length, element, indices)) return {};
  return {starts_.data(), row_offset_, far_lo_, far_hi_, phase_ < 0 ? -1 : (phase_ + row_offset_) & 63};
}

// Finds the starts of pencils lo .. hi - 1 and of their neighbours in the same patches. If targets overlap, an element
// goes to two places: such pencils have no single start.
bool PencilRows::find_starts(Index lo, Index hi, Index length, Index element, const Index* indices) {
  const auto holds = [&](const RowPatch& r) { return r.v_lo <= lo && hi <= r.v_hi; };
  Index covered = 0;
  for (const RowPatch& r : row_) {
    if (r.v_hi <= lo || hi <= r.v_lo) continue;
    if (!holds(r) || r.step_v != element || r.conjugated) return false;
    covered += r.k_hi - r.k_lo;
  }
  if (covered != length) return false;
  starts_.resize(static_cast<std::size_t>(length));
  start_lo_ = std::numeric_limits<Index>::min(), start_hi_ = std::numeric_limits<Index>::max();
  for (const RowPatch& r : row_) {
    if (r.v_hi <= lo) start_lo_ = std::max(start_lo_, r.v_hi);
    if (hi <= r.v_lo) start_hi_ = std::min(start_hi_, r.v_lo);
    if (!holds(r)) continue;
    start_lo_ = std::max(start_lo_, r.v_lo), start_hi_ = std::min(start_hi_, r.v_hi);
    for (Index k = r.k_lo; k < r.k_hi; ++k)
      starts_[static_cast<std::size_t>(indices == nullptr ? k : indices[k])] =
          displaced(r.origin, k * r.step_k - row_offset_);
  }
  indices_ = indices;
  find_far(length);
  find_phase();
  return true;
}

void PencilRows::find_far(Index length) {
  const auto meets = [&](const RowPatch& r) { return r.v_lo < start_hi_ && start_lo_ < r.v_hi; };
  far_lo_ = length, far_hi_ = 0;
  for (const RowPatch& r : row_)
    if (meets(r) && !r.in_plane) far_lo_ = std::min(far_lo_, r.k_lo), far_hi_ = std::max(far_hi_, r.k_hi);
  if (far_lo_ >= far_hi_) {
    far_lo_ = far_hi_ = 0;
  } else if (std::any_of(row_.begin(), row_.end(), [&](const RowPatch& r) {
               return meets(r) && r.in_plane && (indices_ != nullptr || (r.k_lo < far_hi_ && far_lo_ < r.k_hi));
             })) {
    far_lo_ = 0, far_hi_ = length;
  }
}

void PencilRows::find_phase() {
  const auto phase = [](const std::byte* p) { return static_cast<Index>(reinterpret_cast<std::uintptr_t>(p) % 64); };
  phase_ = -1;
  if (far_lo_ == far_hi_) return;
  const auto far =
      std::span(starts_).subspan(static_cast<std::size_t>(far_lo_), static_cast<std::size_t>(far_hi_ - far_lo_));
  const Index first = phase(far.front());
  if (std::all_of(far.begin(), far.end(), [&](const std::byte* p) { return phase(p) == first; })) phase_ = first;
}

// From the row that is known to one that the same patches meet. By the same distance in all of them, where they lie
// alike: then what is known of the row stays as it is.
bool PencilRows::move_to(const Coord& at) {
  if (!resolved_ || row_.size() != selected_.size() || row_.empty()) return false;
  for (const Selected& s : selected_)
    for (int a = 0; a < at.dims(); ++a)
      if (a != walk_.axis && a != walk_.lane && (at[a] < s.patch->box.lo[a] || at[a] >= s.patch->box.hi[a]))
        return false;
  const Index bytes = distance(selected_.front(), at_, at);
  bool whole_lines = true;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const Index own = i == 0 ? bytes : distance(selected_[i], at_, at);
    whole_lines = whole_lines && (own - bytes) % 64 == 0;
    if (own != bytes) move(row_[i], own - bytes);
    row_[i].origin = displaced(row_[i].origin, own);
  }
  row_offset_ += bytes;
  if (!whole_lines && start_lo_ < start_hi_) find_phase();
  for (int a = 0; a < at.dims(); ++a)
    if (a != walk_.axis && a != walk_.lane) at_[a] = at[a];
  return true;
}

// What is known of a patch's part of the row, by so many bytes more than all of the row.
void PencilRows::move(RowPatch& row, Index bytes) {
  if (start_lo_ >= start_hi_ || row.v_lo > start_lo_ || start_hi_ > row.v_hi) return;
  for (Index k = row.k_lo; k < row.k_hi; ++k) {
    std::byte*& start = starts_[static_cast<std::size_t>(indices_ == nullptr ? k : indices_[k])];
    start = displaced(start, bytes);
  }
}

void PencilRows::resolve(const Coord& at) {
  if (move_to(at)) return;
  row_.clear();
  start_lo_ = start_hi_ = row_offset_ = 0;
  for (int a = 0; a < at.dims();
       ++a)  // number by number, as pencil_at() writes them: wider, this would wait until all earlier stores have left
    if (a != walk_.axis && a != walk_.lane) at_[a] = at[a];
  resolved_ = true;
  for (const auto& [patch, start] : selected_) {
    Index offset = 0;
    bool meets = true;
    for (int a = 0; a < at.dims() && meets; ++a) {
      if (a == walk_.axis || a == walk_.lane) {
        offset -= patch->box.lo[a] * patch->strides[a];
      } else {
        meets = at[a] >= patch->box.lo[a] && at[a] < patch->box.hi[a];
        offset += (at[a] - patch->box.lo[a]) * patch->strides[a];
      }
    }
    if (!meets) continue;
    RowPatch r{.origin = displaced(start, offset),
               .k_lo = patch->box.lo[walk_.axis],
               .k_hi = patch->box.hi[walk_.axis],
               .step_k = patch->strides[walk_.axis]};
    r.v_lo = walk_.lane < 0 ? 0 : patch->box.lo[walk_.lane];
    r.v_hi = walk_.lane < 0 ? 1 : patch->box.hi[walk_.lane];
    r.step_v = walk_.lane < 0 ? 0 : patch->strides[walk_.lane];
    r.conjugated = patch->conjugated;
    r.in_plane = patch->base == Base::plane;
    row_.push_back(r);
  }
}

}  // namespace shardfft
