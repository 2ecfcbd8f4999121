// With w(t) = exp(-i pi t), v the even elements followed by the odd ones in reversed order (x0 x2 x4 ... x5 x3 x1), and
// V its transform:
//   cosine2  y[k] = 2 Re c, y[n-k] = -2 Im c, c = w(k / 2n) V[k]        Makhoul 1980; Narasimha and Peterson 1978
//   cosine3  V[k] = (x[k] - i x[n-k]) conj w(k / 2n), and back to v
//   cosine4  even n: z[m] = (x[2m] + i x[n-1-2m]) e(m), Z of length n/2, t = Z[k] e(k), e(m) = w((8m+1) / 8n):
//            y[2k] = 2 Re t, y[n-1-2k] = -2 Im t                        Britanak, Yip and Rao 2007
//            odd n: Odds below                                           after Heideman 1992
//   sine2    cosine2 of x[j] (-1)^j, reversed; sine3, sine4: x reversed, cosine3 or cosine4, y[k] (-1)^k
//   cosine1  real parts of the transform of the even extension of x; sine1: imaginary parts of that of the odd one
//   hartley  H[k] = Re - Im, H[n-k] = Re + Im of the transform of x     Bracewell 1983
// For even n, the same step makes V from Z, the complex transform of v as n/2 complex numbers (real-inl.h).
#include "engine/native/real/real_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/native/root_products.hpp"
#include "support/end_weights.hpp"

namespace shardfft::native {
namespace {

using Two = std::pair<Fixed, Fixed>;

/// By what a whole axis of an even length is computed as half as many complex numbers.
bool is_halved(Transform1d t, Index n) { return n % 2 == 0 && t != Transform1d::cosine1 && t != Transform1d::sine1; }

bool is_type(Transform1d t, Transform1d cosine, Transform1d sine) { return t == cosine || t == sine; }
bool is_inverse(Transform1d t) { return is_type(t, Transform1d::cosine3, Transform1d::sine3); }

/// A real matrix, column by column, from what it does to unit vectors; f(reals) gives as many reals.
template <std::size_t N, class F>
std::array<std::array<Fixed, N>, N> columns_of(const F& f) {
  std::array<std::array<Fixed, N>, N> columns;
  for (std::size_t c = 0; c < N; ++c) {
    std::array<Fixed, N> unit{};
    unit[c] = 1;
    columns[c] = f(unit);
  }
  return columns;
}

template <class T, class F>
void add_alone(RowMixes<T>& mixes, Index row, const F& f) {
  mixes.alone.push_back(row);
  const auto columns = columns_of<2>(f);
  for (const std::size_t line : {0, 1})
    for (const auto& column : columns) mixes.alone_by.push_back(static_cast<T>(column[line]));
}

/// The other lines, or columns, follow: of both results of an element of the half spectrum, the second one is the first
/// one of i times that.
template <class T, class F>
void add_pair(RowMixes<T>& mixes, Index low, Index high, const F& f) {
  mixes.pairs.insert(mixes.pairs.end(), {low, high});
  const auto columns = columns_of<4>(f);
  for (const std::size_t first : {0, 2})
    for (std::size_t i = 0; i < 4; ++i)
      mixes.pairs_by.push_back(static_cast<T>(mixes.transposed ? columns[first][i] : columns[i][first]));
}

/// Modulo an odd number.
Index inverse_of_eight(Index n) {
  for (Index k = 0; k < 8; ++k)
    if ((k * n + 1) % 8 == 0) return (k * n + 1) / 8 % n;
  return 0;
}

/// The odd residues o modulo 8n come in classes {o, -o, 4n - o, 4n + o} with cosines of o/8n turns that differ in sign
/// only, and each class has one member that is 1 modulo 8.
struct Odd {
  Index residue = 0;
  bool negative = false;
};
Odd odd_of(Index o, Index n) {
  for (const auto& [residue, negative] :
       {std::pair{o, false}, {8 * n - o, false}, {4 * n - o + 8 * n, true}, {4 * n + o, true}})
    if (residue % 8 == 1) return {residue % (8 * n), negative};
  return {};
}

template <class T>
class Planner {
 public:
  Planner(const KernelRequest& request, const TileFormat& inner)
      : t_(request.transform),
        n_(request.n),
        half_(n_ / 2),
        inner_(inner),
        orthonormal_(request.orthonormal),
        turns_(16 * n_) {}

