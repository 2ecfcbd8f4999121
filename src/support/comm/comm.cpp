#include "shardfft/comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/put_off.hpp"

namespace shardfft {
namespace {

void require_rank(int rank, int size, const char* what) {
  if (rank >= 0 && rank < size) return;
  throw Error(Status::invalid_argument,
              fmt::format("{}: rank {} is not in the group; its {} ranks count from 0", what, rank, size));
}

RankName name_of(const CommImpl& group, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  if (!group.names.empty()) return group.names[r];
  return {rank, group.node_of.empty() ? 0 : group.node_of[r]};
}

CommImpl& there(const std::shared_ptr<CommImpl>& impl) {
  if (!impl)
    throw Error(Status::invalid_argument,
                "call out of order: this Comm has no ranks, because it was moved from; use the one it was moved to");
  return *impl;
}

}  // namespace

int Comm::rank() const { return there(impl_).rank; }
int Comm::size() const { return there(impl_).size; }
std::string_view Comm::kind() const { return there(impl_).kind(); }

void Comm::barrier() const {
  require_rank_here(*this);
  there(impl_).barrier();
}

int Comm::node(int rank) const {
  require_rank(rank, size(), "node");
  return impl_->node_of.empty() ? 0 : impl_->node_of[static_cast<std::size_t>(rank)];
}

int Comm::nodes() const {
  const auto& nodes = there(impl_).node_of;
  if (nodes.empty()) return 1;
  int count = impl_->node_count.load(std::memory_order_relaxed);
  if (count == 0) impl_->node_count = count = 1 + *std::max_element(nodes.begin(), nodes.end());
  return count;
}

void Comm::broadcast(std::span<std::byte> bytes, int root) const {
  require_rank(root, size(), "broadcast");
  require_rank_here(*this);
  impl_->broadcast(bytes, root);
}

void Comm::allgather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  if (all.size() != mine.size() * static_cast<std::size_t>(size()))
    throw Error(Status::invalid_argument, fmt::format("allgather: {} bytes from each of {} ranks do not fill {} bytes",
                                                      mine.size(), size(), all.size()));
  require_rank_here(*this);
  impl_->allgather(mine, all);
}

void CommImpl::all_max(std::span<std::int64_t> values) {
  std::vector<std::int64_t> all(values.size() * static_cast<std::size_t>(size));
  allgather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 0; i < all.size(); ++i) values[i % values.size()] = std::max(values[i % values.size()], all[i]);
}

Comm split(const Comm& comm, int color) {
  require_rank_here(comm);
  return Comm(comm.impl().split(color));
}

bool is_left_behind(const Comm& comm) {
  return comm.impl().generation != fork_generation() &&
         ((comm.size() > 1 && comm.kind() != "dry_run") || comm.kind() == "mpi");
}

void require_rank_here(const Comm& comm) {
  if (is_left_behind(comm))
    throw Error(Status::invalid_argument,
                fmt::format("ranks belong to the process that made them; got a child of fork(), of the process that is "
                            "rank {} of {}; make a plan on local() here, or let the parent do it",
                            comm.rank(), comm.size()));
  if (comm.kind() != "mpi") return;
  comm.impl().require_callable();
  end_what_was_put_off();
}

void name_part(CommImpl& part, const CommImpl& whole, std::span<const int> color_of, int color) {
  std::map<int, int> renumbered;
  for (std::size_t r = 0; r < color_of.size(); ++r) {
    if (color_of[r] != color) continue;
    part.names.push_back(name_of(whole, static_cast<int>(r)));
    if (whole.node_of.empty()) continue;
    const int next = static_cast<int>(renumbered.size());
    part.node_of.push_back(renumbered.try_emplace(whole.node_of[r], next).first->second);
  }
}

RankName name_of(const Comm& comm, int rank) { return name_of(comm.impl(), rank); }

}  // namespace shardfft
