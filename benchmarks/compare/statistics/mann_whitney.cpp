#include "mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace shardfft::compare {
namespace {

constexpr std::size_t exact_up_to = 60;

/// Ranks of all values, doubled so that those of ties are whole numbers; those of x first.
struct Ranks {
  std::vector<std::size_t> doubled{};
  std::size_t sum_of_x = 0;
  double tie_term = 0;  ///< sum of t^3 - t over groups of t equal values
};

Ranks ranks_of(std::span<const double> x, std::span<const double> y) {
  std::vector<double> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  std::vector<double> sorted = all;
  std::ranges::sort(sorted);
  Ranks ranks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [first, last] = std::ranges::equal_range(sorted, all[i]);
    const auto below = static_cast<std::size_t>(first - sorted.begin()), equal = static_cast<std::size_t>(last - first);
    ranks.doubled.push_back(2 * below + equal + 1);
    if (i < x.size()) ranks.sum_of_x += ranks.doubled.back();
    ranks.tie_term += static_cast<double>(equal * equal) - 1;  // each of the t values adds t^2 - 1
  }
  return ranks;
}

/// Share of the ways to choose `size` of the ranks whose sum is at least `sum`.
double exact_tail(const std::vector<std::size_t>& ranks, std::size_t size, std::size_t sum) {
  std::size_t total = 0;
  for (const std::size_t r : ranks) total += r;
  std::vector<std::vector<double>> ways(
      size + 1, std::vector<double>(total + 1, 0.0));  // ways[k][s]: of k of the ranks so far with sum s
  ways[0][0] = 1;
  for (const std::size_t r : ranks)
    for (std::size_t k = size; k >= 1; --k)
      for (std::size_t s = total; s >= r; --s) ways[k][s] += ways[k - 1][s - r];
  double all = 0, tail = 0;
  for (std::size_t s = 0; s <= total; ++s) {
    all += ways[size][s];
    if (s >= sum) tail += ways[size][s];
  }
  return tail / all;
}

double normal_tail(double u, double m, double n, double tie_term) {
  const double all = m + n;
  const double variance = m * n / 12 * (all + 1 - tie_term / (all * (all - 1)));
  if (variance <= 0) return 1;
  return std::erfc((u - m * n / 2 - 0.5) / std::sqrt(2 * variance)) / 2;
}

}  // namespace

MannWhitney mann_whitney_greater(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return {};
  const Ranks ranks = ranks_of(x, y);
  const auto m = static_cast<double>(x.size()), n = static_cast<double>(y.size());
  const double u = static_cast<double>(ranks.sum_of_x) / 2 - m * (m + 1) / 2;
  const bool exact = x.size() + y.size() <= exact_up_to;
  return {u, exact ? exact_tail(ranks.doubled, x.size(), ranks.sum_of_x) : normal_tail(u, m, n, ranks.tie_term)};
}

}  // namespace shardfft::compare
