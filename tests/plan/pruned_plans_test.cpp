// Plans with fewer modes and points against whole transforms and against themselves.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/engine.hpp"
#include "plan/checked_plan.hpp"
#include "shardfft/noise.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

Coord modes_of(const Problem& p) { return p.modes.dims() > 0 ? p.modes : p.shape; }

/// What a rank that is alone makes of an array.
template <class T>
Whole result_of(const Problem& problem, const Options& options, const Whole& x, Direction direction) {
  const Comm alone = local();
  Plan plan(alone, problem, options);
  const bool forward = direction == Direction::forward;
  LocalData<T> in(packed_memory(plan.input(), 0), problem.kind != r2c),
      out(packed_memory(plan.output(), 0), problem.kind != c2r);
  (forward ? in : out).fill(x);
  forward ? plan.forward(in.view(), out.view()) : plan.backward(out.view(), in.view());
  Whole result{(forward ? plan.output() : plan.input()).global(), {}};
  result.values.resize(static_cast<std::size_t>(product(result.shape)));
  (forward ? out : in).read(result);
  return result;
}

Problem without_pruning(Problem p) {
  p.modes = p.support = {};
  return p;
}

/// The whole spectrum's part that is kept; odd numbers of modes.
Whole cut(const Problem& p, Whole y) {
  for (const int axis : p.axes)
    y = p.kind != c2c && axis == real_axis(p) ? first_points(y, axis, modes_of(p)[axis] / 2 + 1)
                                              : lowest_modes(y, axis, modes_of(p)[axis]);
  return y;
}
Whole with_zeros(const Problem& p, Whole y) {
  for (const int axis : p.axes)
    y = p.kind != c2c && axis == real_axis(p) ? first_points(y, axis, p.shape[axis] / 2 + 1)
                                              : all_modes(y, axis, p.shape[axis]);
  return y;
}
Whole points(const Problem& p, Whole x, const Coord& extents) {
  for (const int axis : p.axes) x = first_points(x, axis, extents[axis]);
  return x;
}

template <class T>
void expect_bits(Plan& plan, const Whole& from, const Whole& to, Direction direction, const std::string& what) {
  const bool forward = direction == Direction::forward;
  LocalData<T> in(packed_memory(plan.input(), plan.comm().rank()), plan.problem().kind != r2c),
      out(packed_memory(plan.output(), plan.comm().rank()), plan.problem().kind != c2r);
  (forward ? in : out).fill(from);
  forward ? plan.forward(in.view(), out.view()) : plan.backward(out.view(), in.view());
  EXPECT_EQ((forward ? out : in).compare(to, 1).first, 0) << what;
}

std::vector<Problem> odd_modes() {
  return {
      {.shape = {12, 10, 7}, .axes = {0, 1, 2}, .modes = {7, 10, 5}, .support = {12, 6, 7}},
      {.shape = {16, 16, 16}, .kind = r2c, .axes = {0, 1, 2}, .modes = {11, 11, 11}},
      {.shape = {17, 13, 11},
       .kind = r2c,
       .precision = f32,
       .axes = {0, 1, 2},
       .modes = {9, 3, 7},
       .support = {5, 13, 9}},
      {.shape = {6, 64, 48}, .axes = {0, 1, 2}, .modes = {5, 43, 31}},
      {.shape = {5, 40, 128}, .kind = r2c, .precision = f32, .axes = {1, 2}, .modes = {5, 27, 85}},
      {.shape = {20, 33, 28}, .kind = r2c, .axes = {0, 1, 2}, .modes = {13, 21, 19}, .support = {10, 17, 14}},
      {.shape = {256}, .axes = {0}, .modes = {171}},
      {.shape = {9, 512}, .kind = r2c, .axes = {1}, .modes = {9, 341}},
      {.shape = {5, 4, 6, 7}, .axes = {0, 3, 1, 2}, .modes = {3, 3, 5, 1}, .support = {5, 2, 6, 3}},
  };
}

