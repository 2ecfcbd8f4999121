// What halos refuse: the same words on all ranks, and nobody waits for ever.
#include <gtest/gtest.h>

#include "plan/calls/expect_error.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

const Shape shape{8, 6};

Halo made(const Comm& comm, const HaloSpec& spec = {.low = {1, 1}, .high = {1, 1}}, std::size_t bytes = 8,
          const Options& options = {}, const LayoutSpec& layout = slabs(0)) {
  return {comm, Layout(layout, shape, comm.size()), spec, bytes, options};
}

TEST(HaloErrors, OfWidthsAxesAndElements) {
  expect_error(3, Status::invalid_argument, {"one width for each of the 2 axes", "got 1 in `low`"},
               [](const Comm& c) { (void)made(c, {.low = {1}, .high = {1, 1}}); });
  expect_error(3, Status::invalid_argument, {"0 or more cells", "got -2 in `high`"},
               [](const Comm& c) { (void)made(c, {.low = {1, 1}, .high = {1, -2}}); });
  expect_error(3, Status::invalid_argument, {"periodic axes are from -2 to 1", "got 2"},
               [](const Comm& c) { (void)made(c, {.low = {1, 1}, .high = {1, 1}, .periodic = {2}}); });
  expect_error(3, Status::invalid_argument, {"around a periodic array at most 2^20 times", "make it narrower"},
               [](const Comm& c) { (void)made(c, {.low = {Index{1} << 40, 0}, .high = {0, 0}, .periodic = {0}}); });
  expect_error(3, Status::invalid_argument, {"around a periodic array at most 2^20 times", "along axis 1"},
               [](const Comm& c) { (void)made(c, {.low = {20000, 20000}, .high = {0, 0}, .periodic = {0, 1}}); });
  expect_error(3, Status::invalid_argument, {"1, 2, 4, 8 or 16 bytes", "got 12"},
               [](const Comm& c) { (void)made(c, {.low = {1, 1}, .high = {1, 1}}, 12); });
}

TEST(HaloErrors, OfLayoutsThatHaveNoOneBox) {
  expect_error(2, Status::invalid_layout, {"one box of each rank", "cyclic along axis 1"},
               [](const Comm& c) { (void)made(c, {.low = {1, 1}, .high = {1, 1}}, 8, {}, cyclic(1)); });
  expect_error(2, Status::invalid_layout, {"one box of each rank", "custom boxes"}, [](const Comm& c) {
    (void)made(c, {.low = {1, 1}, .high = {1, 1}}, 8, {},
               custom({{{{0, 0}, {2, 6}}, {{4, 0}, {8, 6}}}, {{{2, 0}, {4, 6}}}}));
  });
  expect_error(2, Status::invalid_layout, {"a layout over the ranks of its group", "one over 5 for 2 ranks"},
               [](const Comm& c) { Halo(c, Layout(slabs(0), shape, 5), {.low = {1, 1}, .high = {1, 1}}, 8); });
  expect_error(2, Status::invalid_layout, {"a layout over the ranks of its group", "one over 0 for 2 ranks"},
               [](const Comm& c) { Halo(c, Layout(), {.low = {1, 1}, .high = {1, 1}}, 8); });
}

TEST(HaloErrors, OfMemoryWithoutRoom) {
  const auto with = [](const Placement& place) {
    return [place](const Comm& c) { (void)made(c, {.low = {1, 2}, .high = {1, 1}}, 8, {.input_memory = {place}}); };
  };
  expect_error(2, Status::invalid_layout, {"offset leaves room", "12 elements", "got 11"}, with({11, {10, 1}}));
  expect_error(2, Status::invalid_layout, {"every element its own place", "6 x 9", "8 x 1"}, with({10, {8, 1}}));
  expect_error(2, Status::invalid_layout, {"within the first 2^58 elements"}, with({100, {Index{1} << 57, 1}}));
}

TEST(HaloErrors, OfRanksThatDisagree) {
  expect_error(3, Status::mismatch, {"the layout and the halo", "low 1 x"},
               [](const Comm& c) { (void)made(c, {.low = {1, c.rank() == 2 ? 2 : 1}, .high = {1, 1}}); });
  expect_error(3, Status::mismatch, {"rank 0 calls exchange() and rank 1 accumulate() of f64"}, [](const Comm& c) {
    Halo halo = made(c);
    const Array array = halo.make_array();
    c.rank() == 1 ? halo.accumulate(array, f64) : halo.exchange(array);
  });
}

TEST(HaloErrors, OfDevicesAndDryRuns) {
  expect_error(2, Status::unsupported, {"not on devices yet", "emulated"},
               [](const Comm& c) { (void)made(c, {.low = {1, 1}, .high = {1, 1}}, 8, {.device = "emulated"}); });
  Halo halo(dry_run(6, 2), Layout(slabs(0), {12, 4}, 6), {.low = {1, 0}, .high = {1, 0}}, 8);
  EXPECT_NE(halo.describe().find("rank 2 sends 2 messages with 64 B"), std::string::npos) << halo.describe();
  EXPECT_NE(thrown([&] { halo.exchange(halo.make_array()); }).find("dry run"), std::string::npos);
}

TEST(HaloErrors, OfArrays) {
  const auto calling = [](const auto& call) {
    return [call](const Comm& c) {
      Halo halo = made(c);
      Array array = halo.make_array();
      call(halo, c.rank() == 1 ? View{array.data(), array.bytes() - 1} : View{array.data(), array.bytes()}, c.rank());
    };
  };
  expect_error(2, Status::invalid_argument, {"rank 1", "at least 384 bytes", "got 383"},
               calling([](Halo& halo, const View& short_one, int) { halo.exchange(short_one); }));
  expect_error(2, Status::invalid_argument, {"got a null pointer"},
               calling([](Halo& halo, const View&, int) { halo.exchange(View{}); }));
  expect_error(2, Status::invalid_argument, {"numbers of f32", "got elements of 16"}, [](const Comm& c) {
    Halo halo = made(c, {.low = {1, 1}, .high = {1, 1}}, 16);
    halo.accumulate(halo.make_array(), f32);
  });
}

TEST(HaloErrors, LeaveTheHaloUsable) {
  on_ranks(2, [](const Comm& c) {
    Halo halo = made(c);
    Array array = halo.make_array();
    std::vector<float> numbers(halo.bytes() / 4);
    std::vector<std::complex<float>> pairs(halo.bytes() / 8);
    EXPECT_NE(thrown([&] { halo.exchange(numbers); }).find("got numbers of 4"), std::string::npos);
    EXPECT_NE(thrown([&] { halo.accumulate(pairs, f64); }).find("was told f64; got numbers of f32"), std::string::npos);
    EXPECT_NE(thrown([&] { halo.wait(); }).find("call one of them first"), std::string::npos);
    halo.start_exchange(array);
    EXPECT_NE(thrown([&] { halo.exchange(array); }).find("under way"), std::string::npos);
    halo.wait();
    for (const Coord& at : {halo.box().lo}) array.as<double>()[halo.index(at)] = 5;
    halo.exchange(array);
    EXPECT_EQ(array.as<double>()[halo.index(halo.box().lo)], 5);
    EXPECT_NE(thrown([&] { (void)halo.index({100, 0}); }).find("ask grown_box()"), std::string::npos);
    Halo other = std::move(halo);
    EXPECT_NE(thrown([&] { (void)halo.bytes(); }).find("this halo was moved from"), std::string::npos);
  });
}

}  // namespace
}  // namespace shardfft::testing
