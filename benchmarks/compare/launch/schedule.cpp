#include "schedule.hpp"

namespace shardfft::compare {

std::vector<Slot> schedule(int launches, std::size_t contestants) {
  std::vector<Slot> slots;
  for (int turn = 0; turn < launches; ++turn)
    for (std::size_t i = 0; i < contestants; ++i)
      slots.push_back({turn, (static_cast<std::size_t>(turn) + i) % contestants});
  return slots;
}

}  // namespace shardfft::compare
