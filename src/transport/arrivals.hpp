// Which messages of a round have come, chunk by chunk, and how large they are, where messages are sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "transport/transport.hpp"

namespace shardfft {

/// The messages in. Those of a rank to itself come when their chunk is sent.
class Arrivals {
 public:
  Arrivals() = default;
  Arrivals(const Round& round, int me) : own_(static_cast<std::size_t>(round.chunks)), awaited_(own_), missing_(own_) {
    for (const Message& m : round.in) {
      bytes_.push_back(m.bytes);
      if (m.varies) varying_.push_back(bytes_.size() - 1);
      if (m.peer == me) await(m.chunk), ++own_[static_cast<std::size_t>(m.chunk)];
    }
  }
  /// One more event makes `chunk` complete; while the plan is made.
  void await(int chunk) { ++awaited_[static_cast<std::size_t>(chunk)]; }

  /// A new use of the round: nothing has come.
  void begin() {
    for (const std::size_t i : varying_) bytes_[i] = 0;
    std::copy(awaited_.begin(), awaited_.end(), missing_.begin());
    chunks_here_ = 0;
    step();
  }
  /// One of the awaited events of `chunk`.
  void came(int chunk) { came(chunk, 1); }
  /// This rank has sent `chunk`.
  void sent(int chunk) { came(chunk, own_[static_cast<std::size_t>(chunk)]); }
  /// `bytes` more of message `i`, which varies.
  void add(std::size_t i, Index bytes) { bytes_[i] += bytes; }
  void set(std::size_t i, Index bytes) { bytes_[i] = bytes; }

  /// Whether all messages of chunks 0 .. chunk are here.
  [[nodiscard]] bool here(int chunk) const { return chunks_here_ > static_cast<std::size_t>(chunk); }
  [[nodiscard]] bool all_here() const { return chunks_here_ == awaited_.size(); }
  [[nodiscard]] Index bytes(std::size_t i) const { return bytes_[i]; }

 private:
  void came(int chunk, int events) {
    missing_[static_cast<std::size_t>(chunk)] -= events;
    step();
  }
  void step() {
    while (chunks_here_ < missing_.size() && missing_[chunks_here_] == 0) ++chunks_here_;
  }

  std::vector<Index> bytes_;  ///< of each message
  std::vector<std::size_t> varying_;
  std::vector<int> own_, awaited_, missing_;  ///< events by chunk: of messages to oneself, of all, of all in this use
  std::size_t chunks_here_ = 0;
};

/// How large the messages out are in the current use of a round.
class MessageSizes {
 public:
  MessageSizes() = default;
  MessageSizes(const Round& round, int me) {
    auto mine = std::find_if(round.in.begin(), round.in.end(), [&](const Message& m) { return m.peer == me; });
    for (const Message& m : round.out) {
      if (m.varies) varying_.push_back(most_.size());
      most_.push_back(m.bytes);
      own_in_.push_back(m.peer == me ? mine++ - round.in.begin() : -1);
    }
    now_ = most_;
  }
  /// A new use: nothing has been said.
  void begin(Arrivals& arrivals) {
    for (const std::size_t i : varying_) set(i, most_[i], arrivals);
  }
  void set(std::size_t i, Index bytes, Arrivals& arrivals) {
    now_[i] = bytes;
    if (own_in_[i] >= 0) arrivals.set(static_cast<std::size_t>(own_in_[i]), bytes);
  }
  [[nodiscard]] Index of(std::size_t i) const { return now_[i]; }

 private:
  std::vector<Index> most_, now_;
  std::vector<std::size_t> varying_;
  std::vector<std::ptrdiff_t> own_in_;  ///< of a message to oneself: its number among those in
};

}  // namespace shardfft
