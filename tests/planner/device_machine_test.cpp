// Devices: what is measured makes sense, is kept, and decides.
#include "device/model/device_machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "device/model/device_file.hpp"
#include "device/model/measure_device.hpp"
#include "planner/decide/planner.hpp"
#include "planner/decide/variants.hpp"
#include "planner/known_device.hpp"
#include "planner/model/machine_file.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "support/problems/layouts.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

std::shared_ptr<Device> a_device() { return find_device("emulated", 0); }
DeviceMachine known(const Comm& comm = local()) { return known_device(comm, *a_device(), "emulated"); }

TEST(DeviceMachine, MeasuredIsTheSameOnEveryRankAndHasNoHoles) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  std::vector<std::string> texts(2);
  on_ranks(2, [&](Comm comm) {
    const auto device = find_device("emulated", comm.rank());
    const DeviceMachine m = measure_device(comm, known_device(comm, *device, "emulated"), device);
    EXPECT_TRUE(m.measured && m.has_peers());
    EXPECT_EQ(m.devices, 2);
    EXPECT_GT(m.cache_bytes, 0);
    for_each_device_number(m, [&](const std::string& name, const double& number) {
      EXPECT_TRUE(std::isfinite(number) && number > 0) << name << " is " << number;
    });
    texts[static_cast<std::size_t>(comm.rank())] = to_string(m);
  });
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(DeviceMachine, WithoutAnotherDeviceInReachHasNoPeersAndTakesLittleMemory) {
  const Variable apart("SHARDFFT_EMULATED_REACH", "0"), little("SHARDFFT_EMULATED_BYTES", "600000");
  const DeviceMachine m = measure_device(local(), {}, a_device());
  EXPECT_TRUE(m.measured && !m.has_peers());
  EXPECT_GT(m.both_bytes_per_s, 0);
  EXPECT_NE(to_string(m).find("no other device"), std::string::npos) << to_string(m);
}

TEST(DeviceMachine, IsKeptForItsKindOfDeviceBesideTheHosts) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  EXPECT_FALSE(known().measured);
  ASSERT_EQ(keep_measured(Machine(), local()), "");
  DeviceMachine odd = round_device();
  odd.f32.of_power[3] = 12e9;
  odd.f64.of_prime = 0.125;
  odd.peer_kernel_bytes_per_s = 0;
  ASSERT_EQ(keep_measured(odd, *a_device()), "");
  const DeviceMachine back = known();
  EXPECT_TRUE(back.measured && !back.has_peers());
  std::vector<double> before, after;
  for_each_device_number(odd, [&](const std::string&, const double& number) { before.push_back(number); });
  for_each_device_number(back, [&](const std::string&, const double& number) { after.push_back(number); });
  EXPECT_EQ(before, after);
  EXPECT_TRUE(this_machine(local()).measured) << "still there";
  const Variable fewer("SHARDFFT_EMULATED_DEVICES", "2");
  EXPECT_FALSE(known().measured) << "others may be in reach";
}

TEST(DeviceMachine, OfADamagedFileCountsAsNotMeasured) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  ::testing::internal::CaptureStderr();
  for (const std::string number : {"0", "-1", "\"fast\"", "null"}) {
    ASSERT_EQ(keep_measured(round_device(), *a_device()), "");
    std::stringstream text;
    text << std::ifstream(machine_file()).rdbuf();
    std::string broken = text.str();
    const std::string name = "\"launch_s\":";
    const auto at = broken.find(name);
    ASSERT_NE(at, std::string::npos) << broken;
    broken.replace(at, broken.find_first_of(",}", at) - at, name + number);
    std::ofstream(machine_file()) << broken;
    EXPECT_FALSE(known().measured) << number;
    std::filesystem::remove(machine_file());
  }
  (void)::testing::internal::GetCapturedStderr();  // one line in a process, which another test may have had
}

TEST(DeviceMachine, ThatContradictsItselfIsRefusedInItsFile) {
  const auto changed = [](double DeviceMachine::* rate, double factor) {
    DeviceMachine m = round_device();
    m.*rate *= factor;
    return m;
  };
  const auto both = &DeviceMachine::both_bytes_per_s, rows = &DeviceMachine::rows_bytes_per_s,
             peers = &DeviceMachine::peer_kernel_bytes_per_s;
  EXPECT_EQ(contradiction_in(round_device()), "");
  EXPECT_EQ(contradiction_in(changed(both, 0.5)), "") << "one way after the other";
  for (const auto& [machine, says] :
       {std::pair(changed(both, 0.2), "at once are less than 20 GB/s one way"),
        {changed(both, 3), "120 GB/s from and to the host at once are more than 40 GB/s"},
        {changed(peers, 20), "4000 GB/s stored at another device are more than 1000 GB/s within the device"},
        {changed(rows, 0.05), "are more than 50 GB/s within the device"}}) {
    EXPECT_NE(contradiction_in(machine).find(says), std::string::npos) << contradiction_in(machine);
    const Folder folder;
    const Variable place("SHARDFFT_WISDOM", folder.path().string());
    ::testing::internal::CaptureStderr();
    ASSERT_EQ(keep_measured(machine, *a_device()), "");
    EXPECT_FALSE(known().measured) << says;
    ASSERT_EQ(keep_measured(round_device(), *a_device()), "");
    EXPECT_TRUE(known().measured);
    (void)::testing::internal::GetCapturedStderr();  // one line in a process, which another test may have had
  }
}

