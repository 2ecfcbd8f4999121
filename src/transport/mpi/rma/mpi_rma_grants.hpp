// Who may write into a slot of a window again (mpi_rma.cpp): one empty message for each use of the slot, from its
// reader to all that ever write there.
#pragma once

#include <vector>

#include "transport/mpi/mpi_remains.hpp"
#include "transport/mpi/mpi_requests.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// Grants of all slots.
class RmaGrants {
 public:
  /// `first_tag`: of slot 0.
  void make_requests(const Traffic& traffic, int me, int ranks, MPI_Comm comm, int first_tag);

  /// Whether all readers have granted the slot since await(). Lets MPI work, without waiting.
  [[nodiscard]] bool granted(int slot);
  /// The readers that have not.
  [[nodiscard]] std::vector<int> unread(int slot) const;
  /// This rank begins to write there: from now on it waits for the readers' next grants.
  void await(int slot) { at(slot).from_readers.start(); }
  /// This rank has read its slot. Waits for the grants of the last use to leave: empty messages, which MPI holds back
  /// for nobody.
  void give(int slot, bool may_sleep);
  /// Whether all slots are granted: no message is left that nobody receives. Lets MPI work, without waiting.
  [[nodiscard]] bool all_granted();
  void give_up(MpiLeftovers& left);

 private:
  struct SlotGrants {
    MpiRequests from_readers, to_writers;
    std::vector<int> readers;  ///< of each request of from_readers
  };
  [[nodiscard]] SlotGrants& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  std::vector<SlotGrants> slots_;
};

}  // namespace shardfft
