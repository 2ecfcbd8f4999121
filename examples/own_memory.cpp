// Memory of one's own instead of the plan's arrays: a vector, part of a larger array, a grid with a halo, rows with
// padding in place. Each holds the same plane wave, and each spectrum has one peak, at the wave's frequency.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

#include "shardfft/shardfft.hpp"

namespace sf = shardfft;
using Number = std::complex<double>;
using Frequencies = std::array<double, sf::max_dims>;

const std::vector<int> shape{12, 10};  // a shape comes from any integers
const Frequencies peak{2, -3};

double turns(const sf::Coord& at) {
  return peak[0] * static_cast<double>(at[0]) / 12 + peak[1] * static_cast<double>(at[1]) / 10;
}
Number wave(const sf::Coord& at) { return std::polar(1.0, 2 * std::numbers::pi * turns(at)); }

// Largest distance from what the spectrum is: `height` at the wave's frequency and its mirror image's, if it has one,
// and 0 elsewhere.
double deviation(const sf::Plan& plan, std::span<const Number> spectrum, std::span<const sf::Placement> places,
                 double height, bool mirrored) {
  double worst = 0;
  for_each_element(plan.output(), 0, places, [&](const sf::Coord& at, std::size_t i) {
    const auto k = frequency(plan.problem(), at);
    const bool high = k == peak || (mirrored && k == Frequencies{-peak[0], -peak[1]});
    worst = std::max(worst, std::abs(spectrum[i] - (high ? height : 0.0)));
  });
  return worst;
}

// Any contiguous range of the right numbers is taken as it is; sf::View(pointer, bytes) takes the rest.
double in_vectors() {
  sf::Plan plan(sf::local(), {.shape = shape});
  std::vector<Number> x(120), y(120);
  for_each_element(plan.input(), 0, [&](const sf::Coord& at, std::size_t i) { x[i] = wave(at); });
  plan.forward(x, y);
  return deviation(plan, y, {}, 120, false);
}

// Rows of 10 in rows of 16, behind a halo of 3 rows and 2 columns. The halo is neither read nor written.
double with_a_halo() {
  const std::vector<sf::Placement> places{{.offset = 3 * 16 + 2, .strides = {16, 1}}};
  sf::Plan plan(sf::local(), {.shape = shape}, {.input_memory = places, .output_memory = places});
  std::vector<Number> x(18 * 16, 99), y(18 * 16, 77);
  for_each_element(plan.input(), 0, places, [&](const sf::Coord& at, std::size_t i) { x[i] = wave(at); });
  plan.forward(x, y);
  return y.front() == Number(77) ? deviation(plan, y, places, 120, false) : 1;
}

// Every third number: component 1 of vectors of three, which lie one after the other.
double one_component() {
  const std::vector<sf::Placement> places{{.offset = 1, .strides = {30, 3}}};
  sf::Plan plan(sf::local(), {.shape = shape}, {.input_memory = places});
  std::vector<Number> vectors(360), y(120);
  for_each_element(plan.input(), 0, places, [&](const sf::Coord& at, std::size_t i) { vectors[i] = wave(at); });
  plan.forward(vectors, y);
  return deviation(plan, y, {}, 120, false);
}

// Reals and their half spectrum in the same memory: rows of 10 reals have room for 12, which are 6 complex numbers.
double in_place() {
  sf::Plan plan(sf::local(), {.shape = shape, .kind = sf::r2c}, {.in_place = true, .padded_reals = true});
  std::vector<double> both(12 * 12);
  for_each_element(plan.input(), 0, sf::padded_rows(plan.input(), 0),
                   [&](const sf::Coord& at, std::size_t i) { both[i] = wave(at).real(); });
  const sf::View memory(both.data(), both.size() * sizeof(double));  // of no type: reals before, complex numbers after
  plan.forward(memory, memory);
  return deviation(plan, {reinterpret_cast<const Number*>(both.data()), both.size() / 2}, {}, 60, true);
}

int main() {
  const double worst = std::max({in_vectors(), with_a_halo(), one_component(), in_place()});
  std::printf("a wave in memory of four kinds: largest deviation of its spectrum %.1e\n", worst);
  return worst < 1e-12 ? 0 : 1;
}
