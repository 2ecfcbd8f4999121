// Where the pencils of a fused transform are, and how a block of threads carries `at_once` of them into its tile and out of it. What transforms them between is the caller's.
#pragma once

#include "device/fused.hpp"
#include "device/kernels/pack.hpp"

namespace shardfft {

/// A tile of `at_once` pencils, one after the other, each followed by one element more, so that a column lies in different banks.
template <class T, int at_once, int threads>
struct FusedPencils {
  using Element = Pack<T, 2>;

  FusedSpec spec{};
  const std::byte* from = nullptr;
  std::byte* to = nullptr;

  [[nodiscard]] SHARDFFT_HD Index tiles() const { return (spec.v.extent + at_once - 1) / at_once; }
  [[nodiscard]] SHARDFFT_HD Index blocks() const {
    Index count = tiles();
    for (int axis = 0; axis < spec.outer_axes; ++axis) count *= spec.outer[axis].extent;
    return count;
  }
  [[nodiscard]] SHARDFFT_HD int row() const { return static_cast<int>(spec.k.extent) + 1; }

  SHARDFFT_HD void gather(Index block, int thread, Element* tile) const {
    const Part part = part_of(block);
    const std::byte* start = from + part.at.from;
    const bool along_k = is_along_k(spec.k.from_step, spec.v.from_step);
    for (int number = thread; number < at_once * n(); number += threads) {
      const Place p = place(number, along_k);
      if (p.v < part.pencils) tile[p.v * row() + p.k] = Element::load(start + p.k * spec.k.from_step + p.v * spec.v.from_step);
    }
  }
  SHARDFFT_HD void scatter(Index block, int thread, const Element* tile) const {
    const Part part = part_of(block);
    std::byte* start = to + part.at.to;
    const bool along_k = is_along_k(spec.k.to_step, spec.v.to_step);
    for (int number = thread; number < at_once * n(); number += threads) {
      const Place p = place(number, along_k);
      if (p.v >= part.pencils) continue;
      Element element = tile[p.v * row() + p.k];
      element.multiply(static_cast<T>(spec.scale));
      element.store(start + p.k * spec.k.to_step + p.v * spec.v.to_step);
    }
  }

 private:
  /// What a block has: where its first pencil begins, and how many there are.
  struct Part {
    MoveOffsets at{};
    int pencils = 0;
  };
  struct Place {
    int k = 0, v = 0;
  };
  [[nodiscard]] SHARDFFT_HD int n() const { return static_cast<int>(spec.k.extent); }
  // Threads beside each other touch what lies beside each other.
  [[nodiscard]] static SHARDFFT_HD bool is_along_k(Index k_step, Index v_step) { return (k_step < 0 ? -k_step : k_step) <= (v_step < 0 ? -v_step : v_step); }
  [[nodiscard]] SHARDFFT_HD Place place(int number, bool along_k) const { return along_k ? Place{number % n(), number / n()} : Place{number / at_once, number % at_once}; }

  [[nodiscard]] SHARDFFT_HD Part part_of(Index block) const {
    const Index first = block % tiles() * at_once;
    Part part;
    part.pencils = static_cast<int>(smaller(at_once, spec.v.extent - first));
    part.at = {first * spec.v.from_step, first * spec.v.to_step};
    block /= tiles();
    for (int axis = spec.outer_axes - 1; axis >= 0; --axis) {
      const MoveAxis& outer = spec.outer[axis];
      part.at.from += block % outer.extent * outer.from_step;
      part.at.to += block % outer.extent * outer.to_step;
      block /= outer.extent;
    }
    return part;
  }
};

/// Pencils that are next to each other fill half a cache line of a GPU: 64 bytes.
template <class T>
inline constexpr int fused_at_once = 64 / (2 * static_cast<int>(sizeof(T)));

}  // namespace shardfft
