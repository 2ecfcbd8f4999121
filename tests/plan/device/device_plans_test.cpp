// Plans on a device, the emulated one unless the environment says otherwise: arrays in its memory, and arrays of the
// host that go through it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "device/model/device_file.hpp"
#include "device/model/measure_device.hpp"
#include "plan/device/device_plan_case.hpp"
#include "support/ranks/in_child.hpp"
#include "support/thrown.hpp"
#include "support/variables.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

std::uint64_t first_plan_seed() { return chosen_seed(20261121); }

// Its queues and threads stayed with the parent.
TEST(DevicePlan, InAChildOfForkIsRefusedInTimeAndGoesOnInTheParent) {
  if (space() != "emulated") GTEST_SKIP() << "drivers of others do not survive a fork";
  for (const std::string arrays : {"device", "host"}) {
    Plan plan(local(), {.shape = {12, 10, 16}}, {.wisdom = false, .device = space(), .arrays = arrays});
    Array in = plan.make_input(), out = plan.make_output();
    plan.forward(in, out);
    const std::uint64_t before = plan.hash_output(out);
    const std::vector<std::function<void()>> calls{
        [&] { plan.forward(in, out); },       [&] { plan.start(Direction::backward, out, in); },
        [&] { (void)plan.test(); },           [&] { plan.wait(); },
        [&] { plan.synchronize(); },          [&] { plan.copy(in, out); },
        [&] { (void)plan.make_input(); },     [&] { (void)plan.verify(in, out); },
        [&] { (void)plan.hash_output(out); }, [&] { (void)plan.exact_samples(in, {{0, 0, 0}}); }};
    for (const auto& call : calls) {
      const std::string said = in_child(call);
      EXPECT_NE(said.find("a plan on a device belongs to the process that made it; got a child of fork()"),
                std::string::npos)
          << arrays << ", call " << &call - calls.data() << ": " << said;
    }
    EXPECT_EQ(in_child([&] { const Plan gone(std::move(plan)); }), "ok") << "what it inherited ends with it";
    plan.forward(in, out);
    EXPECT_EQ(plan.hash_output(out), before);
  }
}

// Then the model chooses what nobody did.
TEST(DevicePlan, OnADeviceThatWasMeasuredEqualsTheDefinitionToo) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  const DeviceMachine machine = measure_device(local(), {}, device_of(0));
  for_each_device_number(machine, [](const std::string& name, const double& number) {
    EXPECT_TRUE(std::isfinite(number) && (number > 0 || name.starts_with("peer_"))) << name << " is " << number;
  });
  ASSERT_EQ(keep_measured(machine, *device_of(0)), "");
  EXPECT_NE(
      Plan(local(), {.shape = {12, 10}}, {.device = space()}).describe().find("from measured rates of this device"),
      std::string::npos);
  for (const char* arrays : {"device", "host"})
    for (std::uint64_t i = 0; i < std::uint64_t{sanitized ? 2 : 8} && !HasFailure(); ++i) {
      const std::uint64_t seed = first_plan_seed() + 800 + i;
      std::mt19937_64 random(seed);
      const Case c = on_device(random_case(seed, 1500, 8), random, arrays);
      SCOPED_TRACE(to_string(c));
      check_on_devices(c, std::string(arrays) == "device");
    }
}

