// What the MPI transports need of a group of kind "mpi". Included by mpi_* files only.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "shardfft/comm.hpp"
#include "support/handle.hpp"

namespace shardfft {

/// Throws Error(transport_failed) with MPI's own words unless `code` is MPI_SUCCESS. `what` was asked of MPI:
/// "MPI_Start".
void check_mpi(int code, const char* what);

/// Nothing of MPI may be freed after MPI_Finalize, and nothing called before MPI_Init.
[[nodiscard]] bool mpi_is_running();
/// Throws Error(invalid_argument), "call out of order", if this thread may not call MPI: it does not run, or it serves
/// another thread only.
void require_mpi();

inline void free_mpi_comm(MPI_Comm comm) {
  if (mpi_is_running()) MPI_Comm_free(&comm);
}
inline void free_mpi_datatype(MPI_Datatype type) {
  if (mpi_is_running()) MPI_Type_free(&type);
}
using MpiComm = Handle<MPI_Comm, free_mpi_comm>;
using MpiDatatype = Handle<MPI_Datatype, free_mpi_datatype>;

/// Collective over `comm`. A communicator with the same ranks whose messages meet no others and whose errors are
/// returned.
[[nodiscard]] MpiComm duplicate(MPI_Comm comm);
/// The communicator behind a Comm. Throws Error(internal) for another kind of group.
[[nodiscard]] MPI_Comm mpi_comm_of(const Comm& comm);
/// What must go on while this rank waits for something else: another rank may need it before that can come. It belongs
/// to the thread that used it last: only that one helps, so that threads never advance each other's plans.
class MpiChore {
 public:
  MpiChore() = default;
  MpiChore(const MpiChore&) = delete;
  virtual ~MpiChore() { end_help(); }
  virtual void help() = 0;  ///< without waiting, and without help_all()

 protected:
  void begin_help();  ///< the last thing that its constructor does
  void end_help();    ///< the first thing that its destructor does
  /// The first thing of every call: from now on it belongs to this thread. Waits for a helping call of the thread
  /// before.
  void take_over() {
    if (turn_->owner.load(std::memory_order_relaxed) != std::this_thread::get_id()) change_owner();
  }

 private:
  friend void help_all();
  /// Outlives the chore while another thread looks at it.
  struct Ownership {
    std::mutex mutex;           ///< held by who helps, takes over or ends it
    MpiChore* chore = nullptr;  ///< null once it has ended
    std::atomic<std::thread::id> owner{};
  };
  struct Chores;
  static Chores& register_of_all();
  void change_owner();

  std::shared_ptr<Ownership> turn_ = std::make_shared<Ownership>();
};
/// Called in every loop that waits. Helps what belongs to this thread.
void help_all();

/// Waits for all requests by testing and yielding: some MPIs keep the core while they wait, which the awaited rank may
/// need.
void finish(std::span<MPI_Request> requests, const char* what);

}  // namespace shardfft
