// What kernels are made of, as kernels of their own. The host and the device's compiler read this file.
#pragma once

#include <cstdint>

#include "device/kernels/codec/codec_walk.hpp"
#include "device/kernels/exact.hpp"
#include "device/kernels/fused_pencils.hpp"
#include "device/kernels/launch.hpp"
#include "device/kernels/pack.hpp"
#include "device/kernels/twiddles.hpp"

namespace shardfft::testing {

/// A thread for each number.
struct ThreadPerNumber {
  static constexpr int threads = 64, phases = 1;
  using Shared = NoShared;
  Index count = 0;
  [[nodiscard]] SHARDFFT_HD Index blocks() const { return (count + threads - 1) / threads; }
};

/// exact.hpp.
template <class T>
struct ExactArithmetic : ThreadPerNumber {
  static constexpr int results = 7;
  const T *x = nullptr, *y = nullptr;
  T* out = nullptr;
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const Index i = block * threads + thread;
    if (i >= count) return;
    const T a = x[i], b = y[i];
    const T all[results] = {kernels::mul(a, b),
                            kernels::add(a, b),
                            kernels::sub(a, b),
                            kernels::div(a, b),
                            kernels::inverse(a),
                            kernels::add(kernels::mul(a, b), a),
                            static_cast<T>(kernels::is_finite(a))};
    for (int r = 0; r < results; ++r) out[i * results + r] = all[r];
  }
};

/// pack.hpp: read, multiplied, signs changed, written.
template <class T, int parts>
struct Packed : ThreadPerNumber {
  const T* x = nullptr;
  T* out = nullptr;
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const Index i = block * threads + thread;
    if (i >= count) return;
    auto pack = Pack<T, parts>::load(reinterpret_cast<const std::byte*>(x + i * parts));
    pack.multiply(static_cast<T>(1.7));
    pack.negate_odd(static_cast<int>(i % 2));
    pack.store(reinterpret_cast<std::byte*>(out + i * parts));
  }
};

/// twiddles.hpp: powers 0 ... count - 1.
template <class T>
struct Roots : ThreadPerNumber {
  kernels::UnitRoots roots;
  T* out = nullptr;
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const Index i = block * threads + thread;
    if (i >= count) return;
    const auto turn = roots.template power<T>(i);
    out[2 * i] = turn.re, out[2 * i + 1] = turn.im;
  }
};

/// warp.hpp: all that lanes ask each other.
struct WarpAnswers : kernels::WarpPerBlock {
  struct Answer {
    double sum, most, of_pair;
    std::uint64_t before;
    std::uint32_t ballot, warp;
  };
  Index warps = 0;
  const double* x = nullptr;
  Answer* out = nullptr;
  [[nodiscard]] SHARDFFT_HD Index blocks() const { return blocks_of(warps); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    with_warp(block, thread, warps, [&](const kernels::Warp& warp, Index w) {
      const double* own = x + w * kernels::warp_lanes;
      kernels::Lanes<double> value;
      kernels::Lanes<bool> positive;
      kernels::Lanes<std::uint64_t> bits;
      warp.each([&](int lane) {
        value[lane] = own[lane];
        positive[lane] = own[lane] > 0;
        bits[lane] = kernels::same_bits<std::uint64_t>(own[lane]) >> 8;
      });
      const double sum = warp.sum(value), most = warp.max(value);
      const std::uint32_t ballot = warp.ballot(positive);
      const kernels::Lanes<std::uint64_t> before = warp.sums_before(bits);
      const kernels::Lanes<double> pair = warp.of_pair(value);
      warp.each([&](int lane) {
        out[w * kernels::warp_lanes + lane] = {sum,          most,   pair[lane],
                                               before[lane], ballot, static_cast<std::uint32_t>(w)};
      });
    });
  }
};

/// fused_places.hpp, fused_steps.hpp, fused_pencils.hpp: all of a fused transform but the transform.
template <class T, int at_once>
struct FusedMoves {
  static constexpr int most_n = 256, rows = 32, phases = 4;
  using Shape = FusedShape<at_once, at_once * rows, most_n / rows>;
  using Pencils = FusedPencils<T, Shape>;
  using Element = typename Pencils::Element;
  static constexpr int threads = Shape::threads;
  struct PencilTile {
    Element tile[FusedTile<T, Shape>{most_n}.elements()];
  };
  using Shared = PencilTile;

  Pencils pencils{};
  [[nodiscard]] SHARDFFT_HD Index blocks() const { return pencils.blocks(); }
  SHARDFFT_HD void operator()(int phase, Index block, int thread, Shared& shared) const {
    if (phase == 0) return in(block, thread, shared.tile);
    if (phase == 1) return pencils.real_out ? pencils.from_half_spectra(thread, shared.tile) : void();
    if (phase == 2) return pencils.real_in ? pencils.to_half_spectra(thread, shared.tile) : void();
    out(block, thread, shared.tile);
  }

 private:
  SHARDFFT_HD void in(Index block, int thread, Element* tile) const {
    if (!pencils.table.from.straight) return pencils.gather(block, thread, tile);
    Element x[Shape::per_thread];
    pencils.load(block, thread, x);
    pencils.give(thread, tile, x);
  }
  SHARDFFT_HD void out(Index block, int thread, const Element* tile) const {
    if (!pencils.table.to.straight) return pencils.scatter(block, thread, tile);
    Element x[Shape::per_thread];
    pencils.take(thread, tile, x);
    pencils.store(block, thread, x);
  }
};

}  // namespace shardfft::testing
