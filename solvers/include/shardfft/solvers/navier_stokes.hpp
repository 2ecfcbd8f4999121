// Incompressible flow in a periodic box: du/dt = N(u) - grad p + viscosity laplacian(u), div u = 0.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"
#include "shardfft/view.hpp"

namespace shardfft::solvers {

/// How N is computed: u x curl(u) (9 transforms), -(u . grad) u (15), -div(u u) (9). All agree where products are not
/// aliased.
enum class Form { rotational, convective, divergence };
[[nodiscard]] std::string_view name(Form form);  ///< "rotational"

struct FlowProblem {
  Shape shape{};  ///< points along x, y, z: axes 0, 1, 2
  std::array<double, 3> lengths{2 * std::numbers::pi, 2 * std::numbers::pi, 2 * std::numbers::pi};  ///< of the box
  double viscosity = 0;
  Form form = Form::rotational;
  bool dealias = true;  ///< the 2/3 rule; false: all modes but those of the highest frequency of an even axis
  bool batched = true;  ///< three components in one transform, else one by one
  /// One Plan::apply_physical for a right-hand side: points are never stored. Rotational and batched alone, on the
  /// processor.
  bool fused = false;
  Precision precision = f64;
};

/// The parts of this rank's time. A sweep stores at peers, so an exchange counts waiting only.
struct FlowSeconds {
  double sweeps = 0;      ///< 1-D transforms with gather, scatter and scaling
  double exchanges = 0;   ///< waiting for peers
  double copies = 0;      ///< steps that only move
  double transforms = 0;  ///< all that transforms took, the three above included
  double points = 0;      ///< products
  double modes = 0;       ///< derivatives, projection, viscous term, Runge-Kutta
  double total = 0;       ///< in step()
};

/// What is known of a flow: sums over all modes with the same bits on any number of ranks.
struct FlowSums {
  double energy = 0;      ///< mean of |u|^2 / 2
  double enstrophy = 0;   ///< mean of |curl u|^2 / 2
  double divergence = 0;  ///< largest |k . u_k|
};

/// Fourier modes in space, the classic Runge-Kutta scheme of order 4 in time. Calls are collective but for look-ups.
/// On the processor the same bits on any number of ranks and threads. Source: docs/guide/navier_stokes.md.
class NavierStokes {
 public:
  using Velocity = std::function<std::array<double, 3>(double x, double y, double z)>;

  /// Layouts of `options` are not used; the input of plans is cut along x and their output along y. With a device the
  /// flow's arrays are in its memory, or, with arrays = "host", transforms alone go through it. Throws Error.
  NavierStokes(const Comm& comm, const FlowProblem& problem, const Options& options = {});
  ~NavierStokes();
  NavierStokes(NavierStokes&&) noexcept;
  NavierStokes& operator=(NavierStokes&&) noexcept;

  /// Starts at time 0 from the part of `u` without divergence, cut to the modes that are kept. `u` is called by several
  /// threads.
  void set(const Velocity& u);
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0, in units of the box over 2 pi.
  void taylor_green();
  /// One step, of the same length on all ranks: else Error(mismatch) on every rank. Throws on every rank
  /// Error(invalid_argument) where velocities blow up: with the step, the largest velocity and the largest step that is
  /// stable. The flow is lost then.
  void step(double dt);
  [[nodiscard]] double time() const;
  [[nodiscard]] Index steps() const;

  [[nodiscard]] FlowSums sums() const;
  [[nodiscard]] double energy() const { return sums().energy; }
  [[nodiscard]] double enstrophy() const { return sums().enstrophy; }
  [[nodiscard]] double dissipation() const;  ///< -dE/dt = 2 viscosity enstrophy
  [[nodiscard]] double divergence() const { return sums().divergence; }
  /// Energy in shells: number s has s - 1/2 <= |k| L / 2 pi < s + 1/2, where L is the longest length.
  [[nodiscard]] std::vector<double> spectrum() const;
  /// Largest |u| at the points when the last step began, or of set().
  [[nodiscard]] double largest_velocity() const;
  /// Largest stable time step for that velocity and viscosity.
  [[nodiscard]] double stable_step() const;

  /// This rank's part of the three components' modes, complex, in the layout state_layout(): u = sum of u_k exp(i k x).
  /// Memory of the host; of a flow on a device a copy, until it is asked for again.
  [[nodiscard]] View state() const;
  [[nodiscard]] const Layout& state_layout() const;
  [[nodiscard]] std::uint64_t hash() const;  ///< of the state, on any number of ranks
  /// Goes on from a state that this or another run had.
  void restore(View state, double time, Index steps);

  [[nodiscard]] const FlowSeconds& seconds() const;  ///< since it was made or forgotten
  void forget_seconds();
  [[nodiscard]] std::string describe() const;  ///< its plans
  [[nodiscard]] Space space() const;           ///< where its arrays are
  [[nodiscard]] const FlowProblem& problem() const;

 private:
  struct Impl;
  struct Arrays;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft::solvers
