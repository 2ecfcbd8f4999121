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

/// Time of a pass per element of the tile, in vector operations: arithmetic of the butterfly, and what its loads, stores and loop are worth.
/// Fitted to measurements on AVX-512; only the order of magnitude and the order among the radices matter.
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
    case 16: return 12 + 6;
    default: return 1.2 * radix + 12;
  }
}

/// Of the steps around the two transforms of a convolution, per element of it.
constexpr double rader_cost = 30, bluestein_cost = 24;

/// Too many registers for a pass with twiddles.
constexpr int first_only = 16;

/// Cheapest product of radices for every divisor on the way down from n; remembers what it has seen.
class Search {
 public:
  /// Cost per element; the radices by next_radix.
  double cost(Index n) {
    if (n == 1) return 0;
    if (const auto seen = seen_.find(n); seen != seen_.end()) return seen->second.cost;
    Choice best;
    for (const int radix : own_radices)
      if (radix != first_only) try_radix(n, radix, best);
    if (best.cost == infinite) try_radix(n, largest_prime(n), best);
    seen_[n] = best;
    return best.cost;
  }

  /// The radices behind cost(n), largest first.
  std::vector<int> radices(Index n) const {
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

/// The last pass runs over the whole tile, outside the first-level cache: there, too, a large radix pays.
void put_second_largest_last(std::vector<int>& radices) {
  if (radices.size() > 2) std::rotate(radices.begin() + 1, radices.begin() + 2, radices.end());
}

Decomposition impossible(Index n) { return {.n = n, .inner = n, .cost = infinite}; }

bool has_small_factors_only(Index n) {
  for (const int p : {2, 3, 5, 7})
    while (n % p == 0) n /= p;
  return n == 1;
}

Decomposition by_bluestein(Index n) {
  Decomposition best = impossible(n);
  const Index least = 2 * n - 1;
  for (Index inner = least; inner <= least + least / 4 + 4; ++inner) {
    if (!has_small_factors_only(inner)) continue;
    const Decomposition whole = decompose_directly(inner);
    const double cost = 2 * whole.cost + bluestein_cost * static_cast<double>(inner);
    if (cost < best.cost) best = {n, Method::bluestein, inner, whole.radices, cost};
  }
  return best;
}

Decomposition by_rader(Index n) {
  if (n == 2 || !is_prime(n)) return impossible(n);
  const Decomposition whole = decompose_directly(n - 1);
  return {n, Method::rader, n - 1, whole.radices, 2 * whole.cost + rader_cost * static_cast<double>(n)};
}

}  // namespace

bool is_prime(Index n) {
  for (Index p = 2; p * p <= n; ++p)
    if (n % p == 0) return false;
  return n > 1;
}

Decomposition decompose_directly(Index n) {
  Search search;
  double cost = search.cost(n);
  std::vector<int> radices = cost < infinite ? search.radices(n) : std::vector<int>{};
  if (n % first_only == 0) {
    const double with = pass_cost(first_only) + search.cost(n / first_only);
    if (with < cost) {
      cost = with;
      radices = search.radices(n / first_only);
      radices.insert(radices.begin(), first_only);
    }
  }
  if (cost == infinite) return impossible(n);
  put_second_largest_last(radices);
  return {n, Method::passes, n, radices, cost * static_cast<double>(n)};
}

Decomposition decompose(Index n) {
  Decomposition best = decompose_directly(n);
  if (std::ranges::all_of(best.radices, [](int r) { return r <= max_own_radix; }) && best.cost < infinite) return best;
  for (const auto way : {by_rader, by_bluestein})
    if (Decomposition other = way(n); other.cost < best.cost) best = std::move(other);
  return best;
}

std::string Decomposition::describe() const {
  std::string product = radices.empty() ? "1" : "";
  for (const int radix : radices) product += fmt::format("{}{}", product.empty() ? "" : "x", radix);
  switch (method) {
    case Method::passes: break;
    case Method::rader: return fmt::format("rader {} = {}", inner, product);
    case Method::bluestein: return fmt::format("bluestein {} = {}", inner, product);
  }
  return product;
}

}  // namespace shardfft::native
