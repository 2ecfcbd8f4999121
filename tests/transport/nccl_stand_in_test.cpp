// The transport nccl between emulated devices, over what stands for NCCL: it moves, waits for and tells sizes right.
#include <gtest/gtest.h>

#include "device/emulated/scheduler.hpp"
#include "device/transport/nccl/nccl_library.hpp"
#include "on_device.hpp"
#include "plan/device/device_plan_case.hpp"
#include "shardfft/error.hpp"
#include "support/thrown.hpp"
#include "traffic_runs.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

using testing::thrown;

const Transport& nccl_on_emulated() { return nccl_transport(); }

TEST(Nccl, BringsEveryUnitToItsReaderWhateverTheSizesAndTheOrderOfWork) {
  for (int ranks : {1, 2, 3, 4})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(fmt::format("ranks {} seed {}", ranks, seed));
      emulated::scheduler().reseed(seed * 100 + static_cast<std::uint64_t>(ranks));
      on_ranks(ranks, [&](Comm comm) {
        const OnDevice here(comm.rank(), 4, "emulated");
        bring_random_traffic(comm, nccl_on_emulated(), seed, 5, here.context());
      });
    }
}

TEST(Nccl, SaysChunkByChunkWhatHasCome) {
  for (int ranks : {2, 3, 4})
    on_ranks(ranks, [&](Comm comm) {
      const OnDevice here(comm.rank(), 4, "emulated");
      EXPECT_EQ(wrong_with_chunks(comm, nccl_on_emulated(), here.context()), "");
    });
}

TEST(Nccl, MovesOnlyWhatAMessageHasInThisRun) {
  const std::size_t before = nccl::bytes_moved();
  on_ranks(3, [&](Comm comm) {
    const OnDevice here(comm.rank(), 4, "emulated");
    ASSERT_EQ(wrong_with_chunks(comm, nccl_on_emulated(), here.context()), "");
  });
  std::size_t expected = 0;  // three ranks, each to the next one: run + 5 * chunk bytes
  for (std::size_t run = 0; run < 3; ++run) expected += 3 * (run + run + 5);
  EXPECT_EQ(nccl::bytes_moved() - before, expected);
}

TEST(Nccl, IsReleasedWhenTheOneItWaitsForFails) {
  std::string waiting;
  const std::string cause = thrown([&] {
    on_ranks(2, [&](Comm comm) {
      const OnDevice here(comm.rank(), 4, "emulated");
      Traffic traffic = two_chunks(comm);
      traffic.on = here.context();
      const OpenedChannel opened(comm, nccl_on_emulated(), traffic);
      if (comm.rank() == 0) throw Error(Status::io_failed, "the disk is full");
      opened.channel->begin(0);
      waiting = thrown([&] { opened.channel->send(0, 0); });
    });
  });
  EXPECT_EQ(cause, "io_failed: the disk is full");
  EXPECT_TRUE(waiting.starts_with("transport_failed: ")) << waiting;
}

TEST(Nccl, EndsItsGroupWhenACallFails) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 4, "emulated");
    Traffic traffic = two_chunks(comm);
    traffic.on = here.context();
    const OpenedChannel opened(comm, nccl_on_emulated(), traffic);
    opened.channel->begin(0);
    nccl::refuse_calls(true);
    const std::string said = thrown([&] { opened.channel->send(0, 0); });
    nccl::refuse_calls(false);
    EXPECT_TRUE(said.starts_with("transport_failed: nccl")) << said;
    EXPECT_EQ(nccl::open_groups(), 0);
  });
}

TEST(Nccl, WantsADeviceForEveryRankAndSaysWhoShareOne) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(0, 4, "emulated");
    Traffic traffic = two_chunks(comm);
    traffic.on = here.context();
    EXPECT_EQ(thrown([&] { (void)nccl_on_emulated().open(comm, traffic); }),
              "unsupported: NCCL wants a device of its own for every rank, but ranks 0 and 1 share one; take transport "
              "peer_kernel or via_host");
  });
}

// Encoded messages do not depend on what carries them.
TEST(Nccl, GivesEncodedExchangesTheBitsOfAnotherTransport) {
  if (find_transport("nccl") != &nccl_on_emulated()) GTEST_SKIP() << "built without NCCL";
  for (const char* codec : {"", "block_float", "f32"})
    on_ranks(4, [&](Comm comm) {
      Options options{.input = bricks(), .output = pencils(0), .threads = 1, .in_place = true, .device = "emulated"};
      options.expert = {.transport = "nccl", .chunks = 3};
      options.expert.encode_near = true;
      options.expert.codec = codec;
      if (options.expert.codec.empty()) options.tolerance = 1e-3;
      Plan here(comm, {.shape = {48, 40, 32}}, options);
      options.expert.transport = "via_host";
      Plan there(comm, {.shape = {48, 40, 32}}, options);
      testing::run_in_place(here, there, [&](Direction, const auto& x, const auto& y) { EXPECT_EQ(x, y); });
      const Loss loss = here.loss();
      EXPECT_TRUE(options.tolerance == 0 || loss.bytes_after < loss.bytes_before);
    });
}

// What stands for NCCL sees the mistake that varying sizes invite.
TEST(StandInOfNccl, RefusesMessagesWhoseEndsNameDifferentSizes) {
  ncclUniqueId id{};
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 4, "emulated");
    const DeviceMemory memory(here.device, 64, "a test");
    ncclComm_t group = nullptr;
    const nccl::CurrentDevice on(here.device->number());
    ASSERT_EQ(ncclCommInitRank(&group, 2, id, comm.rank()), ncclSuccess);
    EXPECT_EQ(ncclSend(memory.data(), 8, ncclInt8, 1, group, here.queue->native()), ncclInvalidUsage);
    ncclGroupStart();
    if (comm.rank() == 0)
      EXPECT_EQ(ncclSend(memory.data(), 8, ncclInt8, 1, group, here.queue->native()), ncclSuccess);
    else
      EXPECT_EQ(ncclRecv(memory.data(), 16, ncclInt8, 0, group, here.queue->native()), ncclSuccess);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
    ncclCommDestroy(group);
  });
}

}  // namespace
}  // namespace shardfft
