// A group of which only one rank exists, for plans that are looked at and never run.
#include <fmt/format.h>

#include <algorithm>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"

namespace shardfft {
namespace {

struct DryRunComm final : CommImpl, std::enable_shared_from_this<DryRunComm> {
  std::string_view kind() const override { return "dry_run"; }
  void barrier() override {}
  void broadcast(std::span<std::byte>, int) override {}
  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (mine.empty()) return;
    for (auto to = all.begin(); to != all.end();) to = std::copy(mine.begin(), mine.end(), to);
  }
  /// Every rank is taken to have said the same colour.
  std::shared_ptr<CommImpl> split(int) override { return shared_from_this(); }
};

}  // namespace

// A number is kept for each rank: without a limit a mistaken count takes gigabytes.
constexpr int most_ranks = 1 << 24;

Comm dry_run(int ranks, int rank, int ranks_per_node) {
  if (ranks < 1 || rank < 0 || rank >= ranks || ranks_per_node < 1)
    throw Error(Status::invalid_argument, fmt::format("dry_run: needs ranks >= 1, 0 <= rank < ranks and ranks_per_node "
                                                      ">= 1, got ranks {}, rank {}, ranks_per_node {}",
                                                      ranks, rank, ranks_per_node));
  if (ranks > most_ranks)
    throw Error(Status::invalid_argument,
                fmt::format("dry_run: takes at most {} ranks, got {}; use fewer", most_ranks, ranks));
  auto impl = std::make_shared<DryRunComm>();
  impl->rank = rank;
  impl->size = ranks;
  for (int r = 0; r < ranks; ++r) impl->node_of.push_back(r / ranks_per_node);
  return Comm(std::move(impl));
}

}  // namespace shardfft
