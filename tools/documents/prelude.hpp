// What blocks of C++ without `int main` may take for granted. tools/check_docs puts each into a function with the
// arguments of SHARDFFT_GIVEN, in braces of its own: it may define the same names anew.
#include <shardfft/shardfft.hpp>

#include <complex>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace sf = shardfft;

#define SHARDFFT_GIVEN                                                                                        \
  [[maybe_unused]] sf::Comm comm, [[maybe_unused]] sf::Problem problem, [[maybe_unused]] sf::Options options, \
      [[maybe_unused]] sf::Plan &plan, [[maybe_unused]] sf::Array &in, [[maybe_unused]] sf::Array &out,       \
      [[maybe_unused]] std::vector<double>&u, [[maybe_unused]] std::vector<std::complex<double>>&u_hat,       \
      [[maybe_unused]] int rank, [[maybe_unused]] void *stream
