// Which messages a channel waits for, to be named when they are late (support/comm/stall.hpp).
#pragma once

#include <fmt/format.h>

#include <vector>

#include "support/comm/stall.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// A channel that knows. Ranks are numbered as in its group, and this rank is not among them.
class KnowsMissing {
 public:
  virtual ~KnowsMissing() = default;
  /// Messages in of chunks 0 .. chunk that have not come, in the current use of `round`.
  [[nodiscard]] virtual std::vector<Message> missing(int round, int chunk) const = 0;
  /// Ranks for which begin(round) waits: they have not read what was sent before.
  [[nodiscard]] virtual std::vector<int> unread(int round) const = 0;
};

/// None, of a channel that does not know.
[[nodiscard]] inline std::vector<Message> missing_of(const Channel& channel, int round, int chunk) {
  const auto* knows = dynamic_cast<const KnowsMissing*>(&channel);
  return knows ? knows->missing(round, chunk) : std::vector<Message>{};
}
[[nodiscard]] inline std::vector<int> unread_of(const Channel& channel, int round) {
  const auto* knows = dynamic_cast<const KnowsMissing*>(&channel);
  return knows ? knows->unread(round) : std::vector<int>{};
}

[[nodiscard]] inline std::vector<Owed> owed(const std::vector<Message>& missing, int round) {
  std::vector<Owed> all;
  for (const Message& m : missing)
    all.push_back({m.peer, fmt::format("owes chunk {} of exchange {}, {} bytes", m.chunk, round, m.bytes)});
  return all;
}
[[nodiscard]] inline std::vector<Owed> owed(const std::vector<int>& unread) {
  std::vector<Owed> all;
  for (const int rank : unread) all.emplace_back(rank, "has not read what this rank sent before");
  return all;
}

}  // namespace shardfft
