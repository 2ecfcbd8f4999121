// -laplace(u) = f on a periodic box [0, 2 pi)^3. In Fourier space u_k = f_k / |k|^2, and mean(u) = 0.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "shardfft/shardfft.hpp"

/// Divides every mode by |k|^2; mode 0 becomes 0.
inline void invert_laplacian(const shardfft::Plan& plan, std::span<std::complex<double>> f) {
  for_each_element(plan.output(), plan.comm().rank(), [&](const shardfft::Coord& at, std::size_t i) {
    double square = 0;
    for (const double k : frequency(plan.problem(), at)) square += k * k;
    f[i] = square == 0 ? 0 : f[i] / square;
  });
}

/// Collective. Solves for f = 14 u, u = sin(x) cos(2y) sin(3z), whatever the number of ranks, and returns the largest
/// deviation on all ranks.
inline double poisson_deviation(const shardfft::Comm& comm, const shardfft::Shape& shape) {
  namespace sf = shardfft;
  sf::Plan plan(comm, {.shape = shape, .kind = sf::r2c}, {.input = sf::slabs(0), .output = sf::any_layout});
  sf::Array field = plan.make_input(), modes = plan.make_output();

  const auto exact = [&](const sf::Coord& at) {
    const auto angle = [&](int axis) {
      return 2 * std::numbers::pi * static_cast<double>(at[axis]) / static_cast<double>(shape[axis]);
    };
    return std::sin(angle(0)) * std::cos(2 * angle(1)) * std::sin(3 * angle(2));
  };
  const auto u = field.as<double>();
  for_each_element(plan.input(), comm.rank(),
                   [&](const sf::Coord& at, std::size_t i) { u[i] = (1 + 4 + 9) * exact(at); });

  plan.forward(field, modes);
  invert_laplacian(plan, modes.as<std::complex<double>>());
  plan.backward(modes, field);

  double worst = 0;
  for_each_element(plan.input(), comm.rank(),
                   [&](const sf::Coord& at, std::size_t i) { worst = std::max(worst, std::abs(u[i] - exact(at))); });
  std::vector<double> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&worst, 1)), std::as_writable_bytes(std::span(all)));
  return *std::max_element(all.begin(), all.end());
}
