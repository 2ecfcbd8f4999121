// Shifts of sums of waves, which are known between points, too.
#include "shardfft/answers/registration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plan/calls/expect_error.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

/// A sum of all waves of an odd number of points, each with a phase of its own, moved by `shift` points.
template <class T>
Array moved(const Plan& plan, const std::vector<double>& shift) {
  Array x = plan.make_input();
  const Shape& shape = plan.problem().shape;
  for_each_element(plan.input(), plan.comm().rank(), [&](const Coord& at, std::size_t i) {
    double product = 1;
    for (int a = 0; a < shape.dims(); ++a) {
      double sum = 1;
      for (Index k = 1; 2 * k < shape[a]; ++k)
        sum += std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(shape[a]) *
                            (static_cast<double>(at[a]) - shift[static_cast<std::size_t>(a)]) +
                        static_cast<double>(k * k + a));
      product *= sum;
    }
    x.as<T>()[i * (plan.problem().kind == c2c ? 2 : 1)] = static_cast<T>(product);
  });
  return x;
}

template <class T>
void expect_found(const Comm& comm, const Shape& shape, Kind kind, const std::vector<double>& shift, int upsample) {
  Plan plan(comm, {.shape = shape, .kind = kind, .precision = sizeof(T) == 4 ? f32 : f64},
            {.input = slabs(0), .apply = Apply::to_outputs});
  const std::vector<double> still(shift.size(), 0);
  std::vector<double> back;
  for (const double s : shift) back.push_back(-s);
  Array correlation = plan.make_applied();
  const Registration found =
      register_shift(plan, moved<T>(plan, still), moved<T>(plan, back), correlation, {.upsample = upsample});
  for (std::size_t a = 0; a < shift.size(); ++a)
    EXPECT_NEAR(found.shift[a], shift[a], 1e-9) << to_string(plan.problem()) << " on " << comm.size() << " ranks";
  EXPECT_NEAR(found.peak, 1, sizeof(T) == 4 ? 1e-4 : 1e-10);
}

TEST(Registration, FindsShiftsBetweenPointsOnAnyRanks) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [](const Comm& comm) {
      for (const Kind kind : {r2c, c2c}) {
        expect_found<double>(comm, {9, 11, 7}, kind, {2.3, -4.1, 0.8}, 10);
        expect_found<double>(comm, {21, 15}, kind, {-3.07, 6.5}, 100);
        expect_found<float>(comm, {21, 15}, kind, {8, -6.5}, 4);
      }
      expect_found<double>(comm, {21, 15}, r2c, {10, -7}, 1);
    });
}

TEST(Registration, FindsNoShiftOfArraysThatAreTheSameEverywhere) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [](const Comm& comm) {
      for (const Kind kind : {r2c, c2c})
        for (const int upsample : {1, 2, 100})
          for (const double value : {0.0, 1.0}) {
            Plan plan(comm, {.shape = {5, 7}, .kind = kind}, {.input = slabs(0), .apply = Apply::to_outputs});
            Array x = plan.make_input(), correlation = plan.make_applied();
            std::ranges::fill(x.as<double>(), value);
            const Registration found = register_shift(plan, x, x, correlation, {.upsample = upsample});
            EXPECT_EQ(found.shift, (std::vector<double>{0, 0})) << value << ", upsample " << upsample;
          }
    });
}

TEST(Registration, SaysWhatItTakes) {
  const auto with = [](const Problem& problem, const Options& options, int upsample) {
    return [=](const Comm& comm) {
      Plan plan(comm, problem, options);
      const Array a = plan.make_input();
      Array out = plan.make_array(a.bytes());
      (void)register_shift(plan, a, a, out, {.upsample = upsample});
    };
  };
  const Options applies{.apply = Apply::to_outputs};
  expect_error(2, Status::invalid_argument, {"upsample from 1 to 1000; got 0"}, with({.shape = {8, 8}}, applies, 0));
  expect_error(2, Status::invalid_argument, {"along all axes"}, with({.shape = {8, 8}, .axes = {0}}, applies, 1));
  expect_error(2, Status::invalid_argument, {"support or modes"},
               with({.shape = {8, 8}, .support = {4, 4}}, applies, 1));
  expect_error(2, Status::invalid_argument, {"options.apply"}, with({.shape = {8, 8}}, {}, 1));
}

}  // namespace
}  // namespace shardfft::testing