// What is reported is what the device did with each step, between the call and the answer.
TEST(DevicePlan, MovesElementsToWhereTheHostMovesThem) {
  std::mt19937_64 random(first_plan_seed());
  for (const int bytes : {4, 8, 16})
    for (const char* arrays : {"device", "host"})
      for (const int ranks : {1, 3}) {
        const Problem problem{.shape = {7, 5, 12}, .kind = Kind::move, .element_bytes = bytes};
        const LayoutSpec in = random_layout(random, problem.shape, ranks),
                         out = random_layout(random, problem.shape, ranks);
        SCOPED_TRACE(fmt::format("{} on {} ranks, {} -> {}, arrays on the {}", to_string(problem), ranks, to_string(in),
                                 to_string(out), arrays));
        on_ranks(ranks, [&](const Comm& comm) {
          Plan there(comm, problem, {.input = in, .output = out, .device = space(), .arrays = arrays});
          Array x = there.make_input(), y = there.make_output(), back = there.make_input();
          std::vector<std::byte> data(x.bytes());
          for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = static_cast<std::byte>(i * 37 + i / 256 + 11 * static_cast<std::size_t>(comm.rank()));
          there.copy(View(data.data(), data.size()), x);
          const std::uint64_t hash = there.hash_input(x);
          there.forward(x, y);
          EXPECT_EQ(there.hash_output(y), hash);
          there.backward(y, back);
          EXPECT_EQ(there.hash_input(back), hash);
          EXPECT_TRUE(there.verify(x, y).ok());
        });
      }
  EXPECT_THROW(Plan(local(), {.shape = {8}, .kind = Kind::move, .element_bytes = 2}, {.device = space()}), Error);
}

TEST(DevicePlan, ReportsTheTimesOfTheDevice) {
  on_ranks(2, [](Comm comm) {
    Plan plan(comm, {.shape = {24, 20, 18}}, {.device = space(), .expert = {.chunks = 2}});
    Array in = plan.make_input(), out = plan.make_output();
    for (int run = 0; run < 2; ++run) {
      const auto before = std::chrono::steady_clock::now();
      plan.forward(in, out);
      const std::vector<StepReport> steps = plan.last_run();
      const double most = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
      double sum = 0;
      for (const StepReport& step : steps) {
        sum += step.seconds;
        if (step.label.starts_with("sweep")) { EXPECT_GT(step.seconds, 0) << step.label; }
      }
      EXPECT_LE(sum, 1.01 * most + 1e-5);
      EXPECT_EQ(plan.last_run().front().seconds, steps.front().seconds);  // counted once
    }
  });
}

// One tile after the other overlaps with nothing. The host copies the caller's own memory, and not that of the plan.
TEST(DevicePlan, TellsWhatTheLinkTheDeviceAndTheHostTookOfASweepThroughTheDevice) {
  for (const int ranks : {1, 2})
    on_ranks(ranks, [&](Comm comm) {
      Plan plan(comm, {.shape = {24, 20, 18}},
                {.input = slabs(0),
                 .output = slabs(1),
                 .device = space(),
                 .arrays = "host",
                 .expert = {.chunks = 2, .tile = 20, .fuse = 1, .streams = 1}});
      Array in = plan.make_input(), out = plan.make_output();
      std::vector<std::byte> own_in(plan.input_bytes()), own_out(plan.output_bytes());
      for (const bool own : {false, true, false}) {
        plan.forward(own ? View(own_in.data(), own_in.size()) : View(in),
                     own ? View(own_out.data(), own_out.size()) : View(out));
        const std::vector<StepReport>& steps = plan.last_run();
        for (std::size_t i = 0; i < steps.size(); ++i) {
          const StepReport& s = steps[i];
          const bool is_sweep = s.label.starts_with("sweep"), is_callers = i == 0 || i + 1 == steps.size();
          const double parts = s.seconds_to_device + s.seconds_kernels + s.seconds_from_device + s.seconds_staging;
          SCOPED_TRACE(fmt::format("{} of {} ranks, {}, own memory {}", i, ranks, s.label, own));
          EXPECT_EQ(s.seconds_to_device > 0 && s.seconds_kernels > 0 && s.seconds_from_device > 0, is_sweep);
          if (ranks == 1) { EXPECT_EQ(s.seconds_staging > 0, is_callers && own); }  // else one of them pins an inbox
          EXPECT_LE(parts, s.seconds) << "each run is counted by itself, and an exchange has no such parts";
        }
      }
    });
}

