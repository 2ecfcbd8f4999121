#include "shardfft/layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grid/blocks.hpp"
#include "grid/layout_checks.hpp"
#include "grid/process_grids.hpp"
#include "grid/rules/box_rule.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

struct Layout::Data {
  LayoutSpec spec{};
  Shape global{};
  int ranks = 1;
  Coord grid{};              // block-cut layouts: processes along each axis
  Index block = 0;           // slabs whose blocks are not as even as their grid's
  std::vector<int> order{};  // slowest first
  bool blocks() const { return spec.kind != LayoutSpec::Kind::boxes && !is_cyclic(); }
  bool is_cyclic() const { return spec.kind == LayoutSpec::Kind::cyclic && ranks > 1; }
  bool cuts_in_blocks(int axis) const { return block > 0 && axis == spec.axis; }
  // In the cut of an axis: the first element of a part, the part that holds an element; and the box at a grid place.
  Index begin(int axis, Index part) const;
  Index owner(int axis, Index at) const;
  Box block_at(const Coord& at) const;
  // Whether both deal the array out alike.
  bool same_blocks(const Data& other) const;
};

namespace {

Coord grid_of(const LayoutSpec& spec, const Shape& global, int ranks) {
  Coord grid = Coord::filled(global.dims(), 1);
  switch (spec.kind) {
    case LayoutSpec::Kind::slabs:
      grid[spec.axis] = spec.block > 0 ? blocks::count(global[spec.axis], spec.block) : ranks;
      return grid;
    case LayoutSpec::Kind::pencils:
      return pencil_grid(global, spec.axis, ranks);
    case LayoutSpec::Kind::bricks:
      return brick_grid(global, ranks);
    case LayoutSpec::Kind::grid:
      return spec.grid;
    default:
      return grid;
  }
}

// Whether `parts` blocks of that many elements are what an even cut gives.
bool is_even(Index n, Index parts, Index block) { return parts == 1 || n - (parts - 1) * block >= block - 1; }

Coord position_in(const Coord& grid, Index rank) {
  Coord at = grid;
  for (int a = grid.dims() - 1; a >= 0; --a) {
    at[a] = rank % grid[a];
    rank /= grid[a];
  }
  return at;
}

// Calls visit(rank, position) for every grid position in [first, last], by rank.
template <class Visit>
void for_positions(const Coord& grid, const Coord& first, const Coord& last, Visit visit) {
  Coord at = first;
  while (true) {
    Index rank = 0;
    for (int a = 0; a < grid.dims(); ++a) rank = rank * grid[a] + at[a];
    visit(static_cast<int>(rank), at);
    int a = grid.dims() - 1;
    while (a >= 0 && at[a] == last[a]) {
      at[a] = first[a];
      --a;
    }
    if (a < 0) return;
    ++at[a];
  }
}

}  // namespace

Index Layout::Data::begin(int axis, Index part) const {
  if (cuts_in_blocks(axis)) return std::min(part * block, global[axis]);
  return blocks::begin(global[axis], grid[axis], part);
}

Index Layout::Data::owner(int axis, Index at) const {
  return cuts_in_blocks(axis) ? at / block : blocks::owner(global[axis], grid[axis], at);
}

Box Layout::Data::block_at(const Coord& at) const {
  Box box = whole(global);
  for (int a = 0; a < global.dims(); ++a) box.lo[a] = begin(a, at[a]), box.hi[a] = begin(a, at[a] + 1);
  return box;
}

// Cuts beyond the elements of an axis change nothing, and ranks count row-major in both.
bool Layout::Data::same_blocks(const Data& other) const {
  Index step = 1, others = 1;
  for (int a = global.dims() - 1; a >= 0; --a) {
    const Index parts = std::min(grid[a], global[a]);
    if (parts != std::min(other.grid[a], global[a]) || (parts > 1 && step != others)) return false;
    if (cuts_in_blocks(a) != other.cuts_in_blocks(a)) return false;
    step *= grid[a];
    others *= other.grid[a];
  }
  return block == other.block;
}

