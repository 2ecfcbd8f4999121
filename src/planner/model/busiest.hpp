// What ranks and nodes send in an exchange between two grids of blocks, counted once for each class of nodes.
#pragma once

#include "shardfft/layout.hpp"

namespace shardfft {

/// Whether each rank has one box of a process grid whose blocks are as even as possible: what this file counts.
[[nodiscard]] bool is_block_grid(const Layout& layout);

/// The last rank that owns something, of block grids; else the last one.
[[nodiscard]] int last_owner(const Layout& layout);

/// Whether `to` has fewer owners than `from`, so that a rank receives more than any sends. Both are block grids.
[[nodiscard]] bool gathers(const Layout& from, const Layout& to);

/// Elements that `rank` has in `from` and the ranks first ... end - 1 have in `to`. Both are block grids.
[[nodiscard]] Index shared_with(const Layout& from, const Layout& to, Index rank, Index first, Index end);

/// What one exchange moves. Each number is that of the rank, or of the node, that sends most of it. If fewer ranks
/// receive than send, one that receives may have most.
struct BusiestTraffic {
  Index rank_elements = 0;      ///< to other ranks
  Index rank_far_elements = 0;  ///< to other nodes
  Index rank_messages = 0;      ///< to other ranks
  Index rank_far_messages = 0;  ///< to other nodes
  Index node_elements = 0;      ///< to other nodes, of all ranks of a node
  Index classes = 0;            ///< of nodes whose ranks have equal boxes at equal distances
};

/// The larger one of each number.
[[nodiscard]] BusiestTraffic larger(BusiestTraffic a, const BusiestTraffic& b);

/// Nodes hold `per_node` consecutive ranks, the last one perhaps fewer. Both layouts are block grids. Takes time for
/// every rank, but counts messages only once in each class, which a hash of 64 bits stands for.
[[nodiscard]] BusiestTraffic busiest(const Layout& from, const Layout& to, int per_node);

}  // namespace shardfft
