// Transforms by their definition, in long double, and arrays scattered over ranks in random boxes with random strides.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "support/pi.hpp"
#include "verify/verify.hpp"

namespace shardfft::testing {

using Wide = std::complex<long double>;

/// A whole array, row-major.
struct Global {
  Shape shape{};
  bool complex = true;
  std::vector<Wide> values{};

  [[nodiscard]] Index place(const Coord& at) const {
    Index i = 0;
    for (int a = 0; a < shape.dims(); ++a) i = i * shape[a] + at[a];
    return i;
  }
  Wide& operator[](const Coord& at) { return values[static_cast<std::size_t>(place(at))]; }
  const Wide& operator[](const Coord& at) const { return values[static_cast<std::size_t>(place(at))]; }
};

inline Wide rounded(Wide z, Precision precision) {
  if (precision == Precision::f32) return {static_cast<float>(z.real()), static_cast<float>(z.imag())};
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

/// Every number as the arrays will hold it.
inline Global rounded(Global g, Precision precision) {
  for (Wide& z : g.values) z = rounded(z, precision);
  return g;
}

inline Global random_array(const Shape& shape, bool complex, Precision precision, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Global g{shape, complex, std::vector<Wide>(static_cast<std::size_t>(product(shape)))};
  for (Wide& z : g.values) z = {uniform(random), complex ? uniform(random) : 0.0};
  return rounded(std::move(g), precision);
}

/// e^(2 pi i p / q)
inline Wide turn(Index p, Index q) {
  const long double angle = 2 * long_pi * static_cast<long double>(p % q) / static_cast<long double>(q);
  return {std::cos(angle), std::sin(angle)};
}

/// y_k = sum over j < in.shape[axis] of x_j weight(j) e^(2 pi i sign jk/n), for 0 <= k < outputs.
template <class Weight>
Global along_axis(const Global& in, int axis, Index n, Index outputs, int sign, Weight weight) {
  Global out{in.shape, true, {}};
  out.shape[axis] = outputs;
  out.values.resize(static_cast<std::size_t>(product(out.shape)));
  Index inner = 1;
  for (int a = axis + 1; a < in.shape.dims(); ++a) inner *= in.shape[a];
  const Index length = in.shape[axis], outer = product(in.shape) / (inner * length);
  for (Index o = 0; o < outer; ++o)
    for (Index k = 0; k < outputs; ++k)
      for (Index j = 0; j < length; ++j) {
        const Wide w = turn(j * k, n) * weight(j);
        for (Index i = 0; i < inner; ++i)
          out.values[static_cast<std::size_t>((o * outputs + k) * inner + i)] +=
              in.values[static_cast<std::size_t>((o * length + j) * inner + i)] * (sign < 0 ? std::conj(w) : w);
      }
  return out;
}

/// The transform, straight from its definition.
inline Global transformed(const Global& in, const TransformSpec& spec) {
  Global out = in;
  const auto one = [](Index) { return 1.0L; };
  const bool c2r = spec.real && in.complex;
  for (const int a : spec.axes) {
    const Index n = spec.shape[a];
    if (!spec.real || a != spec.axes.back()) out = along_axis(out, a, n, n, spec.sign, one);
  }
  if (spec.real) {
    const int a = spec.axes.back();
    const Index n = spec.shape[a];
    const auto twice = [n](Index k) { return k == 0 || 2 * k == n ? 1.0L : 2.0L; };
    out = c2r ? along_axis(out, a, n, n, spec.sign, twice) : along_axis(out, a, n, n / 2 + 1, spec.sign, one);
  }
  for (Wide& z : out.values) z = Wide(z.real(), c2r ? 0 : z.imag()) * static_cast<long double>(spec.scale);
  out.complex = !c2r;
  return out;
}

inline long double norm(const Global& g) {
  long double sum = 0;
  for (const Wide& z : g.values) sum += std::norm(z);
  return std::sqrt(sum);
}
inline double relative_difference(const Global& a, const Global& exact) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += std::norm(a.values[i] - exact.values[i]);
  return static_cast<double>(std::sqrt(sum) / norm(exact));
}

/// Boxes of every rank: the array is cut `cuts` times at random places; owners are random, so some own several boxes
/// and some none.
inline std::vector<std::vector<Box>> random_boxes(const Shape& shape, int ranks, int cuts, std::mt19937_64& random) {
  std::vector<Box> boxes{whole(shape)};
  for (int c = 0; c < cuts; ++c) {
    const std::size_t i = random() % boxes.size();
    const int axis = static_cast<int>(random() % static_cast<unsigned>(shape.dims()));
    const Index extent = boxes[i].extent(axis);
    if (extent < 2) continue;
    const Index cut = boxes[i].lo[axis] + 1 + static_cast<Index>(random() % static_cast<std::uint64_t>(extent - 1));
    boxes.push_back(boxes[i]);
    boxes[i].hi[axis] = cut;
    boxes.back().lo[axis] = cut;
  }
  std::vector<std::vector<Box>> owned(static_cast<std::size_t>(ranks));
  for (const Box& box : boxes) owned[random() % owned.size()].push_back(box);
  return owned;
}

/// This rank's part of an array, in memory of random axis order and padding.
struct LocalPart {
  std::vector<std::vector<std::byte>> memory{};
  LocalArray array{};
};

inline LocalPart local_part(const Global& g, const std::vector<Box>& boxes, Precision precision,
                            std::mt19937_64& random) {
  LocalPart part;
  part.array = {.global = g.shape, .complex = g.complex, .precision = precision};
  const Index scalar = precision == Precision::f32 ? 4 : 8, element = g.complex ? 2 * scalar : scalar;
  for (const Box& box : boxes) {
    std::vector<int> order(static_cast<std::size_t>(box.dims()));
    for (int a = 0; a < box.dims(); ++a) order[static_cast<std::size_t>(a)] = a;
    std::shuffle(order.begin(), order.end(), random);
    Coord strides = Coord::filled(box.dims(), 0);
    Index bytes = element + static_cast<Index>(random() % 3) * scalar;
    for (const int a : order) {
      strides[a] = bytes;
      bytes = bytes * box.extent(a) + static_cast<Index>(random() % 3) * scalar;
    }
    part.memory.emplace_back(static_cast<std::size_t>(bytes));
    std::byte* data = part.memory.back().data();
    for (Index i = 0; i < box.count(); ++i) {
      Coord at = box.lo;
      Index rest = i;
      std::byte* p = data;
      for (int a = box.dims() - 1; a >= 0; --a) {
        p += rest % box.extent(a) * strides[a];
        at[a] += rest % box.extent(a);
        rest /= box.extent(a);
      }
      for (int half = 0; half < (g.complex ? 2 : 1); ++half) {
        const double value = static_cast<double>(half == 0 ? g[at].real() : g[at].imag());
        const float single = static_cast<float>(value);
        precision == Precision::f32 ? std::memcpy(p + half * scalar, &single, 4)
                                    : std::memcpy(p + half * scalar, &value, 8);
      }
    }
    part.array.boxes.push_back({box, data, strides});
  }
  return part;
}

/// Shape of the half spectrum.
inline Shape half_spectrum(const Shape& shape, int real_axis) {
  Shape half = shape;
  half[real_axis] = shape[real_axis] / 2 + 1;
  return half;
}

}  // namespace shardfft::testing
