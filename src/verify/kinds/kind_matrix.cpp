#include "verify/kinds/kind_matrix.hpp"

#include <algorithm>
#include <utility>

#include "support/end_weights.hpp"
#include "verify/exact_dft.hpp"

namespace shardfft {
namespace {

Index product_mod(Index a, Index b, Index n) { return static_cast<Index>(static_cast<__int128>(a) * b % n); }

/// The type of a cosine or sine, 1 to 4; 0 for hartley.
int type_of(AxisKind kind) {
  return kind == AxisKind::hartley ? 0 : 1 + (static_cast<int>(kind) - static_cast<int>(AxisKind::cosine1)) % 4;
}

Index period_of(AxisKind kind, Index n) {
  const Index length = logical_length(kind, n);
  const int type = type_of(kind);
  return type == 4 ? 4 * length : type == 2 || type == 3 ? 2 * length : length;
}

}  // namespace

KindMatrix::KindMatrix(AxisKind kind, Index n, bool orthonormal)
    : kind_(kind),
      n_(n),
      period_(period_of(kind, n)),
      sine_(kind >= AxisKind::sine1 && kind <= AxisKind::sine4),
      orthonormal_(orthonormal),
      root2_(root_of_unity(1, 8).re * DoubleDouble{2}),
      roots_(period_, 1) {
  const int type = type_of(kind);
  const bool odd_a = type == 2 || type == 4, odd_b = type == 3 || type == 4;  // half integers, doubled
  a_step_ = odd_a ? 2 : 1;
  b_step_ = odd_b ? 2 : 1;
  a_first_ = odd_a || sine_ ? 1 : 0;
  b_first_ = odd_b || sine_ ? 1 : 0;
}

DoubleDouble KindMatrix::in(Index j) const {
  const EndWeights ends = end_weights(kind_);
  const bool end = (ends.first_in && j == 0) || (ends.last_in && j == n_ - 1);
  if (kind_ == AxisKind::hartley) return {1};
  return end ? (orthonormal_ ? root2_ : DoubleDouble{1}) : DoubleDouble{2};
}

DoubleDouble KindMatrix::out(Index k) const {
  const EndWeights ends = end_weights(kind_);
  const bool end = (ends.first_out && k == 0) || (ends.last_out && k == n_ - 1);
  return orthonormal_ && end ? root2_ * DoubleDouble{0.5} : DoubleDouble{1};
}

DoubleDouble KindMatrix::wave(Index k, Index j) const {
  const ComplexDD z = roots_(product_mod(at_input(j), at_output(k), period_));
  return kind_ == AxisKind::hartley ? z.re + z.im : sine_ ? z.im : z.re;
}

ComplexDD KindMatrix::combined(const ComplexDD& plus, const ComplexDD& minus) const {
  const DoubleDouble half{0.5};
  const ComplexDD cosine = (plus + minus) * half, turned = (plus - minus) * half, sine{turned.im, -turned.re};
  return kind_ == AxisKind::hartley ? cosine + sine : sine_ ? sine : cosine;
}

Quads KindMatrix::transposed(const Quads& r) const {
  Quads spread(period_, r.lanes), result(n_, r.lanes);
  for (Index k = 0; k < n_; ++k)
    for (int l = 0; l < r.lanes; ++l) spread.set(at_output(k) % period_, l, r.get(k, l) * out(k));
  const Quads sums = ExactDft(period_, 1)(spread);
  for (Index j = 0; j < n_; ++j) {
    const Index at = at_input(j) % period_;
    for (int l = 0; l < r.lanes; ++l)
      result.set(j, l, combined(sums.get(at, l), sums.get((period_ - at) % period_, l)) * in(j));
  }
  return result;
}

namespace {

/// Rows of a long axis, entry by entry.
class MadeRows final : public AxisWeights {
 public:
  MadeRows(KindMatrix matrix, std::vector<Index> positions, int lanes)
      : matrix_(std::move(matrix)), positions_(std::move(positions)), lanes_(lanes) {}
  [[nodiscard]] int lanes() const override { return lanes_; }
  [[nodiscard]] const double* quads(Index first, Index count, Workspace& workspace) const override {
    double* quads = workspace.of(static_cast<std::size_t>(4 * lanes_ * count));
    std::fill_n(quads, 4 * lanes_ * count, 0.0);
    for (Index i = 0; i < count; ++i)
      for (std::size_t l = 0; l < positions_.size(); ++l) {
        const DoubleDouble entry = matrix_.entry(positions_[l], first + i);
        quads[4 * lanes_ * i + static_cast<Index>(l)] = entry.hi;
        quads[4 * lanes_ * i + lanes_ + static_cast<Index>(l)] = entry.lo;
      }
    return quads;
  }

