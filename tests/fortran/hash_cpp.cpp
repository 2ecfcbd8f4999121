// The hash of the transform that checks.f90 makes, from C++.
#include <cinttypes>
#include <complex>
#include <cstdio>
#include <vector>

#include "shardfft/shardfft.hpp"

int main() {
  std::vector<double> u;
  for (int k = 1; k <= 7; ++k)
    for (int j = 1; j <= 5; ++j)
      for (int i = 1; i <= 3; ++i) u.push_back((7 * k + 3 * j + i) % 11 - 0.125 * (i * j % 5));
  std::vector<std::complex<double>> z(7 * 5 * 2);
  shardfft::Plan plan(shardfft::local(), {.shape = {7, 5, 3}, .kind = shardfft::r2c},
                      {.input = shardfft::slabs(0), .output = shardfft::pencils(0)});
  plan.forward(u, z);
  std::printf("hash %016" PRIX64 "\n", static_cast<std::uint64_t>(plan.hash_output(z)));
}
