#include "sweep/rows.hpp"

#include <cstdint>

namespace shardfft {
namespace {

// The origin of a row may lie before the patch's memory; it is an address to count from, never one to read.
std::byte* displaced(std::byte* start, Index bytes) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(start) + static_cast<std::uintptr_t>(bytes));
}

}  // namespace

std::byte* Bases::start(const Patch& patch) const {
  switch (patch.base) {
    case Base::input: return input + patch.offset;
    case Base::output: return output + patch.offset;
    case Base::plane: return plane + patch.offset;
    default: return patch.address + patch.offset;
  }
}

void Rows::reserve(std::size_t patches) {
  selected_.reserve(patches);
  row_.reserve(patches);
}

void Rows::select(const std::vector<Patch>& all, const Box& box, const Walk& walk, const Bases& bases) {
  walk_ = walk;
  resolved_ = false;
  selected_.clear();
  for (const Patch& patch : all)
    if (!intersect(patch.box, box).empty()) selected_.push_back({&patch, bases.start(patch)});
}

void Rows::select(const Patch& one, const Walk& walk, const Bases& bases) {
  walk_ = walk;
  resolved_ = false;
  selected_.assign(1, {&one, bases.start(one)});
}

bool Rows::same_row(const Coord& at) const {
  for (int a = 0; a < at.dims(); ++a)
    if (a != walk_.axis && a != walk_.lane && at[a] != at_[a]) return false;
  return resolved_;
}

const std::vector<RowPatch>& Rows::row(const Coord& at) {
  if (!same_row(at)) resolve(at);
  return row_;
}

void Rows::resolve(const Coord& at) {
  row_.clear();
  at_ = at;
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
    RowPatch r{.origin = displaced(start, offset), .k_lo = patch->box.lo[walk_.axis], .k_hi = patch->box.hi[walk_.axis], .step_k = patch->strides[walk_.axis]};
    r.v_lo = walk_.lane < 0 ? 0 : patch->box.lo[walk_.lane];
    r.v_hi = walk_.lane < 0 ? 1 : patch->box.hi[walk_.lane];
    r.step_v = walk_.lane < 0 ? 0 : patch->strides[walk_.lane];
    row_.push_back(r);
  }
}

}  // namespace shardfft
