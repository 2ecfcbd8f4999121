// What a call through the C interface costs: forward of 8 x 8 x 8 in C and in C++, turn by turn in one process, which
// holds both libraries.
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shardfft.h"
#include "shardfft/shardfft.hpp"

namespace {

using Numbers = std::vector<std::complex<double>>;
constexpr int rounds = 20001, calls = 20;  // short rounds: some of them are not interrupted

/// Nanoseconds of one call, as the mean of a round.
template <class Call>
double time_of(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / calls;
}

double quantile(std::vector<double> times, double share) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

void good(int status) {
  if (status == 0) return;
  std::fprintf(stderr, "%s\n", shardfft_error());
  std::exit(2);
}

}  // namespace

int main() {
  const int64_t shape[] = {8, 8, 8};
  Numbers in(512, {1, 2}), out(512);
  const std::size_t bytes = in.size() * sizeof in[0];
  shardfft::Plan plan(shardfft::local(), {.shape = {8, 8, 8}}, {.threads = 1});
  shardfft_comm comm = nullptr;
  shardfft_problem problem = nullptr;
  shardfft_options options = nullptr;
  shardfft_plan c_plan = nullptr;
  good(shardfft_comm_local(&comm));
  good(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
  good(shardfft_options_create(&options));
  good(shardfft_options_set(options, "threads", "1"));
  good(shardfft_plan_create(comm, problem, options, &c_plan));

  std::vector<double> in_cpp, in_c;
  for (int round = 0; round < rounds; ++round) {
    in_cpp.push_back(time_of([&] { plan.forward(in, out); }));
    in_c.push_back(time_of([&] { good(shardfft_forward(c_plan, in.data(), bytes, out.data(), bytes)); }));
  }
  for (const double share : {0.01, 0.1, 0.5})
    std::printf("%2.0f %% of the rounds take at most: C++ %.0f ns, C %.0f ns a call\n", 100 * share,
                quantile(in_cpp, share), quantile(in_c, share));
  good(shardfft_plan_destroy(c_plan));
  shardfft_options_destroy(options);
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
}
