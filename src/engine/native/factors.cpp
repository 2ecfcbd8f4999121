#include "engine/native/factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "engine/native/step.hpp"

namespace shardfft::native {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Vector operations per element of a pass: arithmetic of the butterfly, plus what its loads, stores and loop are worth.
/// Measured in cache on AVX-512; only the order of magnitude and the order among the radices matter.
double pass_cost(int radix) {
  switch (radix) {
    case 2: return 3 + 8;
    case 3: return 6 + 7;
    case 4: return 6 + 6;
    case 5: return 9 + 6;
    case 6: return 9 + 5;
    case 7: return 12 + 6;
    case 8: return 9 + 5;
    case 9: return 12 + 5;
    case 10: return 12 + 5;
    case 11: return 17 + 8;
    case 12: return 12 + 6;
    case 13: return 20 + 9;
    case 16: return 12 + 8;
    default: return 1.4 * radix + 20;
  }
}

/// Cheapest product of radices for every divisor on the way down from n; remembers what it has seen.
class Search {
 public:
  /// Cost per element; the radices by next_radix.
  double cost(Index n) {
    if (n == 1) return 0;
    if (const auto seen = seen_.find(n); seen != seen_.end()) return seen->second.cost;
    Choice best;
    for (const int radix : own_radices) try_radix(n, radix, best);
    if (best.cost == infinite) try_radix(n, largest_prime(n), best);
    seen_[n] = best;
    return best.cost;
  }

  std::vector<int> radices(Index n) {
    std::vector<int> list;
    for (; n > 1; n /= list.back()) list.push_back(seen_.at(n).radix);
    std::ranges::sort(list, std::greater());
    return list;
  }

 private:
  struct Choice {
    double cost = infinite;
    int radix = 0;
  };

  void try_radix(Index n, Index radix, Choice& best) {
    if (radix > max_radix || n % radix != 0) return;
    const double total = pass_cost(static_cast<int>(radix)) + cost(n / radix);
    if (total < best.cost) best = {total, static_cast<int>(radix)};
  }

  static Index largest_prime(Index n) {
    Index prime = 1;
    for (Index p = 2; p * p <= n; ++p)
      for (; n % p == 0; n /= p) prime = p;
    return std::max(prime, n);
  }

  std::map<Index, Choice> seen_{};
};

bool has_small_factors_only(Index n) {
  for (const int p : {2, 3, 5, 7})
    while (n % p == 0) n /= p;
  return n == 1;
}

/// Both transforms of the convolution, and the products around them.
Decomposition convolution_for(Index n) {
  Decomposition best{.n = n, .cost = infinite};
  const Index least = 2 * n - 1;
  for (Index padded = least; padded <= least + least / 4 + 4; ++padded) {
    if (!has_small_factors_only(padded)) continue;
    const Decomposition whole = decompose_directly(padded);
    const double cost = 2 * whole.cost + 16.0 * static_cast<double>(padded);
    if (cost < best.cost) best = {n, whole.radices, padded, cost};
  }
  return best;
}

}  // namespace

Decomposition decompose_directly(Index n) {
  Search search;
  const double cost = search.cost(n);
  if (cost == infinite) return {.n = n, .cost = infinite};
  return {.n = n, .radices = search.radices(n), .cost = cost * static_cast<double>(n)};
}

Decomposition decompose(Index n) {
  const Decomposition direct = decompose_directly(n);
  if (std::ranges::all_of(direct.radices, [](int r) { return r <= max_own_radix; }) && direct.cost < infinite) return direct;
  const Decomposition convolved = convolution_for(n);
  return direct.cost <= convolved.cost ? direct : convolved;
}

std::string Decomposition::describe() const {
  std::string product = radices.empty() ? "1" : "";
  for (const int radix : radices) product += fmt::format("{}{}", product.empty() ? "" : "x", radix);
  return padded == 0 ? product : fmt::format("bluestein {} = {}", padded, product);
}

}  // namespace shardfft::native