// Whoever pinned it, and for as long as it is.
TEST(DevicePlan, LeavesTheCallersMemoryToTheDeviceWhereItIsPinnedFromEndToEnd) {
  const auto device = device_of(0);
  const Problem problem{.shape = {16, 12, 10}};
  Plan plan(local(), problem, {.device = space() + ":0", .arrays = "host", .expert = {.tile = 12, .fuse = 1}});
  constexpr std::size_t count = 16 * 12 * 10, bytes = count * sizeof(std::complex<double>);
  const auto is_staged = [&](std::complex<double>* in, std::complex<double>* out) {
    std::fill_n(in, count, 1.0), std::fill_n(out, count, -1.0);
    plan.forward(View(in, bytes), View(out, bytes));
    EXPECT_NEAR(std::abs(out[0] - double(count)), 0, 1e-10);
    for (std::size_t i = 1; i < count; ++i) EXPECT_LT(std::abs(out[i]), 1e-10) << i;
    return std::pair(plan.last_run().front().seconds_staging > 0, plan.last_run().back().seconds_staging > 0);
  };
  const auto numbers = [](const DeviceMemory& m) { return reinterpret_cast<std::complex<double>*>(m.data()); };
  const DeviceMemory in(device, bytes, "a test", MemoryKind::pinned), out(device, bytes, "a test", MemoryKind::pinned);
  std::vector<std::complex<double>> own(count), other(count);
  auto* start = reinterpret_cast<std::byte*>(own.data());
  EXPECT_EQ(is_staged(numbers(in), numbers(out)), std::pair(false, false));
  EXPECT_EQ(is_staged(own.data(), numbers(out)), std::pair(true, false));
  EXPECT_EQ(is_staged(numbers(in), other.data()), std::pair(false, true));
  ASSERT_TRUE(device->pin(start, bytes));
  EXPECT_EQ(is_staged(own.data(), other.data()), std::pair(false, true));
  device->unpin(start);
  EXPECT_EQ(is_staged(own.data(), other.data()), std::pair(true, true));
  ASSERT_TRUE(device->pin(start, bytes / 2));
  EXPECT_EQ(is_staged(own.data(), other.data()), std::pair(true, true)) << "half of it is not";
  device->unpin(start);
}

// Asked for is not done: queues of the emulated device do nothing until somebody waits, and its memory can be looked
// at meanwhile.
TEST(DevicePlan, ReportsTimesOnceTheDeviceHasDoneWhatTheyAreOf) {
  Plan plan(local(), {.shape = {16, 12}}, {.device = "emulated"});
  Array in = plan.make_input(), out = plan.make_output();
  const std::vector<std::complex<double>> ones(16 * 12, 1.0);
  const auto* result = reinterpret_cast<const std::complex<double>*>(out.data());
  for (int run = 0; run < 20; ++run) {
    plan.copy(View(ones.data(), ones.size() * sizeof ones[0]), in);
    std::fill_n(reinterpret_cast<std::complex<double>*>(out.data()), ones.size(), -1.0);
    plan.forward(in, out);
    EXPECT_EQ(std::count(result, result + ones.size(), std::complex<double>(-1.0)), 16 * 12)
        << "the device has begun, and times that are the host's would be right, too";
    EXPECT_FALSE(plan.last_run().empty());
    EXPECT_NEAR(std::abs(result[0] - 192.0), 0, 1e-12);
    for (std::size_t i = 1; i < ones.size(); ++i) ASSERT_LT(std::abs(result[i]), 1e-12) << i;
  }
}

// By hand: an array of the plan, filled and looked at through copy().
std::vector<std::complex<double>> transformed_in_place(const Problem& problem, const std::string& device,
                                                       const std::string& arrays, std::vector<std::complex<double>> x) {
  Plan plan(local(), problem,
            {.in_place = true, .device = device, .arrays = arrays, .expert = {.tile = device.empty() ? 0 : 7}});
  Array array = plan.make_input();
  const View host(x.data(), x.size() * sizeof x[0]);
  plan.copy(host, array);
  plan.forward(array, array);
  plan.copy(array, host);
  return x;
}

