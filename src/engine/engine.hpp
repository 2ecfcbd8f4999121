// The seam to what computes 1-D transforms of a tile of pencils in cache.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/memory_pencils.hpp"
#include "engine/table_bytes.hpp"
#include "shardfft/box.hpp"
#include "shardfft/problem.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// What one pencil undergoes. The sign of the exponent is -1 for forward and r2c, +1 for backward and c2r; nothing is
/// scaled. c2r ignores the imaginary part of element 0 and, for even n, of element n/2. From cosine1 on: real to real,
/// as docs/theory/real_to_real.md defines them; of complex numbers, of both parts alike.
enum class Transform1d {
  forward,
  backward,
  r2c,
  c2r,
  cosine1,
  cosine2,
  cosine3,
  cosine4,
  sine1,
  sine2,
  sine3,
  sine4,
  hartley
};
[[nodiscard]] constexpr std::string_view name(Transform1d t) {
  constexpr std::string_view names[] = {"forward", "backward", "r2c",   "c2r",   "cosine1", "cosine2", "cosine3",
                                        "cosine4", "sine1",    "sine2", "sine3", "sine4",   "hartley"};
  return names[static_cast<int>(t)];
}
[[nodiscard]] constexpr bool is_r2r(Transform1d t) { return t >= Transform1d::cosine1; }
/// The kind of axis. `t` is a real-to-real transform.
[[nodiscard]] constexpr AxisKind kind_of(Transform1d t) {
  return static_cast<AxisKind>(static_cast<int>(t) - static_cast<int>(Transform1d::hartley) +
                               static_cast<int>(AxisKind::hartley));
}
[[nodiscard]] constexpr Transform1d transform_of(AxisKind kind) {
  return static_cast<Transform1d>(static_cast<int>(kind) + static_cast<int>(Transform1d::hartley) -
                                  static_cast<int>(AxisKind::hartley));
}
/// What undoes it, up to the factor logical_length().
[[nodiscard]] constexpr Transform1d inverse(Transform1d t) {
  constexpr Transform1d fourier[] = {Transform1d::backward, Transform1d::forward, Transform1d::c2r, Transform1d::r2c};
  return is_r2r(t) ? transform_of(inverse(kind_of(t))) : fourier[static_cast<int>(t)];
}
[[nodiscard]] constexpr Index logical_length(Transform1d t, Index n) {
  return is_r2r(t) ? logical_length(kind_of(t), n) : n;
}

/// Points and modes that exist on an axis of n points: Problem::support and Problem::modes. 0 means all.
struct Kept {
  Index support = 0, modes = 0;
  bool from_modes = false;  ///< the transform takes modes to points
  friend bool operator==(const Kept&, const Kept&) = default;
};

/// How a tile of pencils lies in a buffer, counted in scalars. Element k of pencil v is, with p = place(k), at
///   lanes, complex:  re at p*2*pencils + v, im at p*2*pencils + pencils + v     (one pencil per SIMD lane)
///   lanes, real:     p*pencils + v
///   rows, complex:   re at v*ld + 2*k, im one further                            (one pencil after the other)
///   rows, real:      v*ld + k
struct TileFormat {
  enum class Order { lanes, rows } order = Order::lanes;
  bool complex = true;
  int pencils = 1;   ///< pencils in a full tile; a tile with fewer is padded, and computed by the same code
  Index length = 0;  ///< elements of a pencil
  Index ld = 0;      ///< rows only: scalars from one pencil to the next
  const Index* places =
      nullptr;  ///< of length: a permutation of 0 .. length - 1, lanes only, in which an engine wants
                ///< its input; with a cyclic axis what gather and scatter see, in any format; with
                ///< gaps in tiles of tiles (sweep/host/interleaved_kernel.hpp), and in any format where a pencil has
                ///< fewer elements than the transform (pruned_kernel.hpp). nullptr: natural order

  [[nodiscard]] Index place(Index k) const { return places == nullptr ? k : places[k]; }

  [[nodiscard]] Index scalars() const {
    return order == Order::lanes ? length * pencils * (complex ? 2 : 1) : ld * pencils;
  }
};

