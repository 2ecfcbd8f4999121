// Which messages between two nodes travel as one, and where each lies in it. Index arithmetic only.
//
// All messages of a chunk from the ranks of one node to those of another one lie in a region: a table with the size of
// each piece that varies, then the pieces, by source and destination. One rank of each node, its courier for the other
// node, sends or receives the region.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace shardfft {

struct NodePiece {
  int from = 0, to = 0;  ///< ranks of the whole group
  Index at = 0;          ///< bytes from the start of the region
  Index bytes = 0;       ///< at most
  int size_at = -1;      ///< its place in the table; -1: it does not vary
};

struct NodeRegion {
  int round = 0, chunk = 0;
  int courier = 0, far_courier = 0;  ///< ranks of the whole group: here, and on the other node
  Index bytes = 0;
  bool varies = false;
  std::vector<NodePiece> pieces{};
};

/// The regions that leave a node and that come to it. All its ranks find the same.
class NodeMessages {
 public:
  /// Collective for the ranks of a node, which are `neighbours`. Every message in `traffic` is to or from another node.
  NodeMessages(const Comm& comm, const Comm& neighbours, const Traffic& traffic);

  [[nodiscard]] const std::vector<NodeRegion>& out() const { return out_; }
  [[nodiscard]] const std::vector<NodeRegion>& in() const { return in_; }

  /// What this rank sends and receives as a courier.
  [[nodiscard]] Traffic between_couriers() const;
  /// A line of memory from each rank to each courier that has a message of it, and from couriers to readers: its
  /// arrival says that the messages are there.
  [[nodiscard]] Traffic to_couriers() const;
  [[nodiscard]] Traffic from_couriers() const;

  /// Ranks of this node, by their number in `neighbours`.
  [[nodiscard]] std::span<const int> ranks_here() const { return here_; }

 private:
  [[nodiscard]] Traffic empty_rounds() const;
  /// Between the rank that each piece names and the courier of its region.
  [[nodiscard]] Traffic lines_with_couriers(const std::vector<NodeRegion>& regions, int NodePiece::* rank,
                                            std::vector<Message> Round::* of_rank,
                                            std::vector<Message> Round::* of_courier) const;
  [[nodiscard]] int number_here(int rank) const;

  int me_ = 0;
  std::vector<int> here_{};
  std::vector<Round> shape_{};  ///< chunks and slots of the rounds
  std::vector<NodeRegion> out_{}, in_{};
};

/// Collective: the lists of all ranks, by rank.
[[nodiscard]] std::vector<std::vector<std::int64_t>> lists_of_all(const Comm& comm,
                                                                  const std::vector<std::int64_t>& mine);

}  // namespace shardfft
