#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <shardfft/shardfft.hpp>
namespace sf = shardfft;

double gaussian(const auto& k) {  // the spectrum of a bell of 3 pixels
  const double radius = 2 * std::numbers::pi * std::hypot(k[0] / 480., k[1] / 640.);  // radians per pixel
  return std::exp(-0.5 * 3 * 3 * radius * radius);
}

void solve(const sf::Comm& comm) {
  sf::Plan plan(comm, {.shape = {480, 640}, .kind = sf::r2c},
                {.input = sf::slabs(0), .in_place = true, .padded_reals = true});
  sf::Array image = plan.make_input();  // each row has room for its half spectrum
  const auto pixels = image.as<double>();
  const auto modes = image.as<std::complex<double>>();
  const auto rows = padded_rows(plan.input(), comm.rank());
  for_each_element(plan.input(), comm.rank(), rows,
                   [&](const sf::Coord& at, std::size_t i) { pixels[i] = at == sf::Coord{240, 320} ? 1 : 0; });
  plan.forward(image, image);
  for_each_element(plan.output(), comm.rank(),
                   [&](const sf::Coord& k, std::size_t i) { modes[i] *= gaussian(frequency(plan.problem(), k)); });
  plan.backward(image, image);
  for_each_element(plan.input(), comm.rank(), rows, [&](const sf::Coord& at, std::size_t i) {
    if (at[0] == 240 && (at[1] == 320 || at[1] == 323)) std::printf("column %d: %.5f\n", int(at[1]), pixels[i]);
  });
}