  RealPlan<T> plan() {
    using enum Transform1d;
    switch (t_) {
      case cosine1:
      case sine1:
        extend();
        break;
      case cosine4:
      case sine4:
        n_ % 2 == 0 ? rotate_both() : permute_odds();
        break;
      case hartley:
        forward_in_order();
        break;
      case cosine3:
      case sine3:
        this->backward();
        break;
      default:
        forward_folded();
    }
    weigh_ends();
    name_elements(p_.mix_before, p_.in);
    name_elements(p_.mix_after, p_.out);
    return std::move(p_);
  }

 private:
  /// exp(-2 pi i k / of), `of` a divisor of 16 n.
  [[nodiscard]] Root root(Index k, Index of) const { return turns_(multiply_mod(k % of, 16 * n_ / of, 16 * n_)); }

  // --- rows ---

  /// The row where the inner transform wants real number i of its pencil.
  [[nodiscard]] Index row_in(Index i) const {
    return inner_.complex ? 2 * inner_.place(i / 2) + i % 2 : inner_.place(i);
  }
  /// The place of x[j] in v.
  [[nodiscard]] Index folded(Index j) const { return j % 2 == 0 ? j / 2 : n_ - 1 - j / 2; }
  /// Rows of x[k] and x[n-k] beside each other, in the place of element k of the half spectrum: k <= n/2.
  [[nodiscard]] Index beside(Index k, bool at_input) const {
    const bool upper = 2 * k > n_;
    const Index m = upper ? n_ - k : k;
    if (n_ % 2 == 0 && m == half_) return 1 + 2 * (at_input ? inner_.place(0) : 0);  // where element 0 leaves room
    return 2 * (at_input ? inner_.place(m) : m) + upper;
  }
  template <class Row>
  [[nodiscard]] std::vector<Index> rows(const Row& row, bool turned = false) const {
    std::vector<Index> list;
    list.reserve(static_cast<std::size_t>(n_));
    for (Index k = 0; k < n_; ++k) list.push_back(row(turned ? n_ - 1 - k : k));
    return list;
  }
  void negate(RowFactors<T>& factors, Index row) {
    factors.rows.push_back(row);
    factors.factors.push_back(T(-1));
  }

  // --- cosine2, sine2, hartley: a transform of reals, then each element of its half spectrum becomes two results ---

  void forward_folded() {
    const bool sine = t_ == Transform1d::sine2;
    p_.in = rows([&](Index j) { return row_in(folded(j)); });
    for (Index j = 1; sine && j < n_; j += 2) negate(p_.before, p_.in[static_cast<std::size_t>(j)]);
    p_.out = rows([&](Index k) { return beside(k, false); }, sine);
    finish([&](Root v, Index k) -> Two {
      const Root c = root(k, 4 * n_) * v;
      return {2 * c.re, -2 * c.im};
    });
  }
  void forward_in_order() {
    p_.in = rows([&](Index j) { return row_in(j); });
    p_.out = rows([&](Index k) { return beside((n_ - k) % n_, false); });
    finish([](Root v, Index) -> Two { return {v.re + v.im, v.re - v.im}; });
  }

  /// one(V[k], k): results k and n - k.
  template <class One>
  void finish(const One& one) {
    if (n_ % 2 != 0) {
      for (Index k = 0; 2 * k < n_; ++k)
        add_alone(p_.mix_after, k, [&](const std::array<Fixed, 2>& v) {
          const auto [a, b] = one({v[0], k == 0 ? 0 : v[1]}, k);
          return std::array<Fixed, 2>{a, k == 0 ? 0 : b};
        });
      return;
    }
    add_alone(p_.mix_after, 0, [&](const std::array<Fixed, 2>& z) {
      return std::array<Fixed, 2>{one({z[0] + z[1], 0}, 0).first, one({z[0] - z[1], 0}, half_).first};
    });
    for (Index k = 1; 2 * k < half_; ++k)
      add_pair(p_.mix_after, k, half_ - k, [&](const std::array<Fixed, 4>& z) {
        const Root low{z[0], z[1]}, high{z[2], -z[3]}, product = Fixed(0.5) * (low - high) * split(k);
        const auto [a, b] = one(high + product, k);
        const auto [c, d] = one(conj(low - product), half_ - k);
        return std::array<Fixed, 4>{a, b, c, d};
      });
    if (half_ % 2 == 0)
      add_alone(p_.mix_after, half_ / 2, [&](const std::array<Fixed, 2>& z) {
        const auto [a, b] = one({z[0], -z[1]}, half_ / 2);
        return std::array<Fixed, 2>{a, b};
      });
  }
  /// 1 - i w^k
  [[nodiscard]] Root split(Index k) const { return Root{1, 0} - Root{0, 1} * root(k, n_); }

