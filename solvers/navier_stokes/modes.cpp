#include "navier_stokes/modes.hpp"

#include <cmath>

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

/// What i k . T is of the six components xx xy xz yy yz zz, with a minus: -i (a + i b) = b - i a.
template <class T>
void diverge(const ModeGrid& grid, const ModeRow& row, T* array) {
  const Row<T> a = row_of(grid, row, array), b = row_of(grid, row, array + 6 * grid.component());
  const double* const kz = grid.wave[2].data();
  const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y);
#pragma omp simd
  for (Index i = 0; i < 2 * row.count; i += 2) {
    const T k = static_cast<T>(kz[i / 2]);
    const T xr = kx * a.x[i] + ky * a.y[i] + k * a.z[i], xi = kx * a.x[i + 1] + ky * a.y[i + 1] + k * a.z[i + 1];
    const T yr = kx * a.y[i] + ky * b.x[i] + k * b.y[i], yi = kx * a.y[i + 1] + ky * b.x[i + 1] + k * b.y[i + 1];
    const T zr = kx * a.z[i] + ky * b.y[i] + k * b.z[i], zi = kx * a.z[i + 1] + ky * b.y[i + 1] + k * b.z[i + 1];
    a.x[i] = xi, a.x[i + 1] = -xr;
    a.y[i] = yi, a.y[i + 1] = -yr;
    a.z[i] = zi, a.z[i + 1] = -zr;
  }
}

/// i k x u: i (a + i b) = -b + i a.
template <class T>
void curl_row(const ModeGrid& grid, const ModeRow& row, const Row<const T>& u, const Row<T>& w) {
  const double* const kz = grid.wave[2].data();
  const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y);
#pragma omp simd
  for (Index i = 0; i < 2 * row.count; i += 2) {
    const T k = static_cast<T>(kz[i / 2]);
    w.x[i] = k * u.y[i + 1] - ky * u.z[i + 1], w.x[i + 1] = ky * u.z[i] - k * u.y[i];
    w.y[i] = kx * u.z[i + 1] - k * u.x[i + 1], w.y[i + 1] = k * u.x[i] - kx * u.z[i];
    w.z[i] = ky * u.x[i + 1] - kx * u.y[i + 1], w.z[i + 1] = kx * u.y[i] - ky * u.x[i];
  }
}

/// Four numbers of the scheme: with s the state, u the one before the step, d the rate,
///   1: u = s, s = u + dt/2 d   2: sum = u + (s - u)/3 + dt/3 d, s = u + dt/2 d
///   3: s = u + dt d            4: s = sum + (s - u)/3 + dt/6 d
/// for (s - u)/3 is what stages 1 and 3 add to the sum.
template <int stage, class T>
void advance(T& s, T& u, T& sum, T d, T dt) {
  constexpr T third = T{1} / 3;
  if constexpr (stage == 1) u = s, s = u + dt / 2 * d;
  if constexpr (stage == 2) sum = u + third * (s - u) + dt / 3 * d, s = u + dt / 2 * d;
  if constexpr (stage == 3) s = u + dt * d;
  if constexpr (stage == 4) s = sum + third * (s - u) + dt / 6 * d;
}

/// d = n - k (k . n) / k^2 - viscosity k^2 s
template <int stage, class T>
void advance_row(const ModeGrid& grid, const ModeRow& row, T viscosity, T dt, const FlowArrays<T>& arrays) {
  const Row<T> n = row_of(grid, row, arrays.rate), s = row_of(grid, row, arrays.state);
  const Row<T> u = row_of(grid, row, arrays.before), sum = row_of(grid, row, arrays.sum);
  const double* const kz = grid.wave_z_twice.data();
  const T kx = static_cast<T>(row.x), ky = static_cast<T>(row.y), flat = kx * kx + ky * ky;
#pragma omp simd
  for (Index i = 0; i < 2 * row.count; ++i) {
    const T k = static_cast<T>(kz[i]), k2 = flat + k * k;
    const T along = (kx * n.x[i] + ky * n.y[i] + k * n.z[i]) / (k2 == 0 ? T{1} : k2), lost = viscosity * k2;
    advance<stage>(s.x[i], u.x[i], sum.x[i], n.x[i] - kx * along - lost * s.x[i], dt);
    advance<stage>(s.y[i], u.y[i], sum.y[i], n.y[i] - ky * along - lost * s.y[i], dt);
    advance<stage>(s.z[i], u.z[i], sum.z[i], n.z[i] - k * along - lost * s.z[i], dt);
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
  for (int axis = 0; axis < 3; ++axis)
    square += std::pow(unit_of(problem, axis) * static_cast<double>(kept[axis] / 2), 2);
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
      const T k = static_cast<T>(grid.wave_z_twice[static_cast<std::size_t>(i)]), k2 = kx * kx + ky * ky + k * k;
      const T along = (kx * s.x[i] + ky * s.y[i] + k * s.z[i]) / (k2 == 0 ? T{1} : k2);
      s.x[i] -= kx * along, s.y[i] -= ky * along, s.z[i] -= k * along;
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
