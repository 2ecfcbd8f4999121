#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <shardfft/mpi.hpp>
#include <shardfft/shardfft.hpp>
namespace sf = shardfft;

void solve(const sf::Comm& comm) {
  sf::Plan plan(comm, {.shape = {64, 64, 64}, .kind = sf::r2c, .forward = sf::Scaling::by_n}, {.input = sf::slabs(0)});
  sf::Array field = plan.make_input(), modes = plan.make_output();
  for_each_element(plan.input(), comm.rank(), [&, u = field.as<double>()](const sf::Coord& at, std::size_t i) {
    const auto wave = [](sf::Index k) { return std::cos(2 * std::numbers::pi * static_cast<double>(k) / 64); };
    u[i] = wave(3 * at[0] + 4 * at[1]) + 0.5 * wave(12 * at[2]);
  });
  plan.forward(field, modes);
  double energy[33] = {}, total[33] = {};  // by shell: |k| rounded to a whole number
  for_each_element(plan.output(), comm.rank(), [&](const sf::Coord& at, std::size_t i) {
    const auto k = frequency(plan.problem(), at);
    const double radius = std::hypot(k[0], k[1], k[2]), pair = k[2] == 0 || k[2] == 32 ? 0.5 : 1;
    if (radius < 32.5) energy[std::lround(radius)] += pair * std::norm(modes.as<std::complex<double>>()[i]);
  });
  MPI_Reduce(energy, total, 33, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int shell = 0; shell <= 32 && comm.rank() == 0; ++shell)
    if (total[shell] > 1e-9) std::printf("shell %2d: energy %.4f\n", shell, total[shell]);
}
