// -laplace(u) + u = f on a periodic box [0, 2 pi)^3, with transforms that are as exact as the grid deserves.
//
// In Fourier space u_k = f_k / (1 + |k|^2). Two errors meet in u: that of the grid, since n points along an axis know
// nothing of wave numbers above n/2, and that of the transforms. Exact transforms on a coarse grid send many bytes for
// digits that are wrong anyway. Here the solution is known, and both errors can be seen:
//
//   approximate_poisson            a few rows, and whether they are right
//   approximate_poisson --table    all of docs/approximate.md, as lines of "n tolerance error bytes bytes_exact"
//
// Ranks are threads, as if each were a node of its own (encode_near); on a cluster, leave encode_near out.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <numeric>
#include <span>

#include "shardfft/shardfft.hpp"

namespace sf = shardfft;

// g(x) = (1 - r^2) / (1 - 2 r cos x + r^2) has the Fourier coefficients r^|k|: smooth, but not all too much. u = g(x)
// g(y) g(z).
struct Known {
  static constexpr double r = 0.7;
  double g = 0, g2 = 0;  ///< the function and its second derivative
  explicit Known(double x) {
    const double d = 1 - 2 * r * std::cos(x) + r * r, d1 = 2 * r * std::sin(x), d2 = 2 * r * std::cos(x);
    g = (1 - r * r) / d;
    g2 = (1 - r * r) * (2 * d1 * d1 / (d * d * d) - d2 / (d * d));
  }
};

struct Solution {
  double error = 0;  ///< ||u - known|| / ||known|| over the points of the grid
  double bytes = 0;  ///< that both transforms sent between ranks
  double bytes_exact = 0;
  double f_by_u = 0;  ///< ||f|| / ||u||
};

double sum(const sf::Comm& comm, double mine) {
  std::vector<double> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return std::accumulate(all.begin(), all.end(), 0.0);
}

// With tolerance 0 nothing is encoded, and the codec that loses nothing counts the bytes.
Solution solve(const sf::Comm& comm, sf::Index n, double tolerance) {
  sf::Options options{.input = sf::pencils(2),
                      .output = sf::pencils(0),
                      .tolerance = tolerance,
                      .threads = 1,
                      .expert = {.codec = tolerance > 0 ? "block_float" : "lossless", .encode_near = true}};
  sf::Plan plan(comm, {.shape = {n, n, n}, .kind = sf::r2c}, options);
  sf::Array field = plan.make_input(), modes = plan.make_output();
  std::vector<Known> known;
  for (sf::Index i = 0; i < n; ++i)
    known.emplace_back(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  const auto at = [&](const sf::Coord& c, int axis) { return known[static_cast<std::size_t>(c[axis])]; };

  double f2 = 0;
  const auto u = field.as<double>();
  for_each_element(plan.input(), comm.rank(), [&](const sf::Coord& c, std::size_t i) {
    const Known x = at(c, 0), y = at(c, 1), z = at(c, 2);
    u[i] = x.g * y.g * z.g - (x.g2 * y.g * z.g + x.g * y.g2 * z.g + x.g * y.g * z.g2);
    f2 += u[i] * u[i];
  });
  plan.forward(field, modes);
  sf::Loss loss = plan.loss();
  Solution s{.bytes = loss.bytes_after, .bytes_exact = loss.bytes_before};
  const auto f = modes.as<std::complex<double>>();
  for_each_element(plan.output(), comm.rank(), [&](const sf::Coord& place, std::size_t i) {
    double square = 0;
    for (const double k : frequency(plan.problem(), place)) square += k * k;
    f[i] /= 1 + square;
  });
  plan.backward(modes, field);
  loss = plan.loss();
  s.bytes += loss.bytes_after;
  s.bytes_exact += loss.bytes_before;
  if (tolerance == 0) s.bytes = s.bytes_exact;

  double error2 = 0, norm2 = 0;
  for_each_element(plan.input(), comm.rank(), [&](const sf::Coord& c, std::size_t i) {
    const double exact = at(c, 0).g * at(c, 1).g * at(c, 2).g;
    error2 += (u[i] - exact) * (u[i] - exact);
    norm2 += exact * exact;
  });
  s.error = std::sqrt(sum(comm, error2) / sum(comm, norm2));
  s.f_by_u = std::sqrt(sum(comm, f2) / sum(comm, norm2));
  return s;
}

int main(int argc, char** argv) {
  const bool table = argc > 1 && std::strcmp(argv[1], "--table") == 0;
  const std::vector<sf::Index> sizes =
      table ? std::vector<sf::Index>{16, 24, 32, 48, 64, 96, 128} : std::vector<sf::Index>{16, 32, 48};
  std::vector<double> tolerances{0};
  for (double e = table ? 1e-11 : 1e-6; e < 0.2; e *= table ? 10 : 100) tolerances.push_back(e);
  bool right = true;
  if (!table) std::printf("-laplace(u) + u = f on 4 ranks: the error of u, and what was sent\n");
  for (const sf::Index n : sizes) {
    double exact_error = 0;
    for (const double tolerance : tolerances)
      shardfft::on_ranks(4, [&](sf::Comm comm) {
        const Solution s = solve(comm, n, tolerance);
        if (comm.rank() != 0) return;
        if (tolerance == 0) exact_error = s.error;
        // Each transform keeps the tolerance: what the first one loses of f is at most tolerance * ||f||, and the
        // division only makes it smaller.
        right = right && s.error <= exact_error + tolerance * (s.f_by_u + 2);
        std::printf(table ? "%ld %g %.6e %.0f %.0f\n" : "n %3ld  tolerance %-6g  error %.1e  %8.0f of %.0f bytes\n",
                    static_cast<long>(n), tolerance, s.error, s.bytes, s.bytes_exact);
      });
  }
  return right ? 0 : 1;
}
