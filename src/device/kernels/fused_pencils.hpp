// How a block of threads carries `at_once` pencils of a fused transform into its tile and out of it, and what reals
// need beside a complex transform. What transforms them between is the caller's.
#pragma once

#include "device/kernels/divisor.hpp"
#include "device/kernels/fused_table.hpp"
#include "device/kernels/pack.hpp"
#include "device/kernels/prepared_move.hpp"

namespace shardfft {

/// A tile of `at_once` pencils of m complex numbers, one after the other, each followed by one element more, so that a
/// column lies in different banks, and half spectra of reals have room: m = spec.complex_n(). gather, before, the
/// transform, after, scatter, with a barrier between any two; before and after do nothing where numbers are complex.
template <class T, int at_once, int threads>
struct FusedPencils {
  using Element = Pack<T, 2>;

  FusedTableView table{};
  MoveBases bases{};
  T scale = 1;
  int m = 1, length_in = 1, length_out = 1;
  bool real_in = false, real_out = false;
  Divisor by_length_in{}, by_length_out{}, by_pairs{};

  FusedPencils() = default;
  FusedPencils(const FusedSpec& spec, const FusedTableView& view, const MoveBases& places)
      : table(view),
        bases(places),
        scale(static_cast<T>(spec.scale)),
        m(static_cast<int>(spec.complex_n())),
        length_in(static_cast<int>(spec.length_in())),
        length_out(static_cast<int>(spec.length_out())),
        real_in(!spec.complex_in()),
        real_out(!spec.complex_out()),
        by_length_in(static_cast<std::uint32_t>(length_in)),
        by_length_out(static_cast<std::uint32_t>(length_out)),
        by_pairs(static_cast<std::uint32_t>(pairs())) {}

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return table.blocks; }
  [[nodiscard]] SHARDFFT_HD int row() const { return m + 1; }

  SHARDFFT_HD void gather(Index block, int thread, Element* tile) const {
    const PencilRange part = part_of(block);
    for_elements(part, part.family->from, length_in, by_length_in, thread, [&](std::byte* memory, int k, int v) {
      if (real_in)
        tile[v * row() + k / 2].of[k % 2] = Pack<T, 1>::load(memory).of[0];
      else
        tile[v * row() + k] = Element::load(memory);
    });
  }
  SHARDFFT_HD void scatter(Index block, int thread, const Element* tile) const {
    const PencilRange part = part_of(block);
    for_elements(part, part.family->to, length_out, by_length_out, thread, [&](std::byte* memory, int k, int v) {
      if (real_out) {
        Pack<T, 1>{{tile[v * row() + k / 2].of[k % 2] * scale}}.store(memory);
      } else {
        Element element = tile[v * row() + k];
        element.multiply(scale);
        element.store(memory);
      }
    });
  }

  // Reals x of length n = 2 m are the complex numbers z_j = x_2j + i x_2j+1. With X their half spectrum, Z that of z, w
  // = exp(-2 pi i k / n), and b' the conjugate of b:
  //   E = (Z_k + Z_m-k') / 2, O = (Z_k - Z_m-k') / 2i, X_k = E + w O, X_m-k' = E - w O; and back, without factors: Z_k
  //   = (X_k + X_m-k') + i w' (X_k - X_m-k'). source Press, Teukolsky, Vetterling, Flannery, Numerical Recipes, 3rd
  //   ed., section 12.3

  /// c2r: half spectra become what a complex transform makes reals of. What no array of reals has, imaginary parts of
  /// the first and the last element, is ignored.
  SHARDFFT_HD void before(int thread, Element* tile) const {
    if (!real_out) return;
    for_pairs(thread, tile, [&](int k, Element& x, Element& y) {
      if (k == 0) {
        x = {{x.of[0] + y.of[0], x.of[0] - y.of[0]}};
        return;
      }
      const Element root = Element::load(table.roots + k * static_cast<int>(sizeof(Element)));
      const T e[2] = {x.of[0] + y.of[0], x.of[1] - y.of[1]}, d[2] = {x.of[0] - y.of[0], x.of[1] + y.of[1]};
      const T o[2] = {d[0] * root.of[0] + d[1] * root.of[1], d[1] * root.of[0] - d[0] * root.of[1]};
      x = {{e[0] - o[1], e[1] + o[0]}};
      y = {{e[0] + o[1], o[0] - e[1]}};
    });
  }
  /// r2c: the reverse, after a complex transform.
  SHARDFFT_HD void after(int thread, Element* tile) const {
    if (!real_in) return;
    for_pairs(thread, tile, [&](int k, Element& x, Element& y) {
      if (k == 0) {
        y = {{x.of[0] - x.of[1], 0}};
        x = {{x.of[0] + x.of[1], 0}};
        return;
      }
      const Element root = Element::load(table.roots + k * static_cast<int>(sizeof(Element)));
      const T half = static_cast<T>(0.5);
      const T a[2] = {half * x.of[0], half * x.of[1]},
              b[2] = {half * y.of[0], -half * y.of[1]};  // halves first: sums may be too large
      const T e[2] = {a[0] + b[0], a[1] + b[1]}, o[2] = {a[1] - b[1], b[0] - a[0]};
      const T t[2] = {o[0] * root.of[0] - o[1] * root.of[1], o[0] * root.of[1] + o[1] * root.of[0]};
      x = {{e[0] + t[0], e[1] + t[1]}};
      y = {{e[0] - t[0], t[1] - e[1]}};
    });
  }

