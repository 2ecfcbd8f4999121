// Cosine, sine and Hartley axes on devices, alone and beside Fourier axes.
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plan/approximate/kept_promise.hpp"
#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

using enum AxisKind;

constexpr AxisKind all_kinds[] = {cosine1, cosine2, cosine3, cosine4, sine1, sine2, sine3, sine4, hartley};

class DeviceKinds : public ::testing::TestWithParam<int> {
 protected:
  static void check(const Case& chosen, const std::string& arrays) {
    const std::string text =
        fmt::format("{}, arrays on the {}, engine '{}', transport '{}', tile {}, streams {}", to_string(chosen), arrays,
                    chosen.options.expert.engine, chosen.options.expert.transport, chosen.options.expert.tile,
                    chosen.options.expert.streams);
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", text);
    try {
      check_on_devices(chosen, arrays != "host");
      if (HasFailure()) ADD_FAILURE() << "with " << text;
    } catch (const std::exception& e) { ADD_FAILURE() << text << "\n" << e.what(); }
  }
};

TEST_P(DeviceKinds, EqualTheDefinitionInBothDirectionsInAnyMix) {
  const int per_group = chosen_problems(16);
  for (int i = 0; i < per_group && !HasFailure(); ++i) {
    const std::uint64_t seed = chosen_seed(20261201) + static_cast<std::uint64_t>(GetParam() * per_group + i);
    std::mt19937_64 random(seed);
    const std::string arrays = i % 3 == 2 ? "host" : "device";
    check(on_device(random_case_of_kinds(seed, 1500, 7), random, arrays), arrays);
  }
}

TEST_P(DeviceKinds, OfFewerModesEqualTheDefinition) {
  const int per_group = chosen_problems(6);
  for (int i = 0; i < per_group && !HasFailure(); ++i) {
    const std::uint64_t seed = chosen_seed(20261401) + static_cast<std::uint64_t>(GetParam() * per_group + i);
    std::mt19937_64 random(seed);
    const std::string arrays = i % 3 == 2 ? "host" : "device";
    Case c = on_device(random_case_of_kinds(seed, 1500, 7), random, arrays);
    take_fewer(c, random);
    check(c, arrays);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeviceKinds, ::testing::Range(0, 8));

// Along the last axis, along one whose elements are apart, and between two others.
TEST(DeviceKind, OfEachAxisAloneIsTheHosts) {
  for (const AxisKind kind : all_kinds)
    for (const int axis : {0, 1, 2})
      for (const bool in_place : {false, true})
        for (const Scaling scaling : {Scaling::none, Scaling::by_n, Scaling::orthonormal}) {
          const Problem p{.shape = {9, 12, 10}, .kind = r2r, .axes = {axis}, .backward = scaling, .kinds = {kind}};
          SCOPED_TRACE(fmt::format("{}, in place {}", to_string(p), in_place));
          Plan here(local(), p, {.in_place = in_place}), there(local(), p, {.in_place = in_place, .device = space()});
          if (in_place) {
            run_in_place(here, there, [&](Direction, const auto& x, const auto& y) {
              for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-12);
            });
            continue;
          }
          std::vector<double> x(9 * 12 * 10), y(x.size()), z(x.size()), expected(x.size());
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7 * static_cast<double>(i)) + 0.25;
          Array in = there.make_input(), out = there.make_output();
          there.copy(x, in);
          there.forward(in, out);
          there.copy(out, y);
          here.forward(x, expected);
          for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(expected[i], y[i], 1e-12);
          there.backward(out, in);
          there.copy(in, z);
          here.backward(expected, x);
          for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], z[i], 1e-11);
        }
}

TEST(DeviceKind, InPlaceOnRanksIsTheHosts) {
  for (const Problem& p :
       {Problem{.shape = {12, 10, 14}, .kind = r2r, .axes = {0, 1, 2}, .kinds = {cosine2, sine1, hartley}},
        Problem{.shape = {12, 10, 14}, .axes = {0, 1, 2}, .kinds = {sine3, fourier, cosine4}},
        Problem{.shape = {12, 10, 14}, .kind = r2c, .axes = {0, 1, 2}, .kinds = {fourier, cosine1, fourier}}})
    for (const int ranks : {1, 3})
      for (const bool destroy : {false, true})
        on_ranks(ranks, [&](const Comm& comm) {
          Options o{.input = slabs(0), .output = slabs(0), .in_place = true, .destroy_input = destroy};
          Plan here(comm, p, o);
          o.device = space();
          Plan there(comm, p, o);
          run_in_place(here, there, [&](Direction direction, const auto& x, const auto& y) {
            const std::size_t bytes = direction == Direction::forward ? here.output_bytes() : here.input_bytes();
            for (std::size_t i = 0; i < bytes / sizeof(double); ++i)
              ASSERT_NEAR(x[i], y[i], 1e-11) << to_string(p) << " on " << ranks << " ranks, number " << i;
          });
        });
}

TEST(DeviceKind, OfEvenNumbersOfFewerModesInPlaceIsTheHosts) {
  const Problem p{.shape = {12, 10, 14},
                  .kind = r2r,
                  .axes = {0, 1, 2},
                  .kinds = {cosine2, sine1, cosine3},
                  .modes = {6, 4, 14},
                  .support = {12, 8, 6}};
  for (const int ranks : {1, 3})
    on_ranks(ranks, [&](const Comm& comm) {
      Options o{.input = slabs(0), .output = slabs(0), .in_place = true};
      Plan here(comm, p, o);
      o.device = space();
      Plan there(comm, p, o);
      run_in_place(here, there, [&](Direction direction, const auto& x, const auto& y) {
        const std::size_t bytes = direction == Direction::forward ? here.output_bytes() : here.input_bytes();
        for (std::size_t i = 0; i < bytes / sizeof(double); ++i) ASSERT_NEAR(x[i], y[i], 1e-11) << i;
      });
    });
}

