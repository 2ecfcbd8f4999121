// Boxes with inclusive corners, and how a world is cut into them.
#pragma once

#include "heffte_utils.h"

namespace heffte {

/// The indices low..high of each of three axes, both ends included. `order` names the axes from the fastest to the
/// slowest in memory. A box is empty where high < low; {0, 0, 0} to {-1, -1, -1} is the usual one.
template <typename index = int>
struct box3d {
  box3d(std::array<index, 3> clow, std::array<index, 3> chigh) : box3d(clow, chigh, std::array<int, 3>{0, 1, 2}) {}
  box3d(std::array<index, 3> clow, std::array<index, 3> chigh, std::array<int, 3> corder)
      : low(clow), high(chigh), size(extents(clow, chigh)), order(corder) {}
  /// A box of two dimensions: index 0 of axis 2.
  box3d(std::array<index, 2> clow, std::array<index, 2> chigh) : box3d(clow, chigh, std::array<int, 2>{0, 1}) {}
  box3d(std::array<index, 2> clow, std::array<index, 2> chigh, std::array<int, 2> corder)
      : box3d(std::array<index, 3>{clow[0], clow[1], 0}, std::array<index, 3>{chigh[0], chigh[1], 0},
              std::array<int, 3>{corder[0], corder[1], 2}) {}

  bool empty() const { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  long long count() const {
    return empty() ? 0 : static_cast<long long>(size[0]) * static_cast<long long>(size[1]) * size[2];
  }
  /// What both share, in this box's order.
  box3d collide(const box3d& other) const {
    if (empty() || other.empty()) return none();
    std::array<index, 3> from = low, to = high;
    for (std::size_t d = 0; d < 3; ++d) {
      from[d] = std::max(low[d], other.low[d]);
      to[d] = std::min(high[d], other.high[d]);
    }
    return box3d(from, to, order);
  }
  /// The half spectrum of this box of reals: n/2 + 1 indices along `dimension`.
  box3d r2c(int dimension) const {
    if (empty()) return none();
    const auto d = static_cast<std::size_t>(dimension);
    std::array<index, 3> to = high;
    to.at(d) = low[d] + size[d] / 2;
    return box3d(low, to, order);
  }
  bool is2d() const { return size[0] == 1 || size[1] == 1 || size[2] == 1; }
  bool operator==(const box3d& other) const { return low == other.low && high == other.high; }
  bool ordered_same_as(const box3d& other) const { return order == other.order; }
  int find_order(int dir) const { return dir == order[0] ? 0 : dir == order[1] ? 1 : 2; }
  index osize(int dimension) const {
    return size[static_cast<std::size_t>(order[static_cast<std::size_t>(dimension)])];
  }

  const std::array<index, 3> low, high, size;
  const std::array<int, 3> order;

 private:
  static box3d none() { return box3d(std::array<index, 3>{0, 0, 0}, std::array<index, 3>{-1, -1, -1}); }
  static std::array<index, 3> extents(const std::array<index, 3>& low, const std::array<index, 3>& high) {
    return {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1};
  }
};
template <typename index = int>
using box2d = box3d<index>;

template <typename index>
std::ostream& operator<<(std::ostream& out, const box3d<index>& box) {
  for (std::size_t d = 0; d < 3; ++d) out << box.low[d] << "  " << box.high[d] << "  (" << box.size[d] << ")\n";
  return out << "(" << box.order[0] << "," << box.order[1] << "," << box.order[2] << ")\n\n";
}

/// One box for each rank.
template <typename index = int>
struct ioboxes {
  std::vector<box3d<index>> in, out;
};

/// The smallest box around all of them.
template <typename index>
box3d<index> find_world(const std::vector<box3d<index>>& boxes) {
  std::array<index, 3> low = boxes.at(0).low, high = boxes.at(0).high;
  for (const auto& box : boxes)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], box.low[d]);
      high[d] = std::max(high[d], box.high[d]);
    }
  return {low, high};
}

/// True if the boxes are the same, orders aside.
template <typename index>
bool match(const std::vector<box3d<index>>& a, const std::vector<box3d<index>>& b) {
  return a == b;
}

