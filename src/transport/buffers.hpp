// Message buffers for ranks that share no memory: one inbox per slot, and one send buffer that all rounds use in turn.
// If a round may begin while the previous one is still being sent, each slot has a send buffer of its own.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "support/memory/round_up.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// Places in a rank's private memory. Messages to oneself have no place in the send buffer: they are stored in the
/// inbox.
class MessageBuffers {
 public:
  MessageBuffers() = default;
  /// `overlap`: rounds sent in chunks begin while the one before is still being sent.
  MessageBuffers(const Traffic& traffic, int me, bool overlap) {
    const auto in_chunks = [](const Round& round) { return round.chunks > 1; };
    overlap = traffic.peers_store || (overlap && traffic.rounds.size() > 2 &&
                                      std::any_of(traffic.rounds.begin(), traffic.rounds.end(), in_chunks));
    std::vector<Index> send_bytes, inbox_bytes;
    for (const Round& round : traffic.rounds) {
      send_buffer_.push_back(overlap ? static_cast<std::size_t>(round.slot) : 0);
      Index used = 0;
      auto& at = out_at_.emplace_back();
      for (const Message& m : round.out) at.push_back(m.peer == me ? -1 : std::exchange(used, used + m.bytes));
      grow(send_bytes, send_buffer_.back(), used);
      grow(inbox_bytes, static_cast<std::size_t>(round.slot), round_up(round.inbox_bytes, cache_line));
    }
    const auto send_at = places(send_bytes), slot_at = places(inbox_bytes);
    for (std::size_t r = 0; r < traffic.rounds.size(); ++r) {
      const Round& round = traffic.rounds[r];
      inbox_at_.push_back(slot_at[static_cast<std::size_t>(round.slot)]);
      for (Index& at : out_at_[r]) at += at < 0 ? 0 : send_at[send_buffer_[r]];
      share_own_messages(round, inbox_at_[r], out_at_[r], me);
    }
  }

  [[nodiscard]] Index bytes() const { return bytes_; }
  /// Bytes from the start of the memory to message `i` of round `round`'s out.
  [[nodiscard]] Index out_at(std::size_t round, std::size_t i) const { return out_at_[round][i]; }
  [[nodiscard]] Index inbox_at(std::size_t round) const { return inbox_at_[round]; }
  /// Which send buffer a round uses: 0 to send_buffers() - 1.
  [[nodiscard]] std::size_t send_buffer(std::size_t round) const { return send_buffer_[round]; }
  [[nodiscard]] std::size_t send_buffers() const {
    return send_buffer_.empty() ? 0 : *std::max_element(send_buffer_.begin(), send_buffer_.end()) + 1;
  }

 private:
  static void grow(std::vector<Index>& sizes, std::size_t i, Index wanted) {
    sizes.resize(std::max(sizes.size(), i + 1));
    sizes[i] = std::max(sizes[i], wanted);
  }
  std::vector<Index> places(const std::vector<Index>& sizes) {
    std::vector<Index> all;
    for (const Index wanted : sizes) all.push_back(std::exchange(bytes_, bytes_ + wanted));
    return all;
  }
  static void share_own_messages(const Round& round, Index inbox_at, std::vector<Index>& out_at, int me) {
    auto mine = std::find_if(round.in.begin(), round.in.end(), [&](const Message& m) { return m.peer == me; });
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (round.out[i].peer == me) out_at[i] = inbox_at + (mine++)->offset;
  }

  Index bytes_ = 0;
  std::vector<std::vector<Index>> out_at_;
  std::vector<Index> inbox_at_;
  std::vector<std::size_t> send_buffer_;
};

}  // namespace shardfft
