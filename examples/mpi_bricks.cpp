// Bricks in, bricks out, on the ranks of MPI: mpirun -n 4 mpi_bricks. What a simulation with a three-dimensional domain
// decomposition needs.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <iostream>
#include <vector>

#include "shardfft/mpi.hpp"
#include "shardfft/shardfft.hpp"

namespace sf = shardfft;

/// Any field that depends on nothing but the position, so that it is the same on any number of ranks.
std::complex<float> field(const sf::Coord& at) {
  return {static_cast<float>((31 * at[0] + 17 * at[1] + 7 * at[2]) % 23) - 11,
          static_cast<float>((13 * at[0] + 5 * at[1] + 3 * at[2]) % 19) - 9};
}

/// Forward, verified, and back again. True when all is right on this rank.
bool round_trip(const sf::Comm& comm) {
  sf::Plan plan(comm, {.shape = {50, 36, 77}, .precision = sf::f32}, {.input = sf::bricks(), .output = sf::bricks()});
  sf::Array x = plan.make_input(), spectrum = plan.make_output(), back = plan.make_input();
  const auto before = x.as<std::complex<float>>(), after = back.as<std::complex<float>>();
  for_each_element(plan.input(), comm.rank(), [&](const sf::Coord& at, std::size_t i) { before[i] = field(at); });

  plan.forward(x, spectrum);
  const sf::Verdict verdict = plan.verify(x, spectrum);
  const std::uint64_t hash = plan.hash_output(spectrum);
  plan.backward(spectrum, back);

  float worst = 0;
  for (std::size_t i = 0; i < before.size(); ++i) worst = std::max(worst, std::abs(after[i] - before[i]));
  if (comm.rank() == 0) {
    std::cout << plan.describe() << '\n';
    std::printf("relative error %.1e (bound %.1e), hash %016llx (the same on any number of ranks)\n",
                verdict.error_rel_l2, verdict.bound, static_cast<unsigned long long>(hash));
  }
  return verdict.ok() && worst < 1e-4F;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int right = 0;
  try {
    right = round_trip(sf::mpi(MPI_COMM_WORLD)) ? 1 : 0;
  } catch (const sf::Error& error) {
    std::cerr << error.what() << '\n';  // the same text on every rank
  }
  MPI_Finalize();
  return right == 1 ? 0 : 1;
}
