// The first program: one process, all its cores. Two plane waves go in, their two frequencies come out.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

#include "shardfft/shardfft.hpp"

namespace sf = shardfft;

int main() {
  const sf::Shape shape{60, 64, 97};  // any lengths; 97 is prime
  sf::Plan plan(sf::local(), {.shape = shape});
  sf::Array wave = plan.make_input(), spectrum = plan.make_output();

  // wave = exp(2 pi i (3 x/60 + 5 y/64)) + 0.5 exp(2 pi i 7 z/97)
  const auto x = wave.as<std::complex<double>>();
  for_each_element(plan.input(), 0, [&](const sf::Coord& at, std::size_t i) {
    const auto turns = [&](int axis, int k) {
      return 2 * std::numbers::pi * k * static_cast<double>(at[axis]) / static_cast<double>(shape[axis]);
    };
    x[i] = std::polar(1.0, turns(0, 3) + turns(1, 5)) + std::polar(0.5, turns(2, 7));
  });

  plan.forward(wave, spectrum);

  double elsewhere = 0;  // largest |X| where nothing should be
  bool both_found = true;
  const double count = static_cast<double>(sf::product(shape));
  const auto X = spectrum.as<std::complex<double>>();
  for_each_element(plan.output(), 0, [&](const sf::Coord& k, std::size_t i) {
    const double expected = k == sf::Coord{3, 5, 0} ? count : k == sf::Coord{0, 0, 7} ? count / 2 : 0;
    if (expected == 0) {
      elsewhere = std::max(elsewhere, std::abs(X[i]));
      return;
    }
    std::printf("frequency %s: amplitude %.3f\n", sf::to_string(k).c_str(), std::abs(X[i]) / count);
    both_found = both_found && std::abs(X[i] - expected) < 1e-9 * count;
  });

  const sf::Verdict verdict = plan.verify(wave, spectrum);
  std::printf("elsewhere at most %.1e; measured relative error %.1e, bound %.1e\n\n%s\n", elsewhere / count,
              verdict.error_rel_l2, verdict.bound, plan.describe().c_str());
  return both_found && elsewhere < 1e-9 * count && verdict.ok() ? 0 : 1;
}
