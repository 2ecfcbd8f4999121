// What a device's model says of made-up devices.
#include "device/model/device_model.hpp"

#include <gtest/gtest.h>

#include "planner/decide/plan_stages.hpp"
#include "planner/known_device.hpp"
#include "planner/planning.hpp"

namespace shardfft::testing {
namespace {

constexpr double gigabyte = 1 << 30, element = 16;

std::vector<AxisTransform> axes(std::initializer_list<int> numbers, Index n = 256) {
  std::vector<AxisTransform> list;
  for (const int a : numbers) list.push_back({a, n, Transform1d::forward});
  return list;
}

DeviceModel model_of(const DeviceMachine& machine, const Comm& comm, DeviceWay way = DeviceWay::any, int chunks = 1) {
  return {.machine = machine,
          .host = {.comm = &comm, .sharers = ranks_on_first_node(comm), .tuning = {{.chunks = chunks, .streams = 3}}},
          .way = way,
          .tile_bytes = 1 << 20};
}

double seconds(const DeviceMachine& machine, const Comm& comm, DeviceWay way, double bytes, int chunks = 1) {
  return model_of(machine, comm, way, chunks)
      .exchange(Sent{.bytes = bytes, .far_share = 0, .messages = comm.size() - 1.0});
}

DeviceMachine without_peers(DeviceMachine m) {
  m.peer_copy_bytes_per_s = m.peer_kernel_bytes_per_s = 0;
  return m;
}

TEST(DeviceModel, SendsOverTheLinkOfTheDevicesWhereThereIsOneAndElseThroughTheHost) {
  const Comm comm = dry_run(4, 0, 4);
  const DeviceMachine linked = round_device(4), apart = without_peers(linked);
  for (const DeviceWay way : {DeviceWay::kernel, DeviceWay::copy, DeviceWay::staged}) {
    EXPECT_LE(seconds(linked, comm, way, gigabyte), seconds(linked, comm, DeviceWay::host, gigabyte))
        << static_cast<int>(way);
    EXPECT_GT(seconds(apart, comm, way, gigabyte), seconds(apart, comm, DeviceWay::host, gigabyte))
        << static_cast<int>(way);
  }
  EXPECT_LT(seconds(linked, comm, DeviceWay::library, gigabyte), seconds(linked, comm, DeviceWay::host, gigabyte));
  EXPECT_GE(seconds(apart, comm, DeviceWay::library, gigabyte), 2 * gigabyte / 20e9) << "it goes through the host, too";
  EXPECT_EQ(
      seconds(linked, comm, DeviceWay::any, gigabyte),
      std::min(seconds(linked, comm, DeviceWay::kernel, gigabyte), seconds(linked, comm, DeviceWay::copy, gigabyte)));
  EXPECT_EQ(seconds(apart, comm, DeviceWay::any, gigabyte), seconds(apart, comm, DeviceWay::host, gigabyte));
  DeviceMachine slow = linked;  // than through the host
  slow.peer_copy_bytes_per_s = slow.peer_kernel_bytes_per_s = 1e9;
  EXPECT_EQ(seconds(slow, comm, DeviceWay::any, gigabyte), seconds(slow, comm, DeviceWay::host, gigabyte));
}

TEST(DeviceModel, PaysForTheKernelsBeforeAndAfterTheTransformOfAKind) {
  const Comm comm = dry_run(1);
  DeviceMachine m = round_device();
  m.launch_s = 0;
  const DeviceModel model = model_of(m, comm);
  std::vector<AxisTransform> kind = axes({2});
  kind.front().transform = Transform1d::cosine2;
  const double elements = gigabyte, fourier = model.sweep(axes({2}), elements, element, true),
               cosines = model.sweep(kind, elements, element, true);
  EXPECT_DOUBLE_EQ(fourier, 2 * elements * element / 1e12);
  EXPECT_DOUBLE_EQ(cosines, 2 * fourier) << "in the cache each of them takes half as long";
}

TEST(DeviceModel, PaysForBytesAtTheRateOfTheWayTheyGo) {
  const Comm comm = dry_run(4, 0, 4);
  DeviceMachine m = round_device(4);
  m.launch_s = 0;
  const DeviceModel copy = model_of(m, comm, DeviceWay::copy), kernel = model_of(m, comm, DeviceWay::kernel);
  EXPECT_DOUBLE_EQ(copy.exchange(Sent{.bytes = 2e9, .messages = 3}), 2e9 / 200e9);
  EXPECT_DOUBLE_EQ(kernel.exchange(Sent{.bytes = 2e9, .messages = 3}), 2e9 / 200e9 - 2e9 / 1e12)
      << "the sweep has counted its stores once";
  DeviceModel host = model_of(m, comm, DeviceWay::host);
  host.host.machine.stores = {};
  EXPECT_DOUBLE_EQ(host.exchange(Sent{.bytes = 2e9, .messages = 3}), 2e9 / 20e9 * 2) << "out, then in";
  host.host.tuning.chunks = 4;
  EXPECT_DOUBLE_EQ(host.exchange(Sent{.bytes = 2e9, .messages = 3}), 2e9 / 20e9 * (2.0 / 4 + 3.0 / 4))
      << "at the same time, but for the ends";
}

TEST(DeviceModel, BetweenNodesPaysForTheNetworkToo) {
  const Comm comm = dry_run(4, 0, 2);
  const DeviceMachine m = round_device(2);
  const Sent near{.bytes = gigabyte, .messages = 3}, far{.bytes = gigabyte, .far_share = 2.0 / 3, .messages = 3};
  for (const DeviceWay way : {DeviceWay::host, DeviceWay::library})
    EXPECT_GT(model_of(m, comm, way).exchange(far),
              model_of(m, comm, way).exchange(near) + 0.6 * gigabyte / Machine().mpi_far.bytes_per_s);
  EXPECT_EQ(model_of(m, comm).exchange(far), model_of(m, comm, DeviceWay::host).exchange(far))
      << "what every build has";
}

TEST(DeviceModel, RanksOnOneDeviceTakeTurnsAndSendNothingOverALink) {
  const Comm comm = dry_run(4, 0, 4);
  DeviceMachine own = round_device(4), shared = without_peers(round_device(1));
  own.launch_s = shared.launch_s = 0;
  const auto axis = axes({1});
  EXPECT_DOUBLE_EQ(model_of(shared, comm).sweep(axis, 1e6, element, true),
                   4 * model_of(own, comm).sweep(axis, 1e6, element, true));
  EXPECT_EQ(model_of(shared, comm, DeviceWay::kernel).exchange(Sent{.bytes = gigabyte, .messages = 3}), 0);
  EXPECT_EQ(model_of(shared, comm).exchange(Sent{.bytes = gigabyte, .messages = 3}), 0);
}

TEST(DeviceModel, ChunksPayForLongMessagesOnly) {
  const Comm comm = dry_run(2, 0, 2);
  const DeviceMachine m = round_device(2);
  for (const DeviceWay way : {DeviceWay::copy, DeviceWay::host, DeviceWay::staged}) {
    EXPECT_LT(seconds(m, comm, way, gigabyte, 8), seconds(m, comm, way, gigabyte, 1));
    EXPECT_GT(seconds(m, comm, way, 1024, 8), seconds(m, comm, way, 1024, 1));
  }
}

TEST(DeviceModel, AxesOfOneSweepAreMovedTogether) {
  const Comm comm = dry_run(4, 0, 4);
  DeviceMachine m = round_device(4);
  m.launch_s = 0;
  DeviceModel model = model_of(m, comm);
  const double pass = 2 * 1e7 * element / 1e12;
  EXPECT_DOUBLE_EQ(model.sweep(axes({2, 1}), 1e7, element, true), 2.5 * pass) << "planes that stay in its cache";
  model.tile_bytes = 64;
  EXPECT_DOUBLE_EQ(model.sweep(axes({1}), 1e7, element, false), 3 * pass) << "gathered, transformed, scattered";
  EXPECT_DOUBLE_EQ(model.sweep(axes({1, 0}), 1e7, element, false), 4 * pass);
  EXPECT_DOUBLE_EQ(model.sweep(axes({2, 1}), 1e7, element, true), 3 * pass)
      << "the caller's array lies as the library takes it";
  EXPECT_DOUBLE_EQ(model.sweep(axes({2, 0}), 1e7, element, true), 4 * pass) << "but not with a gap between the axes";
  const Comm one = dry_run(1);
  EXPECT_DOUBLE_EQ(model_of(m, one).sweep(axes({2, 1, 0}), 1e7, element, true), 3 * pass) << "one call of the library";
  DeviceModel scaled = model_of(m, one), fused = model;
  scaled.scaled_share = 0.5;
  fused.host.tuning.engine = "fused";
  EXPECT_DOUBLE_EQ(scaled.sweep(axes({2, 1, 0}), 1e7, element, true), 3.5 * pass)
      << "half of the directions are scaled, in a pass of their own";
  EXPECT_DOUBLE_EQ(fused.sweep(axes({1}), 1e7, element, false), pass);
}

TEST(DeviceModel, TransposedBoxesAndLengthsHaveTheirOwnRates) {
  const Comm comm = dry_run(2, 0, 2);
  DeviceMachine m = round_device(2);
  m.launch_s = 0;
  m.tiles_bytes_per_s = 0.5e12;
  m.f64.of_power[4] = 0.25e12;  // of 1024
  const DeviceModel model = model_of(m, comm);
  const double pass = 2 * 1e7 * element / 1e12;
  EXPECT_DOUBLE_EQ(model.sweep(axes({2}), 1e7, element, false), 3 * pass);
  EXPECT_DOUBLE_EQ(model.sweep(axes({1}), 1e7, element, false), 5 * pass);
  EXPECT_DOUBLE_EQ(model.sweep(axes({2}, 1024), 1e7, element, false), 6 * pass);
}

TEST(DeviceModel, ArraysOfTheHostTakeAsLongAsTheLinkOrTheDeviceWhicheverIsSlower) {
  const Comm comm = dry_run(1);
  DeviceMachine m = round_device();
  m.launch_s = 0;
  const auto seconds_of = [&](const DeviceMachine& machine, double bytes) {
    DeviceModel model = model_of(machine, comm);
    model.out_of_core = true;
    model.dims = 4;  // planes are small
    return model.sweep(axes({3}), bytes / element, element, true);
  };
  const double many = 1024.0 * (1 << 20), link = many / 20e9;  // of tiles
  EXPECT_NEAR(seconds_of(m, many), link, 0.01 * link) << "both directions at once";
  DeviceMachine half_duplex = m, slow = m;
  half_duplex.both_bytes_per_s = 20e9;
  EXPECT_NEAR(seconds_of(half_duplex, many), 2 * link, 0.01 * link);
  slow.rows_bytes_per_s = 10e9;
  EXPECT_NEAR(seconds_of(slow, many), 4 * many / 10e9, 0.1 * link) << "gathered and scattered there";
  const double one = 1 << 20;
  EXPECT_NEAR(seconds_of(m, one), 2 * one / 20e9 + 6 * one / 1e12, 1e-9) << "one tile waits for each step";
}

TEST(DeviceModel, FewTilesUnderWayWaitForEachOther) {
  const Comm comm = dry_run(1);
  DeviceMachine m = round_device();
  m.launch_s = 0;
  m.rows_bytes_per_s = m.tiles_bytes_per_s = 80e9;  // gathered and scattered there as fast as a direction of the link
  const double bytes = 1024.0 * (1 << 20), way = bytes / 20e9;
  const auto seconds_of = [&](int streams) {
    DeviceModel model = model_of(m, comm);
    model.out_of_core = true, model.host.tuning.streams = streams, model.dims = 4;
    return model.sweep(axes({3}), bytes / element, element, true);
  };
  EXPECT_NEAR(seconds_of(1), 3 * way, 0.1 * way) << "comes, is transformed and leaves, then the next one";
  EXPECT_NEAR(seconds_of(2), 1.5 * way, 0.1 * way);
  EXPECT_NEAR(seconds_of(3), way, 0.1 * way);
  EXPECT_EQ(seconds_of(4), seconds_of(3)) << "the link has no more";
}

TEST(DeviceModel, OnASlowDeviceAsManyAxesAsThereIsRoomForAreDoneInOneSweep) {
  const CheckedProblem p = check({.shape = {64, 64, 64}});
  const auto path = [&](const DeviceMachine& m, int ranks, Index room, bool out_of_core, double tile = 64) {
    const Comm comm = dry_run(ranks, 0, ranks);
    const Model host{.comm = &comm};
    DeviceModel device = model_of(m, comm);
    device.out_of_core = out_of_core;
    device.tile_bytes = tile;
    const ModelCosts costs(device);
    return decompose(p, axis_order(p, any, any, {}), any, any, ranks, {},
                     {.model = &host, .device = &costs, .plane_limit = room, .fuse = 3, .on_device = true});
  };
  for (const bool out_of_core : {false, true}) {
    EXPECT_EQ(path(round_device(), 1, 64 * 64 * 64 * 16, out_of_core).stages.size(), 1u);
    EXPECT_EQ(path(round_device(), 1, 64 * 64 * 16, out_of_core).stages.size(), 2u);
    EXPECT_EQ(path(round_device(), 1, 64, out_of_core).stages.size(), 3u);
  }
  EXPECT_EQ(path(round_device(4), 4, 64 * 64 * 64 * 16, false).stages.size(), 2u) << "slabs: one exchange";
  DeviceMachine quick = round_device();
  quick.launch_s = 1e-8;
  EXPECT_EQ(path(quick, 1, 64 * 64 * 64 * 16, false, 1 << 20).stages.size(), 2u)
      << "planes stay in the device's cache, the volume does not";
}

TEST(DeviceModel, TheStepsTogetherTakeAsLongAsThePath) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 40; ++i) {
    const int ranks = static_cast<int>(pick(random, 1, 8)), per_node = static_cast<int>(pick(random, 1, 8));
    const Comm comm = dry_run(ranks, 0, per_node);
    const CheckedProblem p = check({.shape = small_shape(random, 3, 40), .kind = i % 3 == 0 ? r2c : c2c});
    const Model host{.comm = &comm};
    DeviceModel device = model_of(round_device(static_cast<int>(pick(random, 1, 4))), comm);
    device.out_of_core = i % 4 == 1;
    device.dims = p.dims();
    const LayoutSpec from = i % 2 ? slabs(0) : bricks(), to = i % 5 ? slabs(1 % p.dims()) : any;
    const ModelCosts costs(device);
    const Decomposition d =
        decompose(p, axis_order(p, from, to, {}), from, to, ranks, {},
                  {.model = &host, .device = &costs, .plane_limit = 1 << 30, .fuse = 3, .on_device = true});
    double sum = 0;
    for (const ExpectedStep& step : expected_steps(d, costs, p)) {
      EXPECT_GE(step.seconds, 0) << step.label;
      sum += step.seconds;
    }
    EXPECT_NEAR(sum, d.cost, 1e-5 * d.cost)
        << to_string(p.asked.shape) << " on " << ranks << " ranks, " << per_node << " on a node (i = " << i << ")";
  }
}

}  // namespace
}  // namespace shardfft::testing
