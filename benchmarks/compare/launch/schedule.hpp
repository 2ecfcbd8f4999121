// Who runs when.
#pragma once

#include <cstddef>
#include <vector>

namespace shardfft::compare {

struct Slot {
  int turn = 0;
  std::size_t contestant = 0;
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// `launches` turns in which every contestant runs once, each turn beginning with the next one: whatever drifts while
/// it runs (clock rates, neighbours on the machine) touches all alike, and nobody always runs after the same other.
[[nodiscard]] std::vector<Slot> schedule(int launches, std::size_t contestants);

}  // namespace shardfft::compare
