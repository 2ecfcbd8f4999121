#include "poisson/inverse.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "shardfft/operators/formula.hpp"

namespace shardfft::solvers {
namespace {

/// Over axes, in their order, so that a mode's factor has the same bits whichever axis its row lies along.
struct Sums {
  double l = 0, b = 0, lb = 0;
  void add(double own_l, double own_b) { l += own_l, b += own_b, lb += own_l * own_b; }
};

template <class T>
struct Inverse {
  ModeTables tables;

  void operator()(const Modes& m) const {
    constexpr Index most = 256;
    double factors[most];
    const int dims = m.first.dims();
    const auto own = [&](const auto& of_axes, int axis) {
      return of_axes[static_cast<std::size_t>(axis)].data() + m.first[axis];
    };
    Sums before;
    for (int a = 0; a < m.axis; ++a) before.add(*own(tables.l, a), *own(tables.b, a));
    const double *row_l = own(tables.l, m.axis), *row_b = own(tables.b, m.axis);
    for (Index begin = 0; begin < m.count; begin += most) {
      const Index count = std::min(most, m.count - begin);
      for (Index i = 0; i < count; ++i) {
        Sums sums = before;
        sums.add(row_l[begin + i], row_b[begin + i]);
        for (int a = m.axis + 1; a < dims; ++a) sums.add(*own(tables.l, a), *own(tables.b, a));
        factors[i] = ModeTables::factor(sums.l, sums.b, sums.lb, tables.shift);
      }
      for (int c = 0; c < m.components_in; ++c)
        multiply(m, c, begin, std::span(factors, static_cast<std::size_t>(count)));
    }
  }

 private:
  static void multiply(const Modes& m, int c, Index begin, std::span<const double> factors) {
    T* x = m.reals<T>(c).data() + (m.complex ? 2 : 1) * begin;
    if (m.complex)
      for (const double f : factors) x[0] *= static_cast<T>(f), x[1] *= static_cast<T>(f), x += 2;
    else
      for (const double f : factors) *x++ *= static_cast<T>(f);
  }
};

}  // namespace

ModeTables::ModeTables(const std::vector<Axis>& axes, const PoissonProblem& problem) : shift(problem.shift) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::vector<double> none(axes[a].places.size(), 0.0);
    const bool transformed = static_cast<int>(a) != problem.stretched;
    b.push_back(none);
    l.push_back(transformed ? eigenvalues(axes[a], problem.scheme) : none);
    if (problem.scheme == Scheme::compact)
      std::ranges::transform(l[a], b[a].begin(), [h = axes[a].spacing](double x) { return h * h * x / 12; });
  }
}

// Eigenvalues grow along each axis: the smallest is that of the first mode, or where that is zero of a neighbour.
double ModeTables::largest() const {
  const auto of = [&](std::size_t moved) {
    double sum_l = 0, sum_b = 0, sum_lb = 0;
    for (std::size_t a = 0; a < l.size(); ++a) {
      const std::size_t k = a == moved && l[a].size() > 1 ? 1 : 0;
      sum_l += l[a][k], sum_b += b[a][k], sum_lb += l[a][k] * b[a][k];
    }
    return factor(sum_l, sum_b, sum_lb, shift);
  };
  double found = of(l.size());
  for (std::size_t a = 0; a < l.size(); ++a) found = std::max(found, of(a));
  return found;
}

Operator inverse_operator(const ModeTables& tables, Precision precision) {
  if (precision == f32) return Inverse<float>{tables};
  return Inverse<double>{tables};
}

Operator inverse_formula(const ModeTables& tables, const Plan& plan) {
  const int parts = plan.middle_is_complex() ? 2 : 1, dims = static_cast<int>(tables.l.size());
  std::vector<FormulaArray> arrays;
  for (const auto* all : {&tables.l, &tables.b})
    for (int a = 0; a < dims; ++a) arrays.push_back({(*all)[static_cast<std::size_t>(a)].data(), 1, a});
  Formula f;
  Term l = f.number(0), b = l, lb = l;
  for (int a = 0; a < dims; ++a) {
    const Term own_l = f.read(parts + dims + a), own_b = f.read(parts + 2 * dims + a);
    l += own_l, b += own_b, lb += own_l * own_b;
  }
  const Term right = 1.0 - b, left = right * (l + tables.shift) + lb;
  const Term factor = right / replace_zero(left, std::numeric_limits<double>::infinity());
  for (int part = 0; part < parts; ++part) f.write(part, factor * f.read(part));
  return plan.make_operator(f, arrays);
}

}  // namespace shardfft::solvers