// Were each of them compared with each, and with each place that it may go to, this would take minutes.
TEST(DevicePlan, FindsManyBoxesWithoutComparingEachWithEach) {
  constexpr Index n = sanitized ? 1024 : 4096;
  std::vector<std::vector<Box>> boxes(2);
  for (Index i = 0; i < n; ++i) boxes[static_cast<std::size_t>(i % 2)].push_back({{i}, {i + 1}});
  for (const std::string arrays : {"device", "host"}) {
    Case c{.seed = 5, .ranks = 2, .problem = {.shape = {n}, .axes = {0}}, .in = {n}, .out = {n}};
    c.options = {.input = custom(boxes), .output = custom(boxes), .threads = 1};
    c.options.device = space();
    c.options.arrays = arrays;
    check_on_devices(c, arrays != "host");
  }
}

TEST(DevicePlan, InPlaceGivesWhatTheHostGives) {
  for (const Kind kind : {c2c, r2c}) {
    const Problem problem{.shape = {6, 10, 9}, .kind = kind};
    std::mt19937_64 random(7);
    std::vector<std::complex<double>> x(6 * 10 * 9);
    for (auto& v : x)
      v = {std::uniform_real_distribution<>(-1, 1)(random), std::uniform_real_distribution<>(-1, 1)(random)};
    const auto expected = transformed_in_place(problem, "", "", x);
    for (const std::string arrays : {"device", "host"}) {
      const auto got = transformed_in_place(problem, space(), arrays, x);
      const std::size_t results = kind == c2c ? 540 : 6 * 10 * 5;
      for (std::size_t i = 0; i < results; ++i)
        ASSERT_LT(std::abs(got[i] - expected[i]), 1e-13)
            << "element " << i << " of " << to_string(kind) << " with arrays on the " << arrays;
    }
  }
}

