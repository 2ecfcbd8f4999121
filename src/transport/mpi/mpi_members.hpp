// Which ranks still have the plan. A rank that destroys it waits for nobody, and yet nobody waits for it in vain.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "shardfft/comm.hpp"
#include "support/comm/comm_mpi.hpp"
#include "support/comm/stall.hpp"
#include "transport/mpi/mpi_remains.hpp"

namespace shardfft {

/// A rank that leaves between two runs says so in place of its next word; one that leaves in the middle of a run sends
/// a message to all others.
class MpiMembers {
 public:
  /// No other message of the channel has this tag.
  static constexpr int tag = 32767;

  /// Collective. Collective calls of the channel on `comm`, which has the ranks of `group`, are made in the order of
  /// runs by all ranks. `transport`: its name, for errors.
  MpiMembers(std::string_view transport, const Comm& group, MPI_Comm comm);
  MpiMembers(const MpiMembers&) = delete;
  ~MpiMembers();

  /// See Channel::handshake. When a rank has left, throws the same Error(transport_failed) on all remaining ranks.
  void handshake(std::byte mine, std::span<std::byte> all);

  /// For loops that wait, as often as they like. Throws Error(transport_failed) a moment after a rank has left in the
  /// middle of a run: what it sent before may still be on its way.
  void look();

  /// The channel begins to sum so many numbers on the communicator.
  void sums(std::size_t doubles) { calls_ = {calls_.count + 1, static_cast<std::int64_t>(doubles)}; }

  /// Before the end of the channel. `in_order`: no run of this rank was broken off; others may still be in theirs. Does
  /// not wait.
  void leave(bool in_order);
  /// After leave(): lets MPI work, and says whether all ranks have left in order. Then none of them sends anything
  /// more.
  [[nodiscard]] bool all_left();
  /// The end: `comm` is freed once all ranks have left in order, now or later, else with the other ranks.
  void close(MpiComm comm, MpiLeftovers leftovers = {});

 private:
  enum class Membership { here, leaving, left, broke_off };
  struct Words {
    std::byte mine{};
    std::vector<std::byte> all{};
  };
  void begin(std::byte word);
  [[nodiscard]] bool done();
  [[noreturn]] void fail() const;

  std::string_view transport_;
  StallWatch watch_;
  MPI_Comm comm_;
  int me_, ranks_;
  MpiNumber number_;
  MpiCalls calls_{};
  Membership state_ = Membership::here;
  std::unique_ptr<Words> words_;  ///< MPI writes there while request_ is under way
  MPI_Request request_ = MPI_REQUEST_NULL;
  int gone_ = -1;  ///< the rank that has left before this one
  std::chrono::steady_clock::time_point looked_{}, noticed_{};
  int looks_ = 0;  ///< since then: on crowded cores they take longer, as messages do
};

}  // namespace shardfft