template <class T>
void compare_with_the_whole(const Problem& p, int ranks, Options options) {
  const bool single = sizeof(T) == 4;
  Options alone = options;
  alone.expert.split = SplitAxis::never;  // pruned axes are not split
  alone.expert.decomposition = {};
  const Coord support = p.support.dims() > 0 ? p.support : p.shape;
  const Problem all = without_pruning(p);
  Whole x = random_array(support, p.kind == c2c, 3);
  for (auto& v : x.values) v = single ? Reference(static_cast<float>(v.real()), static_cast<float>(v.imag())) : v;
  const Whole forward = cut(p, result_of<T>(all, alone, points(p, x, p.shape), Direction::forward));
  Whole y = random_array(forward.shape, true, 4);
  for (auto& v : y.values) v = single ? Reference(static_cast<float>(v.real()), static_cast<float>(v.imag())) : v;
  const Whole backward = points(p, result_of<T>(all, alone, with_zeros(p, y), Direction::backward), support);
  on_ranks(ranks, [&](Comm comm) {
    Plan plan(comm, p, options);
    const std::string what = fmt::format("{} on {} ranks", to_string(p), ranks);
    expect_bits<T>(plan, x, forward, Direction::forward, what + ", forward");
    expect_bits<T>(plan, y, backward, Direction::backward, what + ", backward");
  });
}

TEST(PrunedBits, AreThoseOfTheWholeTransformCutOnAnyNumberOfRanks) {
  Sample sample;
  for (const Problem& p : odd_modes())
    for (const int ranks : {1, 2, 3, 5, 8})
      for (const char* decomposition : {"", "pencil"})
        for (const NonTemporal non_temporal : {NonTemporal::none, NonTemporal::all}) {
          if (!sample.takes()) continue;
          const Options o{.threads = 2,
                          .expert = {.decomposition = decomposition,
                                     .fuse = ranks % 2 + 1,
                                     .intermediate = ranks % 3 == 0 ? Intermediate::output : Intermediate::buffers,
                                     .non_temporal = non_temporal}};
          p.precision == f32 ? compare_with_the_whole<float>(p, ranks, o) : compare_with_the_whole<double>(p, ranks, o);
          if (HasFailure()) return;
        }
}

// Halves are exact, so that even numbers of modes have these bits backward, too; forward they are those of sums.
TEST(PrunedBits, OfEvenNumbersOfModesAreThoseOfTheWholeTransformBackward) {
  const Problem p{.shape = {12, 10, 8}, .axes = {0, 1, 2}, .modes = {6, 8, 2}};
  const Whole y = random_array(p.modes, true, 4);
  const Whole backward = result_of<double>(without_pruning(p), {}, with_zeros(p, y), Direction::backward);
  on_ranks(3, [&](Comm comm) {
    Plan plan(comm, p);
    expect_bits<double>(plan, y, backward, Direction::backward, to_string(p));
  });
  const Problem one{.shape = {40, 3}, .axes = {0}, .modes = {20, 3}};
  const Whole x = random_array(one.shape, true, 5);
  const Whole forward = lowest_modes(
      result_of<double>(without_pruning(one), {.expert = {.split = SplitAxis::never}}, x, Direction::forward), 0, 20);
  Plan plan(local(), one);
  LocalData<double> in(packed_memory(plan.input(), 0), true), out(packed_memory(plan.output(), 0), true);
  in.fill(x);
  plan.forward(in.view(), out.view());
  Whole rounded = forward;
  for (auto& v : rounded.values) v = {static_cast<double>(v.real()), static_cast<double>(v.imag())};
  EXPECT_EQ(out.compare(rounded, 1).first, 0);
}