  // --- cosine3, sine3: the same backwards ---

  void backward() {
    const bool sine = t_ == Transform1d::sine3;
    p_.in = rows([&](Index k) { return beside(k, true); }, sine);
    p_.out = rows([&](Index j) { return folded(j); });
    for (Index j = 1; sine && j < n_; j += 2) negate(p_.after, p_.out[static_cast<std::size_t>(j)]);
    begin([&](Fixed a, Fixed b, Index k) { return Root{a, -b} * conj(root(k, 4 * n_)); });
  }

  /// one(x[k], x[n-k], k): V[k].
  template <class One>
  void begin(const One& one) {
    p_.mix_before.transposed = true;
    const auto parts = [](Root a) { return std::array<Fixed, 2>{a.re, a.im}; };
    if (n_ % 2 != 0) {
      for (Index k = 1; 2 * k < n_; ++k)
        add_alone(p_.mix_before, inner_.place(k),
                  [&](const std::array<Fixed, 2>& x) { return parts(one(x[0], x[1], k)); });
      return;
    }
    add_alone(p_.mix_before, inner_.place(0), [&](const std::array<Fixed, 2>& x) {
      const Fixed first = x[0], middle = one(x[1], x[1], half_).re;
      return std::array<Fixed, 2>{first + middle, first - middle};
    });
    for (Index k = 1; 2 * k < half_; ++k)
      add_pair(p_.mix_before, inner_.place(k), inner_.place(half_ - k), [&](const std::array<Fixed, 4>& x) {
        const Root low = one(x[0], x[1], k), high = conj(one(x[2], x[3], half_ - k)),
                   turned = (low - high) * Root{0, 1} * conj(root(k, n_)), a = low + high + turned,
                   b = conj(low + high - turned);
        return std::array<Fixed, 4>{a.re, a.im, b.re, b.im};
      });
    if (half_ % 2 == 0)
      add_alone(p_.mix_before, inner_.place(half_ / 2),
                [&](const std::array<Fixed, 2>& x) { return parts(Fixed(2) * conj(one(x[0], x[1], half_ / 2))); });
  }

  // --- cosine4, sine4 of even lengths ---

  void rotate_both() {
    const bool sine = t_ == Transform1d::sine4;
    const auto row = [&](Index j, bool at_input) {
      const bool first = j % 2 == 0;
      const Index m = (first ? j : n_ - 1 - j) / 2;
      return 2 * (at_input ? inner_.place(m) : m) + !first;
    };
    p_.in = rows([&](Index j) { return row(j, true); }, sine);
    p_.out = rows([&](Index k) { return row(k, false); });
    const auto turn = [&](const std::array<Fixed, 2>& x, Index m, Fixed re, Fixed im) {
      const Root z = Root{x[0], x[1]} * root(8 * m + 1, 16 * n_);
      return std::array<Fixed, 2>{re * z.re, im * z.im};
    };
    for (Index m = 0; m < half_; ++m) {
      add_alone(p_.mix_before, inner_.place(m), [&](const auto& x) { return turn(x, m, 1, 1); });
      add_alone(p_.mix_after, m, [&](const auto& z) { return turn(z, m, 2, sine ? 2 : -2); });
    }
  }

  // --- cosine4, sine4 of odd lengths ---
  //
  // y[k] = 2 sum_j x[j] cos(2 pi o q / 8n) with o = 2j + 1, q = 2k + 1, each replaced by the member of its class that
  // is 1 modulo 8. As 8 and n have no common factor, o q / 8n turns are a/8 + b o q / n, a = 1/n modulo 8, b = 1/8
  // modulo n. So, with x[j] at place b o mod n, y[k] is a rotation by a/8 turns of element q mod n of one real
  // transform.

