#include "support/oracles/naive.hpp"

#include <cmath>

#include "support/oracles/real_to_real.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {

double random_value(std::uint64_t seed, Index position) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(position) * 0xd1342543de82ef95ull +
                    0x632be59bd9b4e019ull;
  for (int i = 0; i < 3; ++i) {
    z ^= z >> 29;
    z *= 0xbf58476d1ce4e5b9ull;
    z ^= z >> 32;
  }
  return static_cast<double>(static_cast<float>(static_cast<double>(z >> 40) * 0x1p-24 - 0.5));  // exact in f32 too
}

Whole random_array(const Shape& shape, bool complex, std::uint64_t seed) {
  Whole w{shape, std::vector<Reference>(static_cast<std::size_t>(product(shape)))};
  for (std::size_t i = 0; i < w.values.size(); ++i)
    w.values[i] = {random_value(seed, static_cast<Index>(i)),
                   complex ? random_value(seed + 1, static_cast<Index>(i)) : 0.0};
  return w;
}

Whole dft(const Whole& x, int axis, int sign) {
  const Index n = x.shape[axis];
  std::vector<Reference> roots(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j)
    roots[static_cast<std::size_t>(j)] =
        std::polar(1.0L, sign * 2 * long_pi * static_cast<long double>(j) / static_cast<long double>(n));
  Whole y{x.shape, std::vector<Reference>(x.values.size())};
  Box starts = whole(x.shape);
  starts.hi[axis] = 1;
  for_each(starts, [&](Coord at) {
    for (Index k = 0; k < n; ++k) {
      Reference sum = 0;
      for (Index j = 0; j < n; ++j) {
        at[axis] = j;
        sum += x.at(at) * roots[static_cast<std::size_t>(j * k % n)];
      }
      at[axis] = k;
      y.at(at) = sum;
    }
  });
  return y;
}

Whole real_to_real(const Whole& x, int axis, Transform1d t, bool orthonormal) {
  const Index n = x.shape[axis];
  const long double scale = std::sqrt(static_cast<long double>(logical_length(t, n)));
  std::vector<long double> matrix;
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j)
      matrix.push_back(orthonormal ? scale * orthonormal_entry(t, n, k, j) : r2r_entry(t, n, k, j));
  Whole y{x.shape, std::vector<Reference>(x.values.size())};
  Box starts = whole(x.shape);
  starts.hi[axis] = 1;
  for_each(starts, [&](Coord at) {
    for (Index k = 0; k < n; ++k) {
      Reference sum = 0;
      for (Index j = 0; j < n; ++j) {
        at[axis] = j;
        sum += x.at(at) * matrix[static_cast<std::size_t>(k * n + j)];
      }
      at[axis] = k;
      y.at(at) = sum;
    }
  });
  return y;
}

Whole half(const Whole& x, int axis) {
  Whole y{x.shape, {}};
  y.shape[axis] = x.shape[axis] / 2 + 1;
  y.values.resize(static_cast<std::size_t>(product(y.shape)));
  for_each(whole(y.shape), [&](const Coord& at) { y.at(at) = x.at(at); });
  return y;
}

Whole complete_hermitian(const Whole& x, int axis, Index n) {
  Whole y{x.shape, {}};
  y.shape[axis] = n;
  y.values.resize(static_cast<std::size_t>(product(y.shape)));
  for_each(whole(y.shape), [&](const Coord& at) {
    Coord from = at;
    const Index k = at[axis];
    const bool upper = k > n / 2;
    from[axis] = upper ? n - k : k;
    const Reference v = x.at(from);
    const bool alone = k == 0 || 2 * k == n;
    y.at(at) = alone ? Reference{v.real(), 0} : upper ? std::conj(v) : v;
  });
  return y;
}

Whole first_points(const Whole& x, int axis, Index n) {
  Whole y{x.shape, {}};
  y.shape[axis] = n;
  y.values.resize(static_cast<std::size_t>(product(y.shape)));
  for_each(whole(y.shape), [&](const Coord& at) {
    if (at[axis] < x.shape[axis]) y.at(at) = x.at(at);
  });
  return y;
}

namespace {

// Calls visit(place among m, place among n, whether another frequency shares the place).
template <class Visit>
void for_frequencies(Index m, Index n, Visit visit) {
  for (Index f = -(m / 2); f <= m / 2; ++f) {
    const bool outermost = 2 * f == m || 2 * f == -m;
    if (outermost && m == n && f < 0) continue;
    visit((f + m) % m, (f + n) % n, outermost && m < n);
  }
}

}  // namespace

Whole lowest_modes(const Whole& x, int axis, Index m) {
  Whole y = first_points({x.shape, std::vector<Reference>(x.values.size())}, axis, m);
  for_frequencies(m, x.shape[axis], [&](Index kept, Index all, bool) {
    Box plane = whole(y.shape);
    plane.lo[axis] = kept, plane.hi[axis] = kept + 1;
    for_each(plane, [&](Coord at) {
      const Coord to = at;
      at[axis] = all;
      y.at(to) += x.at(at);
    });
  });
  return y;
}

Whole all_modes(const Whole& x, int axis, Index n) {
  Whole y = first_points({x.shape, std::vector<Reference>(x.values.size())}, axis, n);
  for_frequencies(x.shape[axis], n, [&](Index kept, Index all, bool shared) {
    Box plane = whole(y.shape);
    plane.lo[axis] = all, plane.hi[axis] = all + 1;
    for_each(plane, [&](Coord at) {
      const Coord to = at;
      at[axis] = kept;
      y.at(to) = x.at(at) / (shared ? 2.0L : 1.0L);
    });
  });
  return y;
}

}  // namespace shardfft::testing
