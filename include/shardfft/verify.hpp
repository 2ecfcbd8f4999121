// Is the result right? Probes, a position-keyed hash, exact samples: all O(N), at any size, with any layout. Of plans
// by Plan::verify; here of any array, also of other programs.
#pragma once

#include <cstdint>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// One local box of an array and where it lies. `data` points at element box.lo; strides in bytes, one per axis. With
/// `steps` the indices of neighbours along an axis are so far apart, from box.lo on; box.hi says how many there are.
struct LocalBox {
  Box box{};
  const std::byte* data = nullptr;
  Coord strides{};
  Coord steps{};  ///< of no dimensions: 1
};

/// A distributed array as this rank sees it.
struct LocalArray {
  std::vector<LocalBox> boxes{};
  Shape global{};  ///< extents in elements of its type (n/2 + 1 along the real axis for a half spectrum)
  bool complex = true;
  Precision precision = Precision::f64;
  /// Size of elements that are no numbers, for hash(): 1, 2, 4, 8 or 16 bytes. 0: numbers.
  int element_bytes = 0;
  int threads = 0;  ///< for what is computed of this rank's part; 0: its share of the node's cores
};

/// What the transform from one array to the other is, exactly.
struct TransformSpec {
  Shape shape{};            ///< logical (real) extents
  std::vector<int> axes{};  ///< transformed, non-negative; when `real`, the last fourier one is the real axis
  int sign = -1;            ///< of the exponent
  bool real = false;        ///< in real and out half spectrum (sign -1), or in half spectrum and out real (sign +1)
  double scale = 1;         ///< factor on the result
  std::vector<AxisKind> kinds{};  ///< of the axes, of this direction; empty: fourier
  bool orthonormal = false;       ///< ends of cosines and sines are weighted as Scaling::orthonormal has it
  Coord modes{}, support{};       ///< as in Problem: what the arrays have of each axis; empty: all
};

/// Collective. The relative L2 error of `out` against the exact transform of `in`, estimated by `probes` separable
/// random probes with uniform-phase entries, accumulated in double-double; and the bound that exact mode must keep.
/// Deterministic for a seed. NaN or Inf in the data give a NaN error. Source: shardfft docs/theory/verification.md.
[[nodiscard]] Verdict verify(const Comm& comm, const LocalArray& in, const LocalArray& out, const TransformSpec& spec,
                             int probes = 8, std::uint64_t seed = 1);

/// Bound on the relative L2 error of exact mode for this transform.
[[nodiscard]] double exact_bound(const TransformSpec& spec, Precision precision);

/// What underflow may add to the L2 error of `numbers` real results, whatever the norm: it counts for subnormal ones.
[[nodiscard]] double exact_floor(const TransformSpec& spec, Precision precision, double numbers);

/// Collective. Sum over all elements of mix(bits, global row-major index), modulo 2^64: any change of a bit, or of a
/// place, changes it. +0 and -0 differ; all NaNs are alike.
[[nodiscard]] std::uint64_t hash(const Comm& comm, const LocalArray& array);

/// Collective. Exact outputs at `positions` (global coordinates of `out`), from `in` alone, O(N) each, in double-double
/// rounded to double: re, im pairs.
[[nodiscard]] std::vector<double> exact_samples(const Comm& comm, const LocalArray& in, const TransformSpec& spec,
                                                const std::vector<Coord>& positions);

}  // namespace shardfft
