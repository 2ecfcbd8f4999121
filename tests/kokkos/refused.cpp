// Calls that must not compile. Each line is followed by what the compiler says of it.
#include "shardfft/kokkos.hpp"

namespace sk = shardfft::kokkos;
using Kokkos::View, Kokkos::complex;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// Memory that the host does not reach, as that of a device.
struct Far {
  using memory_space = Far;
  using execution_space = Exec;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
};

// clang-format off: one call a line
void refused(const Exec& exec) {
  const View<complex<double>**> c("c", 4, 4);
  const View<complex<float>**> f("f", 4, 4);
  const View<const complex<double>**> fixed(c);
  const View<complex<double>*> c1("c1", 4);
  const View<complex<double>**, Far> far;
  const View<double**> r("r", 4, 4);
  const View<int**> i("i", 4, 4);
  sk::fft(exec, r, c);       // fft and ifft go from complex to complex; of reals take rfft and irfft
  sk::ifftn(exec, c, r);     // fft and ifft go from complex to complex; of reals take rfft and irfft
  sk::rfft2(exec, c, c);     // rfft and ihfft go from reals to complex
  sk::irfft(exec, r, c);     // irfft and hfft go from complex to reals
  sk::fft(exec, c, f);       // input and output are both of float or both of double
  sk::fft(exec, c, c1);      // input and output have the same rank
  sk::fft(exec, c, fixed);   // the output is not const
  sk::rfft(exec, i, c);      // a View holds float, double, or Kokkos::complex or std::complex of them
  sk::ifft(exec, far, far);  // the execution space reaches the memory of both Views
  sk::fftn(exec, c, c, sk::axis_type<0>{});  // one axis or more is transformed; name them
  const sk::Plan plan(exec, c, c, shardfft::Direction::forward, -1);
  sk::execute(plan, r, c);   // execute() takes Views of the value type, rank and layout of the plan's
}
// clang-format on
