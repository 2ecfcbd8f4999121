// Poisson's equation on five ranks that are threads of this process: no MPI, no launcher.
#include <cstdio>

#include "poisson.hpp"

int main() {
  bool right = true;
  shardfft::on_ranks(5, [&](shardfft::Comm comm) {
    const double worst = poisson_deviation(comm, {48, 40, 45});
    if (comm.rank() != 0) return;
    std::printf("poisson on %d ranks: largest deviation %.1e\n", comm.size(), worst);
    right = worst < 1e-12;
  });
  return right ? 0 : 1;
}
