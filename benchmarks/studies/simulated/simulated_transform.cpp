// simulated_transform SHAPE [OPTION VALUE]...: a transform forward and backward on ranks of MPI, here SimGrid's.
// OPTION is a name of an option of plans (decomposition), or kind. Four coefficients are compared with their
// definition, and what comes back with the input. Rank 0 prints the largest errors and what forward took. Status 1 if
// an error is above 1e-12.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/mpi.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/shardfft.hpp"

namespace sf = shardfft;

namespace {

constexpr double limit = 1e-12;

struct Errors {
  double coefficients = 0, round_trip = 0;  ///< relative to the norms
};

sf::Shape parse_shape(const std::string& text) {
  std::istringstream in(text);
  std::vector<sf::Index> extents;
  for (std::string extent; std::getline(in, extent, 'x');) extents.push_back(std::stoll(extent));
  return extents;
}

/// Calls visit(position, value) for each element of this rank.
template <class Visit>
void for_each_value(const sf::Layout& layout, const sf::Comm& comm, const sf::Array& array, bool complex,
                    Visit&& visit) {
  const std::span<const double> numbers = array.as<double>();
  sf::for_each_element(layout, comm.rank(), [&](const sf::Coord& at, std::size_t i) {
    visit(at, complex ? std::complex(numbers[2 * i], numbers[2 * i + 1]) : std::complex(numbers[i], 0.0));
  });
}

/// The definition: the sum over all x of in(x) exp(-2 pi i k x / n).
std::complex<double> coefficient(const sf::Plan& plan, const sf::Array& in, const sf::Coord& k) {
  const sf::Shape& n = plan.problem().shape;
  std::complex<double> sum;
  for_each_value(plan.input(), plan.comm(), in, plan.problem().kind == sf::c2c,
                 [&](const sf::Coord& x, std::complex<double> value) {
                   double turns = 0;
                   for (int a = 0; a < n.dims(); ++a)
                     turns += static_cast<double>(k[a] * x[a] % n[a]) / static_cast<double>(n[a]);
                   sum += value * std::polar(1.0, -2 * std::numbers::pi * turns);
                 });
  return {sf::all_sum(plan.comm(), sum.real()), sf::all_sum(plan.comm(), sum.imag())};
}

double error_of_coefficients(const sf::Plan& plan, const sf::Array& in, const sf::Array& out) {
  const sf::Shape& n = plan.problem().shape;
  double error = 0, norm2 = 0;
  for_each_value(plan.input(), plan.comm(), in, plan.problem().kind == sf::c2c,
                 [&](const sf::Coord&, std::complex<double> value) { norm2 += std::norm(value); });
  for (const sf::Index number : {1, 2, 3, 5}) {
    sf::Coord k = n;
    for (int a = 0; a < n.dims(); ++a) k[a] = (number * 7 + a) % (n[a] / 2 + 1);
    const std::complex<double> expected = coefficient(plan, in, k);
    for_each_value(plan.output(), plan.comm(), out, true, [&](const sf::Coord& at, std::complex<double> value) {
      if (at == k) error = std::max(error, std::abs(value - expected));
    });
  }
  return sf::all_max(plan.comm(), error) / std::sqrt(sf::all_sum(plan.comm(), norm2));
}

Errors run(sf::Plan& plan, double& seconds) {
  const bool complex = plan.problem().kind == sf::c2c;
  sf::Array in = plan.make_input(), out = plan.make_output();
  sf::fill_with_noise(plan.input(), plan.comm().rank(), sf::f64, complex, in, 1);
  const std::span<double> numbers = in.as<double>();
  const std::vector<double> original(numbers.begin(), numbers.end());
  plan.comm().barrier();
  const double begin = MPI_Wtime();
  plan.forward(in, out);
  seconds = sf::all_max(plan.comm(), MPI_Wtime() - begin);
  Errors errors{.coefficients = error_of_coefficients(plan, in, out)};
  std::ranges::fill(numbers, 0);
  plan.backward(out, in);
  double error = 0;
  for (std::size_t i = 0; i < original.size(); ++i) error = std::max(error, std::abs(numbers[i] - original[i]));
  errors.round_trip = sf::all_max(plan.comm(), error);
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  try {
    const sf::Comm comm = sf::mpi(MPI_COMM_WORLD);
    sf::Problem problem{.shape = parse_shape(argv[1])};
    sf::Options options{.threads = 1, .wisdom = false};
    for (int i = 2; i + 1 < argc; i += 2) {
      if (std::string(argv[i]) == "kind")
        problem.kind = std::string(argv[i + 1]) == "r2c" ? sf::r2c : sf::c2c;
      else
        sf::set_option(options, argv[i], argv[i + 1]);
    }
    double seconds = 0;
    sf::Plan plan(comm, problem, options);
    const Errors errors = run(plan, seconds);
    status = errors.coefficients <= limit && errors.round_trip <= limit ? 0 : 1;
    if (comm.rank() == 0)
      std::printf("%d ranks on %d nodes, error %.1e, round trip %.1e, forward %.6f simulated s: %s\n", comm.size(),
                  comm.nodes(), errors.coefficients, errors.round_trip, seconds, status == 0 ? "right" : "wrong");
  } catch (const std::exception& e) { std::fprintf(stderr, "simulated_transform: %s\n", e.what()); }
  MPI_Barrier(MPI_COMM_WORLD);  // SimGrid's MPI_Finalize waits for nobody, and plans that end tell the others
  MPI_Finalize();
  return status;
}
