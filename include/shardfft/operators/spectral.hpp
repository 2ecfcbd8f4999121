// Ready operators on spectra, for Plan::apply.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// Whose eigenvalues an operator divides by: those of derivatives, or of their central differences on the points.
enum class Stencil { spectral, second_order, fourth_order, sixth_order };

/// How a filter goes from 1 to 0 around its cutoff kc.
enum class Edge {
  hard,        ///< 1 up to kc, 0 beyond
  cosine,      ///< half a period of a cosine, `width` long; 1/2 at kc
  gaussian,    ///< exp(-log(2) k^2 / kc^2): 1/2 at kc
  butterworth  ///< 1 / sqrt(1 + (k / kc)^(2 order)): 1 / sqrt(2) at kc
};

/// What filter() does to a spectrum; whatever is named is multiplied.
struct Filter {
  double low_pass = 0;   ///< cutoff in radians per unit: what lies above goes; 0: none
  double high_pass = 0;  ///< likewise below: 1 less the low pass; Butterworth's has kc / k for k / kc
  Edge edge = Edge::cosine;
  double width = 0;             ///< of Edge::cosine, in radians per unit; 0: 4 pi over the shortest side of the box
  int order = 2;                ///< of Edge::butterworth, 1 to 16
  std::vector<double> sigma{};  ///< smoothed with a Gaussian of this width along each axis, 0: not along it
  std::vector<std::pair<int, int>> derivatives{};  ///< axis and order
  bool laplacian = false;
  std::vector<double> shift{};  ///< u(x - shift), one distance for each axis
};

/// Operators on spectra, ready made for a plan, which they do not keep. `lengths`: of the box along each axis of the
/// array, a period, or along cosine and sine axes from end to end; axes that are not transformed ignore theirs. Their
/// unit is the caller's: widths and distances have it, wave numbers k and cutoffs are in radians per unit. Throw
/// Error(invalid_argument), also where an axis of another kind than fourier would change its kind: derivatives of odd
/// order, shifts, and what is made of them.
namespace spectral {

/// The lengths of a box whose points lie `spacing` apart along each axis of the array.
[[nodiscard]] std::vector<double> lengths_from(const Plan& plan, std::span<const double> spacing);

/// Every element times its own factor, from an array of Plan::make_middle(): numbers of the plan's precision, complex
/// if the elements are. The caller keeps owning the memory.
[[nodiscard]] Operator multiply(const Plan& plan, View factors);
/// The solution u of shift u - laplacian(u) = values. Without a shift the mean of u is zero.
[[nodiscard]] Operator inverse_laplace(const Plan& plan, std::span<const double> lengths,
                                       Stencil stencil = Stencil::spectral, double shift = 0);
/// The derivative of order 1, 2, ...; odd ones have none of the highest frequency of an even number of points.
[[nodiscard]] Operator derivative(const Plan& plan, int axis, int order, double length);
/// From 1 component to one for each transformed axis, in the order of the axes.
[[nodiscard]] Operator gradient(const Plan& plan, std::span<const double> lengths);
/// From one component for each transformed axis to 1.
[[nodiscard]] Operator divergence(const Plan& plan, std::span<const double> lengths);
/// Takes 3 components, along 3 transformed axes.
[[nodiscard]] Operator curl(const Plan& plan, std::span<const double> lengths);
/// The part without divergence, of one component for each transformed axis.
[[nodiscard]] Operator project(const Plan& plan, std::span<const double> lengths);
/// Times exp(-sigma^2 k^2 / 2): smoothed with a Gaussian of that width.
[[nodiscard]] Operator gaussian(const Plan& plan, std::span<const double> lengths, double sigma);
/// Leaves wave numbers |k| <= cutoff.
[[nodiscard]] Operator lowpass(const Plan& plan, std::span<const double> lengths, double cutoff);
/// All that `what` names at once; the mean stays where no part of it drops it. Errors: where it names nothing.
[[nodiscard]] Operator filter(const Plan& plan, std::span<const double> lengths, const Filter& what);
/// u(x - distances).
[[nodiscard]] Operator shift(const Plan& plan, std::span<const double> lengths, std::span<const double> distances);
/// Circular convolution and correlation with an array whose unscaled spectrum is given, as for multiply.
[[nodiscard]] Operator convolve(const Plan& plan, View spectrum);
[[nodiscard]] Operator correlate(const Plan& plan, View spectrum);

/// Collective. What a spectrum has of each wave number, nothing being transformed: element s of the result is the sum
/// of |u|^2 over the modes with (s - 1/2) width <= |k| < (s + 1/2) width, components and all. Exact until it is rounded
/// once: the same bits on any number of ranks. Modes of half spectra that stand for two count twice. Of any plan.
///   spectrum  as forward left it (c2r: as backward did) in an array of make_output(); c2r: of make_input()
///   width     of a shell; 0: the lowest wave number that there is but 0
[[nodiscard]] std::vector<double> power_spectrum(const Plan& plan, View spectrum, std::span<const double> lengths,
                                                 double width = 0);

}  // namespace spectral

}  // namespace shardfft
