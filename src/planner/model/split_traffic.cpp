#include "planner/model/split_traffic.hpp"

#include <algorithm>
#include <vector>

#include "grid/blocks.hpp"
#include "grid/rules/box_rule.hpp"

namespace shardfft {
namespace {

constexpr std::size_t most_boxes = 64;  // of a rank; hermitian axes have up to twelve

/// What one rank exchanges: in all, with itself, and with its node.
struct Count {
  Index elements = 0, kept = 0, near = 0;              ///< all, its own, its node's
  Index peers = 0, kept_messages = 0, near_peers = 0;  ///< likewise
};

/// What the busiest ones of one side exchange. Counts come rank by rank.
class Side {
 public:
  explicit Side(int per_node) : per_node_(per_node) {}
  void add(const Count& c) {
    if (ranks_++ % per_node_ == 0) left_ = 0;
    left_ += c.elements - c.near;
    owners_ += c.elements > 0;
    most_.rank_elements = std::max(most_.rank_elements, c.elements - c.kept);
    most_.rank_far_elements = std::max(most_.rank_far_elements, c.elements - c.near);
    most_.rank_messages = std::max(most_.rank_messages, c.peers - c.kept_messages);
    most_.rank_far_messages = std::max(most_.rank_far_messages, c.peers - c.near_peers);
    most_.node_elements = std::max(most_.node_elements, left_);
  }
  [[nodiscard]] Index owners() const { return owners_; }
  [[nodiscard]] const BusiestTraffic& busiest() const { return most_; }

 private:
  int per_node_;
  Index ranks_ = 0, owners_ = 0, left_ = 0;
  BusiestTraffic most_{};
};

/// How many boxes of grid positions cover each position: corners are noted, then added up along each cut axis.
class Coverage {
 public:
  explicit Coverage(const Coord& grid) : grid_(grid), step_(grid) {
    Index size = 1;
    for (int a = grid.dims() - 1; a >= 0; --a) {
      step_[a] = size;
      if (grid[a] > 1) cut_.push_back(a), size *= grid[a] + 1;
    }
    notes_.resize(static_cast<std::size_t>(size));
  }
  void add(const Box& positions) { note(positions, 0, 0, 1); }
  void add_up() {
    for (const int a : cut_)
      for (std::size_t i = 0; i < notes_.size(); ++i)
        if (static_cast<Index>(i) / step_[a] % (grid_[a] + 1) > 0)
          notes_[i] += notes_[i - static_cast<std::size_t>(step_[a])];
  }
  [[nodiscard]] Index at(const Coord& position) const {
    Index i = 0;
    for (const int a : cut_) i += position[a] * step_[a];
    return notes_[static_cast<std::size_t>(i)];
  }

 private:
  void note(const Box& positions, std::size_t next, Index i, Index sign) {
    if (next == cut_.size()) {
      notes_[static_cast<std::size_t>(i)] += sign;
      return;
    }
    const int a = cut_[next];
    note(positions, next + 1, i + positions.lo[a] * step_[a], sign);
    note(positions, next + 1, i + positions.hi[a] * step_[a], -sign);
  }

  Coord grid_, step_;
  std::vector<int> cut_{};
  std::vector<Index> notes_{};
};

class SplitTraffic {
 public:
  /// `parts` has the rule.
  SplitTraffic(const Layout& parts, const Layout& grid, int per_node)
      : parts_(parts),
        shape_(grid.global()),
        grid_(grid.grid()),
        per_node_(per_node),
        receivers_(grid_),
        of_grid_(static_cast<std::size_t>(product(grid_))) {}

  /// Whether it could. Both sides are empty before.
  bool count(Side& parts, Side& grid) {
    for (Index rank = 0; rank < parts_.ranks(); ++rank) {
      Count mine;
      if (!count(rank, mine)) return false;
      parts.add(mine);
    }
    receivers_.add_up();
    for (Index rank = 0; rank < product(grid_); ++rank) {
      const Coord at = position(rank);
      Count& c = of_grid_[static_cast<std::size_t>(rank)];
      c.elements = block(at).count();
      c.peers = receivers_.at(at);
      grid.add(c);
    }
    return true;
  }

