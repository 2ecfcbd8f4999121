#include "poisson/tridiagonal.hpp"

#include <algorithm>
#include <cmath>

#include "shardfft/exact_sum.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::solvers {
namespace {

constexpr Index lanes = 32;  // scratch of 256 points stays in the second cache

/// Adds a b: what it is rounded to, and what was lost.
void add_product(ExactSum& sum, double a, double b) {
  sum.add(a * b);
  sum.add(std::fma(a, b, -(a * b)));
}

double sum_of(const std::vector<double>& a, const std::vector<double>& weights) {
  ExactSum sum;
  for (std::size_t i = 0; i < a.size(); ++i) add_product(sum, a[i], weights[i]);
  return sum.value();
}

}  // namespace

// Flux balance of a cell: neighbours at the distance of their centres, ends at half a cell.
Tridiagonal::Tridiagonal(const PoissonProblem& problem, const Axis& axis, ModeTables tables, bool singular)
    : axis_(problem.stretched),
      dims_(problem.shape.dims()),
      points_(axis),
      tables_(std::move(tables)),
      singular_(singular) {
  const std::size_t n = axis.places.size();
  lower_.assign(n, 0), upper_.assign(n, 0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double distance = axis.places[i + 1] - axis.places[i];
    upper_[i] = -1 / (distance * (problem.faces[i + 1] - problem.faces[i]));
    lower_[i + 1] = -1 / (distance * (problem.faces[i + 2] - problem.faces[i + 1]));
  }
  for (std::size_t i = 0; i < n; ++i) diagonal_.push_back(problem.shift - lower_[i] - upper_[i]);
  if (axis.ends.low == Boundary::odd) diagonal_.front() += axis.low.factor;
  if (axis.ends.high == Boundary::odd) diagonal_.back() += axis.high.factor;
}

LayoutSpec Tridiagonal::layout() const {
  std::vector<int> order{axis_};
  for (int a = 0; a < dims_; ++a)
    if (a != axis_) order.push_back(a);
  return pencils(axis_).ordered(std::move(order));
}

bool Tridiagonal::holds_singular(const Box& box) const {
  bool all = singular_;
  for (int a = 0; a < dims_; ++a) all = all && box.lo[a] == 0;
  return all;
}

// What the other axes add to the diagonal, for each number of a plane.
std::vector<double> Tridiagonal::shifts_of(const Box& box, int parts) const {
  std::vector<double> shifts(1, 0.0);
  for (int a = 0; a < dims_; ++a) {
    if (a == axis_) continue;
    std::vector<double> more;
    for (const double before : shifts)
      for (Index k = box.lo[a]; k < box.hi[a]; ++k)
        more.push_back(before + tables_.l[static_cast<std::size_t>(a)][static_cast<std::size_t>(k)]);
    shifts = std::move(more);
  }
  std::vector<double> each;
  for (const double shift : shifts) each.insert(each.end(), static_cast<std::size_t>(parts), shift);
  // That mode is solved by itself, and its lanes meet no zero here.
  if (holds_singular(box)) std::fill_n(each.begin(), parts, 1.0);
  return each;
}

// Thomas's algorithm. Without pivots: the diagonal dominates.
template <class T>
void Tridiagonal::solve_lanes(T* modes, Index stride, const double* shifts, Index count, double* ratio,
                              double* y) const {
  const auto n = static_cast<Index>(lower_.size());
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double lower = lower_[at], diagonal = diagonal_[at], upper = upper_[at];
    const T* f = modes + i * stride;
    double *r = ratio + i * lanes, *v = y + i * lanes;
    if (i == 0) {
      for (Index j = 0; j < count; ++j) r[j] = upper / (diagonal + shifts[j]), v[j] = f[j] / (diagonal + shifts[j]);
      continue;
    }
    for (Index j = 0; j < count; ++j) {
      const double pivot = 1 / (diagonal + shifts[j] - lower * r[j - lanes]);
      r[j] = upper * pivot;
      v[j] = (f[j] - lower * v[j - lanes]) * pivot;
    }
  }
  for (Index i = n - 1; i >= 0; --i) {
    double *r = ratio + i * lanes, *v = y + i * lanes;
    if (i + 1 < n)
      for (Index j = 0; j < count; ++j) v[j] -= r[j] * v[j + lanes];
    T* u = modes + i * stride;
    for (Index j = 0; j < count; ++j) u[j] = static_cast<T>(v[j]);
  }
}

// What flows through a face is the sum of what the cells before it make. The mean of f, which has no solution, is taken
// from it, and that of u is made zero.
std::vector<double> Tridiagonal::solve_singular(std::vector<double> f) const {
  const std::vector<double>& widths = points_.weights;
  const double mean = sum_of(f, widths);
  for (double& x : f) x -= mean;
  std::vector<double> u(f.size(), 0.0);
  ExactSum made;
  for (std::size_t i = 0; i + 1 < f.size(); ++i) {
    add_product(made, f[i], widths[i]);
    u[i + 1] = u[i] + made.value() / (widths[i] * upper_[i]);
  }
  const double height = sum_of(u, widths);
  for (double& x : u) x -= height;
  return u;
}

template <class T>
void Tridiagonal::solve_box(const Box& box, int parts, T* modes, int threads) const {
  const std::vector<double> shifts = shifts_of(box, parts);
  const auto stride = static_cast<Index>(shifts.size()), n = static_cast<Index>(lower_.size());
  std::vector<std::vector<double>> singular;
  for (int part = 0; part < (holds_singular(box) ? parts : 0); ++part) {
    std::vector<double> f;
    for (Index i = 0; i < n; ++i) f.push_back(modes[i * stride + part]);
    singular.push_back(solve_singular(std::move(f)));
  }
  const Index blocks = (stride + lanes - 1) / lanes;
  on_team(static_cast<int>(std::min<Index>(threads, blocks)), [&](TeamMember me) {
    std::vector<double> ratio(static_cast<std::size_t>(n * lanes)), y(ratio.size());
    for (Index block = me.begin(blocks); block < me.end(blocks); ++block) {
      const Index begin = block * lanes;
      solve_lanes(modes + begin, stride, shifts.data() + begin, std::min(lanes, stride - begin), ratio.data(),
                  y.data());
    }
  });
  for (std::size_t part = 0; part < singular.size(); ++part)
    for (Index i = 0; i < n; ++i)
      modes[i * stride + static_cast<Index>(part)] = static_cast<T>(singular[part][static_cast<std::size_t>(i)]);
}

void Tridiagonal::solve(const Layout& layout, int rank, Precision precision, bool complex, std::byte* modes,
                        int threads) const {
  const int parts = complex ? 2 : 1;
  for (const Box& box : layout.boxes(rank)) {
    if (precision == f32)
      solve_box(box, parts, reinterpret_cast<float*>(modes), threads);
    else
      solve_box(box, parts, reinterpret_cast<double*>(modes), threads);
    modes += box.count() * parts * (precision == f32 ? 4 : 8);
  }
}

}  // namespace shardfft::solvers
