// A program of another project that solves -laplacian(u) = f on a periodic box.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <shardfft/elements.hpp>
#include <shardfft/solvers/poisson.hpp>

int main() {
  using shardfft::Coord;
  shardfft::solvers::Poisson poisson(shardfft::local(), {.shape = {16, 12, 10}});
  shardfft::Array f = poisson.make_array(), u = poisson.make_array();
  const double h = 1.0 / 16, eigenvalue = std::pow(2 / h * std::sin(std::numbers::pi * h), 2);
  const auto wave = [&](const Coord& at) { return std::cos(2 * std::numbers::pi * static_cast<double>(at[0]) * h); };
  for_each_element(poisson.layout(), 0, [&](const Coord& at, std::size_t i) { f.as<double>()[i] = wave(at); });
  poisson.solve(f, u);
  double error = 0;
  for_each_element(poisson.layout(), 0, [&](const Coord& at, std::size_t i) {
    error = std::fmax(error, std::abs(u.as<double>()[i] * eigenvalue - wave(at)));
  });
  std::printf("solved: error %.1e\n", error);
  return error < 1e-13 ? 0 : 1;
}
