// Cosine, sine and Hartley axes on devices.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plan/approximate/kept_promise.hpp"
#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

using enum AxisKind;

constexpr AxisKind all_kinds[] = {cosine1, cosine2, cosine3, cosine4, sine1, sine2, sine3, sine4, hartley};

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

// Pencils of many blocks of threads, of a prime length and of a power of two. Of 59049 points the residues of sine4
// are squared beyond 32 bits.
TEST(DeviceKind, OfALongAxisIsRight) {
  constexpr Index longest = 59049;
  for (const Index n : {Index{1031}, Index{2048}, longest})
    for (const AxisKind kind : {cosine1, cosine2, sine4}) {
      if (n == longest && (sanitized || kind != sine4)) continue;
      for (const Precision precision : {f64, f32}) {
        if (n == longest && precision == f32) continue;
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
