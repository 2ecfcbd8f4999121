#include "navier_stokes/modes.hpp"

#include <cmath>

#include "navier_stokes/arithmetic.hpp"
#include "navier_stokes/rows.hpp"
#include "shardfft/elements.hpp"

namespace shardfft::solvers {
namespace {

double unit_of(const FlowProblem& problem, int axis) {
  return 2 * std::numbers::pi / problem.lengths[static_cast<std::size_t>(axis)];
}

/// The three components of a row; real and imaginary parts take turns.
template <class T>
struct Row {
  T* __restrict x, * __restrict y, * __restrict z;
};
template <class T>
Row<T> row_of(const ModeGrid& grid, const ModeRow& row, T* array) {
  if (array == nullptr) return {};
  T* const first = array + 2 * row.first;
  const Index component = 2 * grid.component();
  return {first, first + component, first + 2 * component};
}

/// -i k . T of the six components xx xy xz yy yz zz.
template <class T>
void diverge(const ModeGrid& grid, const ModeRow& row, T* array) {
  const Row<T> a = row_of(grid, row, array), b = row_of(grid, row, array + 6 * grid.component());
  const double* const kz = grid.wave[2].data();
  const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y);
#pragma omp simd
  for (Index i = 0; i < 2 * row.count; i += 2) {
    const Six<T> re{a.x[i], a.y[i], a.z[i], b.x[i], b.y[i], b.z[i]},
        im{a.x[i + 1], a.y[i + 1], a.z[i + 1], b.x[i + 1], b.y[i + 1], b.z[i + 1]};
    const Pair<T> n = minus_divergence({kx, ky, static_cast<T>(kz[i / 2])}, re, im);
    a.x[i] = n.re.x, a.x[i + 1] = n.im.x;
    a.y[i] = n.re.y, a.y[i + 1] = n.im.y;
    a.z[i] = n.re.z, a.z[i + 1] = n.im.z;
  }
}

template <class T>
void curl_row(const ModeGrid& grid, const ModeRow& row, const Row<const T>& u, const Row<T>& w) {
  const double* const kz = grid.wave[2].data();
  const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y);
#pragma omp simd
  for (Index i = 0; i < 2 * row.count; i += 2) {
    const Three<T> re{u.x[i], u.y[i], u.z[i]}, im{u.x[i + 1], u.y[i + 1], u.z[i + 1]};
    const Pair<T> c = curl_of({kx, ky, static_cast<T>(kz[i / 2])}, re, im);
    w.x[i] = c.re.x, w.x[i + 1] = c.im.x;
    w.y[i] = c.re.y, w.y[i + 1] = c.im.y;
    w.z[i] = c.re.z, w.z[i + 1] = c.im.z;
  }
}

/// d = n - k (k . n) / k^2 - viscosity k^2 s
template <int stage, class T>
void advance_row(const ModeGrid& grid, const ModeRow& row, T viscosity, T dt, const FlowArrays<T>& arrays) {
  const Row<T> n = row_of(grid, row, arrays.rate), s = row_of(grid, row, arrays.state);
  const Row<T> u = row_of(grid, row, arrays.before), sum = row_of(grid, row, arrays.sum);
  const double* const kz = grid.wave_z_twice.data();
  const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y);
#pragma omp simd
  for (Index i = 0; i < 2 * row.count; ++i) {
    const Three<T> k{kx, ky, static_cast<T>(kz[i])};
    const T k2 = dot(k, k), lost = viscosity * k2;
    const Three<T> d = projected(k, k2, {n.x[i], n.y[i], n.z[i]});
    advance<stage>(s.x[i], u.x[i], sum.x[i], d.x - lost * s.x[i], dt);
    advance<stage>(s.y[i], u.y[i], sum.y[i], d.y - lost * s.y[i], dt);
    advance<stage>(s.z[i], u.z[i], sum.z[i], d.z - lost * s.z[i], dt);
  }
}

