// Who takes part: a group of ranks that can agree on things.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace shardfft {

struct CommImpl;

/// A group of ranks. Copies share the group. All calls that say "collective" are made by every rank, in the same order.
class Comm {
 public:
  explicit Comm(std::shared_ptr<CommImpl> impl) : impl_(std::move(impl)) {}

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  /// Number of the node that `rank` runs on; ranks with equal numbers share memory. Nodes count from 0 in rank order.
  [[nodiscard]] int node(int rank) const;
  [[nodiscard]] int nodes() const;
  /// "local", "threads", "mpi" or "dry_run".
  [[nodiscard]] std::string_view kind() const;

  void barrier() const;  ///< collective
  /// Collective: `bytes` of `root` replace those of every rank.
  void broadcast(std::span<std::byte> bytes, int root) const;
  /// Collective: `all` (size() * mine.size() bytes, the same on every rank) becomes the bytes of all ranks in rank
  /// order.
  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) const;

  [[nodiscard]] CommImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<CommImpl> impl_;
};

/// This process alone.
[[nodiscard]] Comm local();

/// Runs `body` on `ranks` threads of this process, each with its own rank of one group; returns when all have ended.
/// The first exception (lowest rank) is thrown again here; the other ranks, if they wait for the failed one, are
/// released by Error(transport_failed). Throws Error(mismatch) if ranks wait in a call for one whose body has returned.
void on_ranks(int ranks, const std::function<void(Comm)>& body);

/// A group of `ranks` of which only `rank` exists: every collective returns at once as if all ranks had said the same.
/// For plans that are looked at and never run. `ranks_per_node` ranks share a node.
[[nodiscard]] Comm dry_run(int ranks, int rank = 0, int ranks_per_node = 1);

}  // namespace shardfft
