#include "device/kernels/move_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

constexpr Index line_bytes = 128;  // what a GPU moves at once between its memory and its cache
constexpr Index least_block = 4 * 1024, most_block = 64 * 1024;
constexpr Index good_blocks = 4096;  // several for every place of a large GPU where a block can run

void check(const MoveSpec& spec, const BoxMove& box) {
  const auto scalar = static_cast<Index>(size_of(spec.scalar));
  if (box.axes < 0 || box.axes > BoxMove::most_axes)
    throw Error(Status::invalid_argument,
                fmt::format("a box that moves has 0 to {} axes, got {}", BoxMove::most_axes, box.axes));
  if (spec.twiddles && !spec.complex)
    throw Error(Status::invalid_argument,
                "elements of a box that are multiplied by twiddle factors are complex; got real ones");
  if (box.conjugates && !spec.complex)
    throw Error(Status::invalid_argument,
                "elements of a box that arrive as their conjugates are complex; got real ones");
  Index all = box.from | box.to, in_tile = spec.twiddles ? box.to - spec.twiddles->at : 0;
  for (int a = 0; a < box.axes; ++a) {
    if (box.extent[a] < 1)
      throw Error(Status::invalid_argument,
                  fmt::format("extents of a box that moves are at least 1, got {} along axis {}; leave such boxes out",
                              box.extent[a], a));
    all |= box.from_step[a] | box.to_step[a];
    if (spec.twiddles) in_tile |= box.to_step[a];
  }
  if (all % scalar != 0)
    throw Error(
        Status::invalid_argument,
        fmt::format("offsets and steps of a box that moves are multiples of its scalars' {} bytes; got one that is not",
                    scalar));
  if (in_tile % spec.element_bytes() != 0)
    throw Error(Status::invalid_argument,
                fmt::format("elements that are multiplied by twiddle factors arrive at multiples of their {} bytes "
                            "from where their tile begins; got another place",
                            spec.element_bytes()));
}

[[nodiscard]] MoveAxis axis_of(const BoxMove& box, int axis) {
  return {box.extent[axis], box.from_step[axis], box.to_step[axis]};
}

[[nodiscard]] int smallest_from_step(const BoxMove& box) {
  return static_cast<int>(std::min_element(box.from_step, box.from_step + box.axes,
                                           [](Index a, Index b) { return std::abs(a) < std::abs(b); }) -
                          box.from_step);
}

// Which axes are rows and columns; -1: no columns. Tiles are worth it where whole lines are otherwise shared by rows in
// both places.
struct Ways {
  int row, column;
};
[[nodiscard]] Ways ways_of(const BoxMove& box) {
  const int last = box.axes - 1, first = smallest_from_step(box);
  if (first == last || std::abs(box.from_step[first]) >= line_bytes) return {last, -1};
  if (std::abs(box.to_step[last]) >= line_bytes) return {first, -1};
  return {last, first};
}

[[nodiscard]] std::vector<MoveAxis> outer_axes(const BoxMove& box, Ways ways) {
  std::vector<MoveAxis> axes;
  for (int a = 0; a < box.axes; ++a)
    if (a != ways.row && a != ways.column) axes.push_back(axis_of(box, a));
  return axes;
}

// Boxes with less than `most` positions along their outer axes each; together they are `box`.
void cut(BoxMove box, Index most, std::vector<BoxMove>& into) {
  const Ways ways = ways_of(box);
  Index outer = 1;
  int longest = -1;
  for (int a = 0; a < box.axes; ++a) {
    if (a == ways.row || a == ways.column) continue;
    if (__builtin_mul_overflow(outer, box.extent[a], &outer))
      throw Error(Status::invalid_argument, "a box that moves has less than 2^63 elements; got more");
    if (longest < 0 || box.extent[a] > box.extent[longest]) longest = a;
  }
  if (outer < most || longest < 0 || box.extent[longest] == 1) return into.push_back(box);
  BoxMove rest = box;
  const Index half = box.extent[longest] / 2;
  box.extent[longest] = half;
  rest.extent[longest] -= half;
  rest.from += half * rest.from_step[longest];
  rest.to += half * rest.to_step[longest];
  cut(box, most, into);
  cut(rest, most, into);
}

void set_outer(PreparedMove& box, const std::vector<MoveAxis>& axes) {
  box.outer_axes = static_cast<std::uint8_t>(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    box.outer_axis[a] = axes[a];
    box.by_outer_extent[a] = Divisor(static_cast<std::uint32_t>(axes[a].extent));
    box.outer *= axes[a].extent;
  }
}

