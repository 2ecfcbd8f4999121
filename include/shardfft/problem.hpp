// What to compute.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

/// c2c: complex to complex, exponent -1 forward, +1 backward.
/// r2c: forward takes reals to the half spectrum (exponent -1), backward the half spectrum to reals (numpy.fft.rfftn,
/// irfftn). c2r: the same, the other way round: forward takes the half spectrum to reals (exponent +1, as FFTW's c2r).
/// In the half spectrum, the last of `axes` has n/2 + 1 elements.
/// move: nothing is transformed; forward moves elements from the input layout to the output layout, backward moves them
/// back; their bits do not change.
/// r2r: reals to reals; each of `axes` has a kind other than fourier.
enum class Kind { c2c, r2c, c2r, move, r2r };
inline constexpr Kind c2c = Kind::c2c, r2c = Kind::r2c, c2r = Kind::c2r, r2r = Kind::r2r;

/// What is done along one transformed axis. Cosine and sine transforms are those of FFTW and SciPy (DCT and DST, types
/// 1 to 4), whose unscaled pair multiplies with L: 2n, but 2(n-1) for cosine1 and 2(n+1) for sine1; n for fourier and
/// hartley. docs/theory/real_to_real.md defines them.
enum class AxisKind { fourier, cosine1, cosine2, cosine3, cosine4, sine1, sine2, sine3, sine4, hartley };

/// The inverse kind, up to the factor L: cosine2 and cosine3 are a pair, sine2 and sine3 too; others invert themselves.
[[nodiscard]] constexpr AxisKind inverse(AxisKind kind) {
  using enum AxisKind;
  constexpr AxisKind inverses[] = {fourier, cosine1, cosine3, cosine2, cosine4, sine1, sine3, sine2, sine4, hartley};
  return inverses[static_cast<int>(kind)];
}
/// L, the period of the function that n points stand for.
[[nodiscard]] constexpr Index logical_length(AxisKind kind, Index n) {
  if (kind == AxisKind::fourier || kind == AxisKind::hartley) return n;
  return 2 * (kind == AxisKind::cosine1 ? n - 1 : kind == AxisKind::sine1 ? n + 1 : n);
}

/// How a function continues beyond an end of an axis: even for zero slope, odd for zero value.
enum class Boundary { periodic, even, odd };
/// Samples in the middle of cells, or on nodes. On nodes, an even end is stored; an odd end, zero, is not.
enum class Points { cells, nodes };
/// The kind whose functions have these ends. Throws Error(invalid_problem) for one periodic end.
[[nodiscard]] AxisKind kind_of(Boundary low, Boundary high, Points points);

/// Bytes of each real number: 4 or 8.
enum class Precision { f32, f64 };
inline constexpr Precision f32 = Precision::f32, f64 = Precision::f64;

/// Factor applied to the result: 1, 1/sqrt(N) or 1/N; N is the product of the transformed lengths, of L for kinds other
/// than fourier. orthonormal: by_sqrt_n, and the ends of cosines and sines weighted so that their matrices are
/// orthogonal (norm="ortho" of SciPy).
enum class Scaling { none, by_sqrt_n, by_n, orthonormal };

struct Problem {
  Shape shape{};  ///< logical extents, real ones for r2c and c2r; 1 to 8 axes, each >= 1
  Kind kind = c2c;
  Precision precision = f64;
  std::vector<int> axes{};  ///< transformed axes; negative ones from the end; empty means all. Others are a batch.
                            ///< For r2c and c2r the last one is the real axis
  Scaling forward = Scaling::none;
  Scaling backward = Scaling::by_n;
  int element_bytes = 0;          ///< of move: 1, 2, 4, 8 or 16; 0: those of a complex number of `precision`
  std::vector<AxisKind> kinds{};  ///< one for each of `axes`; empty: fourier. r2c, c2r: the last fourier one is real;
                                  ///< forward of c2r uses the inverse kinds, as backward of others does
  /// For each axis of `shape`, from 1 to its extent; 0 and empty: all. How many modes the spectrum keeps: the lowest
  /// frequencies, in the usual order; of an even number the two outermost share an element. Arrays hold only these.
  Coord modes{};
  /// Likewise: how many points, from the start, may be nonzero; backward computes only these.
  Coord support{};
};

/// Largest number of modes for which products of two fields on n points are exact (2/3 rule): 2 floor((n - 1) / 3) + 1.
[[nodiscard]] Index dealiased(Index n);

[[nodiscard]] std::string to_string(Kind kind);
[[nodiscard]] std::string to_string(AxisKind kind);  ///< "cosine2"
[[nodiscard]] std::string to_string(Precision precision);
/// "512 x 512 x 512 r2c f64, axes 0 1 2"
[[nodiscard]] std::string to_string(const Problem& problem);

}  // namespace shardfft
