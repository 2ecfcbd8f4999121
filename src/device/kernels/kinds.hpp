// The kernels around a library's transform, where pencils are transformed by cosines, sines or Hartley's kernel. Each
// thread makes one element of what the library reads, or what becomes of one element that it wrote.
// The formulas are those of docs/theory/real_to_real.md.
#pragma once

#include "device/kernels/launch.hpp"
#include "device/kernels/twiddles.hpp"
#include "device/kinds.hpp"
#include "support/end_weights.hpp"

namespace shardfft::kernels {

/// What both steps have in common. `inner`: elements of the library's end of this step.
template <class T>
struct KindTask {
  static constexpr double root2 = 1.41421356237309504880;

  explicit KindTask(const KindStep& step)
      : from(step.from),
        to(step.to),
        scheme(scheme_of(step.pencils.kind, step.n)),
        sine(step.pencils.kind >= AxisKind::sine1 && step.pencils.kind <= AxisKind::sine4),
        n(step.n),
        inner_n(inner_of(step.pencils.kind, step.n).n),
        batch(step.batch),
        parts(step.pencils.parts()),
        scale(static_cast<T>(step.pencils.scale)) {
    if (!step.pencils.orthonormal) return;
    const EndWeights ends = end_weights(step.pencils.kind);
    const bool in = step.side == KindSide::before;
    if (in ? ends.first_in : ends.first_out) first = static_cast<T>(in ? root2 : root2 / 2);
    if (in ? ends.last_in : ends.last_out) last = static_cast<T>(in ? root2 : root2 / 2);
  }

  /// The real element k of a pencil times its weight.
  [[nodiscard]] SHARDFFT_HD T weighted(T x, Index k) const {
    if (k == 0) x = mul(x, first);
    return k == n - 1 ? mul(x, last) : x;
  }

  PencilPlaces from, to;
  KindScheme scheme;
  bool sine;
  Index n, inner_n, batch, parts;
  T first = 1, last = 1, scale;
};

/// Pencil `b`, part `p`.
template <class T>
struct PencilOf {
  T* start;
  Index step;
  SHARDFFT_HD PencilOf(const PencilPlaces& places, Index b, Index p)
      : start(reinterpret_cast<T*>(places.start) + b * places.pencil + p * places.part), step(places.step) {}
  [[nodiscard]] SHARDFFT_HD T& at(Index k) const { return start[k * step]; }
  [[nodiscard]] SHARDFFT_HD Phase<T> complex(Index k) const { return {start[k * step], start[k * step + 1]}; }
  SHARDFFT_HD void put(Index k, T re, T im) const { start[k * step] = re, start[k * step + 1] = im; }
};

/// Threads beside each other have what lies beside each other at the caller's end: elements of a pencil, or pencils;
/// both parts of a complex number in any case.
class PencilItems {
 public:
  static constexpr int threads = 256;
  PencilItems(const PencilPlaces& callers, Index items, Index batch, Index parts)
      : all_(items * batch * parts), parts_(parts), along_(callers.step == parts), fast_(along_ ? items : batch) {}

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return (all_ + threads - 1) / threads; }
  /// visit(item, pencil, part)
  template <class Visit>
  SHARDFFT_HD void visit(Index block, int thread, const Visit& visit) const {
    const Index number = block * threads + thread;
    if (number >= all_) return;
    const Index both = parts_ == 2 ? number / 2 : number, part = parts_ == 2 ? number % 2 : 0, slow = fast_(both),
                fast = both - slow * fast_.d;
    along_ ? visit(fast, slow, part) : visit(slow, fast, part);
  }

 private:
  Index all_, parts_;
  bool along_;
  TileDivisor fast_;
};

template <class T>
class BeforeKind {
 public:
  static constexpr int threads = PencilItems::threads, phases = 1;
  using Shared = NoShared;

