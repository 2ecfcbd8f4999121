// What is asked.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

/// c2c: complex to complex, exponent -1 forward, +1 backward.
/// r2c: forward takes reals to the half spectrum (exponent -1), backward takes it back (numpy.fft.rfftn, irfftn).
/// c2r: the same pair seen from the other side: forward takes the half spectrum to reals (exponent +1, as FFTW's c2r),
/// backward takes reals back. In the half spectrum, the last of `axes` has n/2 + 1 elements.
/// move: nothing is transformed; forward takes elements from the input layout to the output layout, backward takes them
/// back, bit by bit.
enum class Kind { c2c, r2c, c2r, move };
inline constexpr Kind c2c = Kind::c2c, r2c = Kind::r2c, c2r = Kind::c2r;

/// Of each real number: 4 or 8 bytes.
enum class Precision { f32, f64 };
inline constexpr Precision f32 = Precision::f32, f64 = Precision::f64;

/// Factor applied to the result: 1, 1/sqrt(N) or 1/N; N is the product of the transformed lengths.
enum class Scaling { none, by_sqrt_n, by_n };

struct Problem {
  Shape shape{};  ///< logical extents, real ones for r2c and c2r; 1 to 8 axes, each >= 1
  Kind kind = c2c;
  Precision precision = f64;
  std::vector<int> axes{};  ///< transformed axes, 1 to 4, negative ones count from the end; empty means all (the last 4
                            ///< at most are allowed). r2c and c2r: the last one is the real one
  Scaling forward = Scaling::none;
  Scaling backward = Scaling::by_n;
  int element_bytes = 0;  ///< of move: 1, 2, 4, 8 or 16; 0: those of a complex number of `precision`
};

[[nodiscard]] std::string to_string(Kind kind);
[[nodiscard]] std::string to_string(Precision precision);
/// "512 x 512 x 512 r2c f64, axes 0 1 2"
[[nodiscard]] std::string to_string(const Problem& problem);

}  // namespace shardfft