std::vector<Problem> any_modes() {
  std::vector<Problem> all = odd_modes();
  for (Problem& p : all)
    for (const int axis : p.axes) p.modes[axis] = std::max<Index>(1, p.modes[axis] - 1);
  all.push_back({.shape = {14, 9, 12}, .kind = c2r, .axes = {0, 1, 2}, .modes = {8, 6, 8}, .support = {7, 9, 12}});
  return all;
}

TEST(PrunedBits, AreTheSameOnAnyNumberOfRanksInAnyLayoutWithAnyEngine) {
  std::mt19937_64 random(5);
  for (const Problem& p : any_modes())
    for (const char* engine : {"native", "fftw"}) {
      if (find_engine(engine) == nullptr) continue;
      std::vector<std::uint64_t> first;
      for (const int ranks : {1, 2, 4, 7}) {
        const Plan looked(local(), p);
        Options o{.threads = 1, .expert = {.engine = engine}};
        if (ranks > 1) {
          o.input = random_boxes(random, looked.input().global(), ranks);
          o.output = random_boxes(random, looked.output().global(), ranks);
        }
        std::vector<std::uint64_t> hashes(2);
        on_ranks(ranks, [&](Comm comm) {
          Plan plan(comm, p, o);
          Array in = plan.make_input(), out = plan.make_output(), back = plan.make_input();
          fill_with_noise(plan.input(), comm.rank(), p.precision, p.kind != r2c, in, 1);
          plan.forward(in, out);
          plan.backward(out, back);
          const std::uint64_t there = plan.hash_output(out), returned = plan.hash_input(back);
          if (comm.rank() == 0) hashes = {there, returned};
        });
        if (first.empty()) first = hashes;
        EXPECT_EQ(hashes, first) << to_string(p) << " on " << ranks << " ranks, " << engine;
      }
    }
}

TEST(PrunedPlans, InPlaceAreRight) {
  for (const Problem& p : any_modes()) {
    if (p.precision == f32) continue;
    for (const int ranks : {1, 3})
      on_ranks(ranks, [&](Comm comm) {
        Plan plan(comm, p, {.in_place = true});
        std::vector<double> memory(std::max(plan.input_bytes(), plan.output_bytes()) / sizeof(double));
        const View both(memory.data(), memory.size() * sizeof(double));
        LocalData<double> in(packed_memory(plan.input(), comm.rank()), p.kind != r2c),
            out(packed_memory(plan.output(), comm.rank()), p.kind != c2r);
        const Whole x = random_array(plan.input().global(), p.kind != r2c, 8);
        in.fill(x);
        if (in.view().bytes > 0) std::memcpy(memory.data(), in.view().data, in.view().bytes);
        plan.forward(both, both);
        if (out.view().bytes > 0) std::memcpy(const_cast<void*>(out.view().data), memory.data(), out.view().bytes);
        const auto [difference, norm] = out.compare(transformed(p, x, Direction::forward), 1);
        EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), 1e-14) << to_string(p);
      });
  }
}

/// How much elements of a spectrum count in its inner products: twice for what half spectra leave out, half where two
/// frequencies share a place.
double weight(const Problem& p, const Coord& at) {
  double w = 1;
  for (const int axis : p.axes) {
    const Index n = p.shape[axis], m = modes_of(p)[axis];
    if (m < n && 2 * at[axis] == m)
      w /= 2;
    else if (p.kind != c2c && axis == real_axis(p) && at[axis] > 0 && 2 * at[axis] != n)
      w *= 2;
  }
  return w;
}