 private:
  /// What a block has: `pencils` of a family from number `first` on, at one place of the outer axes.
  struct PencilRange {
    const PreparedFamily* family = nullptr;
    Index first = 0, outer[PencilStretch::most_outer] = {};
    int pencils = 0;
  };
  [[nodiscard]] SHARDFFT_HD PencilRange part_of(Index block) const {
    const Index number = box_of_block(table.first_block, table.count, block);
    PencilRange part;
    part.family = table.families + number;
    block -= table.first_block[number];
    part.first = block % part.family->tiles * at_once;
    part.pencils = static_cast<int>(smaller(at_once, part.family->pencils - part.first));
    block /= part.family->tiles;
    SHARDFFT_UNROLL
    for (int axis = PencilStretch::most_outer - 1; axis >= 0; --axis) {
      if (axis >= part.family->outer_axes) continue;
      part.outer[axis] = block % part.family->outer[axis];
      block /= part.family->outer[axis];
    }
    return part;
  }

  /// The stretch that a thread is in: of pencil `part.first` there.
  struct Stretch {
    int begin = 0, end = 0, first = 0, stride = 1;
    Index step = 0, pencil_step = 0;
    std::byte* start = nullptr;
  };
  [[nodiscard]] SHARDFFT_HD Stretch stretch_with(const PencilRange& part, const PreparedEnd& end, int number) const {
    const PreparedStretch* low = table.stretches + end.first_stretch;
    for (int count = end.stretches; count > 1;) {
      const int half = count / 2;
      const bool upper = low[half].begin <= number;
      low = upper ? low + half : low;
      count = upper ? count - half : half;
    }
    Index at = low->at + part.first * low->pencil_step;
    SHARDFFT_UNROLL
    for (int axis = 0; axis < PencilStretch::most_outer; ++axis)
      if (axis < part.family->outer_axes) at += part.outer[axis] * low->outer_step[axis];
    // Addresses of MoveBase::fixed count from nullptr, to which no offset may be added.
    auto* const start = reinterpret_cast<std::byte*>(
        reinterpret_cast<std::uintptr_t>(bases.start[static_cast<int>(low->base)]) + static_cast<std::uintptr_t>(at));
    return {low->begin, low->end, low->first, low->stride, low->step, low->pencil_step, start};
  }

  /// visit(memory, index along the pencil, pencil of the tile). Threads beside each other touch what lies beside each
  /// other.
  template <class Visit>
  SHARDFFT_HD void for_elements(const PencilRange& part, const PreparedEnd& end, int length, const Divisor& by_length,
                                int thread, const Visit& visit) const {
    Stretch here;
    for (int i = thread; i < at_once * length; i += threads) {
      const int slow = end.along ? static_cast<int>(by_length(static_cast<std::uint32_t>(i))) : i / at_once;
      const int number = end.along ? i - slow * length : slow, v = end.along ? slow : i % at_once;
      if (v >= part.pencils) continue;
      if (number < here.begin || number >= here.end) here = stretch_with(part, end, number);
      const int in = number - here.begin;
      visit(here.start + (in * here.step + v * here.pencil_step), here.first + in * here.stride, v);
    }
  }

  [[nodiscard]] SHARDFFT_HD int pairs() const { return m / 2 + 1; }
  /// visit(k, element k, element m - k) of every pencil of the tile, k <= m - k.
  template <class Visit>
  SHARDFFT_HD void for_pairs(int thread, Element* tile, const Visit& visit) const {
    for (int i = thread; i < at_once * pairs(); i += threads) {
      const int v = static_cast<int>(by_pairs(static_cast<std::uint32_t>(i))), k = i - v * pairs();
      visit(k, tile[v * row() + k], tile[v * row() + m - k]);
    }
  }
};

}  // namespace shardfft
