// Arrays in C order, and answers about them as their definitions say: one product after the other.
#pragma once

#include <algorithm>
#include <complex>
#include <random>
#include <vector>

#include "shardfft/answers/convolution.hpp"
#include "shardfft/elements.hpp"

namespace shardfft::testing {

template <class T>
struct Filled {
  Filled(const Shape& extents, unsigned seed) : shape(extents), values(static_cast<std::size_t>(product(extents))) {
    std::mt19937 random(seed);
    for (T& v : values) v = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
  }
  T& at(const Coord& where) {
    Index i = 0;
    for (int a = 0; a < shape.dims(); ++a) i = i * shape[a] + where[a];
    return values[static_cast<std::size_t>(i)];
  }
  Shape shape;
  std::vector<T> values;
};

/// A convolution.
template <class T>
Filled<T> direct(const Convolution& what, Filled<T>& x, Filled<T>& k) {
  Filled<T> result(what.result(), 0);
  for_each_position(whole(result.shape), {}, [&](const Coord& at) {
    T sum{};
    for_each_position(whole(k.shape), {}, [&](const Coord& t) {
      Coord from = at;
      for (int a = 0; a < at.dims(); ++a) {
        from[a] += (what.mode == ConvolutionMode::same ? (k.shape[a] - 1) / 2 : 0) - t[a];
        if (what.mode == ConvolutionMode::circular) from[a] = (from[a] + x.shape[a]) % x.shape[a];
      }
      if (whole(x.shape).contains(from)) sum += k.at(t) * x.at(from);
    });
    result.at(at) = sum;
  });
  return result;
}

/// sum of k(t) x(at + sign (t - m/2)): sign -1 blurs, 1 is the adjoint of that. Beyond its ends `x` repeats or is zero.
template <class T>
Filled<T> blurred(Filled<T>& x, Filled<T>& k, int sign, bool periodic) {
  Filled<T> result(x.shape, 0);
  for_each_position(whole(x.shape), {}, [&](const Coord& at) {
    T sum{};
    for_each_position(whole(k.shape), {}, [&](const Coord& t) {
      Coord from = at;
      for (int a = 0; a < at.dims(); ++a) {
        from[a] += sign * (t[a] - k.shape[a] / 2);
        if (periodic) from[a] = (from[a] + x.shape[a]) % x.shape[a];
      }
      if (whole(x.shape).contains(from)) sum += k.at(t) * x.at(from);
    });
    result.at(at) = sum;
  });
  return result;
}

template <class T>
double farthest(const Filled<T>& a, const Filled<T>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    most = std::max(most, static_cast<double>(std::abs(a.values[i] - b.values[i])));
  return most;
}

}  // namespace shardfft::testing