// <Ax, y> = <x, A^T y>, with these weights on the side of the spectrum.
TEST(PrunedPlans, BackwardIsTheTransposeOfForward) {
  for (Problem p : any_modes()) {
    if (p.kind == c2r) continue;
    p.backward = Scaling::none;
    const Coord support = p.support.dims() > 0 ? p.support : p.shape;
    const Whole x = random_array(support, p.kind == c2c, 1);
    Plan looked(local(), p);
    const Whole y = random_array(looked.output().global(), true, 2);
    const bool single = p.precision == f32;
    const Whole ax = single ? result_of<float>(p, {}, x, Direction::forward)
                            : result_of<double>(p, {}, x, Direction::forward),
                aty = single ? result_of<float>(p, {}, y, Direction::backward)
                             : result_of<double>(p, {}, y, Direction::backward);
    long double left = 0, right = 0, ax2 = 0, y2 = 0;
    for_each(whole(y.shape), [&](const Coord& at) {
      const auto w = static_cast<long double>(weight(p, at));
      left += w * std::real(std::conj(ax.at(at)) * y.at(at));
      ax2 += w * std::norm(ax.at(at)), y2 += w * std::norm(y.at(at));
    });
    for_each(whole(x.shape), [&](const Coord& at) { right += std::real(std::conj(x.at(at)) * aty.at(at)); });
    const double u = single ? 0x1p-24 : 0x1p-53, levels = std::log2(static_cast<double>(product(p.shape)));
    EXPECT_LE(std::abs(left - right), 8 * u * std::sqrt(levels) * std::sqrt(ax2 * y2)) << to_string(p);
  }
}

// m samples of a trigonometric polynomial of m coefficients, on n points.
TEST(PrunedPlans, InterpolateATrigonometricPolynomial) {
  constexpr long double turn = 6.283185307179586476925286766559L;
  const auto on = [](Index n, const std::vector<Reference>& c, bool real) {
    Whole x{{n}, std::vector<Reference>(static_cast<std::size_t>(n))};
    const auto m = static_cast<Index>(c.size());
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < m; ++k) {
        const bool outer = 2 * k == m;  // cos, in which both frequencies are
        const long double angle = turn * static_cast<long double>(2 * k > m ? k - m : k) * static_cast<long double>(j) /
                                  static_cast<long double>(n);
        const Reference e = outer ? Reference(std::cos(angle)) : Reference(std::cos(angle), std::sin(angle));
        x.values[static_cast<std::size_t>(j)] += c[static_cast<std::size_t>(k)] * e;
      }
    if (real)
      for (auto& v : x.values) v = v.real();
    return x;
  };
  for (const Index m : {10, 11})
    for (const bool real : {false, true}) {
      std::vector<Reference> c(static_cast<std::size_t>(m));
      const Whole random = random_array({m}, true, 9);
      for (Index k = 0; k < m; ++k) c[static_cast<std::size_t>(k)] = random.values[static_cast<std::size_t>(k)];
      if (real) {
        c[0] = c[0].real();
        for (Index k = 1; 2 * k < m; ++k)
          c[static_cast<std::size_t>(m - k)] = std::conj(c[static_cast<std::size_t>(k)]);
        if (m % 2 == 0) c[static_cast<std::size_t>(m / 2)] = c[static_cast<std::size_t>(m / 2)].real();
      }
      const Kind kind = real ? r2c : c2c;
      const Whole spectrum = result_of<double>({.shape = {m}, .kind = kind, .axes = {0}, .forward = Scaling::by_n}, {},
                                               on(m, c, real), Direction::forward);
      const Whole fine = result_of<double>(
                      {.shape = {16}, .kind = kind, .axes = {0}, .backward = Scaling::none, .modes = {m}}, {}, spectrum,
                      Direction::backward),
                  expected = on(16, c, real);
      long double difference = 0, norm = 0;
      for (std::size_t j = 0; j < 16; ++j) {
        difference += std::norm(fine.values[j] - expected.values[j]);
        norm += std::norm(expected.values[j]);
      }
      EXPECT_LE(std::sqrt(difference / norm), 2 * 0x1p-53) << m << (real ? " real" : " complex");
    }
}