/// One kind of 1-D transform of one length, ready to run on tiles. Immutable and thread-safe; result bits depend on the
/// pencil alone, not on its place in the tile or on its neighbours.
class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual const TileFormat& in() const = 0;   ///< the tile as gather must fill it, in buffer `a`
  [[nodiscard]] virtual const TileFormat& out() const = 0;  ///< the tile as scatter finds it
  [[nodiscard]] virtual std::size_t buffer_bytes()
      const = 0;  ///< of each of the two buffers, which are aligned to 64 and hold any scratch as well
  /// Transforms the tile in `a`. Both buffers may be overwritten; returns the one (a or b) that holds the result at its
  /// start. Never allocates.
  [[nodiscard]] virtual std::byte* run(std::byte* a, std::byte* b) const = 0;
  /// Whether run_rows can do without a gather, without a scatter.
  [[nodiscard]] virtual bool reads_rows() const { return false; }
  [[nodiscard]] virtual bool writes_rows() const { return false; }
  /// run(), with the input read from memory and the result written to memory by the passes themselves. Null for what
  /// lies in `a`, and what is to be returned. The same bits. Of several tiles, `from` and `to` point to one for each;
  /// what the first passes read of a row, and the last ones write, is then read and written soon after each other.
  [[nodiscard]] virtual std::byte* run_rows(const RowSource* /*from*/, const RowTarget* /*to*/,
                                            const TilesInRow& /*tiles*/, std::byte* a, std::byte* b) const {
    return run(a, b);
  }
  /// run_rows() of tiles that lie in memory at both ends, one after the other.
  virtual void run_each(std::span<const RowSource> from, std::span<const RowTarget> to, std::byte* a,
                        std::byte* b) const {
    for (std::size_t i = 0; i < from.size(); ++i) (void)run_rows(&from[i], &to[i], {}, a, b);
  }
  /// Whether pencils that are contiguous in memory can do without a tile.
  [[nodiscard]] virtual bool takes_contiguous() const { return false; }
  /// Whether each of them fills whole vectors. If not, only a pencil that is alone is faster without a tile, and
  /// results do not go past the cache.
  [[nodiscard]] virtual bool fills_contiguous_vectors() const { return true; }
  /// Transforms contiguous pencils with buffer `a` as scratch; needs takes_contiguous(). Gives the bits of the other
  /// calls. No pencil may read what another one stores.
  virtual void run_contiguous(std::span<const ContiguousPencil> /*pencils*/, std::byte* /*a*/) const {}
  /// Floating-point operations of one full tile, nominal: 5 n log2 n per complex pencil, half for real ones.
  [[nodiscard]] virtual double nominal_flops() const = 0;
  /// How the length is computed, for people: "8x8x4", "(197 by rader 196 = 7x4x7)x2".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Adds the tables that the kernel keeps. Foreign libraries do not tell theirs.
  virtual void add_tables(TableBytes& /*found*/) const {}
};

struct KernelRequest {
  Index n = 1;  ///< points of the transform (real ones for r2c and c2r)
  Transform1d transform = Transform1d::forward;
  Scalar scalar = Scalar::f64;
  bool few_pencils =
      false;  ///< the whole array has fewer than 8 pencils, so that those of a tile cannot fill the lanes
  bool strided =
      false;  ///< the first of several axes, which most likely has a sweep of its own, with the elements of a pencil
              ///< far apart. A hint that depends on the problem alone, since it may change the last bits
  bool complex = true;       ///< real to real: of complex numbers
  bool orthonormal = false;  ///< real to real: first and last elements weighted so that the matrix, divided by the root
                             ///< of the logical length, is orthogonal
  Kept kept{};               ///< engines do without: make_kernel() puts it around what they make (pruned_kernel.hpp)
  bool looks_only = false;   ///< formats, sizes and words are wanted, of any length in no time: tables may be missing,
                             ///< and it never runs
  friend bool operator==(const KernelRequest&, const KernelRequest&) = default;
};

/// Makes kernels.
struct Engine {
  virtual ~Engine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< "native"
  /// Empty when it can; else the reason, one line for people.
  [[nodiscard]] virtual std::string refuses(const KernelRequest& request) const = 0;
  /// Thread-safe. Throws Error(out_of_memory). The same request gives the same bits in the same process and, for
  /// engines that measure, wherever the same `wisdom()` was loaded before.
  [[nodiscard]] virtual std::shared_ptr<const Kernel> make(const KernelRequest& request) const = 0;
  /// What measured planning found so far, as text to be loaded by other ranks and later runs; empty for engines that do
  /// not measure.
  [[nodiscard]] virtual std::string wisdom() const { return {}; }
  virtual void load_wisdom(const std::string&) const {}
  /// True when make() may decide differently from run to run, so that one rank must decide and share its wisdom().
  [[nodiscard]] virtual bool measures() const { return false; }
};

/// All engines that were compiled in, default first. The only place that knows which.
[[nodiscard]] std::span<const Engine* const> engines();
/// nullptr when there is none of that name.
[[nodiscard]] const Engine* find_engine(std::string_view name);

}  // namespace shardfft