// The largest power of two up to 16 that divides what all steps have in common.
[[nodiscard]] std::uint8_t access_of(const PreparedMove& box, Index element_bytes) {
  const bool gapless =
      box.way == MoveWay::rows &&
      (box.row.extent == 1 || (box.row.from_step == element_bytes && box.row.to_step == element_bytes));
  Index all = gapless ? Index{16} | box.row_bytes
                      : element_bytes | box.row.from_step | box.row.to_step | box.column.from_step | box.column.to_step;
  for (int a = 0; a < box.outer_axes; ++a) all |= box.outer_axis[a].from_step | box.outer_axis[a].to_step;
  return static_cast<std::uint8_t>(std::min<Index>(16, all & -all));
}

[[nodiscard]] Index cuts(Index extent, Index at_once) { return (extent + at_once - 1) / at_once; }

void set_rows(PreparedMove& box, Index block_bytes) {
  const Index parts = cuts(box.row_bytes, block_bytes);
  box.row_cut = parts == 1 ? box.row_bytes : cuts(cuts(box.row_bytes, parts), line_bytes) * line_bytes;
  box.row_cuts = cuts(box.row_bytes, box.row_cut);
  if (parts == 1) box.outer_at_once = std::clamp<Index>(block_bytes / box.row_bytes, 1, box.outer);
  if (box.outer_at_once > 1) box.by_row_bytes = Divisor(static_cast<std::uint32_t>(box.row_bytes));
}

[[nodiscard]] int bits_for(Index extent, int least, int most) {
  return std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent - 1))), least, most);
}

// Tiles of the usual shape are at least a line and about as high as wide; where the box is narrow they are longer,
// where it is small there are several of them.
void set_tiles(PreparedMove& box, Index element_bytes) {
  const int all = std::countr_zero(static_cast<std::uint64_t>(move_tile_bytes / element_bytes)), usual = all / 2;
  int columns = bits_for(box.column.extent, 2, usual);
  const int rows = bits_for(box.row.extent, 0, all - columns);
  columns = bits_for(box.column.extent, 2, all - rows);
  box.column_bits = static_cast<std::uint8_t>(columns), box.row_bits = static_cast<std::uint8_t>(rows);
  box.column_cut = Index{1} << columns, box.row_cut = Index{1} << rows;
  box.column_cuts = cuts(box.column.extent, box.column_cut), box.row_cuts = cuts(box.row.extent, box.row_cut);
  box.outer_at_once = Index{1} << (all - rows - columns);
}

[[nodiscard]] PreparedMove prepared(const BoxMove& box, Index element_bytes, Index block_bytes) {
  const Ways ways = ways_of(box);
  PreparedMove p;
  p.way = ways.column < 0 ? MoveWay::rows : MoveWay::tiles;
  p.from_base = box.from_base, p.to_base = box.to_base, p.from = box.from, p.to = box.to;
  p.conjugates = box.conjugates;
  p.row = axis_of(box, ways.row);
  if (ways.column >= 0) p.column = axis_of(box, ways.column);
  p.row_bytes = p.row.extent * element_bytes;
  set_outer(p, outer_axes(box, ways));
  p.access = access_of(p, element_bytes);
  if (p.way == MoveWay::rows)
    set_rows(p, block_bytes);
  else
    set_tiles(p, element_bytes);
  if (p.blocks() >= PreparedMove::most_outer)
    throw Error(
        Status::invalid_argument,
        fmt::format("a box that moves takes less than 2^31 blocks of threads; got {}; move it in parts", p.blocks()));
  p.by_row_cuts = Divisor(static_cast<std::uint32_t>(p.row_cuts));
  p.by_column_cuts = Divisor(static_cast<std::uint32_t>(p.column_cuts));
  return p;
}

[[nodiscard]] Index bytes_of(const BoxMove& box, Index element_bytes) {
  Index bytes = element_bytes;
  for (int a = 0; a < box.axes; ++a) bytes *= box.extent[a];
  return bytes;
}

}  // namespace

MoveTable make_move_table(const MoveSpec& spec, std::span<const BoxMove> boxes, Index most_outer) {
  for (const BoxMove& box : boxes) check(spec, box);
  const Index element = spec.element_bytes();
  std::vector<BoxMove> all;
  for (const BoxMove& box : simplified({boxes.begin(), boxes.end()}, element)) cut(box, most_outer, all);
  MoveTable table;
  for (const BoxMove& box : all) table.bytes += bytes_of(box, element);
  const auto block_bytes = static_cast<Index>(
      std::bit_ceil(static_cast<std::uint64_t>(std::clamp(table.bytes / good_blocks, least_block, most_block))));
  table.first_block.push_back(0);
  for (const BoxMove& box : all) {
    table.boxes.push_back(prepared(box, element, block_bytes));
    table.first_block.push_back(table.first_block.back() + table.boxes.back().blocks());
  }
  return table;
}

}  // namespace shardfft
