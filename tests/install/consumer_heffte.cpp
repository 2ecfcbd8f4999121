// A program written for heFFTe, on one rank.
#include <heffte.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    const heffte::box3d<> box({0, 0, 0}, {7, 4, 5});
    heffte::fft3d_r2c<heffte::backend::fftw> fft(box, box.r2c(0), 0, MPI_COMM_WORLD);
    const std::vector<double> ones(static_cast<std::size_t>(fft.size_inbox()), 1.0);
    const auto spectrum = fft.forward(ones, heffte::scale::full);
    right = std::abs(spectrum[0] - 1.0) < 1e-14 && std::abs(spectrum[1]) < 1e-14;
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
