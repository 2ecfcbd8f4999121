#include "verify/weights.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "support/processor/simd_targets.hpp"
#include "verify/roots.hpp"
#include "verify/spec.hpp"
#include "verify/turning_sum.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "verify/weights.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "verify/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

/// out[i] = a[i] * b: many quads times one.
void times_one(const double* a, const double* b, Index count, int lanes, double* out) {
  for (int g = 0; g < lanes; g += static_cast<int>(hn::Lanes(Lanes()))) {
    const CDD factor = load(b, lanes, g);
    for (Index i = 0; i < count; ++i)
      store(mul(load(a + 4 * lanes * i, lanes, g), factor), out + 4 * lanes * i, lanes, g);
  }
}

/// out[i] += a[i] * roots[i]
void add_turned(const double* a, const ComplexDD* roots, Index count, int lanes, double* out) {
  for (Index i = 0; i < count; ++i, a += 4 * lanes, out += 4 * lanes)
    for (int g = 0; g < lanes; g += static_cast<int>(hn::Lanes(Lanes())))
      store(add(load(out, lanes, g), mul(load(a, lanes, g), all_lanes(roots[i]))), out, lanes, g);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace {

HWY_EXPORT(times_one);
HWY_EXPORT(add_turned);

/// `quads`, of positions from `first` on, times how often each occurs in a spectrum of `half_of`.
void weigh_halves(double* quads, Index first, Index count, int lanes, Index half_of) {
  for (Index i = 0; i < count; ++i)
    std::for_each_n(quads + 4 * lanes * i, 4 * lanes, [by = multiplicity(first + i, half_of)](double& v) { v *= by; });
}

class KeptWeights final : public AxisWeights {
 public:
  explicit KeptWeights(Quads table) : table_(std::move(table)) {}
  [[nodiscard]] int lanes() const override { return table_.lanes; }
  [[nodiscard]] const double* quads(Index first, Index, Workspace&) const override { return table_.at(first); }

 private:
  Quads table_;
};

/// Weights of a long axis, made for the positions that are asked for.
class MadeWeights : public AxisWeights {
 public:
  explicit MadeWeights(Index half_of) : half_of_(half_of) {}
  [[nodiscard]] const double* quads(Index first, Index count, Workspace& workspace) const final {
    double* quads = workspace.of(static_cast<std::size_t>(4 * lanes() * count));
    make(first, count, quads);
    if (half_of_ != 0) weigh_halves(quads, first, count, lanes(), half_of_);
    return quads;
  }

 private:
  virtual void make(Index first, Index count, double* out) const = 0;
  Index half_of_;
};

class DigitWeights final : public MadeWeights {
 public:
  DigitWeights(DigitTables digits, Index half_of) : MadeWeights(half_of), digits_(std::move(digits)) {}
  [[nodiscard]] int lanes() const override { return digits_.low.lanes; }

 private:
  void make(Index first, Index count, double* out) const override {
    const Index base = digits_.low.count();
    for (Index end = first + count; first < end;) {
      const Index some = std::min(end - first, base - first % base);
      HWY_DYNAMIC_DISPATCH(times_one)(digits_.low.at(first % base), digits_.high.at(first / base), some, lanes(), out);
      first += some, out += 4 * lanes() * some;
    }
  }
  DigitTables digits_;
};

/// The first `count` entries of a table.
Quads first_of(const Quads& table, Index count) {
  Quads some(count, table.lanes);
  std::copy_n(table.values.begin(), some.values.size(), some.values.begin());
  return some;
}

// With base B, k = low + B high, N = B floor(count / B) the entries in whole blocks:
// sum over k of w_k e(jk/n) = [ sum over low of w e(j low/n) ] [ sum over high < N/B of w e(j B high/n) ] + e(jN/n)
// w_(N/B) [ sum over low < count - N of w e(j low/n) ]
class TransformedWeights final : public MadeWeights {
 public:
  TransformedWeights(const DigitTables& digits, Index count, Index n, int sign, Index half_of, Index step)
      : MadeWeights(half_of),
        n_(n),
        whole_(static_cast<Index>(static_cast<__int128>(count - count % digits.low.count()) * step % n)),
        low_(digits.low, n, step % n, sign),
        high_(first_of(digits.high, count / digits.low.count()), n,
              static_cast<Index>(static_cast<__int128>(digits.low.count()) * step % n), sign) {
    if (count % digits.low.count() == 0) return;
    Quads rest = first_of(digits.low, count % digits.low.count());
    HWY_DYNAMIC_DISPATCH(times_one)
    (rest.at(0), digits.high.at(count / digits.low.count()), rest.count(), rest.lanes, rest.at(0));
    rest_.emplace(rest, n, step % n, sign);
    roots_.emplace(n, sign);
  }
  [[nodiscard]] int lanes() const override { return low_.lanes(); }

 private:
  void make(Index first, Index count, double* out) const override {
    low_.values(first, count, out);
    high_.multiply(first, count, out);
    if (!rest_) return;
    std::vector<double> rest(static_cast<std::size_t>(4 * lanes() * count));
    std::vector<ComplexDD> turns(static_cast<std::size_t>(count));
    rest_->values(first, count, rest.data());
    auto turn = static_cast<Index>(static_cast<__int128>(first) * whole_ % n_);
    for (ComplexDD& z : turns) {
      z = (*roots_)(turn);
      if ((turn += whole_) >= n_) turn -= n_;
    }
    HWY_DYNAMIC_DISPATCH(add_turned)(rest.data(), turns.data(), count, lanes(), out);
  }

  Index n_, whole_;  // how far the rest turns from one position to the next
  TurningSum low_, high_;
  std::optional<TurningSum> rest_{};
  std::optional<RootTable> roots_{};
};

}  // namespace

std::unique_ptr<AxisWeights> kept_weights(Quads table, Index half_of) {
  if (half_of != 0) weigh_halves(table.at(0), 0, table.count(), table.lanes, half_of);
  return std::make_unique<KeptWeights>(std::move(table));
}

std::unique_ptr<AxisWeights> digit_weights(DigitTables digits, Index half_of) {
  return std::make_unique<DigitWeights>(std::move(digits), half_of);
}

std::unique_ptr<AxisWeights> transformed_weights(const DigitTables& digits, Index count, Index n, int sign,
                                                 Index half_of, Index step) {
  return std::make_unique<TransformedWeights>(digits, count, n, sign, half_of, step);
}

Index table_entries(Index n, Index count, Index base) {
  const Index rest = count % base;
  return TurningSum::entries(base, n, 1) + TurningSum::entries(count / base, n, base % n) +
         (rest > 0 ? TurningSum::entries(rest, n, 1) : 0);
}

Index best_base(Index n, Index count) {
  Index best = 1, least = std::numeric_limits<Index>::max();
  for (Index base = 2; base * base <= 4 * count && base <= count; ++base)
    if (const Index entries = table_entries(n, count, base); entries < least) best = base, least = entries;
  return best;
}

}  // namespace shardfft
#endif
