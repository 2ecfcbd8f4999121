// What a program that uses shardfft looks like: a plan, forward, backward, and a look at the result.
#include <algorithm>
#include <complex>
#include <cstdio>

#include "shardfft/shardfft.hpp"

int main() {
  namespace sf = shardfft;
  sf::Plan plan(sf::local(), {.shape = {6, 7, 8}});
  sf::Array x = plan.make_input(), spectrum = plan.make_output(), back = plan.make_input();
  x.as<std::complex<double>>()[0] = {3, -4};  // an impulse: its spectrum is the same number everywhere
  plan.forward(x, spectrum);
  plan.backward(spectrum, back);

  double worst = 0;
  for (const std::complex<double>& value : spectrum.as<std::complex<double>>())
    worst = std::max(worst, std::abs(value - std::complex<double>(3, -4)));
  const auto before = x.as<std::complex<double>>(), after = back.as<std::complex<double>>();
  for (std::size_t i = 0; i < before.size(); ++i) worst = std::max(worst, std::abs(before[i] - after[i]));
  std::printf("shardfft %s, largest deviation %.1e\n", SHARDFFT_VERSION, worst);
  return worst < 1e-13 ? 0 : 1;
}