  explicit BeforeKind(const KindStep& step)
      : t_(step),
        powers_(step.n * (t_.scheme == KindScheme::halved ? 16 : 4)),
        items_(step.from, inner_of(step.pencils.kind, step.n).elements(true), step.batch, t_.parts) {}

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return items_.blocks(); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    items_.visit(block, thread, [&](Index i, Index b, Index p) {
      const PencilOf<T> from(t_.from, b, p), to(t_.to, b, p);
      const auto x = [&](Index k) { return t_.weighted(from.at(k), k); };
      if (t_.scheme == KindScheme::unfolded)
        half_spectrum(i, x, to);
      else if (t_.scheme == KindScheme::halved)
        turned_pair(i, x, to);
      else
        to.at(i) = real(i, x);
    });
  }

 private:
  /// Real element i of what r2c reads.
  template <class X>
  [[nodiscard]] SHARDFFT_HD T real(Index i, const X& x) const {
    const Index n = t_.n;
    switch (t_.scheme) {
      case KindScheme::folded: {
        if (2 * i < n) return x(2 * i);
        const T odd = x(2 * (n - 1 - i) + 1);
        return t_.sine ? -odd : odd;
      }
      case KindScheme::permuted:
        return permuted(i, x);
      case KindScheme::extended:
        if (!t_.sine) return x(i < n ? i : t_.inner_n - i);
        if (i == 0 || i == n + 1) return 0;
        return i <= n ? -x(i - 1) : x(t_.inner_n - 1 - i);
      default:
        return x(i);
    }
  }
  /// The odd residue modulo 8 n that is 1 modulo 8 and 8 i modulo n stands for element (o - 1) / 2 of the residue o of
  /// its class below 2 n.
  template <class X>
  [[nodiscard]] SHARDFFT_HD T permuted(Index i, const X& x) const {
    const Index n = t_.n;
    Index o = 8 * i + n * (n % 8);
    if (o >= 8 * n) o -= 8 * n;
    if (o > 4 * n) o = 8 * n - o;
    const bool negative = o > 2 * n;
    const Index j = ((negative ? 4 * n - o : o) - 1) / 2;
    const T value = x(t_.sine ? n - 1 - j : j);
    return negative ? -value : value;
  }
  /// V[k] = (x[k] - i x[n-k]) exp(2 pi i k / 4n); real for k = 0 and n/2.
  template <class X>
  SHARDFFT_HD void half_spectrum(Index k, const X& x, const PencilOf<T>& to) const {
    const Index n = t_.n;
    const auto y = [&](Index j) { return x(t_.sine ? n - 1 - j : j); };
    if (k == 0) return to.put(0, y(0), 0);
    const Phase<T> turn = powers_.power<T>(k);
    const T re = y(k), im = -y(n - k);
    to.put(k, turned_re(re, im, turn), 2 * k == n ? T(0) : turned_im(re, im, turn));
  }
  /// z[m] = (x[2m] + i x[n-1-2m]) exp(-2 pi i (8m+1) / 16n)
  template <class X>
  SHARDFFT_HD void turned_pair(Index m, const X& x, const PencilOf<T>& to) const {
    const Phase<T> back = powers_.power<T>(8 * m + 1), turn{back.re, -back.im};
    const Index low = 2 * m, high = t_.n - 1 - 2 * m;
    const T re = x(t_.sine ? high : low), im = x(t_.sine ? low : high);
    to.put(m, turned_re(re, im, turn), turned_im(re, im, turn));
  }

  KindTask<T> t_;
  UnitRoots powers_;
  PencilItems items_;
};

template <class T>
class AfterKind {
 public:
  static constexpr int threads = PencilItems::threads, phases = 1;
  using Shared = NoShared;

