#include "support/waves.hpp"

#include "shardfft/elements.hpp"

namespace shardfft {

std::vector<double> frequencies(AxisKind kind, Index count, bool half) {
  std::vector<double> all;
  for (Index i = 0; i < count; ++i) all.push_back(half ? static_cast<double>(i) : frequency(kind, i, count));
  return all;
}

// Points begin as the modes of the inverse kind do.
std::vector<double> places(AxisKind kind, Index n, Index count) {
  const double length = static_cast<double>(logical_length(kind, n)) / (is_periodic(kind) ? 1 : 2);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    all[static_cast<std::size_t>(i)] = (static_cast<double>(i) + frequency(inverse(kind), 0, n)) / length;
  return all;
}

}  // namespace shardfft
