#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <shardfft/mpi.hpp>
#include <shardfft/shardfft.hpp>
namespace sf = shardfft;

constexpr sf::Index n = 1 << 22, tone = 1234567;
struct Line {
  double amplitude;
  int frequency;
};

std::complex<double> sample(std::uint64_t t) {  // a weak tone in noise
  const std::uint64_t mixed = (t * 0x9E3779B97F4A7C15U ^ t >> 7) * 0xBF58476D1CE4E5B9U;
  const double noise = static_cast<double>(mixed >> 40) / (1 << 24) - 0.5;
  return noise + std::polar(0.1, 2 * std::numbers::pi * static_cast<double>(t * tone % n) / n);
}

void solve(const sf::Comm& comm) {
  sf::Plan plan(comm, {.shape = {n}, .forward = sf::Scaling::by_n}, {.input = sf::cyclic(0), .output = sf::cyclic(0)});
  sf::Array samples = plan.make_input(), spectrum = plan.make_output();
  const auto x = samples.as<std::complex<double>>();
  for_each_element(plan.input(), comm.rank(),
                   [&](const sf::Coord& at, std::size_t i) { x[i] = sample(static_cast<std::uint64_t>(at[0])); });
  plan.forward(samples, spectrum);
  Line mine{}, best{};
  for_each_element(plan.output(), comm.rank(), [&](const sf::Coord& at, std::size_t i) {
    const double amplitude = std::abs(spectrum.as<std::complex<double>>()[i]);
    if (amplitude > mine.amplitude) mine = {amplitude, static_cast<int>(at[0])};
  });
  MPI_Reduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  if (comm.rank() == 0) std::printf("strongest: frequency %d, amplitude %.3f\n", best.frequency, best.amplitude);
}
