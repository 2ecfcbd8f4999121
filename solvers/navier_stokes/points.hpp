// Loops over the points of a rank: products of fields.
#pragma once

#include <array>
#include <functional>

#include "navier_stokes/arithmetic.hpp"
#include "shardfft/box.hpp"
#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::solvers {

/// Points of a rank, component after component.
struct PointGrid {
  Box box{};        ///< along x, y, z
  Index apart = 0;  ///< from component to component
  int threads = 1;
  [[nodiscard]] Index count() const { return box.count(); }
};

/// Largest |u| of this rank; not finite where one is not.
template <class T>
[[nodiscard]] double largest_speed(const PointGrid& grid, const T* u);
/// u becomes u x w.
template <class T>
void cross_at(const PointGrid& grid, T* u, const T* w);
/// rate -= u_axis gradient; for axis 0 it begins at zero.
template <class T>
void advect(const PointGrid& grid, const T* u, int axis, const T* gradient, T* rate);
/// u becomes xx xy xz, and `rest` yy yz zz.
template <class T>
void fluxes(const PointGrid& grid, T* u, T* rest);
template <class T>
void fill(const PointGrid& grid, const FlowProblem& problem, const NavierStokes::Velocity& velocity, T* u);

/// u x w of `count` neighbouring points, in place of u.
template <class T>
void cross_product(Index count, T* __restrict ux, T* __restrict uy, T* __restrict uz, const T* __restrict wx,
                   const T* __restrict wy, const T* __restrict wz) {
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    const Three<T> c = cross(Three<T>{ux[i], uy[i], uz[i]}, {wx[i], wy[i], wz[i]});
    ux[i] = c.x, uy[i] = c.y, uz[i] = c.z;
  }
}
/// Largest |u|^2 of them; NaN where one is not finite.
template <class T>
[[nodiscard]] T largest_square(Index count, const T* ux, const T* uy, const T* uz) {
  T most = 0, poison = 0;
#pragma omp simd reduction(max : most) reduction(+ : poison)
  for (Index i = 0; i < count; ++i) {
    const Three<T> u{ux[i], uy[i], uz[i]};
    const T square = dot(u, u);
    poison += square * 0;  // maxima pass over NaN
    most = square > most ? square : most;
  }
  return most + poison;
}

}  // namespace shardfft::solvers