  explicit AfterKind(const KindStep& step)
      : t_(step),
        powers_(step.n * (t_.scheme == KindScheme::halved ? 16 : 4)),
        items_(step.to, items_of(t_), step.batch, t_.parts),
        by_n_(step.n),
        eighth_{t_.n % 8 == 1 || t_.n % 8 == 7 ? root_half : -root_half, t_.n % 8 < 4 ? root_half : -root_half} {}

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return items_.blocks(); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    items_.visit(block, thread, [&](Index i, Index b, Index p) {
      const PencilOf<T> from(t_.from, b, p), to(t_.to, b, p);
      const auto put = [&](Index k, T y) { to.at(k) = mul(t_.weighted(y, k), t_.scale); };
      switch (t_.scheme) {
        case KindScheme::folded:
          return turned(i, from, put);
        case KindScheme::plain:
          return sums(i, from, put);
        case KindScheme::unfolded: {
          const bool odd = i % 2 != 0;
          const T y = from.at(odd ? t_.n - 1 - i / 2 : i / 2);
          return put(i, odd && t_.sine ? -y : y);
        }
        case KindScheme::halved:
          return turned_pair(i, from, put);
        case KindScheme::permuted:
          return put(i, permuted(i, from));
        case KindScheme::extended:
          return put(i, t_.sine ? from.complex(i + 1).im : from.complex(i).re);
      }
    });
  }

 private:
  static constexpr T root_half = static_cast<T>(KindTask<T>::root2 / 2);

  [[nodiscard]] static Index items_of(const KindTask<T>& t) {
    switch (t.scheme) {
      case KindScheme::folded:
      case KindScheme::plain:
        return t.n / 2 + 1;
      case KindScheme::halved:
        return t.n / 2;
      default:
        return t.n;
    }
  }
  /// Element k of a half spectrum, real for k = 0 and n/2.
  [[nodiscard]] SHARDFFT_HD Phase<T> spectrum(const PencilOf<T>& from, Index k) const {
    const Phase<T> v = from.complex(k);
    return {v.re, k == 0 || 2 * k == t_.n ? T(0) : v.im};
  }

  /// y[k] = 2 Re c, y[n-k] = -2 Im c, c = exp(-2 pi i k / 4n) V[k]; of the sine in reversed order.
  template <class Put>
  SHARDFFT_HD void turned(Index k, const PencilOf<T>& from, const Put& put) const {
    const Phase<T> v = spectrum(from, k), back = powers_.power<T>(k), turn{back.re, -back.im};
    const auto place = [&](Index j) { return t_.sine ? t_.n - 1 - j : j; };
    put(place(k), 2 * turned_re(v.re, v.im, turn));
    if (k > 0 && 2 * k < t_.n) put(place(t_.n - k), -2 * turned_im(v.re, v.im, turn));
  }
  /// H[k] = Re V[k] - Im V[k], H[n-k] = Re V[k] + Im V[k]
  template <class Put>
  SHARDFFT_HD void sums(Index k, const PencilOf<T>& from, const Put& put) const {
    const Phase<T> v = spectrum(from, k);
    put(k, sub(v.re, v.im));
    if (k > 0 && 2 * k < t_.n) put(t_.n - k, add(v.re, v.im));
  }
  /// y[2k] = 2 Re t, y[n-1-2k] = -2 Im t, t = Z[k] exp(-2 pi i (8k+1) / 16n)
  template <class Put>
  SHARDFFT_HD void turned_pair(Index k, const PencilOf<T>& from, const Put& put) const {
    const Phase<T> z = from.complex(k), back = powers_.power<T>(8 * k + 1), turn{back.re, -back.im};
    put(2 * k, 2 * turned_re(z.re, z.im, turn));
    put(t_.n - 1 - 2 * k, (t_.sine ? 2 : -2) * turned_im(z.re, z.im, turn));
  }
  /// The member q of the class of 2k + 1 that is 1 modulo 8; element q modulo n, turned by eighths.
  [[nodiscard]] SHARDFFT_HD T permuted(Index k, const PencilOf<T>& from) const {
    const Index n = t_.n, odd = 2 * k + 1;
    bool negative = odd % 8 == 3 || odd % 8 == 5;
    const Index q = odd % 8 == 1 ? odd : odd % 8 == 7 ? 8 * n - odd : odd % 8 == 3 ? 4 * n - odd : 4 * n + odd;
    const Index l = by_n_.rest(q);
    const bool upper = 2 * l > n;
    const Phase<T> v = spectrum(from, upper ? n - l : l);
    const T re = mul(eighth_.re, v.re), im = mul(eighth_.im, v.im), y = 2 * (upper ? sub(re, im) : add(re, im));
    if (t_.sine && k % 2 != 0) negative = !negative;
    return negative ? -y : y;
  }

  KindTask<T> t_;
  UnitRoots powers_;
  PencilItems items_;
  TileDivisor by_n_;
  Phase<T> eighth_;  ///< exp(2 pi i n / 8), n odd
};

}  // namespace shardfft::kernels
