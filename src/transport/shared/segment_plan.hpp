// What lies where in a rank's segment (direct.hpp says what for).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "support/memory/round_up.hpp"
#include "transport/shared/mapping.hpp"
#include "transport/transport.hpp"

namespace shardfft {

struct alignas(64) Counter {
  std::atomic<std::uint64_t> value{0};
};

/// What a rank adds to a sum over all ranks.
struct alignas(64) Share {
  std::atomic<std::uint64_t> number{0};  ///< of the sum that it belongs to, counted over the channel's life
  std::array<double, 8> values{};
};

/// What a reader tells about one message to it, and a writer to the reader.
struct Entry {
  std::int64_t at = 0;               ///< bytes from the start of the reader's segment
  std::int64_t bytes = 0;            ///< at most
  std::atomic<std::int64_t> now{0};  ///< of a message that varies: in the current use of its slot; the writer's
};

/// Sizes and places in a segment. Up to the table they are the same on all ranks.
struct SegmentPlan {
  SegmentPlan(const Traffic& traffic, int ranks_in_group)
      : ranks(ranks_in_group), rounds(static_cast<Index>(traffic.rounds.size())) {
    for (const Round& round : traffic.rounds) {
      const auto slot = static_cast<std::size_t>(round.slot);
      slot_bytes.resize(std::max(slot_bytes.size(), slot + 1));
      slot_bytes[slot] = std::max(slot_bytes[slot], round.inbox_bytes);
      messages += static_cast<Index>(round.in.size());
    }
    slots = static_cast<Index>(slot_bytes.size());
    bytes = entries_at() + messages * static_cast<Index>(sizeof(Entry));
    for (const Index wanted : slot_bytes) {
      slot_at.push_back(round_up(bytes, wanted >= 2 * huge_page ? huge_page
                                        : wanted >= small_page  ? small_page
                                                                : cache_line));
      bytes = slot_at.back() + wanted;
    }
  }
  [[nodiscard]] static Index closed_at() { return 0; }
  [[nodiscard]] static Index said_at(std::uint64_t run) { return (1 + static_cast<Index>(run % 2)) * counter; }
  [[nodiscard]] Index sent_at(Index round) const { return (3 + round) * counter; }
  [[nodiscard]] Index released_at(Index slot) const { return sent_at(rounds + slot); }
  [[nodiscard]] Index share_at(std::uint64_t sum) const {
    return released_at(slots) + static_cast<Index>(sum % 2) * static_cast<Index>(sizeof(Share));
  }
  /// For every round and source, the number of the first entry (int64).
  [[nodiscard]] Index first_at() const { return share_at(0) + 2 * static_cast<Index>(sizeof(Share)); }
  [[nodiscard]] Index entries_at() const {
    return round_up(first_at() + rounds * ranks * static_cast<Index>(sizeof(std::int64_t)), cache_line);
  }

  Index ranks, rounds, slots = 0, messages = 0, bytes = 0;
  std::vector<Index> slot_at, slot_bytes;  ///< slots of a page and more start with one

 private:
  static constexpr Index counter = static_cast<Index>(sizeof(Counter));
};

}  // namespace shardfft
