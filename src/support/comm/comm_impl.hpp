// What a group of ranks must be able to do. One file per kind: comm_local, comm_threads, comm_mpi, comm_dry_run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "shardfft/comm.hpp"
#include "support/comm/forked.hpp"

namespace shardfft {

/// A rank as users count it.
struct RankName {
  int rank = 0, node = 0;
};

struct CommImpl {
  int rank = 0, size = 1;
  std::vector<int> node_of{};                          ///< node of each rank; empty means all on node 0
  std::vector<RankName> names{};                       ///< in the group that was split; empty: they are these numbers
  std::atomic<int> node_count{0};                      ///< 0: not counted yet
  const std::uint64_t generation = fork_generation();  ///< of the process that made it

  virtual ~CommImpl() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  virtual void barrier() = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void allgather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  /// Collective: each number becomes the largest of all ranks. Cheaper than to gather them.
  virtual void all_max(std::span<std::int64_t> values);
  /// Called from every loop that waits for another rank without calling MPI: throws Error(transport_failed) when a rank
  /// is known to have failed. Cheap enough to call every few microseconds.
  virtual void check_peers() {}
  /// Throws Error(invalid_argument) if this thread may not make a collective call now.
  virtual void require_callable() const {}
  /// Whether this thread may end what `maker` made on the group; else that is put off (put_off.hpp).
  [[nodiscard]] virtual bool may_end_here(std::thread::id) const { return true; }
  /// Collective. The ranks that pass the same `color` (>= 0) as a group of their own, in the same order.
  [[nodiscard]] virtual std::shared_ptr<CommImpl> split(int color) = 0;
};

/// Whether this process is a child of the one whose rank this is: the other ranks know nothing of it. A group of one
/// rank that is not MPI's needs nobody.
[[nodiscard]] bool is_left_behind(const Comm& comm);
/// Throws Error(invalid_argument) in such a child, before anything is waited for or written.
void require_rank_here(const Comm& comm);

/// Collective. Groups the ranks of `comm` by `color`.
[[nodiscard]] Comm split(const Comm& comm, int color);
/// `part` has the ranks for which `color_of` equals `color`: their nodes, counted anew from 0, and their names.
void name_part(CommImpl& part, const CommImpl& whole, std::span<const int> color_of, int color);
/// For messages to users.
[[nodiscard]] RankName name_of(const Comm& comm, int rank);

}  // namespace shardfft
