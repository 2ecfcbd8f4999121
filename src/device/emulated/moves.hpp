// Moves of boxes on an emulated device: the table and the kernel of the GPU, and checks that a GPU makes by failing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/emulated/device.hpp"
#include "device/kernels/move_table.hpp"

namespace shardfft::emulated {

/// What is read or written by a box: bytes [low, high) from its base.
struct MoveReach {
  MoveBase base = MoveBase::fixed;
  Index low = 0, high = 0;
};

/// The memory that a box reaches: axes with these extents and steps (bytes), first element at `at`.
[[nodiscard]] MoveReach reach_of(MoveBase base, Index at, std::span<const Index> extent, std::span<const Index> step,
                                 Index element_bytes);
/// Throws Error(device_failed) where one of them is not memory that the device may use, or begins at no multiple of
/// `aligned` bytes.
void check(const EmulatedDevice& device, const std::vector<MoveReach>& reaches, const MoveBases& bases,
           std::size_t aligned, const char* use);

class CheckedMoves {
 public:
  CheckedMoves(const MoveSpec& spec, std::span<const BoxMove> boxes);
  void check(const EmulatedDevice& device, const MoveBases& bases) const;
  void run(const MoveBases& bases, double scale) const;
  [[nodiscard]] Index bytes() const { return table_.bytes; }

 private:
  MoveSpec spec_;
  MoveTable table_;
  std::vector<MoveReach> reaches_{};
};

class EmulatedMoves final : public MoveList {
 public:
  explicit EmulatedMoves(std::shared_ptr<const CheckedMoves> moves) : moves_(std::move(moves)) {}
  [[nodiscard]] Index bytes() const override { return moves_->bytes(); }
  [[nodiscard]] std::shared_ptr<const CheckedMoves> moves() const { return moves_; }

 private:
  std::shared_ptr<const CheckedMoves> moves_;
};

}  // namespace shardfft::emulated
