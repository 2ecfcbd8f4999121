// Segments of ranks that share memory: writers store straight into the reader's inbox, and counters say when.
//
// Every rank has one segment:
//
//   closed | said[2] | sent[round] ... | released[slot] ... | share[2] | table | slot 0 | slot 1 ...
//
// `said` holds what this rank says at the start of a run: a byte, and above it the number of the run. There is one for
// odd and one for even runs: a peer that has read it may be one run ahead of one that has not, never two. `sent[round]`
// counts the chunks that this rank has ever sent in that round, `released[slot]` how often it has given the slot back.
// Each counter has a cache line and one writer, and only grows: nothing to reset. `share` holds what this rank adds to
// a sum over all ranks, for odd and even sums, for the same reason as `said`. The table tells writers where in the
// slots their messages go. Beside each place the writer leaves the size of a message that varies; the reader reads it
// with the message, and the writer replaces it with the next one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "transport/shared/mapping.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// The segments of all ranks as this rank sees them.
class Segments {
 public:
  virtual ~Segments() = default;
  [[nodiscard]] virtual const Mapping& of(int rank) const = 0;
  /// "" while `rank` can still send; else what happened to it ("its process 1234 has ended"). Does not allocate while
  /// all is well.
  [[nodiscard]] virtual std::string what_ended(int rank) const = 0;
};

/// Bytes of this rank's segments.
struct SegmentBytes {
  Index inbox = 0;   ///< used in full
  Index arrays = 0;  ///< of which most are never taken; the same on all ranks
};

struct MadeSegments {
  std::unique_ptr<Segments> inboxes{}, arrays{};  ///< of arrays: nullptr where some rank can have none
};

/// What a rank writes into its own inbox before any other rank sees it.
using FillInbox = std::function<void(std::byte* mine)>;

/// Collective. Makes segments, all zero but for what `fill` writes. Throws the same Error on all ranks.
using MakeSegments = std::function<MadeSegments(const Comm& comm, const SegmentBytes& bytes, const FillInbox& fill)>;

/// Collective. The segments of ranks that are processes of one node.
[[nodiscard]] MadeSegments make_shared_segments(const Comm& comm, const SegmentBytes& bytes, const FillInbox& fill);

/// Collective. `transport`: the name that the channel answers to. Throws the same Error on all ranks.
[[nodiscard]] std::unique_ptr<Channel> open_shared_segment(std::string_view transport, const Comm& comm,
                                                           const Traffic& traffic, const MakeSegments& make);

}  // namespace shardfft
