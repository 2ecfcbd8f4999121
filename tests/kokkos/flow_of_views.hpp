// Incompressible flow in the box [0, 2 pi)^3 on Views, as Kokkos-FFT's benchmark of distributed plans computes it:
// -(u . grad) u takes four backward transforms and one forward, each of three components. The 2/3 rule, Runge-Kutta of
// order 4.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "shardfft/collective.hpp"
#include "some_views.hpp"

namespace shardfft::testing {

using Points = ViewOf<double, 4, Kokkos::LayoutRight>;                  // component, x, y, z; x is cut over the ranks
using Modes = ViewOf<Kokkos::complex<double>, 4, Kokkos::LayoutRight>;  // the same; y is cut over the ranks
using Extents = std::array<std::size_t, 3>;

/// Calls body(i, j, k) for each place of this rank's part.
template <class V, class Body>
void at_each_place(const V& view, const Body& body) {
  const auto extent = [&](std::size_t axis) { return static_cast<std::int64_t>(view.extent(axis)); };
  Kokkos::parallel_for(
      "flow", Kokkos::MDRangePolicy<Host, Kokkos::Rank<3>>({0, 0, 0}, {extent(1), extent(2), extent(3)}), body);
}

/// The wave vectors of this rank's modes.
struct Waves {
  int nx, ny, nz, first_y;
  KOKKOS_INLINE_FUNCTION static int frequency(int i, int n) { return i > n / 2 ? i - n : i; }
  KOKKOS_INLINE_FUNCTION Kokkos::Array<double, 3> at(int i, int j, int k) const {
    return {static_cast<double>(frequency(i, nx)), static_cast<double>(frequency(first_y + j, ny)),
            static_cast<double>(k)};
  }
  /// The 2/3 rule.
  KOKKOS_INLINE_FUNCTION bool keeps(int i, int j, int k) const {
    return 3 * std::abs(frequency(i, nx)) < nx && 3 * std::abs(frequency(first_y + j, ny)) < ny && 3 * k < nz;
  }
};

[[nodiscard]] KOKKOS_INLINE_FUNCTION double square(const Kokkos::Array<double, 3>& k) {
  return k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
}

class FlowOfViews {
 public:
  FlowOfViews(const Comm& comm, const Extents& n, double viscosity)
      : comm_(comm), n_(n), viscosity_(viscosity), plan_(Host(), u_, state_, axes, slabs_of_x(), slabs_of_y(), comm) {}

  /// Starts from the part of u without divergence; velocity(x, y, z) gives its components.
  template <class Velocity>
  void set(const Velocity& velocity) {
    const auto first = static_cast<double>(kokkos::local_start(points(), slabs_of_x(), comm_)[1]);
    const Points u = u_;
    const Extents n = n_;
    at_each_place(
        u, KOKKOS_LAMBDA(int i, int j, int k) {
          const auto place = [](double at, std::size_t m) {
            return 2 * std::numbers::pi * at / static_cast<double>(m);
          };
          const std::array<double, 3> value = velocity(place(first + i, n[0]), place(j, n[1]), place(k, n[2]));
          for (int c = 0; c < 3; ++c) u(c, i, j, k) = value[static_cast<std::size_t>(c)];
        });
    forward(u, state_);
    project(state_);
  }

  void step(double dt) {
    constexpr double shares[] = {1, 2, 2, 1}, ahead[] = {0.5, 0.5, 1, 0};
    Kokkos::deep_copy(before_, state_);
    Kokkos::deep_copy(after_, state_);
    for (int stage = 0; stage < 4; ++stage) {
      find_rate();
      move(after_, after_, shares[stage] * dt / 6);
      move(state_, before_, ahead[stage] * dt);
    }
    Kokkos::deep_copy(state_, after_);
  }

  /// Energy in shells: number s has s - 1/2 <= |k| < s + 1/2.
  [[nodiscard]] std::vector<double> spectrum(std::size_t shells) const {
    std::vector<double> energy(shells);
    for (std::size_t s = 0; s < shells; ++s) energy[s] = all_sum(comm_, energy_between(s - 0.5, s + 0.5));
    return energy;
  }

 private:
  static constexpr kokkos::axis_type<3> axes{1, 2, 3};
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(comm_.size()); }
  [[nodiscard]] std::array<std::size_t, 4> slabs_of_x() const { return {1, ranks(), 1, 1}; }
  [[nodiscard]] std::array<std::size_t, 4> slabs_of_y() const { return {1, 1, ranks(), 1}; }
  [[nodiscard]] std::array<std::size_t, 4> points() const { return {3, n_[0], n_[1], n_[2]}; }
  [[nodiscard]] std::array<std::size_t, 4> modes() const { return {3, n_[0], n_[1], n_[2] / 2 + 1}; }
  [[nodiscard]] Points some_points() const {
    const auto mine = kokkos::local_extents(points(), slabs_of_x(), comm_);
    return Points("points", mine[0], mine[1], mine[2], mine[3]);
  }
  [[nodiscard]] Modes some_modes() const {
    const auto mine = kokkos::local_extents(modes(), slabs_of_y(), comm_);
    return Modes("modes", mine[0], mine[1], mine[2], mine[3]);
  }
  [[nodiscard]] Waves waves() const {
    return {static_cast<int>(n_[0]), static_cast<int>(n_[1]), static_cast<int>(n_[2]),
            static_cast<int>(kokkos::local_start(modes(), slabs_of_y(), comm_)[2])};
  }

