// Waiting for a word that another rank will write, and finding out that it never will.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "shardfft/comm.hpp"
#include "support/comm/backoff.hpp"
#include "support/comm/stall.hpp"
#include "transport/shared/segment_words.hpp"

namespace shardfft {

class PeerWait {
 public:
  using Word = std::atomic<std::uint64_t>;
  /// Milliseconds that a rank that gave up has to say why.
  static constexpr int grace = 200;

  /// `transport`: its name, for errors.
  PeerWait(std::string_view transport, const Comm& comm, const Segments& segments, const SegmentWords& words)
      : transport_(transport), comm_(comm), segments_(segments), words_(words), watch_(transport, comm) {}

  /// For the waits that begin now.
  [[nodiscard]] Stall stall() const { return Stall(watch_); }
  /// Until the word of `rank` is `target` or more. Throws Error(transport_failed) when it will not come to that.
  /// `owing`: what `stall` names.
  template <class Owing>
  void await(int rank, const Word& word, std::uint64_t target, Stall& stall, const Owing& owing) const {
    Backoff backoff(/*sleeps=*/true);
    int grace_left = grace;
    while (word.load(std::memory_order_acquire) < target) {
      if (!backoff.pause()) continue;
      require_alive(rank, word, target, grace_left);
      stall.look(true, owing);
    }
  }
  /// Throws when the word of `rank` will not come to `target` any more. For once in a millisecond; `grace_left` counts
  /// down.
  void require_alive(int rank, const Word& word, std::uint64_t target, int& grace_left) const;

 private:
  std::string_view transport_;
  Comm comm_;
  const Segments& segments_;
  const SegmentWords& words_;
  StallWatch watch_;
};

}  // namespace shardfft
