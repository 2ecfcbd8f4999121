// The arithmetic of a flow, for numbers of the host and for terms of formulas alike.
#pragma once

#include <type_traits>

namespace shardfft::solvers {

template <class N>
struct Three {
  N x, y, z;
};

template <class N>
[[nodiscard]] N dot(const Three<N>& a, const Three<N>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class N>
[[nodiscard]] Three<N> cross(const Three<N>& a, const Three<N>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class N>
struct Six {
  N xx, xy, xz, yy, yz, zz;
};
template <class N>
[[nodiscard]] Six<N> fluxes_of(const Three<N>& u) {
  return {u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z, u.z * u.z};
}
/// k . T
template <class N>
[[nodiscard]] Three<N> rows_along(const Three<N>& k, const Six<N>& t) {
  return {dot(k, {t.xx, t.xy, t.xz}), dot(k, {t.xy, t.yy, t.yz}), dot(k, {t.xz, t.yz, t.zz})};
}

/// A complex vector: real parts, imaginary parts.
template <class N>
struct Pair {
  Three<N> re, im;
};
/// -i k . T: -i (a + i b) = b - i a
template <class N>
[[nodiscard]] Pair<N> minus_divergence(const Three<N>& k, const Six<N>& re, const Six<N>& im) {
  const Three<N> a = rows_along(k, re);
  return {rows_along(k, im), {-a.x, -a.y, -a.z}};
}
/// i k x u: i (a + i b) = -b + i a
template <class N>
[[nodiscard]] Pair<N> curl_of(const Three<N>& k, const Three<N>& re, const Three<N>& im) {
  return {cross(im, k), cross(k, re)};
}

template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T replace_zero(T a, double b) {
  return a == 0 ? static_cast<T>(b) : a;
}
template <class N>
[[nodiscard]] N third_of(const N& a) {
  if constexpr (std::is_floating_point_v<N>)
    return N{1} / 3 * a;
  else
    return 1.0 / 3 * a;
}

/// n - k (k . n) / k^2
template <class N>
[[nodiscard]] Three<N> projected(const Three<N>& k, const N& k2, const Three<N>& n) {
  const N along = dot(k, n) / replace_zero(k2, 1);
  return {n.x - k.x * along, n.y - k.y * along, n.z - k.z * along};
}

/// Four numbers of the scheme: with s the state, u the one before the step, d the rate,
///   1: u = s, s = u + dt/2 d   2: sum = u + (s - u)/3 + dt/3 d, s = u + dt/2 d
///   3: s = u + dt d            4: s = sum + (s - u)/3 + dt/6 d
/// for (s - u)/3 is what stages 1 and 3 add to the sum.
template <int stage, class N>
void advance(N& s, N& u, N& sum, const N& d, const N& dt) {
  if constexpr (stage == 1) u = s, s = u + dt / 2 * d;
  if constexpr (stage == 2) sum = u + third_of(s - u) + dt / 3 * d, s = u + dt / 2 * d;
  if constexpr (stage == 3) s = u + dt * d;
  if constexpr (stage == 4) s = sum + third_of(s - u) + dt / 6 * d;
}

}  // namespace shardfft::solvers
