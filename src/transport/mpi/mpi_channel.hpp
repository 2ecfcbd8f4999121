// What channels share whose messages MPI carries while a rank waits elsewhere.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/comm_mpi.hpp"
#include "support/comm/stall.hpp"
#include "transport/mpi/mpi_members.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// Has a communicator of its own, knows who still has the plan, and ends without waiting for the others. Destructors of
/// what derives from it call end(false, {}).
class MpiChannel : public Channel, public MpiChore {
 public:
  MpiChannel(const MpiChannel&) = delete;

  void end(bool in_run, std::shared_ptr<const void> memory) final {
    end_help();
    if (std::exchange(ended_, true) || !mpi_is_running()) return;
    try {
      give_up(in_run, memory);
    } catch (const Error&) {  // of an MPI that fails
      comm_.forget();
      keep_for_ever(std::move(memory));
    }
  }
  void handshake(const Comm&, std::byte mine, std::span<std::byte> all) final {
    take_over();
    members_.handshake(mine, all);
  }

 protected:
  /// Collective. `transport`: its name, for errors.
  MpiChannel(std::string_view transport, const Comm& comm)
      : watch_(transport, comm), comm_(duplicate(mpi_comm_of(comm))), members_(transport, comm, comm_.get()) {}

  /// Leaves the members and closes the communicator; waits a moment at most. As Channel::end().
  virtual void give_up(bool in_run, const std::shared_ptr<const void>& memory) = 0;

  StallWatch watch_;
  MpiComm comm_;
  MpiMembers members_;

 private:
  bool ended_ = false;
};

}  // namespace shardfft
