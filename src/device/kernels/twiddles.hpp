// Twiddle factors from their angles: no tables, which would be as long as the halves, and arithmetic that a GPU has to
// spare while it waits for its memory.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/kernels/divisor.hpp"
#include "device/kernels/exact.hpp"
#include "device/kernels/pack.hpp"
#include "device/twiddles.hpp"
#if defined(__SYCL_DEVICE_ONLY__)
#include <sycl/sycl.hpp>
#endif

namespace shardfft::kernels {

/// Quick where both are small, as tiles nearly always are.
struct TileDivisor {
  Index d = 1;
  Divisor quick{};
  explicit TileDivisor(Index divisor)
      : d(divisor), quick(divisor >> 31 == 0 ? static_cast<std::uint32_t>(divisor) : 1U) {}
  [[nodiscard]] SHARDFFT_HD Index operator()(Index number) const {
    return (number | d) >> 31 == 0 ? static_cast<Index>(quick(static_cast<std::uint32_t>(number))) : number / d;
  }
  [[nodiscard]] SHARDFFT_HD Index rest(Index number) const { return number - (*this)(number)*d; }
};

template <class T>
struct Phase {
  T re, im;
};

/// The phase of the angle pi x; |x| is at most about a quarter.
template <class T>
SHARDFFT_HD Phase<T> turn_of_half_turns(T x) {
#if defined(__SYCL_DEVICE_ONLY__)
  return {sycl::cospi(x), sycl::sinpi(x)};
#elif SHARDFFT_ON_DEVICE
  Phase<T> turn;
  if constexpr (sizeof(T) == sizeof(double))
    sincospi(x, &turn.im, &turn.re);
  else
    sincospif(x, &turn.im, &turn.re);
  return turn;
#else
  const T angle = x * static_cast<T>(3.14159265358979323846);
  return {std::cos(angle), std::sin(angle)};
#endif
}

/// Powers of exp(2 pi i / n), n < 2^50.
class UnitRoots {
 public:
  explicit UnitRoots(Index n) : n_(n), quarters_of_one_(4 / static_cast<double>(n)) {}

  /// Number m, 0 <= m < n, to about an ulp of T: what is left of the angle beside quarter turns is at most about an
  /// eighth of a turn, and found exactly. Which number of quarters is nearest need not be; so nothing is divided but
  /// what is left.
  template <class T>
  [[nodiscard]] SHARDFFT_HD Phase<T> power(Index m) const {
    const auto quarters = static_cast<Index>(mul(static_cast<double>(m), quarters_of_one_) + 0.5);
    const auto [c, s] = turn_of_half_turns(half_turns<T>(static_cast<double>(4 * m - quarters * n_)));
    switch (quarters & 3) {
      case 0:
        return {c, s};
      case 1:
        return {-s, c};
      case 2:
        return {-c, -s};
      default:
        return {s, -c};
    }
  }

 private:
  // The angle of `parts` n-th parts of a quarter turn. f32 uses no division, which takes GPUs many steps.
  template <class T>
  [[nodiscard]] SHARDFFT_HD T half_turns(double parts) const {
    if constexpr (sizeof(T) == sizeof(double))
      return div(parts, 2 * static_cast<double>(n_));
    else
      return static_cast<T>(mul(parts, 0.125 * quarters_of_one_));
  }

  Index n_;
  double quarters_of_one_;
};

/// Parts of a complex number times a turn.
template <class T>
SHARDFFT_HD T turned_re(T re, T im, const Phase<T>& turn) {
  return sub(mul(re, turn.re), mul(im, turn.im));
}
template <class T>
SHARDFFT_HD T turned_im(T re, T im, const Phase<T>& turn) {
  return add(mul(re, turn.im), mul(im, turn.re));
}

/// What kernels that write tiles multiply with: nothing,
struct NoTwiddles {
  static constexpr bool any = false;
};
/// or the factor of each element, from where it is written.
class TwiddlesByPlace {
 public:
  static constexpr bool any = true;

  explicit TwiddlesByPlace(const TileTwiddles& t)
      : task_(t),
        powers_(t.n),
        each_(t.other_length / t.owners),
        larger_(t.other_length % t.owners),
        by_step_(t.step),
        by_length_(t.length),
        by_other_step_(t.other_step),
        by_other_extent_(t.other_extent),
        by_larger_(each_ + 1),
        by_each_(each_ > 0 ? each_ : 1) {}

  /// The factor of the element (two numbers T) that is written `offset` bytes from the base.
  template <class T>
  [[nodiscard]] SHARDFFT_HD Phase<T> factor(Index offset) const {
    const Index place = (offset - task_.at) / element_bytes<T>;
    const Index k = by_length_.rest(by_step_(place)), j = by_other_extent_.rest(by_other_step_(place));
    const Phase<T> turn = powers_.power<T>(k * index(task_.from + j));
    return {turn.re, task_.backward ? turn.im : -turn.im};
  }
  /// Complex numbers, the first of which is written there, the others behind it.
  template <class T, int count>
  SHARDFFT_HD void multiply(Pack<T, count>& numbers, Index offset) const {
    SHARDFFT_UNROLL
    for (int i = 0; i + 1 < count; i += 2) {
      const Phase<T> turn = factor<T>(offset + i / 2 * element_bytes<T>);
      const T re = numbers.of[i], im = numbers.of[i + 1];
      numbers.of[i] = turned_re(re, im, turn);
      numbers.of[i + 1] = turned_im(re, im, turn);
    }
  }

 private:
  template <class T>
  static constexpr Index element_bytes = 2 * static_cast<Index>(sizeof(T));

  // See CyclicMap::index: the first `larger_` owners have each_ + 1 indices, the others each_.
  [[nodiscard]] SHARDFFT_HD Index index(Index counted) const {
    if (task_.owners == 1) return counted;
    const Index in_larger = larger_ * (each_ + 1), behind = counted - in_larger;
    if (behind < 0) return by_larger_.rest(counted) * task_.owners + by_larger_(counted);
    return by_each_.rest(behind) * task_.owners + larger_ + by_each_(behind);
  }

  TileTwiddles task_;
  UnitRoots powers_;
  Index each_, larger_;
  TileDivisor by_step_, by_length_, by_other_step_, by_other_extent_, by_larger_, by_each_;
};

}  // namespace shardfft::kernels