// An array of 512 KiB on a device of 1 MiB, which needs eight times the array to transform all axes at once; and 4 KiB
// of it, which it has room for.
TEST(DevicePlan, ArraysOfTheHostMayBeLargerThanTheDevice) {
  const Variable bytes("SHARDFFT_EMULATED_BYTES", "1048576");
  for (const Index n : {32, 6}) {
    const Problem problem{.shape = {n, n, n}};
    std::vector<std::complex<double>> x(static_cast<std::size_t>(n * n * n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<double>(i % 7), static_cast<double>(i % 5)};
    const auto expected = transformed_in_place(problem, "", "", x),
               got = transformed_in_place(problem, space(), "host", x);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LT(std::abs(got[i] - expected[i]), 1e-13 * static_cast<double>(x.size())) << "element " << i;
    if (space() != "emulated") continue;
    const std::string plan = Plan(local(), problem, {.device = space(), .arrays = "host"}).describe();
    EXPECT_NE(plan.find(n == 32 ? "fuse 2 " : "fuse 3 "), std::string::npos) << plan;
  }
}

// Pinned memory holds what comes and what leaves of each tile that is under way.
TEST(DevicePlan, TakesMemoryForAsManyTilesAsThereAreStreams) {
  const Problem problem{.shape = {16, 16, 16}};
  std::vector<std::complex<double>> x(16 * 16 * 16);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<double>(i % 7), static_cast<double>(i % 5)};
  const auto expected = transformed_in_place(problem, "", "", x);
  for (const int streams : {0, 1, 2, 5}) {
    Plan plan(local(), problem,
              {.device = space(), .arrays = "host", .expert = {.tile = 16, .fuse = 1, .streams = streams}});
    const auto told = nlohmann::json::parse(plan.describe_json());
    const int tiles = streams == 0 ? 3 : streams;
    EXPECT_EQ(told["tile_bytes_pinned"], tiles * 2 * 16 * 16 * 16);
    EXPECT_EQ(told["recipe"]["streams"], std::to_string(tiles));
    EXPECT_EQ(told["origins"]["streams"], streams == 0 ? "model" : "option");
    std::vector<std::complex<double>> y(x.size());
    plan.forward(x, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LT(std::abs(y[i] - expected[i]), 1e-10) << "element " << i << ", streams " << streams;
  }
}

// The error comes when inboxes are pinned already; they are unpinned before they go, which the emulated device looks
// at.
TEST(DevicePlan, TilesThatTheDeviceHasNoRoomForAreRefusedWithTheRemedy) {
  if (space() != "emulated") GTEST_SKIP() << "takes a device of 1 MiB";
  const Variable bytes("SHARDFFT_EMULATED_BYTES", "1048576");
  const auto refused = [](const Comm& comm) {
    const std::string what = thrown([&] {
      Plan(comm, {.shape = {40, 40, 40}}, {.device = space(), .arrays = "host", .expert = {.tile = 100000}});
    });
    EXPECT_TRUE(what.starts_with("out_of_memory: ")) << what;
    EXPECT_NE(what.find("make the tiles smaller with the options tile and fuse"), std::string::npos) << what;
  };
  refused(local());
  on_ranks(2, refused);
}

TEST(DevicePlan, SaysOnEveryRankWhatIsWrongWithWhereAnArrayIs) {
  on_ranks(2, [](Comm comm) {
    Plan there(comm, {.shape = {8, 8}}, {.device = space()}), here(comm, {.shape = {8, 8}});
    Array device_in = there.make_input(), device_out = there.make_output(), host_in = here.make_input(),
          host_out = here.make_output();
    const std::string on_host =
        thrown([&] { there.forward(comm.rank() == 1 ? View(host_in) : View(device_in), device_out); });
    EXPECT_NE(on_host.find("; got memory of the host"), std::string::npos) << on_host;
    const std::string on_device =
        thrown([&] { here.forward(host_in, comm.rank() == 0 ? View(device_out) : View(host_out)); });
    EXPECT_NE(on_device.find(fmt::format("memory of the host; got memory of {} device 0", space())), std::string::npos)
        << on_device;
    there.forward(device_in, device_out);  // and goes on
    here.forward(host_in, host_out);
    there.synchronize();  // before its arrays go
  });
}

TEST(DevicePlan, RefusesOptionsThatDoNotFitWithTheRemedy) {
  const auto refused = [](Options options) { return thrown([&] { Plan(local(), {.shape = {8, 8}}, options); }); };
  EXPECT_NE(refused({.device = "abacus"}).find("got 'abacus'"), std::string::npos);
  EXPECT_NE(refused({.device = "emulated:99"}).find("numbered 0 to"), std::string::npos);
  EXPECT_NE(refused({.device = "emulated:x"}).find("as in cuda:1"), std::string::npos);
  EXPECT_NE(refused({.arrays = "host"}).find("belong to a device"), std::string::npos);
  EXPECT_NE(refused({.device = "emulated", .arrays = "elsewhere"}).find("arrays must be one of"), std::string::npos);
  EXPECT_NE(
      refused({.device = "emulated", .expert = {.transport = "shared_memory"}}).find("the arrays are on a device"),
      std::string::npos);
  EXPECT_NE(refused({.expert = {.transport = "peer_copy"}}).find("the arrays are on the host"), std::string::npos);
  EXPECT_NE(refused({.device = "emulated", .expert = {.engine = "fftw"}}).find("one of library, fused"),
            std::string::npos);
  EXPECT_NE(
      refused({.device = "emulated", .arrays = "host", .expert = {.engine = "fused"}}).find("take the engine library"),
      std::string::npos);
  EXPECT_NE(refused({.device = "emulated", .arrays = "host", .expert = {.codec = "block_float"}})
                .find("one of none, f32, f16"),
            std::string::npos);
}

TEST(DevicePlan, RunsInTheOrderOfTheCallersQueue) {
  const auto device = device_of(0);
  const auto queue = device->make_queue();
  const Problem problem{.shape = {16, 12}};
  Plan plan(local(), problem, {.device = space() + ":0", .queue = queue->native()});
  Array in = plan.make_input(), out = plan.make_output();
  std::vector<std::complex<double>> x(16 * 12, 1.0), y(16 * 12);
  queue->copy(in.data(), x.data(), in.bytes());
  plan.forward(in, out);
  queue->zero(in.data(), in.bytes());  // after the transform has read it
  queue->copy(y.data(), out.data(), out.bytes());
  queue->synchronize();
  EXPECT_NEAR(y[0].real(), 16 * 12, 1e-12);
  for (std::size_t i = 1; i < y.size(); ++i) ASSERT_LT(std::abs(y[i]), 1e-12) << i;
}

TEST(DevicePlan, TakesTheCallersWorkspaceWhereALibraryCanUseIt) {
  const auto device = device_of(0);
  const Problem problem{.shape = {16, 12}};
  Options options{.device = space() + ":0", .expert = {.tile = 3, .fuse = 1}};
  options.workspace_bytes = Plan(local(), problem, options).workspace_bytes();
  const DeviceMemory memory(device, options.workspace_bytes + 64, "a test");
  options.workspace = memory.data() + 64;
  const std::string wrong = thrown([&] { Plan(local(), problem, options); });
  EXPECT_TRUE(wrong.starts_with("invalid_argument: ")) << wrong;
  EXPECT_NE(wrong.find("options.workspace is aligned to 256 bytes"), std::string::npos) << wrong;
  options.workspace = memory.data();
  Plan plan(local(), problem, options);
  Array in = plan.make_input(), out = plan.make_output();
  std::vector<std::complex<double>> x(16 * 12, 1.0);
  const View host(x.data(), x.size() * sizeof x[0]);
  plan.copy(host, in);
  plan.forward(in, out);
  plan.copy(out, host);
  EXPECT_NEAR(std::abs(x[0] - 192.0), 0, 1e-12);
  for (std::size_t i = 1; i < x.size(); ++i) ASSERT_LT(std::abs(x[i]), 1e-12) << i;
}

TEST(DevicePlan, TakesArraysThatAreAlignedToComplexNumbersAlone) {
  Plan plan(local(), {.shape = {8, 6}, .kind = r2c}, {.device = space()});
  const Array in = plan.make_array(plan.input_bytes() + 16);
  Array out = plan.make_output();
  const auto refusal = [&](std::size_t shift) {
    return thrown([&] { plan.forward(View(in.data() + shift, plan.input_bytes()), out); });
  };
  EXPECT_EQ(refusal(16), "");
  plan.synchronize();
  EXPECT_NE(refusal(8).find("`in` on a device is aligned to complex numbers, 16 bytes"), std::string::npos);
}

TEST(DevicePlan, HasAdjointsOfComplexTransformsAndRefusesOthers) {
  const Problem problem{.shape = {16, 12}, .forward = Scaling::by_sqrt_n};
  Plan plan(local(), problem, {.device = space() + ":0"}), host(local(), problem);
  std::vector<std::complex<double>> y(16 * 12), x(y.size()), expected(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = {std::sin(0.7 * static_cast<double>(i)), 0.25};
  host.adjoint(y, expected, Direction::forward, 0.5);
  Array in = plan.make_input(), out = plan.make_output();
  plan.copy(y, out);
  plan.adjoint(out, in, Direction::forward, 0.5);
  plan.copy(in, x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(x[i] - expected[i]), 1e-14) << i;
  Plan real(local(), {.shape = {16, 12}, .kind = r2c}, {.device = space() + ":0"});
  const Array reals = real.make_input(), half = real.make_output();
  const std::string refused = thrown([&] { real.adjoint(half, reals); });
  EXPECT_TRUE(
      refused.starts_with("unsupported: adjoints of r2c, c2r, cosines, sines and fewer modes are not on devices yet"))
      << refused;
  real.forward(reals, half);
  real.synchronize();
}

// An output that is gone too early: the plan waits for its work when it ends, and the caller is told.
TEST(DevicePlan, LeavesWhatWentWrongToTheCallersQueue) {
  const auto device = find_device("emulated", 0);
  const auto queue = device->make_queue();
  {
    Plan plan(local(), {.shape = {16, 12}}, {.device = "emulated:0", .queue = queue->native()});
    Array in = plan.make_input();
    Array out = plan.make_output();
    plan.forward(in, out);
    out = Array(0);
  }
  EXPECT_NE(thrown([&] { queue->synchronize(); }).find("were freed before"), std::string::npos);
  EXPECT_EQ(thrown([&] { queue->synchronize(); }), "");
}

}  // namespace
}  // namespace shardfft::testing
