// Walking a strided local box row by row, along its fastest axis in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "shardfft/programs/team.hpp"
#include "verify/verify.hpp"

namespace shardfft {

/// Elements [k0, k1) of rows [row0, row1) of one local box. No more than piece_elements of them, so that they stay in
/// cache.
struct RowPiece {
  int box = 0;
  Index row0 = 0, row1 = 0, k0 = 0, k1 = 0;
};
inline constexpr Index piece_elements = 4096;

/// The rows of a box: element k of row r is at address(position(r)) + k * stride.
struct Rows {
  int axis = 0;      ///< along which the rows run
  Index length = 0;  ///< elements of a row
  Index stride = 0;  ///< bytes from one element to the next
  Index count = 1;   ///< rows
  int outer_axes = 0;
  std::array<int, max_dims> outer{};  ///< the other axes, slowest in memory first
  Box box{};
  Coord strides{}, steps{};
  const std::byte* data = nullptr;

  explicit Rows(const LocalBox& local)
      : box(local.box),
        strides(local.strides),
        steps(local.steps.dims() > 0 ? local.steps : Coord::filled(local.box.dims(), 1)),
        data(local.data) {
    const auto step = [&](int a) { return box.extent(a) > 1 ? std::abs(strides[a]) : Index{0}; };
    axis = box.dims() - 1;
    for (int a = box.dims() - 1; a >= 0; --a)
      if (box.extent(a) > 1 && (box.extent(axis) <= 1 || step(a) < step(axis))) axis = a;
    for (int a = 0; a < box.dims(); ++a)
      if (a != axis) outer[static_cast<std::size_t>(outer_axes++)] = a;
    std::stable_sort(outer.begin(), outer.begin() + outer_axes, [&](int a, int b) { return step(a) > step(b); });
    length = box.extent(axis);
    stride = strides[axis];
    for (int level = 0; level < outer_axes; ++level) count *= box.extent(outer[static_cast<std::size_t>(level)]);
  }

  /// Index along the row's axis of its element k.
  [[nodiscard]] Index index(Index k) const { return box.lo[axis] + k * steps[axis]; }
  /// Global coordinates of the first element of a row.
  [[nodiscard]] Coord position(Index row) const {
    Coord at = box.lo;
    for (int level = outer_axes - 1; level >= 0; --level) {
      const int a = outer[static_cast<std::size_t>(level)];
      at[a] += row % box.extent(a) * steps[a];
      row /= box.extent(a);
    }
    return at;
  }
  /// To the next row; returns the slowest level (index into `outer`) that changed.
  int advance(Coord& at) const {
    int level = outer_axes - 1;
    for (; level >= 0; --level) {
      const int a = outer[static_cast<std::size_t>(level)];
      if ((at[a] += steps[a]) < box.lo[a] + box.extent(a) * steps[a]) break;
      at[a] = box.lo[a];
    }
    return std::max(level, 0);
  }
  [[nodiscard]] const std::byte* address(const Coord& at) const {
    const std::byte* p = data;
    for (int a = 0; a < box.dims(); ++a) p += (at[a] - box.lo[a]) / steps[a] * strides[a];
    return p;
  }
};

/// All elements of `boxes`, cut into pieces; always in the same way, so that sums over pieces do not depend on threads.
/// `longest` is how much of a row a piece may hold: where that much is made for each piece, several rows share it.
[[nodiscard]] inline std::vector<RowPiece> row_pieces(const std::vector<LocalBox>& boxes,
                                                      Index longest = piece_elements) {
  std::vector<RowPiece> pieces;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].box.empty()) continue;
    const Rows rows(boxes[i]);
    const Index length = std::min(rows.length, longest), rows_at_once = std::max<Index>(1, piece_elements / length);
    for (Index row = 0; row < rows.count; row += rows_at_once)
      for (Index k = 0; k < rows.length; k += length)
        pieces.push_back(
            {static_cast<int>(i), row, std::min(rows.count, row + rows_at_once), k, std::min(rows.length, k + length)});
  }
  return pieces;
}

/// OpenMP threads for this rank's part: as many as it says, else its share of the node's cores, and not more than the
/// user allows.
[[nodiscard]] int threads_of(const Comm& comm, const LocalArray& array);

/// work(i) for 0 <= i < count pieces, on at most `threads` threads; a thread is worth its start from some pieces on.
template <class Work>
void on_threads(int threads, std::size_t count, const Work& work) {
  const int used = std::clamp(static_cast<int>(std::min<std::size_t>(count / 8, 4096)), 1, threads);
  for_each_shared(used, static_cast<Index>(count), [&](Index i) { work(static_cast<std::size_t>(i)); });
}

}  // namespace shardfft
