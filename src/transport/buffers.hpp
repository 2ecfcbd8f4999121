// Where messages lie when sender and receiver do not share memory: one send buffer, used by every round in turn, and one inbox per slot.
#pragma once

#include <algorithm>
#include <utility>

#include "transport/transport.hpp"

namespace shardfft {

/// Places in a rank's private memory. Messages to oneself have no place in the send buffer: they are stored in the inbox.
class Buffers {
 public:
  Buffers() = default;
  Buffers(const Traffic& traffic, int me) {
    std::vector<Index> inbox_bytes;
    for (const Round& round : traffic.rounds) {
      Index used = 0;
      auto& at = out_at_.emplace_back();
      for (const Message& m : round.out) at.push_back(m.peer == me ? -1 : std::exchange(used, used + m.bytes));
      send_bytes_ = std::max(send_bytes_, used);
      const auto slot = static_cast<std::size_t>(round.slot);
      inbox_bytes.resize(std::max(inbox_bytes.size(), slot + 1));
      inbox_bytes[slot] = std::max(inbox_bytes[slot], (round.inbox_bytes + 63) / 64 * 64);
    }
    bytes_ = send_bytes_;
    std::vector<Index> slot_at;
    for (const Index wanted : inbox_bytes) slot_at.push_back(std::exchange(bytes_, bytes_ + wanted));
    for (const Round& round : traffic.rounds) inbox_at_.push_back(slot_at[static_cast<std::size_t>(round.slot)]);
    for (std::size_t r = 0; r < traffic.rounds.size(); ++r) share_own_messages(traffic.rounds[r], inbox_at_[r], out_at_[r], me);
  }

  [[nodiscard]] Index bytes() const { return bytes_; }
  /// Bytes from the start of the memory to message `i` of round `round`'s out.
  [[nodiscard]] Index out_at(std::size_t round, std::size_t i) const { return out_at_[round][i]; }
  [[nodiscard]] Index inbox_at(std::size_t round) const { return inbox_at_[round]; }

 private:
  static void share_own_messages(const Round& round, Index inbox_at, std::vector<Index>& out_at, int me) {
    auto mine = std::find_if(round.in.begin(), round.in.end(), [&](const Message& m) { return m.peer == me; });
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (round.out[i].peer == me) out_at[i] = inbox_at + (mine++)->offset;
  }

  Index send_bytes_ = 0, bytes_ = 0;
  std::vector<std::vector<Index>> out_at_;
  std::vector<Index> inbox_at_;
};

}  // namespace shardfft
