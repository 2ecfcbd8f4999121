// Passes over a device's memory: cubes larger than its cache take two, planes being tiles that stay there. Counted by
// the plan; the emulated device has 1 MB of cache, so that tiles have a quarter of that.
#include <nlohmann/json.hpp>

#include <complex>
#include <vector>

#include <fmt/format.h>

#include "plan/device/device_plan_case.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

class DevicePasses : public ::testing::Test {
 protected:
  const Variable wisdom{"SHARDFFT_WISDOM", "off"};
  void SetUp() override {
    if (space() != "emulated") GTEST_SKIP() << "sizes are those of the emulated device's cache";
  }
};

const Shape cube{64, 32, 32};
constexpr std::int64_t points = 64 * 32 * 32, half_points = 64 * 32 * 17;

Problem of(Kind kind, Precision precision = f64) {
  return {.shape = cube, .kind = kind, .precision = precision, .backward = Scaling::by_n};
}

std::int64_t counted(const Plan& plan, const char* direction) {
  return nlohmann::json::parse(plan.describe_json())["bytes_moved_memory"][direction].get<std::int64_t>();
}

// By a plan of the host, from the same numbers; both directions.
void expect_the_hosts_results(const Problem& problem, const Options& options) {
  Plan there(local(), problem, options), here(local(), problem, {.wisdom = false});
  Array x = there.make_input(), y = there.make_output(), x_here = here.make_input(), y_here = here.make_output();
  std::vector<float> numbers(x.bytes() / sizeof(float));  // two of them are an f64, too
  std::mt19937_64 random(5);
  for (float& v : numbers) v = std::uniform_real_distribution<float>(-1, 1)(random);
  const auto close = [&](const Array& device, const Array& host) {
    std::vector<std::byte> got(device.bytes()), expected(host.bytes());
    there.copy(device, View(got.data(), got.size())), here.copy(host, View(expected.data(), expected.size()));
    const auto compare = [&]<class T>(T limit) {
      const auto *a = reinterpret_cast<const T*>(got.data()), *b = reinterpret_cast<const T*>(expected.data());
      double wrong = 0, all = 0;
      for (std::size_t i = 0; i < expected.size() / sizeof(T); ++i) {
        wrong += std::norm(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        all += std::norm(static_cast<double>(b[i]));
      }
      EXPECT_LE(wrong, all * limit * limit);
    };
    problem.precision == f32 ? compare(1e-5F) : compare(1e-13);
  };
  there.copy(View(numbers.data(), x.bytes()), x), here.copy(View(numbers.data(), x_here.bytes()), x_here);
  there.forward(x, y), here.forward(x_here, y_here);
  close(y, y_here);
  there.backward(y, x), here.backward(y_here, x_here);
  close(x, x_here);
}

TEST_F(DevicePasses, OfACubeLargerThanTheCacheAreTwoWhereOneSweepWouldTakeThreeAndOneMoreToScale) {
  const std::int64_t all = points * 16;
  const Plan two(local(), of(c2c), {.device = space()}),
      three(local(), of(c2c), {.device = space(), .expert = {.fuse = 3}});
  EXPECT_EQ(counted(two, "forward"), 2 * 2 * all);
  EXPECT_EQ(counted(two, "backward"), 2 * 2 * all) << "tiles are scaled while they are in the cache";
  EXPECT_EQ(counted(three, "forward"), 3 * 2 * all);
  EXPECT_EQ(counted(three, "backward"), 4 * 2 * all);
  EXPECT_NE(two.describe().find("; 4 tiles as they lie"), std::string::npos) << two.describe();
}

TEST_F(DevicePasses, OfRealsAreTwoInBothDirectionsAndNothingProtectsAnInputThatMayBeDestroyed) {
  const std::int64_t reals = points * 8, half = half_points * 16;
  for (const bool destroy : {false, true}) {
    const Plan plan(local(), of(r2c), {.destroy_input = destroy, .device = space()});
    EXPECT_EQ(counted(plan, "forward"), reals + 3 * half);
    EXPECT_EQ(counted(plan, "backward"), reals + 3 * half);
    const Plan rows(local(), {.shape = {2048, 64}, .kind = r2c, .axes = {1}},
                    {.destroy_input = destroy, .device = space()});
    const std::int64_t both = 2048 * (64 * 8 + 33 * 16);
    EXPECT_EQ(counted(rows, "forward"), both);
    if (destroy) { EXPECT_EQ(counted(rows, "backward"), both); }
  }
}

TEST_F(DevicePasses, GiveTheHostsResultsTileByTileAsInOneCall) {
  Sample sample;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const Precision precision : {f32, f64})
      for (const int tile : {0, 100})
        for (const bool destroy : {false, true}) {
          if (!sample.takes()) continue;
          SCOPED_TRACE(fmt::format("{}, tile {}, destroy {}", to_string(of(kind, precision)), tile, destroy));
          expect_the_hosts_results(
              of(kind, precision),
              {.destroy_input = destroy, .wisdom = false, .device = space(), .expert = {.tile = tile}});
        }
}

// One axis whose elements are apart takes one pass, without work memory of a tile, in place and not.
TEST_F(DevicePasses, OfAnAxisWhoseElementsAreApartAreOneAndNeedNoTile) {
  Problem p{.shape = {64, 4096}, .axes = {0}, .backward = Scaling::none};
  const Plan plan(local(), p, {.device = space()});
  EXPECT_EQ(counted(plan, "forward"), 2 * 64 * 4096 * 16);
  EXPECT_EQ(plan.describe().find("tiles as they lie"), std::string::npos) << "one call of the library";
  p.backward = Scaling::by_n;
  expect_the_hosts_results(p, {.wisdom = false, .device = space()});
  EXPECT_EQ(counted(Plan(local(), p, {.device = space()}), "backward"), 2 * 64 * 4096 * 16);
}

}  // namespace
}  // namespace shardfft::testing
