// The kernel that moves boxes: rows with the widest accesses that addresses allow, transposed boxes in tiles through
// shared memory, so that both places are read and written in whole cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/kernels/move_table.hpp"
#include "device/kernels/pack.hpp"
#include "device/kernels/prepared_move.hpp"
#include "device/kernels/twiddles.hpp"

namespace shardfft {

/// Moves all boxes of a table. An element is `parts` scalars T; with `Twiddles` a complex one, which is multiplied.
template <class T, int parts, class Twiddles = kernels::NoTwiddles>
struct MoveKernel {
  static constexpr int threads = 256, phases = 2;
  static constexpr int element_bytes = static_cast<int>(sizeof(T)) * parts;
  static constexpr int at_once =
      Twiddles::any ? 2 : 4;  ///< accesses of a thread that are under way together; fewer where each is followed by
                              ///< much arithmetic, for it takes registers, and its instructions a cache
  using Element = Pack<T, parts>;
  static constexpr int tile_elements = move_tile_bytes / element_bytes;
  /// Rows of tiles are one element longer than they are, so that elements of a column lie in different banks; a row has
  /// at least 4.
  struct PaddedTile {
    Element tile[tile_elements + tile_elements / 4];
  };
  using Shared = PaddedTile;

  MoveTableView table{};
  MoveBases bases{};
  T factor = 1;
  bool scales = false;
  Twiddles twiddles{};

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return table.blocks; }

  SHARDFFT_HD void operator()(int phase, Index block, int thread, Shared& shared) const {
    const Index number = box_of_block(table.first_block, table.count, block);
    const PreparedMove& box = table.boxes[number];
    if (phase == 1 && box.way == MoveWay::rows) return;
    const MovePart part = part_of(box, block - table.first_block[number]);
    const std::byte* from = place(box.from_base, box.from);
    std::byte* to = place(box.to_base, box.to);
    const int access = common_access(box, from, to);
    if (box.way == MoveWay::rows)
      rows(box, part, from, to, access, thread);
    else if (phase == 0)
      read_tiles(box, part, from, access, thread, shared);
    else
      write_tiles(box, part, to, access, thread, shared);
  }

