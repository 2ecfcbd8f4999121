// Four ranks in one process, each on a device of its own where there are so many: a GPU, or the emulated device where
// there is none. A spike goes in, a wave comes out, and back.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "shardfft/shardfft.hpp"

namespace sf = shardfft;

// Largest error of the transform of a spike at (1, 2, 3), and of the way back.
double error_on(const sf::Comm& comm, const std::string& device) {
  const sf::Shape shape{24, 20, 30};
  sf::Plan plan(comm, {.shape = shape}, {.input = sf::slabs(0), .output = sf::slabs(1), .device = device});
  sf::Array spike = plan.make_input(), wave = plan.make_output();  // memory of this rank's device

  // The host fills an array of its own, which is copied there.
  std::vector<std::complex<double>> x(plan.input_bytes() / sizeof(std::complex<double>)),
      y(plan.output_bytes() / sizeof(std::complex<double>));
  for_each_element(plan.input(), comm.rank(),
                   [&](const sf::Coord& at, std::size_t i) { x[i] = at == sf::Coord{1, 2, 3} ? 1 : 0; });
  plan.copy(x, spike);

  plan.forward(spike, wave);  // returns when it was asked for
  plan.copy(wave, y);         // comes after it, and waits

  double error = 0;
  for_each_element(plan.output(), comm.rank(), [&](const sf::Coord& k, std::size_t i) {
    double turns = 0;
    for (int a = 0; a < 3; ++a) turns -= static_cast<double>(k[a] * (a + 1)) / static_cast<double>(shape[a]);
    error = std::max(error, std::abs(y[i] - std::polar(1.0, 2 * std::numbers::pi * turns)));
  });

  plan.backward(wave, spike);
  plan.copy(spike, x);
  for_each_element(plan.input(), comm.rank(), [&](const sf::Coord& at, std::size_t i) {
    error = std::max(error, std::abs(x[i] - (at == sf::Coord{1, 2, 3} ? 1.0 : 0.0)));
  });
  if (comm.rank() == 0) std::printf("%s", plan.describe().c_str());
  return error;
}

int main() {
  const std::string device = sf::device_count("cuda") > 0 ? "cuda" : sf::device_count("hip") > 0 ? "hip" : "emulated";
  if (device == "emulated") std::printf("no GPU (%s): on devices in host memory\n", sf::why_no_device("cuda").c_str());
  std::atomic<bool> right = true;
  sf::on_ranks(4, [&](const sf::Comm& comm) {
    const double error = error_on(comm, device);
    std::printf("rank %d of %d on %s: largest error %.1e\n", comm.rank(), comm.size(), device.c_str(), error);
    if (!(error < 1e-13)) right = false;
  });
  return right ? 0 : 1;
}
