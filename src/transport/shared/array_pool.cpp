#include "transport/shared/array_pool.hpp"

#include <cstdint>

namespace shardfft {
namespace {

Index step_of(Index bytes) {
  const Index unit = bytes >= huge_page ? huge_page : small_page;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Index ArrayPool::segment_bytes(Index array_bytes) { return max_arrays * step_of(array_bytes); }

ArrayPool::ArrayPool(std::unique_ptr<Segments> segments, Index array_bytes, int me, bool huge_pages)
    : segments_(std::move(segments)), step_(step_of(array_bytes)), me_(me), huge_pages_(huge_pages) {}

std::shared_ptr<std::byte> ArrayPool::take() {
  for (int array = 0; array < max_arrays; ++array) {
    // acquire: what the last owner's give_back() did to the memory comes before what the next one does.
    if (taken_.fetch_or(1u << array, std::memory_order_acq_rel) & 1u << array) continue;
    own().populate(array * step_, step_, huge_pages_);
    return {own().data() + array * step_, [pool = shared_from_this(), array](std::byte*) { pool->give_back(array); }};
  }
  return nullptr;
}

void ArrayPool::give_back(int array) {
  if (generation_ != fork_generation())
    return;  // a child of fork() has the same memory as its parent, where this array lives on
  own().give_back(array * step_, step_);
  taken_.fetch_and(~(1u << array), std::memory_order_release);
}

int ArrayPool::number_of(const void* p) const {
  const auto at = static_cast<Index>(reinterpret_cast<std::uintptr_t>(p) -
                                     reinterpret_cast<std::uintptr_t>(own().data()));  // huge where p lies before
  return at >= 0 && at < max_arrays * step_ && at % step_ == 0 ? static_cast<int>(at / step_) + 1 : 0;
}

Index ArrayPool::distance_to(int peer) const {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(segments_->of(peer).data()) -
                            reinterpret_cast<std::uintptr_t>(own().data()));
}

}  // namespace shardfft
