// What all ranks of a plan hold and send, for its description.
#pragma once

#include <optional>
#include <string>

#include "plan/impl.hpp"

namespace shardfft {

/// Bytes that ranks send or hold: all of them together, and the rank with the most.
struct BytesOfRanks {
  Index all = 0, most = 0;
  int rank = 0;
  void add(int of, Index bytes) {
    all += bytes;
    if (bytes > most) most = bytes, rank = of;
  }
};

/// What all ranks send, before encoding: to other nodes, and to other ranks of their own node.
struct SentByAll {
  BytesOfRanks far{}, near{};
};

/// Nothing for one rank, and for so many ranks that a listing of their messages takes too long.
[[nodiscard]] std::optional<SentByAll> sent_by_all(const Pipeline& p, const Comm& comm);
[[nodiscard]] bool some_share_a_node(const Comm& comm);
/// "2.0 MiB to other nodes, at most 1.0 MiB from one, rank 0; 1.0 MiB within nodes, ..."
[[nodiscard]] std::string text_of(const SentByAll& sent, const Comm& comm, bool encodes);
/// Bytes of an array in all ranks' memory, without gaps, and the most that one rank has.
[[nodiscard]] std::string held_by_all(const char* name, const CallerArray& array, Scalar scalar);

}  // namespace shardfft