  void permute_odds() {
    const bool sine = t_ == Transform1d::sine4;
    const Index b = inverse_of_eight(n_);
    const Root eighth = conj(root(2 * n_ * (n_ % 8), 16 * n_));  // n is its own inverse modulo 8
    std::vector<bool> negative(static_cast<std::size_t>(n_));
    p_.in.resize(negative.size());
    p_.out.resize(negative.size());
    for (Index j = 0; j < n_; ++j) {
      const Odd o = odd_of(2 * j + 1, n_);
      const Index row = row_in(multiply_mod(b, o.residue % n_, n_)), l = o.residue % n_;
      p_.in[static_cast<std::size_t>(sine ? n_ - 1 - j : j)] = row;
      if (o.negative) negate(p_.before, row);
      p_.out[static_cast<std::size_t>(j)] = beside(l, false);
      negative[static_cast<std::size_t>(l)] = o.negative != (sine && j % 2 != 0);
    }
    const auto sign = [&](Index l) { return negative[static_cast<std::size_t>(l % n_)] ? Fixed(-2) : Fixed(2); };
    for (Index l = 0; 2 * l < n_; ++l)
      add_alone(p_.mix_after, l, [&](const std::array<Fixed, 2>& v) {
        const Fixed re = eighth.re * v[0], im = l == 0 ? 0 : eighth.im * v[1];
        return std::array<Fixed, 2>{sign(l) * (re + im), l == 0 ? 0 : sign(n_ - l) * (re - im)};
      });
  }

  // --- cosine1, sine1 ---

  void extend() {
    const bool sine = t_ == Transform1d::sine1;
    const Index period = logical_length(t_, n_);
    // For the sine, x is the second half of the period: imaginary parts of its transform then have y's sign.
    p_.in = rows([&](Index j) { return row_in(sine ? period - 1 - j : j); });
    p_.out = rows([&](Index k) { return sine ? 2 * (k + 1) + 1 : 2 * k; });
    for (Index j = sine ? 0 : 1; j < (sine ? n_ : n_ - 1); ++j) {
      p_.mirror_from.push_back(p_.in[static_cast<std::size_t>(j)]);
      p_.mirror_to.push_back(row_in(sine ? j + 1 : period - j));
      if (sine) negate(p_.before, p_.mirror_to.back());
    }
    if (sine) p_.zeros = {row_in(0), row_in(n_ + 1)};
  }

  static void name_elements(RowMixes<T>& mixes, const std::vector<Index>& rows) {
    std::vector<Index> element(static_cast<std::size_t>(2 + *std::max_element(rows.begin(), rows.end())), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) element[static_cast<std::size_t>(rows[k])] = static_cast<Index>(k);
    const auto name = [&](const std::vector<Index>& of, std::vector<Index>& to) {
      for (const Index row : of)
        for (const Index r : {2 * row, 2 * row + 1})
          to.push_back(r < static_cast<Index>(element.size()) ? element[static_cast<std::size_t>(r)] : -1);
    };
    name(mixes.alone, mixes.alone_elements);
    name(mixes.pairs, mixes.pair_elements);
  }

  // --- orthonormal ---

  void weigh_ends() {
    if (!orthonormal_) return;
    const Fixed root2 = root(1, 8).re * 2;
    const auto weigh = [](bool does, RowFactors<T>& to, Index row, Fixed factor) {
      if (!does) return;
      to.rows.push_back(row);
      to.factors.push_back(static_cast<T>(factor));
    };
    const EndWeights ends = end_weights(kind_of(t_));
    weigh(ends.first_in, p_.before, p_.in.front(), root2);
    weigh(ends.last_in, p_.before, p_.in.back(), root2);
    weigh(ends.first_out, p_.after, p_.out.front(), root2 / 2);
    weigh(ends.last_out, p_.after, p_.out.back(), root2 / 2);
  }

  Transform1d t_;
  Index n_, half_;
  const TileFormat& inner_;
  bool orthonormal_;
  Roots turns_;
  RealPlan<T> p_{};
};

}  // namespace

KernelRequest inner_request(const KernelRequest& request) {
  KernelRequest inner = request;
  const Transform1d t = request.transform;
  inner.complex = true;
  inner.orthonormal = inner.strided = false;
  if (is_halved(t, request.n)) {
    inner.n = request.n / 2;
    inner.transform = is_inverse(t) ? Transform1d::backward : Transform1d::forward;
  } else {
    inner.n = is_type(t, Transform1d::cosine1, Transform1d::sine1) ? logical_length(t, request.n) : request.n;
    inner.transform = is_inverse(t) ? Transform1d::c2r : Transform1d::r2c;
  }
  return inner;
}

template <class T>
RealPlan<T> real_plan(const KernelRequest& request, const TileFormat& inner_in) {
  return Planner<T>(request, inner_in).plan();
}

template RealPlan<float> real_plan<float>(const KernelRequest&, const TileFormat&);
template RealPlan<double> real_plan<double>(const KernelRequest&, const TileFormat&);

}  // namespace shardfft::native
