#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <shardfft/mpi.hpp>
#include <shardfft/shardfft.hpp>
namespace sf = shardfft;

double exact(const sf::Coord& at) {  // u on 96 points along each axis of [0, 2 pi)^3
  const auto wave = [](sf::Index k) { return std::sin(2 * std::numbers::pi * static_cast<double>(k) / 96); };
  return wave(at[0]) * wave(2 * at[1]) * wave(3 * at[2]);
}

void solve(const sf::Comm& comm) {  // -laplace(u) = f: u_k = f_k / |k|^2
  sf::Plan plan(comm, {.shape = {96, 96, 96}, .kind = sf::r2c}, {.input = sf::pencils(2), .output = sf::pencils(0)});
  sf::Array field = plan.make_input(), modes = plan.make_output();
  const auto u = field.as<double>();
  const auto u_k = modes.as<std::complex<double>>();
  for_each_element(plan.input(), comm.rank(), [&](const sf::Coord& at, std::size_t i) { u[i] = 14 * exact(at); });
  plan.forward(field, modes);
  for_each_element(plan.output(), comm.rank(), [&](const sf::Coord& at, std::size_t i) {
    const auto k = frequency(plan.problem(), at);
    const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    u_k[i] = k2 == 0 ? 0 : u_k[i] / k2;
  });
  plan.backward(modes, field);
  double mine = 0, worst = 0;
  for_each_element(plan.input(), comm.rank(),
                   [&](const sf::Coord& at, std::size_t i) { mine = std::fmax(mine, std::abs(u[i] - exact(at))); });
  MPI_Reduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (comm.rank() == 0) std::printf("largest error %s 1e-12\n", worst < 1e-12 ? "below" : "above");
}
