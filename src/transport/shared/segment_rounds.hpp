// Rounds over shared memory: the places of this rank's messages, in its own inbox and in its readers' inboxes, and the
// counters to watch. Looked up once, through the tables of all segments.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/shared/segment_words.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// A counter of another rank that this one waits for.
struct Watched {
  int rank = 0;
  const Counter* counter = nullptr;
  std::uint64_t chunks = 0;  ///< how many of a run's chunks must have been sent; for sources
  Index bytes = 0;           ///< of the message; for sources
};

/// A message; `now` is null for one that does not vary.
template <class Byte, class Size>
struct SegmentMessage {
  Byte* at = nullptr;
  Index most = 0;
  Size* now = nullptr;
};

struct SegmentRound {
  [[nodiscard]] std::uint64_t chunks_before() const { return (uses - 1) * chunks; }

  std::vector<SegmentMessage<std::byte, std::atomic<std::int64_t>>> out;
  std::vector<SegmentMessage<const std::byte, const std::atomic<std::int64_t>>> in;
  std::vector<Watched> readers, sources;  ///< sources by chunk
  std::vector<std::size_t> end_of_chunk;  ///< in sources
  std::uint64_t chunks = 1, uses = 0;
  std::size_t here = 0;  ///< of the current use: sources known to have sent
  Index slot = 0;
};

/// Into this rank's segment: its counters, and the table of the messages to it.
void write_table(const SegmentPlan& plan, std::byte* segment, const Traffic& traffic);
/// Once all ranks have written theirs. Throws Error(internal) where a reader expects something else than is sent.
[[nodiscard]] std::vector<SegmentRound> find_rounds(const SegmentPlan& plan, const SegmentWords& words,
                                                    const Traffic& traffic);

}  // namespace shardfft
