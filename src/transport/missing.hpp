// Words for what a channel waits for, when it is late (support/comm/stall.hpp).
#pragma once

#include <fmt/format.h>

#include <vector>

#include "support/comm/stall.hpp"
#include "transport/transport.hpp"

namespace shardfft {

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
