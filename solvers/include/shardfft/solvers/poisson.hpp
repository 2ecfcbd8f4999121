// Poisson's and Helmholtz's equation in a box: shift u - laplacian(u) = f.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "shardfft/plan.hpp"

namespace shardfft::solvers {

/// What holds at both ends of an axis: a slope is given where u goes on evenly, a value where it goes on oddly.
struct Ends {
  Boundary low = Boundary::periodic, high = Boundary::periodic;
};
inline constexpr Ends periodic{}, neumann{Boundary::even, Boundary::even}, dirichlet{Boundary::odd, Boundary::odd},
    dirichlet_neumann{Boundary::odd, Boundary::even}, neumann_dirichlet{Boundary::even, Boundary::odd};

/// How derivatives are approximated: central differences of 3, 5 or 7 points; the compact scheme of Mehrstellen, which
/// reaches order four with neighbours alone; or the derivatives of the series itself. Orders above two are reached if u
/// goes on smoothly beyond the ends, as an even or odd function.
enum class Scheme { second_order, fourth_order, sixth_order, compact, spectral };

using Position = std::array<double, 3>;

/// At both ends of an axis: u there (odd), or its slope outwards (even), by the place. Empty: zero.
struct EndValues {
  std::function<double(const Position&)> low{}, high{};
};

struct PoissonProblem {
  Shape shape{};                  ///< points that are stored, along 1 to 3 axes
  std::vector<double> lengths{};  ///< of the box, from end to end; empty: 1 along each axis, or as `spacing` says
  std::vector<double> spacing{};  ///< of the points, instead
  std::vector<Ends> ends{};       ///< of each axis; empty: periodic
  /// In cells, half a spacing from the ends; or on nodes, of which those at even ends are stored, those at odd ones
  /// not.
  Points points = Points::cells;
  Scheme scheme = Scheme::second_order;
  double shift = 0;  ///< at least 0
  Precision precision = f64;
  std::vector<EndValues> values{};  ///< of each axis, for second order; empty: zero at all ends
  /// If no end and no shift fixes u, a solution exists only if the mean of f and of the values is zero. `compatible`:
  /// the largest mean that is dropped, relative to the root mean square of f; 0: the root of the unit roundoff. A
  /// larger mean is refused, unless `project` drops all of it.
  double compatible = 0;
  bool project = false;
  /// One axis whose cells have any widths, between these faces, one more than cells, ascending: second order. -1: none.
  int stretched = -1;
  std::vector<double> faces{};
};

struct PoissonReport {
  bool gauge = false;  ///< u is one of many that differ by a constant: the one whose mean is zero
  /// The mean that was dropped from f and the values at the ends. NaN (unknown) on a device with `project`.
  double mean = 0;
  double compatibility = 0;  ///< that, relative to the root mean square of f
  /// ||u - the exact solution of the discrete equations|| is at most this times ||f||, in the L2 norm of all points.
  /// NaN with a stretched axis.
  double error_bound = 0;
  /// Bytes of all encoded exchanges and ranks: without a codec, and as sent. 0 without a tolerance.
  double bytes_before = 0, bytes_after = 0;
};

/// What the differences lose, and what the transforms may lose then.
struct PoissonEstimate {
  double error = 0;      ///< relative L2 error of u against the solution of the differential equation
  double tolerance = 0;  ///< Options::tolerance with which the transforms add at most that once more; 0: none
};

/// The equation, made ready once, solved any number of times. Same bits on any number of ranks and threads.
class Poisson {
 public:
  /// Collective. `options.input`: who owns what of f and u; natural order if it is left alone. With `in_place` f and u
  /// may be the same memory. On a device f and u are there; arrays of the host are copied there and back. Without
  /// `project` the host looks at a copy of f. A stretched axis takes the host's arrays. Throws the same Error on every
  /// rank.
  Poisson(const Comm& comm, const PoissonProblem& problem, const Options& options = {});
  ~Poisson();
  Poisson(Poisson&&) noexcept;
  Poisson& operator=(Poisson&&) noexcept;

  [[nodiscard]] const Layout& layout() const;
  /// Memory for this rank's part of f or u.
  [[nodiscard]] Array make_array() const;
  /// The position of the point with this index. The box begins at 0, or with the first face.
  [[nodiscard]] Position position(const Coord& index) const;

  /// Collective. Throws on every rank Error(invalid_argument) for memory that does not fit and for an f without
  /// solution.
  PoissonReport solve(View f, View u);

  /// Collective. Of this f, by its modes: those of the differences against the exact ones, and how fast they fall
  /// towards the highest. One transform; the memory of the modes. Throws Error(unsupported) with a stretched axis, and
  /// with values at the ends.
  [[nodiscard]] PoissonEstimate estimate(View f);

  /// The transforms behind it.
  [[nodiscard]] const Plan& plan() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft::solvers
