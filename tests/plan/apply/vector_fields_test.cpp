// Gradients, divergences and projections along one to seven axes, against sums of random plane waves.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plan/apply/mixing.hpp"
#include "support/comm/agree.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

using Vector = std::vector<Reference>;

/// A wave with a number for each component.
struct PlaneWave {
  std::vector<int> turns;  // in the box, along each transformed axis
  Vector amplitude;
};

/// Points and lengths of the transformed axes.
struct PeriodicBox {
  std::vector<Index> points;
  std::vector<double> lengths;
};

PeriodicBox random_box(int axes, std::mt19937_64& random) {
  PeriodicBox box;
  for (int a = 0; a < axes; ++a) {
    box.points.push_back(3 + static_cast<Index>(random() % (axes <= 4 ? 4 : 2)));
    box.lengths.push_back(std::uniform_real_distribution<>(0.5, 3)(random));
  }
  return box;
}

/// None of the highest frequency of an even number, which has no first derivative.
std::vector<PlaneWave> random_waves(const PeriodicBox& box, std::size_t components, std::mt19937_64& random) {
  std::uniform_real_distribution<> number(-1, 1);
  std::vector<PlaneWave> waves(3);
  for (PlaneWave& wave : waves) {
    for (const Index n : box.points) {
      const int most = static_cast<int>((n - 1) / 2);
      wave.turns.push_back(std::uniform_int_distribution<>(-most, most)(random));
    }
    for (std::size_t c = 0; c < components; ++c) wave.amplitude.emplace_back(number(random), number(random));
  }
  return waves;
}

Whole sampled(const PeriodicBox& box, const std::vector<PlaneWave>& waves) {
  std::vector<Index> extents{static_cast<Index>(waves.front().amplitude.size())};
  extents.insert(extents.end(), box.points.begin(), box.points.end());
  Whole all{.shape = Shape(extents)};
  all.values.resize(static_cast<std::size_t>(product(all.shape)));
  for_each(whole(all.shape), [&](const Coord& at) {
    for (const PlaneWave& wave : waves) {
      long double turn = 0;
      for (int a = 1; a < at.dims(); ++a)
        turn += static_cast<long double>(wave.turns[static_cast<std::size_t>(a - 1)] * at[a]) / all.shape[a];
      all.at(at) += wave.amplitude[static_cast<std::size_t>(at[0])] * std::polar(1.0L, 2 * long_pi * turn);
    }
  });
  return all;
}

/// What an operator makes of a wave's amplitude, at its wave numbers.
using OfWave = Vector (*)(const std::vector<long double>& k, const Vector& v);

Vector gradient_of(const std::vector<long double>& k, const Vector& v) {
  Vector all;
  for (const long double along : k) all.push_back(Reference(0, along) * v[0]);
  return all;
}
Vector divergence_of(const std::vector<long double>& k, const Vector& v) {
  Reference sum = 0;
  for (std::size_t a = 0; a < k.size(); ++a) sum += Reference(0, k[a]) * v[a];
  return {sum};
}
Vector projection_of(const std::vector<long double>& k, const Vector& v) {
  Reference along = 0;
  long double k2 = 0;
  for (std::size_t a = 0; a < k.size(); ++a) along += k[a] * v[a], k2 += k[a] * k[a];
  Vector all = v;
  for (std::size_t a = 0; a < k.size() && k2 > 0; ++a) all[a] -= k[a] * along / k2;
  return all;
}

std::vector<PlaneWave> each(const PeriodicBox& box, std::vector<PlaneWave> waves, OfWave f) {
  for (PlaneWave& wave : waves) {
    std::vector<long double> k;
    for (std::size_t a = 0; a < wave.turns.size(); ++a) k.push_back(2 * long_pi * wave.turns[a] / box.lengths[a]);
    wave.amplitude = f(k, wave.amplitude);
  }
  return waves;
}

using MakeVectors = Operator (*)(const Plan&, std::span<const double>);

template <class T>
void expect(const Comm& comm, const PeriodicBox& box, MakeVectors make, const Whole& in, const Whole& out) {
  std::vector<int> axes;
  for (int a = 1; a < in.shape.dims(); ++a) axes.push_back(a);
  const Problem problem{.shape = in.shape, .kind = c2c, .precision = sizeof(T) == 4 ? f32 : f64, .axes = axes};
  Plan plan(comm, problem,
            {.input = slabs(1),
             .apply = Apply::to_outputs,
             .components_in = static_cast<int>(in.shape[0]),
             .components_out = static_cast<int>(out.shape[0])});
  LocalData<T> from(packed_memory(plan.input(), comm.rank()), true),
      to(packed_memory(plan.applied(), comm.rank()), true);
  from.fill(in);
  std::vector<double> lengths{1};
  lengths.insert(lengths.end(), box.lengths.begin(), box.lengths.end());
  plan.apply(from.view(), to.view(), make(plan, lengths));
  const auto [difference, norm] = to.compare(out, 1);
  EXPECT_LE(std::sqrt(all_sum(comm, difference)), (sizeof(T) == 4 ? 1e-5 : 2e-14) * std::sqrt(all_sum(comm, norm)))
      << to_string(problem) << " on " << comm.size() << " ranks";
}

TEST(VectorFields, AreDifferentiatedAlongOneToSevenAxes) {
  std::mt19937_64 random(11);
  for (int axes = 1; axes < max_dims; ++axes) {
    const PeriodicBox box = random_box(axes, random);
    const auto all = static_cast<std::size_t>(axes);
    const auto check = [&](MakeVectors make, OfWave oracle, std::size_t components) {
      const auto waves = random_waves(box, components, random);
      const Whole in = sampled(box, waves), out = sampled(box, each(box, waves, oracle));
      for (const int ranks : {1, 2})
        on_ranks(ranks, [&](const Comm& comm) {
          expect<double>(comm, box, make, in, out);
          expect<float>(comm, box, make, in, out);
        });
    };
    check(spectral::gradient, gradient_of, 1);
    check(spectral::divergence, divergence_of, all);
    check(spectral::project, projection_of, all);
  }
}

}  // namespace
}  // namespace shardfft::testing
