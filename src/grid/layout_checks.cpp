#include "grid/layout_checks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grid/blocks.hpp"
#include "grid/process_grids.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

[[noreturn]] void fail(const std::string& text) { throw Error(Status::invalid_layout, text); }

void check_order(const std::vector<int>& order, int dims) {
  if (order.empty()) return;
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = static_cast<int>(sorted.size()) == dims;
  for (int a = 0; permutation && a < dims; ++a) permutation = sorted[static_cast<std::size_t>(a)] == a;
  if (!permutation)
    fail(fmt::format("a memory order names each of the {} axes once, slowest first; got {}", dims,
                     fmt::join(order, ",")));
}

void check_grid(const Coord& grid, const Shape& global, int ranks) {
  if (grid.dims() != global.dims())
    fail(fmt::format("a process grid has one number per axis: {} for the shape {}; got {}", global.dims(),
                     to_string(global), to_string(grid)));
  for (const Index p : grid)
    if (p < 1) fail(fmt::format("a process grid counts processes, each number at least 1; got {}", to_string(grid)));
  if (!holds_at_most(grid, ranks))
    fail(fmt::format("a process grid holds at most the {} ranks there are; got {}; use more ranks or a smaller grid",
                     ranks, to_string(grid)));
}

void check_block(const LayoutSpec& spec, const Shape& global, int ranks) {
  const Index n = global[spec.axis];
  if (spec.block < 0)
    fail(fmt::format("slabs have blocks of 1 plane or more, or 0 for blocks as even as possible; got {}", spec.block));
  if (spec.block > 0 && blocks::count(n, spec.block) > ranks)
    fail(
        fmt::format("the blocks of all ranks cover the axis; {} ranks with {} planes each do not cover {}; use blocks "
                    "of {} or more",
                    ranks, spec.block, n, blocks::count(n, ranks)));
}

// The axis along which boxes are shortest, as parts of the array: along it each box meets the fewest others.
int cutting_axis(const std::vector<Owned>& all, const Shape& global) {
  int best = 0;
  double least = 0;
  for (int a = 0; a < global.dims(); ++a) {
    double covered = 0;  // how often boxes cover the axis, all together
    for (const Owned& o : all) covered += static_cast<double>(o.box.extent(a)) / static_cast<double>(global[a]);
    if (a > 0 && covered >= least) continue;
    least = covered;
    best = a;
  }
  return best;
}

void check_boxes(const LayoutSpec& spec, const Shape& global, int ranks) {
  if (spec.boxes.size() != static_cast<std::size_t>(ranks))
    fail(
        fmt::format("a custom layout lists the boxes of every rank: {} lists for {} ranks; pass one list per rank, "
                    "empty for a rank that owns nothing",
                    spec.boxes.size(), ranks));
  std::vector<Owned> all;
  Index covered = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Box& box : spec.boxes[static_cast<std::size_t>(rank)]) {
      if (box.lo.dims() != global.dims() || box.hi.dims() != global.dims())
        fail(
            fmt::format("a box has one range per axis: {} for the shape {}; rank {} has a box with {} in `lo` and {} "
                        "in `hi`",
                        global.dims(), to_string(global), rank, box.lo.dims(), box.hi.dims()));
      if (box.empty()) continue;
      if (intersect(box, whole(global)) != box)
        fail(fmt::format("boxes lie inside the array; rank {} owns {} of an array of {}", rank, to_string(box),
                         to_string(global)));
      covered += box.count();
      all.push_back({box, rank});
    }
  (void)check_overlaps(std::move(all), global);
  if (covered != product(global))
    fail(fmt::format("the boxes of all ranks cover the array; they cover {} of the {} elements of {}; close the gaps",
                     covered, product(global), to_string(global)));
}

}  // namespace

// Boxes sorted along one axis: only neighbours in that order can overlap there.
Index check_overlaps(std::vector<Owned> all, const Shape& global) {
  const int axis = cutting_axis(all, global);
  std::sort(all.begin(), all.end(), [axis](const Owned& a, const Owned& b) { return a.box.lo[axis] < b.box.lo[axis]; });
  Index compared = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size() && all[j].box.lo[axis] < all[i].box.hi[axis]; ++j, ++compared)
      if (const Box shared = intersect(all[i].box, all[j].box); !shared.empty())
        fail(
            fmt::format("every element has one owner; rank {} owns {} and rank {} owns {}, which overlap in {}; make "
                        "the boxes disjoint",
                        all[i].rank, to_string(all[i].box), all[j].rank, to_string(all[j].box), to_string(shared)));
  return compared;
}

LayoutSpec counted_from_front(LayoutSpec spec, int dims) {
  if (spec.axis < 0 && spec.axis >= -dims) spec.axis += dims;
  return spec;
}

void check_layout(const LayoutSpec& spec, const Shape& global, int ranks) {
  const int dims = global.dims();
  if (ranks < 1) fail(fmt::format("a layout is for 1 rank or more; got {}", ranks));
  if (dims < 1) fail("a layout is of an array of 1 to 8 dimensions; got none");
  for (const Index n : global)
    if (n < 1) fail(fmt::format("a layout is of an array whose extents are at least 1; got {}", to_string(global)));
  check_order(spec.order, dims);
  if (spec.block != 0 && spec.kind != LayoutSpec::Kind::slabs)
    fail(fmt::format("only slabs have a block; got one of {} planes; leave it 0", spec.block));
  switch (spec.kind) {
    case LayoutSpec::Kind::any:
      fail("`any` leaves the layout to the planner and has no boxes of its own; ask plan.input() or plan.output()");
    case LayoutSpec::Kind::grid:
      return check_grid(spec.grid, global, ranks);
    case LayoutSpec::Kind::boxes:
      if (!spec.rule) check_boxes(spec, global, ranks);  // a rule follows from a layout that was checked
      return;
    case LayoutSpec::Kind::bricks:
      return;
    default:
      if (spec.axis < 0 || spec.axis >= dims)
        fail(fmt::format("a layout names an axis of the array, {} to {}; got {} for the shape {}", -dims, dims - 1,
                         spec.axis, to_string(global)));
      if (spec.kind == LayoutSpec::Kind::slabs) check_block(spec, global, ranks);
  }
}

}  // namespace shardfft
