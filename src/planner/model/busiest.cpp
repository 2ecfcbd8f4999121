#include "planner/model/busiest.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grid/blocks.hpp"

namespace shardfft {
namespace {

struct Range {
  Index lo = 0, hi = 0;
};

using Ranges = std::array<Range, max_dims>;  ///< of a box, along each axis

Index overlap(Range a, Range b) { return std::max<Index>(0, std::min(a.hi, b.hi) - std::max(a.lo, b.lo)); }

/// Elements that a box shares with the boxes of some ranks, and with how many of these.
struct Shared {
  Index elements = 0, ranks = 0;
};

/// A block grid without allocations.
class Blocks {
 public:
  explicit Blocks(const Layout& layout) : shape_(layout.global()), grid_(layout.grid()), behind_(grid_) {
    Index ranks = 1;
    for (int a = dims() - 1; a >= 0; --a) behind_[a] = std::exchange(ranks, ranks * grid_[a]);
    owners_ = ranks;
  }

  [[nodiscard]] int dims() const { return shape_.dims(); }
  /// The box of a rank; empty ranges if it owns nothing.
  [[nodiscard]] Ranges of(Index rank) const {
    Ranges box{};
    if (rank >= owners_) return box;
    for (int a = 0; a < dims(); ++a) box[at(a)] = range(a, rank / behind_[a] % grid_[a]);
    return box;
  }
  /// With ranks first ... end - 1.
  [[nodiscard]] Shared shared(const Ranges& box, Index first, Index end) const {
    Shared all;
    for (int a = 0; a < dims(); ++a)
      if (box[at(a)].lo >= box[at(a)].hi) return all;
    add_shared(0, box, {first, std::min(end, owners_)}, 1, all);
    return all;
  }
  /// Blocks that a range of an axis meets.
  [[nodiscard]] Index met(int axis, Range range) const {
    if (range.lo >= range.hi) return 0;
    return owner(axis, range.hi - 1) - owner(axis, range.lo) + 1;
  }

 private:
  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  [[nodiscard]] Range range(int axis, Index part) const {
    return {blocks::begin(shape_[axis], grid_[axis], part), blocks::begin(shape_[axis], grid_[axis], part + 1)};
  }
  [[nodiscard]] Index owner(int axis, Index element) const { return blocks::owner(shape_[axis], grid_[axis], element); }

  // Adds the ranks in `ranks`, counted from the first one whose blocks of the axes before this one are chosen. Along
  // these they share `elements` with the box.
  void add_shared(int axis, const Ranges& box, Range ranks, Index elements, Shared& all) const {
    if (axis == dims()) {
      all.elements += elements;
      ++all.ranks;
      return;
    }
    const Index step = behind_[axis];
    const Index first = std::max(owner(axis, box[at(axis)].lo), std::max<Index>(ranks.lo, 0) / step),
                last = std::min(owner(axis, box[at(axis)].hi - 1), (ranks.hi - 1) / step);
    for (Index part = first; part <= last && ranks.hi > 0; ++part)
      add_shared(axis + 1, box, {ranks.lo - part * step, std::min(ranks.hi - part * step, step)},
                 elements * overlap(box[at(axis)], range(axis, part)), all);
  }

  Shape shape_;
  Coord grid_, behind_;  // processes along each axis, and ranks from one to the next
  Index owners_ = 0;
};

/// The ranks of a block grid, one after the other. Needs no divisions.
class Walk {
 public:
  /// `met_by`: counts the blocks of another grid that each block meets; nullptr: none.
  Walk(const Layout& layout, const Blocks* met_by) : grid_(layout.grid()), at_(Coord::filled(grid_.dims(), 0)) {
    left_ = product(grid_);
    for (int a = 0; a < grid_.dims(); ++a)
      for (Index part = 0; part < grid_[a]; ++part) {
        const Range range{blocks::begin(layout.global()[a], grid_[a], part),
                          blocks::begin(layout.global()[a], grid_[a], part + 1)};
        along_[axis(a)].push_back({range, met_by ? met_by->met(a, range) : 0});
      }
  }
  /// The box of the next rank, and with how many blocks of the other grid it shares elements.
  Index next(Ranges& box) {
    box = {};
    if (left_-- <= 0) return 0;
    Index met = 1;
    for (int a = 0; a < grid_.dims(); ++a) {
      const Part& part = along_[axis(a)][axis(at_[a])];
      box[axis(a)] = part.range;
      met *= part.met;
    }
    for (int a = grid_.dims() - 1; a >= 0 && ++at_[a] == grid_[a]; --a) at_[a] = 0;
    return met;
  }

