#include "device/gpu/rows.hpp"

#include <algorithm>
#include <utility>

namespace shardfft {
namespace {

// Rows and planes change places.
RowsCopy turned(RowsCopy copy) {
  std::swap(copy.planes, copy.rows);
  std::swap(copy.to_plane_step, copy.to_row_step);
  std::swap(copy.from_plane_step, copy.from_row_step);
  return copy;
}

// Rows that go on in each other become one row; what has one row only counts as planes of one row.
RowsCopy joined(RowsCopy copy) {
  for (int times = 0; times < 2; ++times) {
    if (copy.rows == 1) copy = turned(copy);
    if (copy.rows > 1 && copy.to_row_step == copy.from_row_step &&
        copy.to_row_step == static_cast<Index>(copy.row_bytes)) {
      copy.row_bytes *= static_cast<std::size_t>(copy.rows);
      copy.rows = 1;
    }
  }
  return copy;
}

// A step over planes is a whole number of rows, and of no fewer than a plane has.
bool is_whole(Index plane_step, Index row_step, Index rows) {
  return plane_step % row_step == 0 && plane_step / row_step >= rows;
}

bool is_box(const RowsCopy& copy) {
  return is_whole(copy.to_plane_step, copy.to_row_step, copy.rows) &&
         is_whole(copy.from_plane_step, copy.from_row_step, copy.rows);
}

// One plane of the copy, `rows` from row `first` on.
RowsCall plane_call(const RowsCopy& copy, Index plane, Index first, Index rows) {
  const Index row_bytes = static_cast<Index>(copy.row_bytes);
  return {.to = copy.to + plane * copy.to_plane_step + first * copy.to_row_step,
          .from = copy.from + plane * copy.from_plane_step + first * copy.from_row_step,
          .row_bytes = copy.row_bytes,
          .rows = rows,
          .to_row_step = std::max(copy.to_row_step, row_bytes),
          .from_row_step = std::max(copy.from_row_step, row_bytes),
          .to_plane_rows = rows,
          .from_plane_rows = rows};
}

RowsCall box_call(const RowsCopy& copy) {
  RowsCall call = plane_call(copy, 0, 0, copy.rows);
  call.planes = copy.planes;
  call.to_plane_rows = copy.to_plane_step / copy.to_row_step;
  call.from_plane_rows = copy.from_plane_step / copy.from_row_step;
  return call;
}

}  // namespace

std::vector<RowsCall> calls_of(const RowsCopy& asked, Index most_step) {
  if (asked.row_bytes == 0 || asked.rows <= 0 || asked.planes <= 0) return {};
  RowsCopy copy = joined(asked);
  const auto fits = [&](const RowsCopy& c) {
    return std::max(c.to_row_step, c.from_row_step) <= most_step &&
           std::min(c.to_row_step, c.from_row_step) >= static_cast<Index>(c.row_bytes);
  };
  if (copy.rows == 1 && copy.planes == 1) return {plane_call(copy, 0, 0, 1)};
  for (const RowsCopy& way : {copy, turned(copy)})
    if (way.planes > 1 && way.rows > 1 && fits(way) && is_box(way)) return {box_call(way)};
  if (fits(turned(copy)) && (!fits(copy) || copy.planes > copy.rows)) copy = turned(copy);  // the fewer calls
  std::vector<RowsCall> calls;
  const Index at_once = fits(copy) ? copy.rows : 1;
  for (Index plane = 0; plane < copy.planes; ++plane)
    for (Index row = 0; row < copy.rows; row += at_once) calls.push_back(plane_call(copy, plane, row, at_once));
  return calls;
}

}  // namespace shardfft