/// True, or an exception: the world begins at 0, and the boxes fill it without overlaps.
template <typename index>
bool world_complete(const std::vector<box3d<index>>& boxes, const box3d<index>& world) {
  if (world.low != std::array<index, 3>{0, 0, 0}) throw std::invalid_argument("a world begins at index 0 0 0");
  long long elements = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    elements += boxes[i].count();
    for (std::size_t j = 0; j < i; ++j)
      if (!boxes[i].collide(boxes[j]).empty())
        throw std::invalid_argument("boxes of a world do not overlap; got overlapping ones of ranks " +
                                    std::to_string(j) + " and " + std::to_string(i));
  }
  if (elements < world.count())
    throw std::invalid_argument("the boxes of a world fill it; got " + std::to_string(elements) + " elements of " +
                                std::to_string(world.count()));
  return true;
}

/// Cuts each axis as evenly as it can be, the first parts with one index more; part (i, j, k) is number
/// i + grid[0] (j + grid[1] k).
template <typename index>
std::vector<box3d<index>> split_world(const box3d<index>& world, const std::array<int, 3>& grid) {
  const auto start = [&](std::size_t d, int part) {
    const index parts = grid[d], even = world.size[d] / parts, left = world.size[d] % parts;
    return static_cast<index>(world.low[d] + part * even + std::min<index>(part, left));
  };
  std::vector<box3d<index>> boxes;
  for (int k = 0; k < grid[2]; ++k)
    for (int j = 0; j < grid[1]; ++j)
      for (int i = 0; i < grid[0]; ++i)
        boxes.push_back(box3d<index>({start(0, i), start(1, j), start(2, k)},
                                     {start(0, i + 1) - 1, start(1, j + 1) - 1, start(2, k + 1) - 1}, world.order));
  return boxes;
}

/// The two factors of `ranks` with the smallest sum, the smaller one first.
inline std::array<int, 2> make_procgrid(int ranks) {
  int small = 1;
  for (int i = 1; i <= ranks / i; ++i)
    if (ranks % i == 0) small = i;
  return {small, ranks / small};
}

/// A grid of as many ranks whose boxes have the smallest surface.
///   error  std::invalid_argument: no grid has an index for each rank along each axis
template <typename index>
std::array<int, 3> proc_setup_min_surface(const box3d<index>& world, int ranks) {
  std::array<int, 3> best{};
  long long least = std::numeric_limits<long long>::max();
  const auto n = [&](std::size_t d) { return static_cast<long long>(world.size[d]); };
  for (int i = 1; i <= ranks && i <= n(0); ++i)
    for (int j = 1; ranks % i == 0 && j <= ranks / i && j <= n(1); ++j) {
      const int k = ranks / i / j;
      if (ranks / i % j != 0 || k > n(2)) continue;
      const long long a = n(0) / i, b = n(1) / j, c = n(2) / k, surface = a * b + b * c + c * a;
      if (surface >= least) continue;
      least = surface;
      best = {i, j, k};
    }
  if (best[0] == 0)
    throw std::invalid_argument("a grid has at least one index for each rank along each axis; got " +
                                std::to_string(ranks) + " ranks; take fewer, or split_world with empty boxes");
  return best;
}

namespace mpi {

/// Collective: both boxes of every rank.
template <typename index>
ioboxes<index> gather_boxes(const box3d<index>& inbox, const box3d<index>& outbox, MPI_Comm comm) {
  std::array<long long, 18> mine{};
  for (std::size_t d = 0; d < 3; ++d) {
    const long long of_axis[] = {inbox.low[d],  inbox.high[d],  inbox.order[d],
                                 outbox.low[d], outbox.high[d], outbox.order[d]};
    for (std::size_t what = 0; what < 6; ++what) mine[3 * what + d] = of_axis[what];
  }
  std::vector<std::array<long long, 18>> all(static_cast<std::size_t>(comm_size(comm)));
  MPI_Allgather(mine.data(), 18, MPI_LONG_LONG, all.data(), 18, MPI_LONG_LONG, comm);
  const auto three = [](const std::array<long long, 18>& from, std::size_t what, auto as) {
    using T = decltype(as);
    return std::array<T, 3>{static_cast<T>(from[3 * what]), static_cast<T>(from[3 * what + 1]),
                            static_cast<T>(from[3 * what + 2])};
  };
  ioboxes<index> boxes;
  for (const auto& theirs : all) {
    boxes.in.emplace_back(three(theirs, 0, index{}), three(theirs, 1, index{}), three(theirs, 2, int{}));
    boxes.out.emplace_back(three(theirs, 3, index{}), three(theirs, 4, index{}), three(theirs, 5, int{}));
  }
  return boxes;
}

}  // namespace mpi

}  // namespace heffte