 private:
  struct Part {
    Range range{};
    Index met = 0;
  };
  template <class T>
  static std::size_t axis(T a) {
    return static_cast<std::size_t>(a);
  }
  Coord grid_, at_;
  Index left_ = 0;
  std::array<std::vector<Part>, max_dims> along_{};
};

/// A rank before and after an exchange.
struct Changing {
  Ranges before{}, after{};
  Index peers = 0;  ///< that get something, itself included
};

class Hash {
 public:
  void add(Index number) {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0x9fb21c651e98df25ULL;
    value_ ^= value_ >> 29;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x9e3779b97f4a7c15ULL;
};

class Counter {
 public:
  explicit Counter(const Layout& to) : to_(to) {}

  // All that a count depends on: sizes, distances within the node, and peers.
  [[nodiscard]] std::uint64_t class_of(const std::vector<Changing>& node) const {
    Hash hash;
    for (const Changing& rank : node) {
      hash.add(rank.peers);
      for (std::size_t a = 0; a < static_cast<std::size_t>(to_.dims()); ++a) {
        const Index origin = node.front().before[a].lo;
        for (const Range& range : {rank.before[a], rank.after[a]})
          hash.add(range.lo - origin), hash.add(range.hi - origin);
      }
    }
    return hash.value();
  }

  void count(const std::vector<Changing>& node, Index first, BusiestTraffic& most) const {
    const Index end = first + static_cast<Index>(node.size());
    Index left = 0;
    for (Index rank = first; rank < end; ++rank) {
      const Changing& changing = node[static_cast<std::size_t>(rank - first)];
      Index all = 1;
      for (int a = 0; a < to_.dims(); ++a)
        all *= changing.before[static_cast<std::size_t>(a)].hi - changing.before[static_cast<std::size_t>(a)].lo;
      const Shared near = to_.shared(changing.before, first, end), kept = to_.shared(changing.before, rank, rank + 1);
      left += all - near.elements;
      most.rank_elements = std::max(most.rank_elements, all - kept.elements);
      most.rank_far_elements = std::max(most.rank_far_elements, all - near.elements);
      most.rank_messages = std::max(most.rank_messages, changing.peers - kept.ranks);
      most.rank_far_messages = std::max(most.rank_far_messages, changing.peers - near.ranks);
    }
    most.node_elements = std::max(most.node_elements, left);
  }

 private:
  Blocks to_;
};

BusiestTraffic sent_by_busiest(const Layout& from, const Layout& to, int per_node) {
  const Counter counter(to);
  const Blocks after(to);
  Walk before_walk(from, &after), after_walk(to, nullptr);
  BusiestTraffic most;
  std::unordered_set<std::uint64_t> seen;
  std::vector<Changing> node;
  for (Index rank = 0; rank < from.ranks(); ++rank) {
    Changing& changing = node.emplace_back();
    changing.peers = before_walk.next(changing.before);
    (void)after_walk.next(changing.after);
    if (rank + 1 < from.ranks() && (rank + 1) % per_node != 0) continue;
    if (seen.insert(counter.class_of(node)).second)
      counter.count(node, rank + 1 - static_cast<Index>(node.size()), most);
    node.clear();
  }
  most.classes = static_cast<Index>(seen.size());
  return most;
}

}  // namespace

bool is_block_grid(const Layout& layout) {
  return layout.spec().kind != LayoutSpec::Kind::boxes && layout.block() == 0 &&
         layout.spec().kind != LayoutSpec::Kind::cyclic;
}

Index shared_with(const Layout& from, const Layout& to, Index rank, Index first, Index end) {
  return Blocks(to).shared(Blocks(from).of(rank), first, end).elements;
}

int last_owner(const Layout& layout) {
  if (!is_block_grid(layout)) return layout.ranks() - 1;
  Index rank = 0;
  for (int a = 0; a < layout.global().dims(); ++a)
    rank = rank * layout.grid()[a] + std::min(layout.grid()[a], layout.global()[a]) - 1;
  return static_cast<int>(rank);
}

bool gathers(const Layout& from, const Layout& to) {
  const auto owners = [](const Layout& layout) {
    Index all = 1;
    for (int a = 0; a < layout.global().dims(); ++a) all *= std::min(layout.grid()[a], layout.global()[a]);
    return all;
  };
  return owners(to) < owners(from);
}

BusiestTraffic larger(BusiestTraffic a, const BusiestTraffic& b) {
  for (Index BusiestTraffic::* count :
       {&BusiestTraffic::rank_elements, &BusiestTraffic::rank_far_elements, &BusiestTraffic::rank_messages,
        &BusiestTraffic::rank_far_messages, &BusiestTraffic::node_elements})
    a.*count = std::max(a.*count, b.*count);
  return a;
}

BusiestTraffic busiest(const Layout& from, const Layout& to, int per_node) {
  const BusiestTraffic sent = sent_by_busiest(from, to, per_node);
  return gathers(from, to) ? larger(sent, sent_by_busiest(to, from, per_node)) : sent;
}

}  // namespace shardfft
