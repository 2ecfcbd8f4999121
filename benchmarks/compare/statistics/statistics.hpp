// What several launches tell: medians, and how far they can be trusted.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace shardfft::compare {

/// The middle of numbers in any order; the mean of the two in the middle. 0 for none.
[[nodiscard]] double median(std::vector<double> values);

/// Range that holds the median of what was sampled.
struct Interval {
  double low = 0, high = 0;
  double coverage = 0;  ///< probability that such an interval holds the true median
};

/// Narrowest interval between two of the values (the k-th smallest and the k-th largest) that holds the median with at
/// least 95 %. Distribution-free and exact: no normality, no resampling. With fewer than 6 values no such interval
/// exists; then it is from the least to the largest, and `coverage`, 1 - 2^(1-n), says how little that is.
///   values  independent of each other: one number per launch, not per iteration
///   source  David and Nagaraja, Order Statistics, 3rd ed., section 7.1; recommended for benchmarks by Hoefler and
///   Belli, "Scientific benchmarking of
///           parallel computing systems", SC'15, rule 5
[[nodiscard]] Interval median_interval(std::vector<double> values);

/// One number per launch, summed up.
struct Sample {
  double min = 0, median = 0, max = 0;
  Interval interval{};
};
/// `launches`: the times of the iterations of each launch. The median is that of the launches' medians, since
/// iterations of one launch share pages, plan and placement and do not count as independent (Kalibera and Jones,
/// "Rigorous benchmarking in reasonable time", ISMM 2013, section 6); min and max are over all iterations.
[[nodiscard]] Sample sample_of(const std::vector<std::vector<double>>& launches);

/// How far the ratios of a library to itself lie from 1.
struct Noise {
  std::size_t ratios = 0;
  double least = 1, most = 1;
  double half_within = 0;  ///< of 1: so far or less for half of them
};
[[nodiscard]] Noise noise_of(const std::vector<double>& ratios);

/// Median and interval of numbers that were formed turn by turn.
[[nodiscard]] Sample sample_of_ratios(std::span<const double> ratios);

}  // namespace shardfft::compare
