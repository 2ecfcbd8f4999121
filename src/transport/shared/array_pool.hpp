// Arrays for the callers of a plan that the other ranks of the node reach too, so that a sweep can read and write them
// where they are.
#pragma once

#include <atomic>
#include <memory>

#include "support/comm/forked.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {

/// A few blocks of equal size in segments that all ranks map; array k of every rank is at the same place of its
/// segment. A block takes no memory until it is taken and gives it back when its last owner goes, which may be after
/// the plan.
class ArrayPool : public std::enable_shared_from_this<ArrayPool> {
 public:
  static constexpr int max_arrays = 8;
  /// Bytes of each rank's segment for arrays of `array_bytes` bytes.
  [[nodiscard]] static Index segment_bytes(Index array_bytes);

  ArrayPool(std::unique_ptr<Segments> segments, Index array_bytes, int me, bool huge_pages);

  /// An array of zeros; nullptr when all are taken. May be called, and the arrays be given back, from any thread.
  [[nodiscard]] std::shared_ptr<std::byte> take();
  /// 1 for the first array, ...; 0 when none starts at `p`.
  [[nodiscard]] int number_of(const void* p) const;
  /// Bytes from an array of this rank to the one with the same number of `peer`.
  [[nodiscard]] Index distance_to(int peer) const;

 private:
  void give_back(int array);
  [[nodiscard]] const Mapping& own() const { return segments_->of(me_); }

  std::unique_ptr<Segments> segments_;
  Index step_;
  int me_;
  bool huge_pages_;
  std::atomic<unsigned> taken_{0};  // one bit per array
  const std::uint64_t generation_ = fork_generation();
};

}  // namespace shardfft