TEST(DeviceKind, OfALongAxisIsRight) {
  for (const Index n : {4099, 8192, 59049})
    for (const AxisKind kind : {cosine1, cosine2, sine4}) {
      if (n > 8192 && (sanitized || kind != sine4)) continue;
      for (const Precision precision : {f32, f64}) {
        const Problem p{.shape = {n}, .kind = r2r, .precision = precision, .axes = {0}, .kinds = {kind}};
        Plan plan(local(), p, {.device = space()});
        std::vector<double> numbers(static_cast<std::size_t>(n));
        std::vector<float> singles(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = singles[i] = static_cast<float>(std::sin(i * i));
        Array in = plan.make_input(), out = plan.make_output();
        plan.copy(precision == f64 ? View(numbers.data(), in.bytes()) : View(singles.data(), in.bytes()), in);
        for (const Direction direction : {Direction::forward, Direction::backward}) {
          direction == Direction::forward ? plan.forward(in, out) : plan.backward(in, out);
          const Verdict verdict = plan.verify(in, out, direction);
          EXPECT_TRUE(verdict.ok()) << to_string(p) << ": " << verdict.error_rel_l2 << " > " << verdict.bound;
        }
      }
    }
}

// What ranks send is encoded, and what two sweeps through the device hand on is narrow.
void expect_kept(const AxisKind kind, double tolerance, bool constant, const std::string& arrays) {
  const Problem problem{.shape = {16, 12, 20}, .kind = r2r, .axes = {0, 1, 2}, .kinds = {kind, kind, kind}};
  SCOPED_TRACE(fmt::format("{}, {}, arrays on the {}, constant {}", to_string(kind), tolerance, arrays, constant));
  on_ranks(arrays == "host" ? 2 : 4, [&](const Comm& comm) {
    Plan plan(comm, problem,
              {.input = slabs(0),
               .output = slabs(0),
               .tolerance = tolerance,
               .device = space(),
               .arrays = arrays,
               .expert = {.encode_near = arrays != "host"}});
    LocalData<double> in(packed_memory(plan.input(), comm.rank()), false),
        out(packed_memory(plan.output(), comm.rank()), false);
    Whole x = random_array(problem.shape, false, 6);
    if (constant)
      for (Reference& value : x.values) value = 1;
    in.fill(x);
    const auto device = arrays == "host" ? nullptr : device_of(comm.rank());
    Mirror<double> from(in, device), to(out, device);
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      direction == Direction::forward ? plan.forward(from.view(), to.view()) : plan.backward(from.view(), to.view());
      to.pull(plan);
      const Whole exact = transformed(problem, x, direction);
      const long double by = factor(problem, direction == Direction::forward ? problem.forward : problem.backward);
      const auto [difference, norm] = out.compare(exact, by);
      const double error = std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), bound = plan.error_bound();
      EXPECT_LE(error, bound);
      EXPECT_LE(bound, tolerance);
      if (!constant) { EXPECT_GT(plan.loss().encoded, 0); }
    }
  });
}

TEST(DeviceKind, KeepsItsToleranceForAnyInput) {
  Sample sample;
  for (const AxisKind kind : all_kinds)
    for (const bool constant : {false, true})
      for (const double tolerance : {1e-2, 1e-5})
        for (const char* arrays : {"device", "host"})
          if (sample.takes()) expect_kept(kind, tolerance, constant, arrays);
}

std::int64_t counted(const Problem& p, int tile, const char* direction) {
  const Plan plan(local(), p, {.wisdom = false, .device = space(), .expert = {.tile = tile}});
  return nlohmann::json::parse(plan.describe_json())["bytes_moved_memory"][direction].get<std::int64_t>();
}

// The emulated device has 1 MB of cache. What the library reads and writes of a tile takes its part of it.
TEST(DeviceKind, MovesEachArrayOnceForEachAxisIfTheWorkMemoryOfItsTilesStaysInTheCache) {
  if (space() != "emulated") GTEST_SKIP() << "sizes are those of the emulated device's cache";
  constexpr std::int64_t pencils = 64 * 64, array = pencils * 64 * 8;
  for (const AxisKind kind : all_kinds) {
    const Problem p{.shape = {64, 64, 64}, .kind = r2r, .axes = {0, 1, 2}, .kinds = {kind, kind, kind}};
    for (const char* direction : {"forward", "backward"})
      EXPECT_EQ(counted(p, 100, direction), 3 * 2 * array) << to_string(kind) << ' ' << direction;
  }
  const Problem last{.shape = {64, 64, 64}, .kind = r2r, .axes = {2}, .kinds = {cosine2}};
  EXPECT_EQ(counted(last, 2048, "forward"), 2 * array + 2 * pencils * (64 * 8 + 33 * 16));
}

TEST(DeviceKind, IsASweepOfItsOwnAndSaysSo) {
  const Plan plan(local(), {.shape = {8, 9, 10}, .kind = r2c, .kinds = {fourier, cosine2, fourier}},
                  {.wisdom = false, .device = space()});
  const std::string text = plan.describe();
  for (const char* sweep : {"axis 0 (forward, n = 8", "axis 1 (cosine2, n = 9", "axis 2 (r2c, n = 10"})
    EXPECT_NE(text.find(std::string("  sweep     ") + sweep), std::string::npos) << text;
}

}  // namespace
}  // namespace shardfft::testing
