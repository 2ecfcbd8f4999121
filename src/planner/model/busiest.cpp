#include "planner/model/busiest.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "grid/blocks.hpp"

namespace shardfft {
namespace {

struct Range {
  Index lo = 0, hi = 0;
};

using Ranges = std::array<Range, max_dims>;  ///< of a box, along each axis

Index overlap(Range a, Range b) { return std::max<Index>(0, std::min(a.hi, b.hi) - std::max(a.lo, b.lo)); }

/// A block grid without allocations.
class Blocks {
 public:
  explicit Blocks(const Layout& layout)
      : shape_(layout.global()), grid_(layout.grid()), owners_(product(layout.grid())) {}

  /// The box of a rank; empty ranges if it owns nothing.
  [[nodiscard]] Ranges of(Index rank) const {
    Ranges box{};
    if (rank >= owners_) return box;
    for (int a = shape_.dims() - 1; a >= 0; --a) {
      const Index part = rank % grid_[a];
      box[static_cast<std::size_t>(a)] = {blocks::begin(shape_[a], grid_[a], part),
                                          blocks::begin(shape_[a], grid_[a], part + 1)};
      rank /= grid_[a];
    }
    return box;
  }
  [[nodiscard]] Index shared(const Ranges& a, const Ranges& b) const {
    Index elements = 1;
    for (int i = 0; i < shape_.dims() && elements > 0; ++i)
      elements *= overlap(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)]);
    return elements;
  }
  [[nodiscard]] Index elements(const Ranges& box) const { return shared(box, box); }
  /// Blocks that a range of an axis meets.
  [[nodiscard]] Index met(int axis, Range range) const {
    if (range.lo >= range.hi) return 0;
    return blocks::owner(shape_[axis], grid_[axis], range.hi - 1) - blocks::owner(shape_[axis], grid_[axis], range.lo) +
           1;
  }
  [[nodiscard]] int dims() const { return shape_.dims(); }

 private:
  Shape shape_;
  Coord grid_;
  Index owners_;
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
  explicit Counter(const Layout& from) : from_(from) {}

  // All that a count depends on: sizes, distances within the node, and peers.
  [[nodiscard]] std::uint64_t class_of(const std::vector<Changing>& node) const {
    Hash hash;
    for (const Changing& rank : node) {
      hash.add(rank.peers);
      for (std::size_t a = 0; a < static_cast<std::size_t>(from_.dims()); ++a) {
        const Index origin = node.front().before[a].lo;
        for (const Range& range : {rank.before[a], rank.after[a]})
          hash.add(range.lo - origin), hash.add(range.hi - origin);
      }
    }
    return hash.value();
  }

  void count(const std::vector<Changing>& node, BusiestTraffic& most) const {
    Index left = 0;
    for (const Changing& rank : node) {
      const Index all = from_.elements(rank.before);
      Index near = 0, near_peers = 0;
      for (const Changing& other : node) {
        const Index shared = from_.shared(rank.before, other.after);
        near += shared, near_peers += shared > 0;
      }
      const Index kept = from_.shared(rank.before, rank.after);
      left += all - near;
      most.rank_elements = std::max(most.rank_elements, all - kept);
      most.rank_far_elements = std::max(most.rank_far_elements, all - near);
      most.rank_messages = std::max(most.rank_messages, rank.peers - (kept > 0));
      most.rank_far_messages = std::max(most.rank_far_messages, rank.peers - near_peers);
    }
    most.node_elements = std::max(most.node_elements, left);
  }

 private:
  Blocks from_;
};

}  // namespace

bool is_block_grid(const Layout& layout) {
  return layout.spec().kind != LayoutSpec::Kind::boxes && layout.block() == 0 &&
         layout.spec().kind != LayoutSpec::Kind::cyclic;
}

Index shared_with(const Layout& from, const Layout& to, Index rank, Index first, Index end) {
  const Blocks before(from), after(to);
  const Ranges box = before.of(rank);
  Index elements = 0;
  for (Index other = first; other < end; ++other) elements += before.shared(box, after.of(other));
  return elements;
}

BusiestTraffic busiest(const Layout& from, const Layout& to, int per_node) {
  const Counter counter(from);
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
    if (seen.insert(counter.class_of(node)).second) counter.count(node, most);
    node.clear();
  }
  most.classes = static_cast<Index>(seen.size());
  return most;
}

}  // namespace shardfft
