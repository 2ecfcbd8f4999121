#include "transport/mpi/rma/mpi_rma_grants.hpp"

#include <algorithm>

namespace shardfft {

void RmaGrants::make_requests(const Traffic& traffic, int me, int ranks, MPI_Comm comm, int first_tag) {
  for (const Round& round : traffic.rounds)
    slots_.resize(std::max(slots_.size(), static_cast<std::size_t>(round.slot) + 1));
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    std::vector<bool> reads(static_cast<std::size_t>(ranks)), writes(reads);
    for (const Round& round : traffic.rounds) {
      if (static_cast<std::size_t>(round.slot) != s) continue;
      for (const Message& m : round.out) reads[static_cast<std::size_t>(m.peer)] = m.peer != me;
      for (const Message& m : round.in) writes[static_cast<std::size_t>(m.peer)] = m.peer != me;
    }
    SlotGrants& slot = slots_[s];
    const int tag = first_tag + static_cast<int>(s);
    for (int peer = 0; peer < ranks; ++peer) {
      if (reads[static_cast<std::size_t>(peer)]) {
        check_mpi(MPI_Recv_init(nullptr, 0, MPI_BYTE, peer, tag, comm, &slot.from_readers.all.emplace_back()),
                  "MPI_Recv_init");
        slot.readers.push_back(peer);
      }
      if (writes[static_cast<std::size_t>(peer)])
        check_mpi(MPI_Send_init(nullptr, 0, MPI_BYTE, peer, tag, comm, &slot.to_writers.all.emplace_back()),
                  "MPI_Send_init");
    }
    slot.from_readers.reserve();
    slot.to_writers.reserve();
  }
}

bool RmaGrants::granted(int slot) {
  at(slot).from_readers.test();
  return at(slot).from_readers.idle();
}

std::vector<int> RmaGrants::unread(int slot) const {
  const SlotGrants& its = slots_[static_cast<std::size_t>(slot)];
  std::vector<int> late;
  for (std::size_t i = 0; i < its.readers.size(); ++i)
    if (its.from_readers.is_active(i)) late.push_back(its.readers[i]);
  return late;
}

void RmaGrants::give(int slot, bool may_sleep) {
  at(slot).to_writers.finish(may_sleep);
  at(slot).to_writers.start();
}

bool RmaGrants::all_granted() {
  bool all = true;
  for (std::size_t s = 0; s < slots_.size(); ++s) all = granted(static_cast<int>(s)) && all;
  return all;
}

void RmaGrants::give_up(MpiLeftovers& left) {
  for (SlotGrants& slot : slots_) {
    slot.from_readers.give_up(left.receives);
    slot.to_writers.give_up(left.sends);
  }
}

}  // namespace shardfft
