// What a group of ranks must be able to do. One file per kind: comm_local, comm_threads, comm_mpi, comm_dry_run.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

struct CommImpl {
  int rank = 0, size = 1;
  std::vector<int> node_of{};  ///< node of each rank; empty means all on node 0

  virtual ~CommImpl() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  virtual void barrier() = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void allgather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  /// Called from every loop that waits for another rank without calling MPI: throws Error(transport_failed) when a rank is
  /// known to have failed. Cheap enough to call every few microseconds.
  virtual void check_peers() {}
};

}  // namespace shardfft
