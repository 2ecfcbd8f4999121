// A batch: the three components of a velocity field are axis 0, which is not transformed. Its vorticity is computed in
// Fourier space,
//   omega = curl u,  omega_k = i k x u_k,
// for the Taylor-Green vortex u = (sin x cos y cos z, -cos x sin y cos z, 0) on [0, 2 pi)^3, whose vorticity is known:
//   omega = (-cos x sin y sin z, -sin x cos y sin z, 2 sin x sin y cos z).
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

#include "shardfft/shardfft.hpp"

namespace sf = shardfft;
using Vector = std::array<double, 3>;

constexpr sf::Index n = 32;

Vector velocity(double x, double y, double z) {
  return {std::sin(x) * std::cos(y) * std::cos(z), -std::cos(x) * std::sin(y) * std::cos(z), 0};
}

Vector vorticity(double x, double y, double z) {
  return {-std::cos(x) * std::sin(y) * std::sin(z), -std::sin(x) * std::cos(y) * std::sin(z),
          2 * std::sin(x) * std::sin(y) * std::cos(z)};
}

/// Field value of component at[0] at grid point at[1..3].
template <class Field>
double value(Field field, const sf::Coord& at) {
  const auto angle = [&](int axis) {
    return 2 * std::numbers::pi * static_cast<double>(at[axis]) / static_cast<double>(n);
  };
  return field(angle(1), angle(2), angle(3))[static_cast<std::size_t>(at[0])];
}

/// Replaces the components u_k of every mode by those of i k x u_k.
void curl(const sf::Plan& plan, std::span<std::complex<double>> field) {
  const std::size_t modes =
      field.size() / 3;  // axis 0 is the slowest in memory: component c of mode m is field[c * modes + m]
  for_each_element(plan.output(), 0, [&](const sf::Coord& at, std::size_t i) {
    if (at[0] != 0) return;
    const auto k = frequency(plan.problem(), at);
    const double kx = k[1], ky = k[2], kz = k[3];
    std::complex<double>&u = field[i], &v = field[i + modes], &w = field[i + 2 * modes];
    const std::complex<double> turn(0, 1);
    const std::array omega{turn * (ky * w - kz * v), turn * (kz * u - kx * w), turn * (kx * v - ky * u)};
    u = omega[0], v = omega[1], w = omega[2];
  });
}

int main() {
  const sf::LayoutSpec whole = sf::slabs(0).ordered({0, 1, 2, 3});
  sf::Plan plan(sf::local(), {.shape = {3, n, n, n}, .kind = sf::r2c, .axes = {1, 2, 3}},
                {.input = whole, .output = whole});
  sf::Array field = plan.make_input(), spectrum = plan.make_output();

  const auto u = field.as<double>();
  for_each_element(plan.input(), 0, [&](const sf::Coord& at, std::size_t i) { u[i] = value(velocity, at); });
  plan.forward(field, spectrum);
  curl(plan, spectrum.as<std::complex<double>>());
  plan.backward(spectrum, field);

  double worst = 0;
  for_each_element(plan.input(), 0, [&](const sf::Coord& at, std::size_t i) {
    worst = std::max(worst, std::abs(u[i] - value(vorticity, at)));
  });
  std::printf("vorticity of the Taylor-Green vortex on %lld^3 points: largest deviation %.1e\n",
              static_cast<long long>(n), worst);
  return worst < 1e-12 ? 0 : 1;
}