template <int stage, class T>
void run_rows(const ModeGrid& grid, const FlowProblem& problem, const FlowArrays<T>& arrays, double dt) {
  for_each_row(grid, [&](const ModeRow& row) {
    if (problem.form == Form::divergence) diverge(grid, row, arrays.rate);
    advance_row<stage>(grid, row, static_cast<T>(problem.viscosity), static_cast<T>(dt), arrays);
    if (problem.form == Form::rotational)
      curl_row<T>(grid, row, row_of<const T>(grid, row, arrays.state),
                  row_of(grid, row, arrays.state + 6 * grid.component()));
  });
}

}  // namespace

ModeGrid make_modes(const FlowProblem& problem, const Box& box, const Coord& kept, int threads) {
  ModeGrid grid{.box = box, .wave = {}, .shell = 0, .wave_z_twice = {}, .threads = threads};
  for (int axis = 0; axis < 3; ++axis) {
    for (Index i = box.lo[axis]; i < box.hi[axis]; ++i)
      grid.wave[static_cast<std::size_t>(axis)].push_back(unit_of(problem, axis) *
                                                          static_cast<double>(axis < 2 ? frequency(i, kept[axis]) : i));
    grid.shell = std::max(grid.shell, 1 / unit_of(problem, axis));
  }
  for (const double k : grid.wave[2]) grid.wave_z_twice.insert(grid.wave_z_twice.end(), 2, k);
  return grid;
}

double longest_wave(const FlowProblem& problem, const Coord& kept) {
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double wave = unit_of(problem, axis) * static_cast<double>(kept[axis] / 2);
    square += wave * wave;
  }
  return std::sqrt(square);
}

template <class T>
void run_stage(const ModeGrid& grid, const FlowProblem& problem, const FlowArrays<T>& arrays, int stage, double dt) {
  constexpr decltype(&run_rows<1, T>) stages[] = {run_rows<1, T>, run_rows<2, T>, run_rows<3, T>, run_rows<4, T>};
  stages[stage - 1](grid, problem, arrays, dt);
}

template <class T>
void project(const ModeGrid& grid, T* state) {
  for_each_row(grid, [&](const ModeRow& row) {
    const Row<T> s = row_of(grid, row, state);
    const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y);
    for (Index i = 0; i < 2 * row.count; ++i) {
      const Three<T> k{kx, ky, static_cast<T>(grid.wave_z_twice[static_cast<std::size_t>(i)])};
      const Three<T> p = projected(k, dot(k, k), {s.x[i], s.y[i], s.z[i]});
      s.x[i] = p.x, s.y[i] = p.y, s.z[i] = p.z;
    }
  });
}

template <class T>
void curl(const ModeGrid& grid, const T* state, T* result) {
  for_each_row(
      grid, [&](const ModeRow& row) { curl_row<T>(grid, row, row_of(grid, row, state), row_of(grid, row, result)); });
}

template <class T>
void derive(const ModeGrid& grid, const T* state, int axis, T* result) {
  for_each_row(grid, [&](const ModeRow& row) {
    const double* const kz = grid.wave[2].data();
    for (int c = 0; c < 3; ++c) {
      const T* const __restrict from = state + 2 * (c * grid.component() + row.first);
      T* const __restrict to = result + 2 * (c * grid.component() + row.first);
#pragma omp simd
      for (Index i = 0; i < 2 * row.count; i += 2) {
        const T k = static_cast<T>(axis == 0 ? row.x : axis == 1 ? row.y : kz[i / 2]);
        to[i] = -k * from[i + 1];
        to[i + 1] = k * from[i];
      }
    }
  });
}

#define SHARDFFT_FLOW_MODES(T)                                                                     \
  template void run_stage(const ModeGrid&, const FlowProblem&, const FlowArrays<T>&, int, double); \
  template void project(const ModeGrid&, T*);                                                      \
  template void curl(const ModeGrid&, const T*, T*);                                               \
  template void derive(const ModeGrid&, const T*, int, T*);
SHARDFFT_FLOW_MODES(float)
SHARDFFT_FLOW_MODES(double)
#undef SHARDFFT_FLOW_MODES

}  // namespace shardfft::solvers