 private:
  // Addresses of MoveBase::fixed count from nullptr, to which no offset may be added.
  [[nodiscard]] SHARDFFT_HD std::byte* place(MoveBase base, Index offset) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(bases.start[static_cast<int>(base)]) +
                                        static_cast<std::uintptr_t>(offset));
  }
  [[nodiscard]] static SHARDFFT_HD bool conjugates(const PreparedMove& box) { return parts == 2 && box.conjugates; }
  [[nodiscard]] static SHARDFFT_HD int common_access(const PreparedMove& box, const std::byte* from,
                                                     const std::byte* to) {
    const auto both = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
    int access = box.access;
    while (access > static_cast<int>(sizeof(T)) && (both & static_cast<unsigned>(access - 1)) != 0) access /= 2;
    return access;
  }

  SHARDFFT_HD void rows(const PreparedMove& box, const MovePart& part, const std::byte* from, std::byte* to, int access,
                        int thread) const {
    if constexpr (Twiddles::any)  // both parts of an element are needed at once
      access > element_bytes ? rows_by<Pack<T, 16 / sizeof(T)>>(box, part, from, to, access, thread)
                             : rows_by<Element>(box, part, from, to, access, thread);
    else if (access == 16)
      rows_by<Pack<T, 16 / sizeof(T)>>(box, part, from, to, access, thread);
    else if (access == 8)
      rows_by<Pack<T, 8 / sizeof(T)>>(box, part, from, to, access, thread);
    else if constexpr (sizeof(T) == 4)
      rows_by<Pack<T, 1>>(box, part, from, to, access, thread);
  }

  template <class Unit>
  SHARDFFT_HD void rows_by(const PreparedMove& box, const MovePart& part, const std::byte* from, std::byte* to,
                           int access, int thread) const {
    constexpr int unit = static_cast<int>(sizeof(Unit)), pass = threads * unit;
    const int width = static_cast<int>(part.row_end - part.row_begin), bytes = width * part.outers;
    const MoveOffsets first = outer_offsets(box, part.outer);
    for (int start = thread * unit; start < bytes; start += at_once * pass) {
      Unit held[at_once];
      Index target[at_once];
      SHARDFFT_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int at = start + i * pass;
        if (at >= bytes) continue;
        const MoveOffsets offset =
            part.outers == 1 ? in_row(box, first, part.row_begin + at) : in_rows(box, part.outer, at);
        held[i] = load<Unit>(from + offset.from, access);
        target[i] = offset.to;
      }
      SHARDFFT_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (start + i * pass >= bytes) continue;
        if (scales) held[i].multiply(factor);
        if (conjugates(box))
          held[i].negate_odd((start + i * pass) / static_cast<int>(sizeof(T)));  // rows are of whole elements
        if constexpr (Twiddles::any) twiddles.multiply(held[i], box.to + target[i]);
        store(to + target[i], held[i], access);
      }
    }
  }
  /// `at`: bytes of elements from the begin of row `outer`, over row ends.
  [[nodiscard]] static SHARDFFT_HD MoveOffsets in_rows(const PreparedMove& box, std::uint32_t outer, int at) {
    const std::uint32_t row = box.by_row_bytes(static_cast<std::uint32_t>(at));
    return in_row(box, outer_offsets(box, outer + row), at - static_cast<Index>(row) * box.row_bytes);
  }
  [[nodiscard]] static SHARDFFT_HD MoveOffsets in_row(const PreparedMove& box, MoveOffsets row, Index at) {
    const Index element = at / element_bytes, rest = at % element_bytes;
    return {row.from + element * box.row.from_step + rest, row.to + element * box.row.to_step + rest};
  }

  /// Element of a tile that a thread touches: `fast` counts along lines of the place that is touched.
  struct TileElement {
    int fast = 0, slow = 0, outer = 0;
  };
  [[nodiscard]] static SHARDFFT_HD TileElement in_tile(int number, int fast_bits, int slow_bits) {
    return {number & ((1 << fast_bits) - 1), (number >> fast_bits) & ((1 << slow_bits) - 1),
            number >> (fast_bits + slow_bits)};
  }
  [[nodiscard]] static SHARDFFT_HD int in_shared(const PreparedMove& box, int column, int row, int outer) {
    return ((outer << box.row_bits) + row) * ((1 << box.column_bits) + 1) + column;
  }

  SHARDFFT_HD void read_tiles(const PreparedMove& box, const MovePart& part, const std::byte* from, int access,
                              int thread, Shared& shared) const {
    const int columns = static_cast<int>(part.column_end - part.column_begin),
              row_count = static_cast<int>(part.row_end - part.row_begin);
    from += part.column_begin * box.column.from_step + part.row_begin * box.row.from_step;
    for (int start = thread; start < tile_elements; start += at_once * threads) {
      Element held[at_once];
      int target[at_once];
      SHARDFFT_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const TileElement t = in_tile(start + i * threads, box.column_bits, box.row_bits);
        target[i] = -1;
        if (t.fast >= columns || t.slow >= row_count || t.outer >= part.outers) continue;
        target[i] = in_shared(box, t.fast, t.slow, t.outer);
        held[i] = load_element(from + outer_offsets(box, part.outer + static_cast<std::uint32_t>(t.outer)).from +
                                   t.fast * box.column.from_step + t.slow * box.row.from_step,
                               access);
      }
      SHARDFFT_UNROLL
      for (int i = 0; i < at_once; ++i)
        if (target[i] >= 0) shared.tile[target[i]] = held[i];
    }
  }
  SHARDFFT_HD void write_tiles(const PreparedMove& box, const MovePart& part, std::byte* to, int access, int thread,
                               const Shared& shared) const {
    const int columns = static_cast<int>(part.column_end - part.column_begin),
              row_count = static_cast<int>(part.row_end - part.row_begin);
    const Index begin = part.column_begin * box.column.to_step + part.row_begin * box.row.to_step;
    to += begin;
    for (int number = thread; number < tile_elements; number += threads) {
      const TileElement t = in_tile(number, box.row_bits, box.column_bits);
      if (t.fast >= row_count || t.slow >= columns || t.outer >= part.outers) continue;
      Element element = shared.tile[in_shared(box, t.slow, t.fast, t.outer)];
      if (scales) element.multiply(factor);
      if (conjugates(box)) element.negate_odd(0);
      const Index offset = outer_offsets(box, part.outer + static_cast<std::uint32_t>(t.outer)).to +
                           t.fast * box.row.to_step + t.slow * box.column.to_step;
      if constexpr (Twiddles::any) twiddles.multiply(element, box.to + begin + offset);
      store_element(to + offset, element, access);
    }
  }

  // If elements are multiplied, a unit holds whole elements.
  template <class Unit>
  [[nodiscard]] static SHARDFFT_HD Unit load(const std::byte* from, int access) {
    if constexpr (Twiddles::any && std::is_same_v<Unit, Element>)
      return load_element(from, access);
    else
      return Unit::load(from);
  }
  template <class Unit>
  static SHARDFFT_HD void store(std::byte* to, const Unit& unit, int access) {
    if constexpr (Twiddles::any && std::is_same_v<Unit, Element>)
      store_element(to, unit, access);
    else
      unit.store(to);
  }
  // Complex numbers may lie at multiples of their real numbers only.
  [[nodiscard]] static SHARDFFT_HD Element load_element(const std::byte* from, int access) {
    if (access >= element_bytes) return Element::load(from);
    Element element;
    SHARDFFT_UNROLL
    for (int part = 0; part < parts; ++part) element.of[part] = Pack<T, 1>::load(from + part * sizeof(T)).of[0];
    return element;
  }
  static SHARDFFT_HD void store_element(std::byte* to, const Element& element, int access) {
    if (access >= element_bytes) return element.store(to);
    SHARDFFT_UNROLL
    for (int part = 0; part < parts; ++part) Pack<T, 1>{{element.of[part]}}.store(to + part * sizeof(T));
  }
};

namespace detail {

template <class T, class Launch>
void with_move_kernel_of(const MoveSpec& spec, const MoveTableView& table, const MoveBases& bases, T factor,
                         Launch&& launch) {
  if (spec.twiddles)
    launch(MoveKernel<T, 2, kernels::TwiddlesByPlace>{table, bases, factor, spec.scales,
                                                      kernels::TwiddlesByPlace(*spec.twiddles)});
  else if (spec.complex)
    launch(MoveKernel<T, 2>{table, bases, factor, spec.scales});
  else
    launch(MoveKernel<T, 1>{table, bases, factor, spec.scales});
}

}  // namespace detail

/// launch(kernel) with the kernel for elements of this kind.
template <class Launch>
void with_move_kernel(const MoveSpec& spec, const MoveTableView& table, const MoveBases& bases, double factor,
                      Launch&& launch) {
  if (spec.scalar == Scalar::f32)
    detail::with_move_kernel_of(spec, table, bases, static_cast<float>(factor), launch);
  else
    detail::with_move_kernel_of(spec, table, bases, factor, launch);
}

}  // namespace shardfft