 private:
  KindMatrix matrix_;
  std::vector<Index> positions_;
  int lanes_;
};

}  // namespace

std::unique_ptr<AxisWeights> row_weights(const KindMatrix& matrix, Index n, const std::vector<Index>& positions,
                                         int lanes) {
  if (n > longest_table) return std::make_unique<MadeRows>(matrix, positions, lanes);
  Quads rows(n, lanes);
  for (Index j = 0; j < n; ++j)
    for (std::size_t l = 0; l < positions.size(); ++l)
      rows.set(j, static_cast<int>(l), {matrix.entry(positions[l], j), {}});
  return kept_weights(std::move(rows));
}

/// With a = a0 + a1 j and b = b0 + b1 k, a b = a0 b0 + a1 b0 j + a0 b1 k + a1 b1 jk: the third term turns the digits,
/// the last one is a transform of them, the first two turn its values.
class TransposedKind final : public AxisWeights {
 public:
  TransposedKind(const KindMatrix& matrix, const DigitTables& digits)
      : matrix_(matrix),
        plus_(transformed(digits, 1)),
        minus_(transformed(digits, -1)),
        first_(digit(digits, 0)),
        last_(digit(digits, matrix.n_ - 1)) {}
  [[nodiscard]] int lanes() const override { return plus_->lanes(); }

  [[nodiscard]] const double* quads(Index first, Index count, Workspace& workspace) const override {
    Workspace of_plus, of_minus;
    const double *plus = plus_->quads(first, count, of_plus), *minus = minus_->quads(first, count, of_minus);
    double* const quads = workspace.of(static_cast<std::size_t>(4 * lanes() * count));
    for (Index i = 0; i < count; ++i) {
      const Index j = first + i;
      const ComplexDD turn = matrix_.roots_(product_mod(matrix_.at_input(j), matrix_.b_first_, matrix_.period_));
      for (int l = 0; l < lanes(); ++l) {
        const Index at = 4 * lanes() * i + l;
        ComplexDD sum = matrix_.combined(get(plus + at) * turn, get(minus + at) * conj(turn));
        if (matrix_.orthonormal_) {
          sum = sum + first_[static_cast<std::size_t>(l)] * missing(0, j);
          sum = sum + last_[static_cast<std::size_t>(l)] * missing(matrix_.n_ - 1, j);
        }
        set(quads + at, sum * matrix_.in(j));
      }
    }
    return quads;
  }

 private:
  [[nodiscard]] ComplexDD get(const double* q) const {
    const int n = lanes();
    return {{q[0], q[n]}, {q[2 * n], q[3 * n]}};
  }
  void set(double* q, const ComplexDD& z) const {
    const int n = lanes();
    q[0] = z.re.hi, q[n] = z.re.lo, q[2 * n] = z.im.hi, q[3 * n] = z.im.lo;
  }
  /// What the weight of an output adds to its entry.
  [[nodiscard]] DoubleDouble missing(Index k, Index j) const {
    return (matrix_.out(k) - DoubleDouble{1}) * matrix_.wave(k, j);
  }
  [[nodiscard]] static std::vector<ComplexDD> digit(const DigitTables& digits, Index k) {
    const Index base = digits.low.count();
    std::vector<ComplexDD> values;
    for (int l = 0; l < digits.low.lanes; ++l)
      values.push_back(digits.low.get(k % base, l) * digits.high.get(k / base, l));
    return values;
  }

  [[nodiscard]] std::unique_ptr<AxisWeights> transformed(DigitTables digits, int sign) const {
    const Index base = digits.low.count();
    const auto turn = [&](Quads& digit, Index place) {
      for (Index k = 0; k < digit.count(); ++k) {
        const Index by =
            product_mod(product_mod(k, place, matrix_.period_), matrix_.a_first_ * matrix_.b_step_, matrix_.period_);
        const ComplexDD root = sign > 0 ? matrix_.roots_(by) : conj(matrix_.roots_(by));
        for (int l = 0; l < digit.lanes; ++l) digit.set(k, l, digit.get(k, l) * root);
      }
    };
    turn(digits.low, 1);
    turn(digits.high, base);
    return transformed_weights(digits, matrix_.n_, matrix_.period_, sign, 0, matrix_.a_step_ * matrix_.b_step_);
  }

  KindMatrix matrix_;
  std::unique_ptr<AxisWeights> plus_, minus_;
  std::vector<ComplexDD> first_, last_;
};

std::unique_ptr<AxisWeights> transposed_weights(const KindMatrix& matrix, const DigitTables& digits) {
  return std::make_unique<TransposedKind>(matrix, digits);
}

}  // namespace shardfft
