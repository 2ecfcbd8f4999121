// What tests of sweeps compute, and the transform by its definition.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {

struct SweptAxisCase {
  int axis = 0;
  Index n = 1;
  Transform1d transform = Transform1d::forward;
};

// What is computed; how follows from a second seed.
struct SweepCase {
  std::uint64_t seed = 0;
  Shape in{}, out{};
  std::vector<SweptAxisCase> axes{};
  bool real_in = false, real_out = false;
  double scale = 1;

  [[nodiscard]] std::string text() const {
    std::string s = "seed " + std::to_string(seed) + ": " + to_string(in);
    for (const SweptAxisCase& a : axes) s += ", axis " + std::to_string(a.axis) + " " + std::string(name(a.transform));
    return s;
  }
};

// Every fifth is large enough for several threads to be worth waking.
inline SweepCase random_case(std::uint64_t seed, int max_axes) {
  std::mt19937_64 random(seed);
  SweepCase c{.seed = seed, .in = small_shape(random, 4, 14)};
  const bool large = seed % 5 == 0;
  while (product(c.in) > (large ? 20000 : 2500) || product(c.in) < (large ? 9000 : 0))
    c.in = small_shape(random, 4, large ? 40 : 14);
  if (pick(random, 0, 3) == 0) c.in[static_cast<int>(pick(random, 0, c.in.dims() - 1))] = 1;
  c.out = c.in;
  c.scale = pick(random, 0, 1) ? 1 : 0.375;
  std::set<int> left;
  for (int a = 0; a < c.in.dims(); ++a) left.insert(a);
  const auto wanted = pick(random, 1, std::min(max_axes, c.in.dims()));
  while (static_cast<Index>(c.axes.size()) < wanted) {
    const int axis = *std::next(left.begin(), pick(random, 0, static_cast<Index>(left.size()) - 1));
    left.erase(axis);
    c.axes.push_back({axis, c.in[axis], pick(random, 0, 1) ? Transform1d::forward : Transform1d::backward});
  }
  const Index real = pick(random, 0, 2);
  if (real == 1) {  // the real axis is the first
    c.real_in = true;
    c.axes.front().transform = Transform1d::r2c;
    c.out[c.axes.front().axis] = c.axes.front().n / 2 + 1;
  } else if (real == 2) {  // or the last
    c.real_out = true;
    c.axes.back().transform = Transform1d::c2r;
    c.in[c.axes.back().axis] = c.axes.back().n / 2 + 1;
  }
  return c;
}

inline Whole by_definition(const SweepCase& c, Whole x) {
  for (const SweptAxisCase& a : c.axes) {
    if (a.transform == Transform1d::r2c)
      x = half(dft(x, a.axis, -1), a.axis);
    else if (a.transform == Transform1d::c2r)
      x = dft(complete_hermitian(x, a.axis, a.n), a.axis, +1);
    else
      x = dft(x, a.axis, a.transform == Transform1d::forward ? -1 : +1);
  }
  return x;
}

}  // namespace shardfft::testing