  void forward(const Points& from, const Modes& to) const {
    execute(plan_, from, to, Direction::forward, kokkos::Normalization::forward);
  }
  void backward(const Modes& from, const Points& to) const {
    execute(plan_, from, to, Direction::backward, kokkos::Normalization::forward);
  }

  /// to = from + dt rate
  void move(const Modes& to, const Modes& from, double dt) const {
    const Modes rate = rate_;
    at_each_place(
        to, KOKKOS_LAMBDA(int i, int j, int k) {
          for (int c = 0; c < 3; ++c) to(c, i, j, k) = from(c, i, j, k) + dt * rate(c, i, j, k);
        });
  }

  /// Keeps what the 2/3 rule keeps, without its part along k.
  void project(const Modes& field) const {
    const Waves all = waves();
    at_each_place(
        field, KOKKOS_LAMBDA(int i, int j, int k) {
          const auto wave = all.at(i, j, k);
          Kokkos::complex<double> along = 0;
          for (int c = 0; c < 3; ++c) along += wave[c] * field(c, i, j, k);
          along /= square(wave) > 0 ? square(wave) : 1;
          for (int c = 0; c < 3; ++c) {
            if (all.keeps(i, j, k))
              field(c, i, j, k) -= wave[c] * along;
            else
              field(c, i, j, k) = 0;
          }
        });
  }

  /// rate = P(-(u . grad) u) - viscosity k^2 u
  void find_rate() const {
    backward(state_, u_);
    Kokkos::deep_copy(product_, 0.0);
    for (int axis = 0; axis < 3; ++axis) subtract_advection_along(axis);
    forward(product_, rate_);
    project(rate_);
    const Waves all = waves();
    const Modes rate = rate_, state = state_;
    const double viscosity = viscosity_;
    at_each_place(
        rate, KOKKOS_LAMBDA(int i, int j, int k) {
          const double lost = viscosity * square(all.at(i, j, k));
          for (int c = 0; c < 3; ++c) rate(c, i, j, k) -= lost * state(c, i, j, k);
        });
  }

  /// product -= u_axis du/d_axis
  void subtract_advection_along(int axis) const {
    const Waves all = waves();
    const Modes derived = rate_, state = state_;
    at_each_place(
        derived, KOKKOS_LAMBDA(int i, int j, int k) {
          const Kokkos::complex<double> factor(0, all.at(i, j, k)[axis]);
          for (int c = 0; c < 3; ++c) derived(c, i, j, k) = factor * state(c, i, j, k);
        });
    backward(derived, gradient_);
    const Points u = u_, gradient = gradient_, product = product_;
    at_each_place(
        product, KOKKOS_LAMBDA(int i, int j, int k) {
          for (int c = 0; c < 3; ++c) product(c, i, j, k) -= u(axis, i, j, k) * gradient(c, i, j, k);
        });
  }

  /// Energy of this rank's modes with lo <= |k| < hi; those with k_z > 0 stand for their conjugates, too.
  [[nodiscard]] double energy_between(double lo, double hi) const {
    const Waves all = waves();
    const Modes state = state_;
    const auto extent = [&](std::size_t axis) { return static_cast<std::int64_t>(state.extent(axis)); };
    double energy = 0;
    Kokkos::parallel_reduce(
        "energy", Kokkos::MDRangePolicy<Host, Kokkos::Rank<3>>({0, 0, 0}, {extent(1), extent(2), extent(3)}),
        KOKKOS_LAMBDA(int i, int j, int k, double& sum) {
          const double length = std::sqrt(square(all.at(i, j, k)));
          if (length < lo || length >= hi) return;
          for (int c = 0; c < 3; ++c) {
            const Kokkos::complex<double> z = state(c, i, j, k);
            sum += (k == 0 ? 0.5 : 1) * (z.real() * z.real() + z.imag() * z.imag());
          }
        },
        energy);
    return energy;
  }

  Comm comm_;
  Extents n_;
  double viscosity_;
  Points u_ = some_points(), gradient_ = some_points(), product_ = some_points();
  Modes state_ = some_modes(), before_ = some_modes(), after_ = some_modes(), rate_ = some_modes();
  kokkos::Plan<Host, Points, Modes> plan_;
};

}  // namespace shardfft::testing
