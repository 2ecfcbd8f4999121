#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardfft::compare {
namespace {

/// P(a binomial variable of n trials with chance 1/2 is at most k).
double binomial_half(std::size_t n, std::size_t k) {
  const auto all = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto at = static_cast<double>(i);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(at + 1) - std::lgamma(all - at + 1) - all * std::log(2.0));
  }
  return sum;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Interval median_interval(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const std::size_t n = values.size();
  std::size_t outside = 0;  // values that are left out at either end
  while (2 * (outside + 1) < n && 2 * binomial_half(n, outside + 1) <= 0.05) ++outside;
  return {values[outside], values[n - 1 - outside], std::max(0.0, 1 - 2 * binomial_half(n, outside))};
}

Sample sample_of(const std::vector<std::vector<double>>& launches) {
  std::vector<double> all, medians;
  for (const auto& iterations : launches) {
    all.insert(all.end(), iterations.begin(), iterations.end());
    medians.push_back(median(iterations));
  }
  if (all.empty()) return {};
  const auto [min, max] = std::ranges::minmax(all);
  return {min, median(medians), max, median_interval(medians)};
}

Noise noise_of(const std::vector<double>& ratios) {
  if (ratios.empty()) return {};
  std::vector<double> distances;
  for (const double ratio : ratios) distances.push_back(std::abs(ratio - 1));
  const auto [least, most] = std::ranges::minmax(ratios);
  return {ratios.size(), least, most, median(std::move(distances))};
}

Sample sample_of_ratios(std::span<const double> ratios) {
  if (ratios.empty()) return {};
  std::vector<double> all(ratios.begin(), ratios.end());
  const auto [min, max] = std::ranges::minmax(all);
  return {min, median(all), max, median_interval(all)};
}

}  // namespace shardfft::compare
