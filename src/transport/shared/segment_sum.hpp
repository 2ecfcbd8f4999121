// A sum over all ranks through their segments, that nobody waits for. As MpiSum, without MPI.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "transport/shared/peer_wait.hpp"
#include "transport/shared/segment_words.hpp"

namespace shardfft {

/// One sum at a time.
class SegmentSum {
 public:
  SegmentSum(int ranks, const SegmentWords& words, const PeerWait& peers)
      : ranks_(ranks), words_(words), peers_(peers) {}

  // Nobody leaves numbers for the next sum but one while somebody still reads these: he has read everybody's for the
  // next one first.
  void start(std::span<const double> mine) {
    Share& share = words_.share(words_.me(), ++number_);
    std::copy(mine.begin(), mine.end(), share.values.begin());
    share.number.store(number_, std::memory_order_release);
    added_ = 0;
    total_ = {};
    grace_left_ = PeerWait::grace;
  }

  /// True when the sum of start() is known. Throws when a rank that is missing has ended.
  [[nodiscard]] bool done(std::span<double> total) {
    for (; added_ < ranks_; ++added_) {
      const Share& share = words_.share(added_, number_);
      if (share.number.load(std::memory_order_acquire) < number_) {
        ask_after(added_, share);
        return false;
      }
      for (std::size_t i = 0; i < total.size(); ++i) total_[i] += share.values[i];
    }
    std::copy_n(total_.begin(), total.size(), total.begin());
    return true;
  }

 private:
  // The caller comes again and again.
  void ask_after(int rank, const Share& share) {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(1)) return;
    asked_ = now;
    peers_.require_alive(rank, share.number, number_, grace_left_);
  }

  int ranks_;
  const SegmentWords& words_;
  const PeerWait& peers_;
  std::uint64_t number_ = 0;  ///< of the last one
  int added_ = 0;             ///< ranks
  std::array<double, 8> total_{};
  int grace_left_ = PeerWait::grace;
  std::chrono::steady_clock::time_point asked_{};
};

}  // namespace shardfft
