#include "shardfft/comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "shardfft/error.hpp"
#include "support/comm_impl.hpp"

namespace shardfft {
namespace {

void require_rank(int rank, int size, const char* what) {
  if (rank >= 0 && rank < size) return;
  throw Error(Status::invalid_argument, fmt::format("{}: rank {} is not in the group; its {} ranks count from 0", what, rank, size));
}

}  // namespace

int Comm::rank() const { return impl_->rank; }
int Comm::size() const { return impl_->size; }
std::string_view Comm::kind() const { return impl_->kind(); }
void Comm::barrier() const { impl_->barrier(); }

int Comm::node(int rank) const {
  require_rank(rank, size(), "node");
  return impl_->node_of.empty() ? 0 : impl_->node_of[static_cast<std::size_t>(rank)];
}

int Comm::nodes() const {
  const auto& nodes = impl_->node_of;
  return nodes.empty() ? 1 : 1 + *std::max_element(nodes.begin(), nodes.end());
}

void Comm::broadcast(std::span<std::byte> bytes, int root) const {
  require_rank(root, size(), "broadcast");
  impl_->broadcast(bytes, root);
}

void Comm::allgather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  if (all.size() != mine.size() * static_cast<std::size_t>(size()))
    throw Error(Status::invalid_argument, fmt::format("allgather: {} bytes from each of {} ranks do not fill {} bytes", mine.size(), size(), all.size()));
  impl_->allgather(mine, all);
}

Comm split(const Comm& comm, int color) { return Comm(comm.impl().split(color)); }

std::vector<int> nodes_of_part(const CommImpl& whole, std::span<const int> color_of, int color) {
  std::vector<int> nodes;
  std::map<int, int> renumbered;
  for (std::size_t r = 0; r < color_of.size() && !whole.node_of.empty(); ++r)
    if (color_of[r] == color) nodes.push_back(renumbered.try_emplace(whole.node_of[r], static_cast<int>(renumbered.size())).first->second);
  return nodes;
}

}  // namespace shardfft
