// A plan in approximate mode beside one in exact mode, on the same data.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "shardfft/shardfft.hpp"
#include "support/comm/agree.hpp"
#include "support/problems/approximation.hpp"

namespace shardfft::testing {

inline Options exactly(Options o) {
  o.tolerance = o.tolerance_absolute = o.tolerance_linf = 0;
  o.expert.codec = o.guarantee = "";
  if (!o.device.empty()) {  // the host's result, by its own choices
    o.device = o.arrays = o.expert.transport = o.expert.engine = "";
    o.expert.fuse = -1;
    o.expert.tile = 0;
  }
  return o;
}

/// What one rank has of both results, and what is known of all ranks'.
template <class T>
struct Beside {
  std::vector<T> got{}, exact{};
  Loss loss{};
  double arithmetic = 0;  ///< bound of exact mode
  double norm = 0;        ///< L2 of the exact result
  double error = 0;       ///< L2 of the difference, not relative
  double largest = 0;     ///< difference of any element
  double elements = 0;
  [[nodiscard]] double relative() const { return norm > 0 ? error / norm : error; }
  [[nodiscard]] double largest_by_rms() const { return largest / (norm / std::sqrt(elements)); }
};

template <class T>
void compare(const Comm& comm, bool complex, Beside<T>& b) {
  double error2 = 0, norm2 = 0, largest2 = 0;
  const std::size_t per = complex ? 2 : 1;
  for (std::size_t i = 0; i < b.exact.size(); i += per) {
    double off2 = 0;
    for (std::size_t k = i; k < i + per; ++k) {
      off2 += std::pow(static_cast<double>(b.got[k]) - static_cast<double>(b.exact[k]), 2);
      norm2 += std::pow(static_cast<double>(b.exact[k]), 2);
    }
    error2 += off2;
    largest2 = std::max(largest2, off2);
  }
  b.error = std::sqrt(all_sum(comm, error2));
  b.norm = std::sqrt(all_sum(comm, norm2));
  b.largest = std::sqrt(all_max(comm, largest2));
  b.elements = all_sum(comm, static_cast<double>(b.exact.size() / per));
}

/// Collective. The layouts in `options` are given, so that both plans have the same.
template <class T>
Beside<T> beside_exact(const Comm& comm, const Problem& problem, const Options& options, const Whole& x,
                       Direction direction = Direction::forward, bool split = false) {
  Plan plan(comm, problem, options), exact(comm, problem, exactly(options));
  const bool forward = direction == Direction::forward;
  const Layout &from = forward ? plan.input() : plan.output(), &to = forward ? plan.output() : plan.input();
  const bool complex_from = problem.kind == c2c || (problem.kind == r2c) != forward,
             complex_to = problem.kind == c2c || (problem.kind == r2c) == forward;
  LocalData<T> in(packed_memory(from, comm.rank()), complex_from), out(packed_memory(to, comm.rank()), complex_to),
      out2 = out;
  in.fill(x);
  if (!options.device.empty()) {
    run_on_device(plan, direction, options.in_place, in, out);
  } else if (split) {
    plan.start(direction, in.view(), out.view());
    while (!plan.test()) std::this_thread::yield();
    plan.wait();
  } else {
    run(plan, direction, options.in_place, in, out);
  }
  run(exact, direction, options.in_place, in, out2);
  Beside<T> b{.loss = plan.loss(), .arithmetic = exact.error_bound()};
  const auto n = static_cast<std::ptrdiff_t>(out.view().bytes / sizeof(T));
  b.got.assign(out.raw().begin(), out.raw().begin() + n);
  b.exact.assign(out2.raw().begin(), out2.raw().begin() + n);
  compare(comm, complex_to, b);
  return b;
}

template <class T>
[[nodiscard]] bool same_bits(const Beside<T>& b) {
  return b.got.empty() || std::memcmp(b.got.data(), b.exact.data(), b.got.size() * sizeof(T)) == 0;
}

/// Whether each complex number is finite in both results or in neither. Which of its two reals are not says how a
/// library computes: inf times a twiddle factor of 1 is inf, and of 1 + 0i has a NaN as well.
template <class T>
[[nodiscard]] bool same_complex_numbers_are_finite(const Beside<T>& b) {
  const auto finite = [](const std::vector<T>& v, std::size_t i) {
    return std::isfinite(v[i]) && std::isfinite(v[i + 1]);
  };
  for (std::size_t i = 0; i + 1 < b.exact.size(); i += 2)
    if (finite(b.got, i) != finite(b.exact, i)) return false;
  return true;
}

}  // namespace shardfft::testing
