#include "verify/exact_dft.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/processor/simd_targets.hpp"
#include "verify/roots.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "verify/exact_dft.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "verify/lanes-inl.hpp"

#ifndef SHARDFFT_EXACT_DFT_ONCE
#define SHARDFFT_EXACT_DFT_ONCE
namespace shardfft {
constexpr int largest_radix = 31;

/// What the recursion needs to know.
struct Butterflies {
  const int* factors = nullptr;      ///< radix of this level, then of those below
  const ComplexDD* roots = nullptr;  ///< of order `order`
  Index order = 1;
  int lanes = 8;
};
}  // namespace shardfft
#endif

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

/// Column k of one level, entries q m + k for 0 <= q < p: twiddles, then a direct transform of length p.
void column(const Butterflies& b, double* data, Index m, Index k, int p, int g) {
  const Index n = m * p, root_step = b.order / n, quad = 4 * b.lanes;
  std::array<double, std::size_t{4} * 8 * largest_radix> twiddled;
  const int width = static_cast<int>(hn::Lanes(Lanes()));
  for (int q = 0; q < p; ++q) {
    CDD t = load(data + (q * m + k) * quad, b.lanes, g);
    if (q * k != 0) t = mul(t, all_lanes(b.roots[q * k * root_step]));
    store(t, twiddled.data() + 4 * width * q, width, 0);
  }
  for (int j = 0; j < p; ++j) {
    CDD sum = load(twiddled.data(), width, 0);
    for (int q = 1; q < p; ++q) {
      const CDD t = load(twiddled.data() + 4 * width * q, width, 0);
      const int turn = q * j % p;
      sum = turn == 0       ? add(sum, t)
            : 2 * turn == p ? sub(sum, t)
                            : add(sum, mul(t, all_lanes(b.roots[turn * (b.order / p)])));
    }
    store(sum, data + (j * m + k) * quad, b.lanes, g);
  }
}

/// In place, decimation in time: the p subsequences of the input lie one after the other, each in its own slot order.
void butterflies(Butterflies b, double* data, Index n) {
  if (n == 1) return;
  const int p = *b.factors++;
  const Index m = n / p;
  for (Index q = 0; q < p; ++q) butterflies(b, data + 4 * b.lanes * q * m, m);
  --b.factors;
  for (Index k = 0; k < m; ++k)
    for (int g = 0; g < b.lanes; g += static_cast<int>(hn::Lanes(Lanes()))) column(b, data, m, k, p, g);
}

/// a[i] *= b[i]
void multiply(double* a, const double* b, Index count, int lanes) {
  for (Index i = 0; i < count; ++i)
    for (int g = 0; g < lanes; g += static_cast<int>(hn::Lanes(Lanes())))
      store(mul(load(a + 4 * lanes * i, lanes, g), load(b + 4 * lanes * i, lanes, g)), a + 4 * lanes * i, lanes, g);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace {

HWY_EXPORT(butterflies);
HWY_EXPORT(multiply);

/// Prime factors, largest first; empty when one is above the largest radix.
std::vector<int> small_prime_factors(Index n) {
  std::vector<int> found;
  for (int p = largest_radix; p >= 2; --p) {
    bool prime = true;
    for (int d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
    for (; prime && n % p == 0; n /= p) found.push_back(p);
  }
  return n == 1 ? found : std::vector<int>{};
}

void copy_quad(const Quads& from, Index i, Quads& to, Index j) { std::copy_n(from.at(i), 4 * from.lanes, to.at(j)); }

void fill(Quads& table, Index i, const ComplexDD& z) {
  for (int lane = 0; lane < table.lanes; ++lane) table.set(i, lane, z);
}

/// j^2 mod 2n, for Bluestein's chirp.
Index square_mod(Index j, Index n) {
  return static_cast<Index>(static_cast<unsigned __int128>(j) * static_cast<unsigned __int128>(j) %
                            static_cast<unsigned __int128>(2 * n));
}

}  // namespace

bool ExactDft::is_shared_segment(Index n) { return n == 1 || !small_prime_factors(n).empty(); }

ExactDft::ExactDft(Index n, int sign) : n_(n), factors_(small_prime_factors(n)) {
  roots_ = roots_of_unity(is_shared_segment(n) ? n : 2 * n, sign);
}

Quads ExactDft::operator()(const Quads& x) const {
  return n_ == 1 || !factors_.empty() ? mixed_radix(x) : bluestein(x);
}

Index ExactDft::slot(Index k) const {
  Index at = 0, block = n_;
  for (const int p : factors_) {
    block /= p;
    at += (k % p) * block;
    k /= p;
  }
  return at;
}

Quads ExactDft::mixed_radix(const Quads& x) const {
  Quads out(n_, x.lanes);
  for (Index k = 0; k < n_; ++k) copy_quad(x, k, out, slot(k));
  HWY_DYNAMIC_DISPATCH(butterflies)(Butterflies{factors_.data(), roots_.data(), n_, x.lanes}, out.at(0), n_);
  return out;
}

// jk = (j^2 + k^2 - (j-k)^2) / 2 turns the transform into a convolution with the chirp c_k = e^(pi i sign k^2 / n):
// X_j = c_j * sum over k of (x_k c_k) conj(c_(j-k)). Source: Bluestein (1970).
Quads ExactDft::bluestein(const Quads& x) const {
  const auto padded = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * n_ - 1)));
  const ExactDft dft(padded, -1);
  Quads chirp(n_, x.lanes), filter(padded, x.lanes), a(padded, x.lanes);
  for (Index k = 0; k < n_; ++k) {
    const ComplexDD c = roots_[static_cast<std::size_t>(square_mod(k, n_))];
    fill(chirp, k, c);
    fill(filter, k, conj(c));
    if (k > 0) fill(filter, padded - k, conj(c));
    copy_quad(x, k, a, k);
  }
  HWY_DYNAMIC_DISPATCH(multiply)(a.at(0), chirp.at(0), n_, x.lanes);
  a = dft(a), filter = dft(filter);
  HWY_DYNAMIC_DISPATCH(multiply)(a.at(0), filter.at(0), padded, x.lanes);
  filter = dft(a);  // the inverse is the transform, read backwards, over the length (a power of two, so exactly)
  Quads out(n_, x.lanes);
  for (Index j = 0; j < n_; ++j) copy_quad(filter, (padded - j) % padded, out, j);
  for (double& v : out.values) v /= static_cast<double>(padded);
  HWY_DYNAMIC_DISPATCH(multiply)(out.at(0), chirp.at(0), n_, x.lanes);
  return out;
}

}  // namespace shardfft
#endif
