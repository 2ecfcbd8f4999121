// The spectrum of an array by shells of the wave number.
#pragma once

#include <vector>

#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// What the power of a shell is told as. F_k = sum f exp(-i k x) over N points in a box of volume V.
///   density        V times the mean of |F_k|^2 / N^2 over the modes, in f^2 length^d
///   sum            of |F_k|^2 / N^2; all shells add up to the mean of |f|^2
///   dimensionless  k^3 P / (2 pi^2), k^2 P / (2 pi) or k P / pi of the density P, in 3, 2 or 1 dimensions
///   energy         half of the sum over components, per unit of k
enum class PowerAs { density, sum, dimensionless, energy };

struct SpectrumRequest {
  std::vector<double> lengths{};  ///< of the box along each axis of the array
  double width = 0;               ///< of a shell, in radians per unit of length; 0: 2 pi over the shortest side
  bool centred = false;           ///< shell i has |k| around i times the width, instead of from there on
  PowerAs power = PowerAs::density;
};

/// One shell: wave numbers k in radians per unit of length.
struct SpectrumShell {
  double k_low = 0, k_high = 0;  ///< k_low <= |k| < k_high
  double k_mean = 0;             ///< of its modes; NaN without any
  Index modes = 0;               ///< k and -k are two
  double power = 0;
  double error = 0;             ///< standard error, if f is a Gaussian field: power sqrt(2 / modes), of complex ones
                                ///< power / sqrt(modes)
  bool beyond_nyquist = false;  ///< reaches beyond pi over the largest spacing of points
  // Two spectra F and G have: the power of G, the sum of F conj(G) as power, and its real part over the root of both
  // powers (Fourier shell correlation).
  double power_b = 0, cross_re = 0, cross_im = 0, correlation = 0;
};

/// Collective. The spectrum of f by shells of |k|, the same bits on any number of ranks, if f's transform has these.
///   plan   c2c or r2c along Fourier axes; axes that are not transformed hold components
///   a, b   as forward left them in arrays of make_output(); without data: no b
///   error  invalid_argument
[[nodiscard]] std::vector<SpectrumShell> spectrum(const Plan& plan, View a, View b, const SpectrumRequest& request);

namespace files {

/// Collective. The spectrum of an array in a file that may be larger than memory, with the same bits; of two, if there
/// is a second one. Transforms are made in passes and not written. Throws what reduce() throws, too.
[[nodiscard]] std::vector<SpectrumShell> spectrum(const Comm& comm, const File& in, const Problem& problem,
                                                  const SpectrumRequest& request, const Options& options = {},
                                                  const OutOfCore& how = {}, const File* second = nullptr);

}  // namespace files

}  // namespace shardfft
