// Calls that must not compile. Each line is followed by what the compiler says of it.
#include "shardfft/kokkos.hpp"

namespace sk = shardfft::kokkos;
using Kokkos::View, Kokkos::complex;
using Exec = Kokkos::DefaultHostExecutionSpace;

void refused(const Exec& exec) {
  const View<complex<double>**> c("c", 4, 4);
  const View<double**> r("r", 4, 4);
  sk::fft(exec, r, c);    // fft and ifft go from complex to complex; of reals take rfft and irfft
  sk::ifftn(exec, c, r);  // fft and ifft go from complex to complex; of reals take rfft and irfft
  sk::rfft2(exec, c, c);  // rfft and ihfft go from reals to complex
  sk::irfft(exec, r, c);  // irfft and hfft go from complex to reals
  sk::fft(exec, c, View<complex<float>**>("f", 4, 4));      // input and output are both of float or both of double
  sk::fft(exec, c, View<complex<double>*>("one axis", 4));  // input and output have the same rank
  sk::fft(exec, c, View<const complex<double>**>(c));       // the output is not const
  sk::rfft(exec, View<int**>("i", 4, 4), c);  // a View holds float, double, or Kokkos::complex or std::complex of them
  sk::fftn(exec, View<complex<double>*****>("c"),
           View<complex<double>*****>("c"));  // 1 to 4 axes are transformed; name them
  const sk::Plan plan(exec, c, c, shardfft::Direction::forward, -1);
  sk::execute(plan, r, c);  // execute() takes Views of the value type, rank and layout of the plan's
}
