#include "scale.hpp"

#include <algorithm>
#include <cmath>

namespace shardfft::report {
namespace {

/// The least of 1, 2, 5, 10 times a power of ten that is at least `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= value * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

std::vector<double> linear_ticks(const Scale& s, int wanted) {
  const double step = round_up((s.hi - s.lo) / wanted);
  std::vector<double> values;
  for (double k = std::ceil(s.lo / step - 1e-9); k * step <= s.hi * (1 + 1e-9); ++k)
    values.push_back(k * step + 0.0);  // never -0
  return values;
}

std::vector<double> log_ticks(const Scale& s, int wanted) {
  const double decades = std::log10(s.hi / s.lo);
  const bool fine = decades < 0.5 * wanted;
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
  std::vector<double> values;
  for (int e = static_cast<int>(std::floor(std::log10(s.lo))); e <= std::log10(s.hi) + 1e-9; ++e) {
    if (e % stride != 0) continue;
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10, e);
      if ((digit == 1 || fine) && value >= s.lo * (1 - 1e-9) && value <= s.hi * (1 + 1e-9)) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

double Scale::operator()(double value) const {
  const double inside = std::clamp(value, lo, hi);
  const double part = log ? std::log(inside / lo) / std::log(hi / lo) : (inside - lo) / (hi - lo);
  return from + part * (to - from);
}

Scale linear_scale(double largest, double from, double to) {
  if (!(largest > 0)) largest = 1;
  const double step = round_up(largest / 4) / 2;
  return {0, std::ceil(largest / step * (1 + 1e-9)) * step, false, from, to};
}

Scale log_scale(double smallest, double largest, double from, double to) {
  constexpr double room = 1.25;
  return {smallest / room, largest * room, true, from, to};
}

std::vector<double> ticks(const Scale& scale, int wanted) {
  if (!scale.log) return linear_ticks(scale, wanted);
  const std::vector<double> values = log_ticks(scale, wanted);
  return values.size() < 2 ? linear_ticks(scale, wanted) : values;
}

std::vector<double> apart(const std::vector<double>& ticks, const Scale& scale,
                          const std::function<double(double)>& width) {
  constexpr double gap = 6;
  std::vector<double> kept;
  for (const double tick : ticks) {
    const bool clear =
        kept.empty() || std::abs(scale(tick) - scale(kept.back())) >= (width(tick) + width(kept.back())) / 2 + gap;
    if (clear) kept.push_back(tick);
  }
  return kept;
}

}  // namespace shardfft::report
