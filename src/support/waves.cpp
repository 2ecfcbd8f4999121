#include "support/waves.hpp"

namespace shardfft {
namespace {

// Frequency of the first mode of a kind. Its points begin as the modes of its inverse do.
double first_of(AxisKind kind) {
  switch (kind) {
    case AxisKind::cosine3:
    case AxisKind::cosine4:
    case AxisKind::sine3:
    case AxisKind::sine4:
      return 0.5;
    case AxisKind::sine1:
    case AxisKind::sine2:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

std::vector<double> frequencies(AxisKind kind, Index count, bool half) {
  std::vector<double> all(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    all[static_cast<std::size_t>(i)] =
        static_cast<double>(is_periodic(kind) && !half && 2 * i >= count ? i - count : i) + first_of(kind);
  return all;
}

std::vector<double> places(AxisKind kind, Index n, Index count) {
  const double length = static_cast<double>(logical_length(kind, n)) / (is_periodic(kind) ? 1 : 2);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    all[static_cast<std::size_t>(i)] = (static_cast<double>(i) + first_of(inverse(kind))) / length;
  return all;
}

}  // namespace shardfft
