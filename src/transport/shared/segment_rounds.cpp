#include "transport/shared/segment_rounds.hpp"

#include <fmt/format.h>

#include <new>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

/// Finds where the messages of round `r` go in the readers' segments.
void find_inboxes(Index r, Index ranks, const Round& round, const SegmentWords& words, SegmentRound& found) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(ranks), -1);
  for (const Message& m : round.out) {
    std::int64_t& n = next[static_cast<std::size_t>(m.peer)];
    if (n < 0) n = words.first_entries(m.peer)[r * ranks + words.me()];
    Entry& entry = words.entries(m.peer)[n++];
    if (entry.bytes != m.bytes)
      throw Error(Status::internal, fmt::format("round {}: rank {} sends {} bytes to rank {}, which expects {}", r,
                                                words.me(), m.bytes, m.peer, entry.bytes));
    found.out.push_back({words.segment(m.peer) + entry.at, m.bytes, m.varies ? &entry.now : nullptr});
  }
}

void find_readers(int ranks, const Round& round, const SegmentWords& words, SegmentRound& found) {
  std::vector<bool> is_reader(static_cast<std::size_t>(ranks));
  for (const Message& m : round.out) is_reader[static_cast<std::size_t>(m.peer)] = m.peer != words.me();
  for (int step = 1; step < ranks; ++step) {
    const int peer = (words.me() + step) % ranks;
    if (is_reader[static_cast<std::size_t>(peer)]) found.readers.push_back({peer, &words.released(peer, round.slot)});
  }
}

void find_sources(Index r, const Round& round, const SegmentWords& words, SegmentRound& found) {
  for (int chunk = 0; chunk < round.chunks; ++chunk) {
    for (const Message& m : round.in)
      if (m.chunk == chunk)
        found.sources.push_back({m.peer, &words.sent(m.peer, r), static_cast<std::uint64_t>(chunk) + 1, m.bytes});
    found.end_of_chunk.push_back(found.sources.size());
  }
}

}  // namespace

void write_table(const SegmentPlan& plan, std::byte* segment, const Traffic& traffic) {
  for (Index at = 0; at < plan.share_at(0); at += static_cast<Index>(sizeof(Counter))) new (segment + at) Counter;
  for (const std::uint64_t sum : {0, 1}) new (segment + plan.share_at(sum)) Share;
  auto* first = reinterpret_cast<std::int64_t*>(segment + plan.first_at());
  auto* const entries = reinterpret_cast<Entry*>(segment + plan.entries_at());
  Entry* entry = entries;
  for (const Round& round : traffic.rounds) {
    std::size_t i = 0;
    for (int source = 0; source < plan.ranks; ++source) {
      *first++ = entry - entries;
      for (; i < round.in.size() && round.in[i].peer == source; ++i)
        new (entry++)
            Entry{plan.slot_at[static_cast<std::size_t>(round.slot)] + round.in[i].offset, round.in[i].bytes, 0};
    }
  }
}

std::vector<SegmentRound> find_rounds(const SegmentPlan& plan, const SegmentWords& words, const Traffic& traffic) {
  std::vector<SegmentRound> rounds;
  const Entry* mine = words.entries(words.me());
  for (const Round& round : traffic.rounds) {
    const auto r = static_cast<Index>(rounds.size());
    SegmentRound& found = rounds.emplace_back();
    found.slot = round.slot;
    found.chunks = static_cast<std::uint64_t>(round.chunks);
    for (const Message& m : round.in) {
      found.in.push_back({words.segment(words.me()) + mine->at, m.bytes, m.varies ? &mine->now : nullptr});
      ++mine;
    }
    find_inboxes(r, plan.ranks, round, words, found);
    find_readers(static_cast<int>(plan.ranks), round, words, found);
    find_sources(r, round, words, found);
  }
  return rounds;
}

}  // namespace shardfft