TEST(DeviceMachine, CountsTheDevicesThatRanksShareOut) {
  on_ranks(3, [&](Comm comm) {
    EXPECT_EQ(known_device(comm, *find_device("emulated", comm.rank()), "emulated").devices, 3);
    EXPECT_EQ(known_device(comm, *find_device("emulated:1", comm.rank()), "emulated:1").devices, 1);
  });
  EXPECT_EQ(known(dry_run(6, 0, 6)).devices, 4);
  EXPECT_EQ(known(dry_run(6, 0, 2)).devices, 2);
  EXPECT_EQ(known_device(dry_run(6, 0, 6), *a_device(), "emulated:0").devices, 1);
}

// What four ranks, a device each, plan for 128^3 on a device that does what `machine` says, or that nobody has
// measured.
Recipe planned(const DeviceMachine* machine, Options options = {}) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  if (machine) { EXPECT_EQ(keep_measured(*machine, *a_device()), ""); }
  options.device = "emulated";
  std::vector<Recipe> all(4);
  on_ranks(4, [&](Comm comm) {
    all[static_cast<std::size_t>(comm.rank())] = make_recipe(comm, {.shape = {128, 128, 128}}, options);
  });
  for (const Recipe& r : all) EXPECT_EQ(to_string(r), to_string(all.front()));
  return all.front();
}

std::string first_of(const Recipe& r) { return std::string(r.transports.front()->name()); }

TEST(DeviceMachine, DecidesHowMessagesGoAndInHowManyParts) {
  DeviceMachine linked = round_device(), apart = linked;
  apart.peer_copy_bytes_per_s = apart.peer_kernel_bytes_per_s = 0;
  const Recipe fast = planned(&linked), slow = planned(&apart);
  EXPECT_TRUE(first_of(fast).starts_with("peer_")) << first_of(fast);
  EXPECT_EQ(first_of(slow), "via_host");
  EXPECT_EQ(fast.transports.size(), slow.transports.size()) << "the others stay, should the first one not open";
  EXPECT_GT(slow.tuning.chunks, 1) << "long messages";
  EXPECT_EQ(planned(&apart, {.expert = {.chunks = 3}}).tuning.chunks, 3);
  EXPECT_EQ(first_of(planned(&apart, {.expert = {.transport = "peer_copy"}})), "peer_copy") << "as somebody said";
  EXPECT_GT(slow.seconds, fast.seconds);
  EXPECT_FALSE(slow.expected.empty());
}

TEST(DeviceMachine, ThatNobodyMeasuredDecidesNothing) {
  const Recipe r = planned(nullptr);
  EXPECT_FALSE(r.device->is_measured());
  EXPECT_EQ(first_of(r), "peer_kernel") << "the first one that serves";
  EXPECT_TRUE(r.expected.empty());
}

TEST(DeviceMachine, PutsTheCandidatesOfTheTunerInOrder) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  DeviceMachine apart = round_device();
  apart.peer_copy_bytes_per_s = apart.peer_kernel_bytes_per_s = 0;
  ASSERT_EQ(keep_measured(apart, *a_device()), "");
  on_ranks(2, [&](Comm comm) {
    const auto ranked =
        ranked_variants(make_recipe(comm, {.shape = {64, 64, 64}}, {.device = "emulated"}), comm, Breadth::usual);
    ASSERT_GT(ranked.size(), 8u);
    EXPECT_EQ(ranked.front().variant.transport, "via_host");
    EXPECT_EQ(ranked[1].variant.transport, "via_host");
    EXPECT_NE(ranked.back().variant.transport, "via_host");
    for (std::size_t i = 2; i < ranked.size(); ++i) EXPECT_LE(ranked[i - 1].seconds, ranked[i].seconds);
    auto mixed = ranked;
    begin_with_each_transport(mixed);
    std::set<std::string> first;
    for (std::size_t i = 0; i < 4; ++i) first.insert(mixed[i].variant.transport);
    EXPECT_EQ(first, (std::set<std::string>{"peer_kernel", "peer_copy", "via_host", "staged"}));
    EXPECT_EQ(mixed.front().recipe, ranked.front().recipe);
    EXPECT_EQ(mixed.size(), ranked.size());
    EXPECT_EQ(mixed[4].variant.transport, "via_host") << "the others as before";
  });
}

}  // namespace
}  // namespace shardfft::testing
