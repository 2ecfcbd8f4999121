// A program of another project that transforms a Kokkos::View.
#include <cmath>
#include <cstdio>

#include <Kokkos_Core.hpp>
#include <shardfft/kokkos.hpp>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::View<double**, Kokkos::HostSpace> u("u", 6, 8), again("again", 6, 8);
  const Kokkos::View<Kokkos::complex<double>**, Kokkos::HostSpace> u_hat("u_hat", 6, 5);
  u(2, 3) = 1;
  shardfft::kokkos::rfft2(Kokkos::DefaultHostExecutionSpace(), u, u_hat);
  shardfft::kokkos::irfft2(Kokkos::DefaultHostExecutionSpace(), u_hat, again);
  std::printf("a View comes back: %.15f\n", again(2, 3));
  return std::abs(again(2, 3) - 1) < 1e-14 && std::abs(std::hypot(u_hat(1, 1).real(), u_hat(1, 1).imag()) - 1) < 1e-14
             ? 0
             : 1;
}
