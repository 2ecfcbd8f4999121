// Many roots of unity of one order, and many powers of one root.
#pragma once

#include <vector>

#include "engine/native/roots.hpp"

namespace shardfft::native {

/// a b mod n for 0 <= a, b < n
inline Index multiply_mod(Index a, Index b, Index n) {
  if (n < Index{1} << 31) return a * b % n;
  return static_cast<Index>(static_cast<__int128>(a) * b % n);
}

/// The part `by` / `of` of a turn, 0 <= by < of < 2^60.
struct RootOfUnity {
  Index by = 1, of = 1;
  [[nodiscard]] RootOfUnity times(Index k) const { return {multiply_mod(by, k % of, of), of}; }
  [[nodiscard]] Root root() const { return root_of_unity(by, of); }  ///< exp(-2 pi i by / of)
};

/// Powers of exp(-2 pi i turn): products of two from short tables, exact to a few units of 2^-124.
class Powers {
 public:
  /// Up to exponent `most`.
  Powers(const RootOfUnity& turn, Index most) {
    while ((Index{1} << 2 * shift_) < most) ++shift_;
    const Index low = Index{1} << shift_;
    for (Index k = 0; k < low; ++k) low_.push_back(turn.times(k).root());
    for (Index k = 0; k <= most / low; ++k) high_.push_back(turn.times(k * low).root());
  }

  Root operator()(Index k) const {
    return high_[static_cast<std::size_t>(k >> shift_)] *
           low_[static_cast<std::size_t>(k & ((Index{1} << shift_) - 1))];
  }

 private:
  int shift_ = 0;
  std::vector<Root> low_{}, high_{};
};

/// exp(-2 pi i k / n) for many k, 0 <= k < n.
class Roots : public Powers {
 public:
  explicit Roots(Index n) : Powers({1 % n, n}, n) {}
};

}  // namespace shardfft::native