Layout::Layout() {
  static const auto none = std::make_shared<const Data>(Data{.ranks = 0});
  data_ = none;
}

Layout::Layout(const LayoutSpec& given, const Shape& global, int ranks) {
  const LayoutSpec spec = counted_from_front(given, global.dims());
  auto d = std::make_shared<Data>();
  check_layout(spec, global, ranks);
  d->spec = spec;
  d->global = global;
  d->ranks = ranks;
  d->grid = grid_of(spec, global, ranks);
  if (const Index n = spec.block > 0 ? global[spec.axis] : 0; n > 0 && !is_even(n, d->grid[spec.axis], spec.block))
    d->block = spec.block;
  d->order = spec.order;
  if (d->order.empty()) {
    d->order.resize(static_cast<std::size_t>(global.dims()));
    std::iota(d->order.begin(), d->order.end(), 0);
  }
  data_ = std::move(d);
}

const Shape& Layout::global() const { return data_->global; }
int Layout::ranks() const { return data_->ranks; }
const std::vector<int>& Layout::order() const { return data_->order; }
const Coord& Layout::grid() const { return data_->grid; }
Index Layout::block() const { return data_->block; }
const LayoutSpec& Layout::spec() const { return data_->spec; }

std::vector<Box> Layout::boxes(int rank) const {
  if (rank < 0 || rank >= data_->ranks)
    throw Error(Status::invalid_argument,
                fmt::format("boxes() is of a rank from 0 to {}; got {}", data_->ranks - 1, rank));
  std::vector<Box> result;
  if (data_->spec.rule) {
    result = data_->spec.rule->boxes(rank);
  } else if (data_->spec.kind == LayoutSpec::Kind::boxes) {
    for (const Box& box : data_->spec.boxes[static_cast<std::size_t>(rank)])
      if (!box.empty()) result.push_back(box);
  } else if (data_->is_cyclic()) {
    Box box = whole(data_->global);
    for (Index i = rank; i < data_->global[data_->spec.axis]; i += data_->ranks) {
      box.lo[data_->spec.axis] = i;
      box.hi[data_->spec.axis] = i + 1;
      result.push_back(box);
    }
  } else if (rank < product(data_->grid)) {
    const Box box = data_->block_at(position_in(data_->grid, rank));
    if (!box.empty()) result.push_back(box);
  }
  return result;
}

// Nothing here but boxes() looks at the indices of a cyclic axis one by one, unless each is wanted.
Index Layout::count(int rank) const {
  if (data_->is_cyclic() && rank >= 0 && rank < data_->ranks) {
    const Index n = data_->global[data_->spec.axis];
    return product(data_->global) / n * blocks::size(n, data_->ranks, rank);
  }
  if (data_->spec.rule && rank >= 0 && rank < data_->ranks) return data_->spec.rule->count(rank);
  Index n = 0;
  for (const Box& box : boxes(rank)) n += box.count();
  return n;
}

bool Layout::is_whole_along(int axis) const {
  if (axis < 0 || axis >= data_->global.dims())
    throw Error(Status::invalid_argument,
                fmt::format("is_whole_along() takes an axis from 0 to {}; got {}; count from the front",
                            data_->global.dims() - 1, axis));
  if (data_->is_cyclic()) return data_->spec.axis != axis || data_->global[axis] == 1;
  if (data_->blocks()) return data_->grid[axis] == 1 || data_->global[axis] == 1;
  const auto are_whole = [&](const std::vector<Box>& boxes) {
    return std::all_of(boxes.begin(), boxes.end(), [&](const Box& b) {
      return b.empty() || (b.lo[axis] == 0 && b.hi[axis] == data_->global[axis]);
    });
  };
  if (!data_->spec.rule) return std::all_of(data_->spec.boxes.begin(), data_->spec.boxes.end(), are_whole);
  for (int rank = 0; rank < data_->ranks; ++rank)
    if (!are_whole(data_->spec.rule->boxes(rank))) return false;
  return true;
}

