// Many roots of unity of one order.
#pragma once

#include <vector>

#include "engine/native/roots.hpp"

namespace shardfft::native {

/// exp(-2 pi i k / n) for many k: a product of two from short tables, exact to a few units of long double; for long double itself, exact to the last.
template <class T>
class Roots {
 public:
  explicit Roots(Index n) : n_(n) {
    if (sizeof(T) > sizeof(double)) return;
    while ((Index{1} << 2 * shift_) < n) ++shift_;
    const Index low = Index{1} << shift_;
    for (Index k = 0; k < low; ++k) low_.push_back(root_of_unity(k, n));
    for (Index k = 0; k <= n / low; ++k) high_.push_back(root_of_unity(k * low, n));
  }

  /// 0 <= k < n
  Root operator()(Index k) const {
    if (sizeof(T) > sizeof(double)) return root_of_unity(k, n_);
    const Root a = high_[static_cast<std::size_t>(k >> shift_)], b = low_[static_cast<std::size_t>(k & ((Index{1} << shift_) - 1))];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

 private:
  Index n_;
  int shift_ = 0;
  std::vector<Root> low_{}, high_{};
};

}  // namespace shardfft::native