 private:
  [[nodiscard]] Coord position(Index rank) const {
    Coord at = grid_;
    for (int a = grid_.dims() - 1; a >= 0; --a) {
      at[a] = rank % grid_[a];
      rank /= grid_[a];
    }
    return at;
  }
  [[nodiscard]] Index rank_at(const Coord& position) const {
    Index rank = 0;
    for (int a = 0; a < grid_.dims(); ++a) rank = rank * grid_[a] + position[a];
    return rank;
  }
  [[nodiscard]] Box block(const Coord& at) const {
    Box box = whole(shape_);
    for (int a = 0; a < shape_.dims(); ++a) {
      box.lo[a] = blocks::begin(shape_[a], grid_[a], at[a]);
      box.hi[a] = blocks::begin(shape_[a], grid_[a], at[a] + 1);
    }
    return box;
  }
  [[nodiscard]] Box positions(const Box& box) const {
    Box result = box;
    for (int a = 0; a < box.dims(); ++a) {
      result.lo[a] = blocks::owner(shape_[a], grid_[a], box.lo[a]);
      result.hi[a] = blocks::owner(shape_[a], grid_[a], box.hi[a] - 1) + 1;
    }
    return result;
  }

  // Merges boxes into some that do not meet and have the same positions; none if they differ along two axes.
  [[nodiscard]] static std::vector<Box> apart(std::vector<Box> all) {
    int differs = -1;
    for (const Box& box : all)
      for (int a = 0; a < box.dims(); ++a) {
        if (box.lo[a] == all[0].lo[a] && box.hi[a] == all[0].hi[a]) continue;
        if (differs >= 0 && differs != a) return {};
        differs = a;
      }
    if (differs < 0) return {all[0]};
    std::ranges::sort(all, {}, [&](const Box& box) { return box.lo[differs]; });
    std::vector<Box> merged;
    for (const Box& box : all) {
      if (merged.empty() || box.lo[differs] >= merged.back().hi[differs])
        merged.push_back(box);
      else
        merged.back().hi[differs] = std::max(merged.back().hi[differs], box.hi[differs]);
    }
    return merged;
  }

  bool count(Index rank, Count& mine) {
    const std::vector<Box> boxes = parts_.boxes(static_cast<int>(rank));
    if (boxes.empty()) return true;
    if (boxes.size() > most_boxes) return false;
    std::vector<Box> met;
    for (const Box& box : boxes) met.push_back(positions(box));
    met = apart(std::move(met));
    if (met.empty()) return false;
    for (const Box& box : boxes) mine.elements += box.count();
    for (const Box& box : met) {
      mine.peers += box.count();
      receivers_.add(box);
    }
    Coord last = met.back().hi;
    for (int a = 0; a < last.dims(); ++a) --last[a];
    const Index node = rank / per_node_ * per_node_, end = std::min(node + per_node_, rank_at(last) + 1);
    for (Index peer = std::max(node, rank_at(met.front().lo)); peer < end; ++peer) share(rank, mine, peer, boxes);
    return true;
  }

  // Both are ranks of one node.
  void share(Index rank, Count& mine, Index peer, const std::vector<Box>& boxes) {
    const Box theirs = block(position(peer));
    Index elements = 0;
    for (const Box& box : boxes) elements += intersect(box, theirs).count();
    if (elements == 0) return;
    for (Count* side : {&mine, &of_grid_[static_cast<std::size_t>(peer)]}) {
      side->near += elements, ++side->near_peers;
      if (peer == rank) side->kept += elements, ++side->kept_messages;
    }
  }

  const Layout& parts_;
  Shape shape_;
  Coord grid_;
  int per_node_;
  Coverage receivers_;
  std::vector<Count> of_grid_;
};

}  // namespace

std::optional<BusiestTraffic> busiest_split(const Layout& from, const Layout& to, int per_node) {
  const bool sends = from.spec().rule != nullptr;
  if (sends == (to.spec().rule != nullptr) || !is_block_grid(sends ? to : from)) return std::nullopt;
  Side parts(per_node), grid(per_node);
  if (!SplitTraffic(sends ? from : to, sends ? to : from, per_node).count(parts, grid)) return std::nullopt;
  const Side &senders = sends ? parts : grid, &receivers = sends ? grid : parts;
  if (receivers.owners() >= senders.owners()) return senders.busiest();
  return larger(senders.busiest(), receivers.busiest());
}

}  // namespace shardfft
