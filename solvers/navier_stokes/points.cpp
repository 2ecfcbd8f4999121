#include "navier_stokes/points.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "shardfft/programs/team.hpp"

namespace shardfft::solvers {
namespace {

constexpr Index block = 4096;  ///< points that a thread takes at once

/// work(first, count) for blocks of points, shared among threads.
template <class Work>
void for_each_block(const PointGrid& grid, Work&& work) {
  const Index points = grid.count();
  for_each_shared(grid.threads, (points + block - 1) / block,
                  [&](Index i) { work(i * block, std::min(block, points - i * block)); });
}

}  // namespace

template <class T>
double largest_speed(const PointGrid& grid, const T* u) {
  double most = 0, poison = 0;
  std::mutex lock;
  for_each_block(grid, [&](Index first, Index count) {
    const T *x = u + first, *y = x + grid.apart, *z = y + grid.apart;
    const double square = largest_square(count, x, y, z);
    const std::lock_guard guard(lock);
    poison += square * 0;
    most = square > most ? square : most;
  });
  return std::sqrt(most + poison);
}

template <class T>
void cross_at(const PointGrid& grid, T* u, const T* w) {
  const Index n = grid.apart;
  for_each_block(grid, [&](Index i, Index count) {
    cross_product(count, u + i, u + n + i, u + 2 * n + i, w + i, w + n + i, w + 2 * n + i);
  });
}

template <class T>
void advect(const PointGrid& grid, const T* u, int axis, const T* gradient, T* rate) {
  const T* const along = u + axis * grid.apart;
  for_each_block(grid, [&](Index first, Index count) {
    const T* const __restrict a = along + first;
    for (int c = 0; c < 3; ++c) {
      const T* const __restrict g = gradient + c * grid.apart + first;
      T* const __restrict r = rate + c * grid.apart + first;
#pragma omp simd
      for (Index i = 0; i < count; ++i) r[i] = (axis == 0 ? T{0} : r[i]) - a[i] * g[i];
    }
  });
}

template <class T>
void fluxes(const PointGrid& grid, T* u, T* rest) {
  const Index n = grid.apart;
  for_each_block(grid, [&](Index first, Index count) {
    T* const __restrict a = u + first, * const __restrict b = a + n, * const __restrict c = b + n;
    T* const __restrict d = rest + first, * const __restrict e = d + n, * const __restrict f = e + n;
#pragma omp simd
    for (Index i = 0; i < count; ++i) {
      const Six<T> t = fluxes_of(Three<T>{a[i], b[i], c[i]});
      a[i] = t.xx, b[i] = t.xy, c[i] = t.xz;
      d[i] = t.yy, e[i] = t.yz, f[i] = t.zz;
    }
  });
}

template <class T>
void fill(const PointGrid& grid, const FlowProblem& problem, const NavierStokes::Velocity& velocity, T* u) {
  const auto place = [&](int axis, Index i) {
    return problem.lengths[static_cast<std::size_t>(axis)] * static_cast<double>(grid.box.lo[axis] + i) /
           static_cast<double>(problem.shape[axis]);
  };
  const Index ny = grid.box.extent(1), nz = grid.box.extent(2);
  for_each_shared(grid.threads, grid.box.extent(0) * ny, [&](Index row) {
    for (Index z = 0; z < nz; ++z) {
      const std::array<double, 3> value = velocity(place(0, row / ny), place(1, row % ny), place(2, z));
      for (Index c = 0; c < 3; ++c)
        u[c * grid.apart + row * nz + z] = static_cast<T>(value[static_cast<std::size_t>(c)]);
    }
  });
}

#define SHARDFFT_FLOW_POINTS(T)                                        \
  template double largest_speed(const PointGrid&, const T*);           \
  template void cross_at(const PointGrid&, T*, const T*);              \
  template void advect(const PointGrid&, const T*, int, const T*, T*); \
  template void fluxes(const PointGrid&, T*, T*);                      \
  template void fill(const PointGrid&, const FlowProblem&, const NavierStokes::Velocity&, T*);
SHARDFFT_FLOW_POINTS(float)
SHARDFFT_FLOW_POINTS(double)
#undef SHARDFFT_FLOW_POINTS

}  // namespace shardfft::solvers
