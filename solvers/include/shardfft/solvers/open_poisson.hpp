// Poisson's equation without boundaries: -laplacian(u) = f, where f is zero outside a box and u vanishes far away.
#pragma once

#include <memory>
#include <vector>

#include "shardfft/plan.hpp"
#include "shardfft/solvers/poisson.hpp"

namespace shardfft::solvers {

struct OpenProblem {
  Shape shape{};                  ///< points in the middle of cells, along 2 or 3 axes
  std::vector<double> lengths{};  ///< of the box; empty: 1 along each axis, or as `spacing` says
  std::vector<double> spacing{};  ///< of the points, instead
  Precision precision = f64;
};
/// The points of a box, without its ends and what belongs to them.
[[nodiscard]] OpenProblem without_ends(const PoissonProblem& box);

/// u = G * f, where G = 1/(4 pi r), in the plane -log(r)/(2 pi). G is cut off beyond the diagonal of the box, where
/// nobody sees it, and has a smooth spectrum then: the error falls faster than any power of the spacing, if f is smooth
/// and vanishes towards the faces of the box. Source: Vico, Greengard, Ferrando, J. Comput. Phys. 323 (2016).
class OpenPoisson {
 public:
  /// Collective. Makes the kernel: as much memory as f takes, for a while three times that. Options as for Poisson.
  OpenPoisson(const Comm& comm, const OpenProblem& problem, const Options& options = {});
  ~OpenPoisson();
  OpenPoisson(OpenPoisson&&) noexcept;
  OpenPoisson& operator=(OpenPoisson&&) noexcept;

  [[nodiscard]] const Layout& layout() const;
  [[nodiscard]] Array make_array() const;
  [[nodiscard]] Position position(const Coord& index) const;
  /// Collective. The bound of the error is as PoissonReport::error_bound.
  PoissonReport solve(View f, View u);
  [[nodiscard]] const Plan& plan() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft::solvers
