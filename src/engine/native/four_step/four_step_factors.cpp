#include "engine/native/four_step/four_step_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace shardfft::native {

namespace {

/// The logarithm of x >= 1 to base 2, but straight between powers of two: the same with every C library.
double straight_log2(double x) {
  const int exponent = std::ilogb(x);
  return exponent + std::scalbn(x, -exponent) - 1;
}

/// A tile of a half that leaves the first-level cache, and then the second-level one, costs more.
double half_cost(Index n) {
  constexpr double in_first = 256, in_second = 4096;
  const auto length = static_cast<double>(n);
  const double beyond_first = straight_log2(std::max(length / in_first, 1.0)),
               beyond_second = straight_log2(std::max(length / in_second, 1.0));
  return decompose(n).cost + 1.5 * beyond_first + 8 * beyond_second;
}

/// How much more is computed than `count` columns or lines, because tiles are full.
double excess(Index count, Index width) {
  return static_cast<double>((count + width - 1) / width * width) / static_cast<double>(count);
}

/// Cost per element of loads, stores and factors between the halves.
constexpr double crossing_cost = 20;

/// Remembers what halves cost.
class HalfCosts {
 public:
  explicit HalfCosts(const TileShape& shape) : shape_(shape) {}
  double operator()(const FourStepFactors& h) {
    const Index lines = shape_.real ? h.first / 2 + 1 : h.first, width = shape_.real ? 2 * shape_.lanes : shape_.lanes;
    const double line_share = shape_.real ? 2 * static_cast<double>(lines) / static_cast<double>(h.first) : 1;
    return of(h.first) * excess(h.second, width) + of(h.second) * excess(lines, shape_.lanes) * line_share +
           crossing_cost;
  }

 private:
  double of(Index n) {
    const auto [known, fresh] = known_.try_emplace(n, 0);
    if (fresh) known->second = half_cost(n);
    return known->second;
  }
  TileShape shape_;
  std::map<Index, double> known_{};
};

/// Products of 2, 3, 5 and 7 from `least` to `most`, in order.
std::vector<Index> smooth_numbers(Index least, Index most) {
  std::vector<Index> list{1};
  for (const Index prime : {2, 3, 5, 7})
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] <= most / prime) list.push_back(list[i] * prime);
  std::erase_if(list, [&](Index n) { return n < least; });
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace

std::optional<FourStepChoice> four_step_factors(Index n, const TileShape& shape) {
  HalfCosts cost(shape);
  std::optional<FourStepChoice> best;
  for (Index first = least_factor; first <= n / least_factor; ++first) {
    if (first > n / first) break;
    if (n % first != 0) continue;
    for (const FourStepFactors h : {FourStepFactors{first, n / first}, FourStepFactors{n / first, first}})
      if (const double c = cost(h); !best || c < best->cost) best = FourStepChoice{h, c};
  }
  return best;
}

FourStepChoice four_step_factors_at_least(Index least, const TileShape& shape) {
  const auto root = static_cast<Index>(std::sqrt(static_cast<double>(least)));
  const std::vector<Index> lengths =
      smooth_numbers(std::max(least_factor, root / 2), std::max(4 * root, 4 * least_factor));
  HalfCosts cost(shape);
  FourStepChoice best{.cost = std::numeric_limits<double>::infinity()};
  double best_total = best.cost;
  constexpr int candidates = 4;
  for (const Index first : lengths) {
    auto second = std::ranges::lower_bound(lengths, (least + first - 1) / first);
    for (int i = 0; i < candidates && second != lengths.end(); ++i, ++second) {
      const FourStepChoice way{{first, *second}, cost({first, *second})};
      const double total = way.cost * static_cast<double>(way.halves.length());
      if (total < best_total) best = way, best_total = total;
    }
  }
  return best;
}

}  // namespace shardfft::native