TEST(PrunedPlans, SamplesAndProbesAreExactForEvenAndOddNumbersOfModes) {
  for (const Problem& p : any_modes()) {
    if (p.precision == f32) continue;
    Plan plan(local(), p);
    LocalData<double> in(packed_memory(plan.input(), 0), p.kind != r2c),
        out(packed_memory(plan.output(), 0), p.kind != c2r);
    const Whole x = random_array(plan.input().global(), p.kind != r2c, 11);
    in.fill(x);
    const Whole exact = transformed(p, x, Direction::forward);
    std::vector<Coord> positions;
    for_each(whole(exact.shape), [&](const Coord& at) {
      if (positions.size() < 300) positions.push_back(at);
    });
    for (const int axis : p.axes) {  // the shared places
      Coord at = Coord::filled(exact.shape.dims(), 0);
      at[axis] = std::min(exact.shape[axis] - 1, modes_of(p)[axis] / 2);
      positions.push_back(at);
    }
    const std::vector<double> samples = plan.exact_samples(in.view(), positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Reference off = Reference(samples[2 * i], samples[2 * i + 1]) - exact.at(positions[i]);
      ASSERT_LT(std::abs(off), 1e-13) << to_string(p) << " at " << to_string(positions[i]);
    }
    plan.forward(in.view(), out.view());
    EXPECT_TRUE(plan.verify(in.view(), out.view()).ok()) << to_string(p);
    Whole wrong = exact;
    wrong.values.back() *= 1.01L;
    out.fill(wrong);
    EXPECT_FALSE(plan.verify(in.view(), out.view()).ok()) << to_string(p);
  }
}

// The first sweep back has one contiguous pencil, and stores it where the next one reads and where its norm is
// measured.
TEST(PrunedPlans, APencilThatGoesToTwoPlacesReachesBoth) {
  on_ranks(3, [](Comm comm) {
    Options o{.input = slabs(2), .output = custom({{{{0, 0, 0}, {128, 1, 1}}}, {}, {}}), .tolerance = 0.05};
    o.expert.codec = "f16";
    o.expert.encode_near = true;
    const Problem p{.shape = {128, 1, 18}, .kind = r2c, .precision = f32, .modes = {128, 1, 1}};
    Plan plan(comm, p, o);
    Array in = plan.make_input(), out = plan.make_output();
    fill_with_noise(plan.output(), comm.rank(), f32, true, out, 1);
    plan.backward(out, in);
    EXPECT_TRUE(plan.verify(out, in, Direction::backward).ok());
  });
}

TEST(PrunedPlans, HaveTheFrequenciesOfTheModesThatAreKept) {
  const Problem p{.shape = {16, 9, 12}, .kind = r2c, .modes = {7, 0, 5}};
  EXPECT_EQ(frequency(p, {3, 4, 2}), (std::array<double, max_dims>{3, 4, 2}));
  EXPECT_EQ(frequency(p, {4, 8, 0}), (std::array<double, max_dims>{-3, -1, 0}));
  EXPECT_EQ(dealiased(256), 171);
  EXPECT_EQ(dealiased(1), 1);
}

void expect_refused(const Problem& p, const std::string& words) {
  on_ranks(2, [&](Comm comm) {
    try {
      Plan plan(comm, p);
      ADD_FAILURE() << to_string(p);
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::invalid_problem);
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  });
}

TEST(PrunedPlans, SayWhatIsWrongOnEveryRank) {
  expect_refused({.shape = {8, 8}, .modes = {9, 8}}, "got 9 along axis 0");
  expect_refused({.shape = {8, 8}, .modes = {-1, 8}}, "got -1 along axis 0");
  expect_refused({.shape = {8, 8}, .support = {8, 8, 8}}, "one number for each axis");
  expect_refused({.shape = {8, 8}, .axes = {1}, .modes = {5, 5}}, "fewer along transformed axes only");
  expect_refused({.shape = {8, 8}, .kind = Kind::move, .modes = {5, 5}}, "fewer along transformed axes only");
}

}  // namespace
}  // namespace shardfft::testing