std::vector<std::pair<int, Box>> Layout::owners(const Box& region) const {
  std::vector<std::pair<int, Box>> result;
  if (const int dims = data_->global.dims(); region.lo.dims() != dims || region.hi.dims() != dims)
    throw Error(
        Status::invalid_argument,
        fmt::format("owners() takes a region with {} ranges, one for each axis; got {}", dims, to_string(region)));
  const Box inside = intersect(region, whole(data_->global));
  if (inside.empty()) return result;
  if (data_->blocks()) {
    Coord first = inside.lo, last = inside.lo;
    for (int a = 0; a < first.dims(); ++a) {
      first[a] = data_->owner(a, inside.lo[a]);
      last[a] = data_->owner(a, inside.hi[a] - 1);
    }
    for_positions(data_->grid, first, last, [&](int rank, const Coord& at) {
      result.emplace_back(rank, intersect(inside, data_->block_at(at)));
    });
  } else if (data_->is_cyclic()) {
    const int axis = data_->spec.axis;
    for (int rank = 0; rank < data_->ranks; ++rank) {
      const Index before = inside.lo[axis] % data_->ranks,
                  first = inside.lo[axis] + (rank >= before ? rank - before : rank - before + data_->ranks);
      for (Index i = first; i < inside.hi[axis]; i += data_->ranks) {
        Box& part = result.emplace_back(rank, inside).second;
        part.lo[axis] = i, part.hi[axis] = i + 1;
      }
    }
  } else {
    for (int rank = 0; rank < data_->ranks; ++rank)
      for (const Box& box : boxes(rank))
        if (const Box part = intersect(inside, box); !part.empty()) result.emplace_back(rank, part);
  }
  return result;
}

bool Layout::same_owners(const Layout& other) const {
  if (data_ == other.data_) return true;
  if (global() != other.global() || ranks() != other.ranks()) return false;
  if (data_->blocks() && other.data_->blocks()) return data_->same_blocks(*other.data_);
  if (data_->is_cyclic() && other.data_->is_cyclic() && data_->spec.axis == other.data_->spec.axis) return true;
  const auto in_many_boxes = [](const Data& d) { return d.is_cyclic() && d.global[d.spec.axis] > d.ranks; };
  if ((in_many_boxes(*data_) && other.data_->blocks()) || (data_->blocks() && in_many_boxes(*other.data_)))
    return false;
  if (data_->is_cyclic() && other.data_->is_cyclic() && (in_many_boxes(*data_) || in_many_boxes(*other.data_)))
    return false;
  if (data_->blocks() && product(grid()) > 1 && data_->ranks > 4096) return false;  // not worth looking at every rank
  for (int rank = 0; rank < ranks(); ++rank)
    if (boxes(rank) != other.boxes(rank)) return false;
  return true;
}

std::string Layout::describe() const {
  std::string text;
  switch (data_->spec.kind) {
    case LayoutSpec::Kind::slabs:
      text = fmt::format("slabs along axis {}", data_->spec.axis);
      if (data_->block > 0) text += fmt::format(" in blocks of {}", data_->block);
      break;
    case LayoutSpec::Kind::pencils:
      text = fmt::format("pencils whole along axis {}, grid {}", data_->spec.axis, to_string(data_->grid));
      break;
    case LayoutSpec::Kind::bricks:
      text = fmt::format("bricks, grid {}", to_string(data_->grid));
      break;
    case LayoutSpec::Kind::cyclic:
      text = fmt::format("cyclic along axis {}", data_->spec.axis);
      break;
    case LayoutSpec::Kind::boxes:
      text = "custom boxes";
      break;
    default:
      text = fmt::format("grid {}", to_string(data_->grid));
      break;
  }
  text += fmt::format(" over {} rank{}", ranks(), ranks() == 1 ? "" : "s");
  if (!std::is_sorted(order().begin(), order().end()))
    text += fmt::format(", memory order {}", fmt::join(order(), ","));
  return text;
}

}  // namespace shardfft
