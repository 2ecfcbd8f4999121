// Transports for the memory of devices, with ranks that are threads: what is not waited for on emulated devices runs
// too early or too late sooner or later.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <thread>

#include "device/emulated/scheduler.hpp"
#include "device/transport/device_copies.hpp"
#include "device/transport/device_deferred.hpp"
#include "device/transport/device_pins.hpp"
#include "device/transport/device_via_host.hpp"
#include "on_device.hpp"
#include "shardfft/error.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/thrown.hpp"
#include "traffic_runs.hpp"
#include "transport/mixed.hpp"

namespace shardfft {
namespace {

using testing::thrown;

const Transport& transport(std::string_view name) { return *find_transport(name); }

/// For the life of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

/// Rank 0 sends two units to rank 1.
Traffic one_message(const Comm& comm, std::shared_ptr<const DeviceContext> on) {
  Traffic traffic;
  traffic.on = on;
  Round& round = traffic.rounds.emplace_back();
  if (comm.rank() == 0) round.out.push_back({1, 0, 0, 128});
  if (comm.rank() == 1) round.in.push_back({0, 0, 0, 128});
  round.inbox_bytes = comm.rank() == 1 ? 128 : 0;
  return traffic;
}

class DeviceTransport : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static const Transport& it() { return transport(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(, DeviceTransport, ::testing::Values("peer_kernel", "peer_copy", "staged", "via_host"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(DeviceTransport, BringsEveryUnitToItsReaderWhateverTheTrafficAndTheOrderOfWork) {
  for (int ranks : {1, 2, 3, 4, 5, 7, 12})
    for (std::uint64_t seed = 1; seed <= (ranks < 6 ? 3 : 1); ++seed) {
      const int devices = 1 << (seed % 3);
      SCOPED_TRACE(fmt::format("ranks {} devices {} seed {}", ranks, devices, seed));
      emulated::scheduler().reseed(seed * 100 + static_cast<std::uint64_t>(ranks));
      on_ranks(ranks, [&](Comm comm) {
        const OnDevice here(comm.rank(), devices);
        bring_random_traffic(comm, it(), seed, ranks < 6 ? 5 : 2, here.context());
      });
    }
}

TEST_P(DeviceTransport, ServesAProcessAlone) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    bring_random_traffic(local(), it(), seed, 6, OnDevice(0, 1).context());
}

TEST_P(DeviceTransport, CutsMessagesIntoPartsForSeveralQueues) {
  const Variable queues("SHARDFFT_COPY_QUEUES", "3"), bytes("SHARDFFT_COPY_BYTES", "192");
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    emulated::scheduler().reseed(seed);
    on_ranks(4, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      bring_random_traffic(comm, it(), seed, 4, here.context());
    });
  }
}

// Rounds that are not cut into chunks share one send buffer, which is stored into while it is still being copied from.
TEST_P(DeviceTransport, StoresIntoItsSendBufferOnlyOnceItWasCopied) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    emulated::scheduler().reseed(seed);
    on_ranks(3, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      bring_random_traffic(comm, it(), seed, 6, here.context(), /*most_chunks=*/1);
    });
  }
}

TEST_P(DeviceTransport, RunsTwoChannelsAtOnceInAnyOrder) {
  for (int ranks : {1, 2, 3, 5})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(fmt::format("ranks {} seed {}", ranks, seed));
      emulated::scheduler().reseed(seed);
      on_ranks(ranks, [&](Comm comm) {
        const OnDevice a(comm.rank(), 4), b(comm.rank() + 1, 4);
        bring_two_at_once(comm, it(), seed, 3, a.context(), b.context());
      });
    }
}

TEST_P(DeviceTransport, SaysChunkByChunkWhatHasCome) {
  for (int ranks : {1, 2, 3, 6})
    on_ranks(ranks, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      EXPECT_EQ(wrong_with_chunks(comm, it(), here.context()), "");
    });
}

// Each waits first for what the other one has asked for only: who waits in one channel must send what it owes in
// another.
TEST_P(DeviceTransport, SendsWhatItOwesInOneChannelWhileItWaitsInAnother) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulated::scheduler().reseed(seed);
    on_ranks(2, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      Traffic traffic = two_chunks(comm);
      traffic.on = here.context();
      const OpenedChannel a(comm, it(), traffic), b(comm, it(), traffic);
      const auto send = [](Channel& channel) {
        channel.begin(0);
        channel.send(0, 0);
        channel.send(0, 1);
      };
      const auto end = [](Channel& channel) {
        channel.wait(0);
        channel.release(0);
      };
      send(*a.channel);
      if (comm.rank() == 1) end(*a.channel);
      send(*b.channel);
      end(*b.channel);
      if (comm.rank() == 0) end(*a.channel);
    });
  }
}

TEST_P(DeviceTransport, IsReleasedWhenTheOneItWaitsForFails) {
  std::string waiting;
  const std::string cause = thrown([&] {
    on_ranks(2, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      const OpenedChannel opened(comm, it(), one_message(comm, here.context()));
      if (comm.rank() == 0) throw Error(Status::io_failed, "the disk is full");
      opened.channel->begin(0);
      opened.channel->send(0, 0);
      waiting = thrown([&] { opened.channel->wait(0); });
    });
  });
  EXPECT_EQ(cause, "io_failed: the disk is full");
  EXPECT_TRUE(waiting.starts_with("transport_failed: ")) << waiting;
  EXPECT_NE(waiting.find("rank 0"), std::string::npos) << waiting;
}

TEST_P(DeviceTransport, IsLeftInTheMiddleWithoutHarmToTheOthers) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    emulated::scheduler().reseed(seed);
    on_ranks(3, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      Traffic traffic = random_traffic(seed, 3, comm.rank());
      traffic.on = here.context();
      const OpenedChannel opened(comm, it(), traffic);
      opened.channel->begin(0);
      if (comm.rank() != 1)
        for (int chunk = 0; chunk < traffic.rounds[0].chunks; ++chunk) opened.channel->send(0, chunk);
    });
  }
}

// What a rank sends may still be on its way into memory that the other one made when that one leaves.
TEST_P(DeviceTransport, BringsWhatItSentAlsoWhenTheReaderHasLeft) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    emulated::scheduler().reseed(seed);
    std::atomic<bool> left{false};
    on_ranks(2, [&](Comm comm) {
      const OnDevice here(comm.rank(), 2);
      std::optional<OpenedChannel> opened(std::in_place, comm, it(), one_message(comm, here.context()));
      opened->channel->begin(0);
      if (comm.rank() == 0) opened->channel->send(0, 0);
      (void)all_max(comm, std::int64_t{0});
      if (comm.rank() == 1) {
        opened.reset();
        left = true;
        return;
      }
      while (!left) std::this_thread::yield();
      EXPECT_EQ(thrown([&] {
                  while (help_deferred_sends()) std::this_thread::yield();
                }),
                "");
    });
  }
}

TEST_P(DeviceTransport, SaysOnAllRanksThatTheTrafficNamesNoDevice) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 2);
    const std::string error =
        thrown([&] { (void)it().open(comm, one_message(comm, comm.rank() == 1 ? nullptr : here.context())); });
    EXPECT_EQ(error, fmt::format("invalid_argument: rank 1: transport {} moves messages in the memory of devices, and "
                                 "this traffic names no device or no queue; take another transport",
                                 GetParam()));
  });
}

TEST_P(DeviceTransport, SaysOnAllRanksThatSizesDoNotMatch) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 2);
    Traffic traffic = one_message(comm, here.context());
    if (comm.rank() == 0) traffic.rounds[0].out[0].bytes = 64;
    const std::string error = thrown([&] { (void)it().open(comm, traffic); });
    EXPECT_EQ(error, "internal: rank 0: round 0: rank 0 sends 64 bytes to rank 1, which expects 128");
  });
}

TEST_P(DeviceTransport, IsForDevicesOnlyAndRefusesRanksThatDoNotExist) {
  EXPECT_TRUE(it().on_device());
  EXPECT_NE(it().refuses(dry_run(4)), "");
  EXPECT_EQ(it().refuses(local()), "");
}

TEST(PeerKernel, StoresStraightIntoTheReadersInbox) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 2);
    const OpenedChannel opened(comm, transport("peer_kernel"), one_message(comm, here.context()));
    const std::byte* place = comm.rank() == 0 ? opened.channel->out(0, 0) : opened.channel->in(0, 0);
    const auto places = all_values(comm, reinterpret_cast<std::int64_t>(place));
    EXPECT_EQ(places[0], places[1]);
    EXPECT_EQ(find_driver(testing::space())->points_to(place).number, OnDevice(1, 2).device->number());
    EXPECT_EQ(opened.channel->private_bytes(), 0);
  });
}

TEST(PeerKernel, SaysWhichMessagesAreOnAnotherDevice) {
  for (const int devices : {1, 2})
    on_ranks(2, [&](Comm comm) {
      const OnDevice here(comm.rank(), devices);
      const OpenedChannel opened(comm, transport("peer_kernel"), one_message(comm, here.context()));
      const bool apart = OnDevice(1, devices).device != OnDevice(0, devices).device;
      EXPECT_TRUE(comm.rank() != 0 || opened.channel->is_far(0, 0) == apart);
    });
}

TEST(PeerCopy, StoresIntoItsOwnDeviceAndWhatItSendsToItselfIntoItsInbox) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 2);
    Traffic traffic = two_chunks(comm);
    traffic.on = here.context();
    const OpenedChannel opened(comm, transport("peer_copy"), traffic);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(find_driver(testing::space())->points_to(opened.channel->out(0, i)).number, here.device->number());
      if (traffic.rounds[0].out[i].peer != comm.rank()) continue;
      bool found = false;
      for (std::size_t k = 0; k < 4; ++k) found = found || opened.channel->in(0, k) == opened.channel->out(0, i);
      EXPECT_TRUE(found);
    }
    EXPECT_EQ(opened.channel->private_bytes(), 128);  // what goes to the other one
  });
}

TEST(PeerTransports, RefuseRanksOfSeveralNodesAndDevicesThatDoNotReachEachOther) {
  on_ranks(4, 2, [&](Comm comm) {
    for (const char* name : {"peer_kernel", "peer_copy", "staged"})
      EXPECT_EQ(transport(name).refuses(comm), "serves devices of one node, but the group is on 2 nodes");
  });
  const Variable none("SHARDFFT_EMULATED_REACH", "0");
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 2, "emulated");
    for (const char* name : {"peer_kernel", "peer_copy", "staged"}) {
      const std::string error = thrown([&] { (void)transport(name).open(comm, one_message(comm, here.context())); });
      EXPECT_EQ(error,
                "unsupported: rank 0: ranks write into the memory of each other's devices, but emulated:0 does not "
                "reach emulated:1 of rank 1; take transport via_host")
          << name;
    }
    bring_random_traffic(comm, transport("via_host"), 3, 4, here.context());
  });
}

TEST(ViaHost, GoesOverAnyTransportOfTheHost) {
  const Mixed mixed("mixed_threads", transport("threads"), transport("threads"));
  const ViaHost over_threads(&transport("threads")), over_nodes(&mixed);
  for (const ViaHost* via : {&over_threads, &over_nodes})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(fmt::format("seed {}", seed));
      on_ranks(5, 2, [&](Comm comm) {
        const OnDevice here(comm.rank(), 4);
        bring_random_traffic(comm, *via, seed, 4, here.context());
        bring_two_at_once(comm, *via, seed, 2, here.context(), here.context());
      });
    }
}

TEST(ViaHost, NamesTheTransportThatCarriesMessagesBetweenHosts) {
  on_ranks(2, [&](Comm comm) {
    const OnDevice here(comm.rank(), 2);
    const OpenedChannel opened(comm, transport("via_host"), one_message(comm, here.context()));
    EXPECT_EQ(opened.channel->path_to(1 - comm.rank()), "threads");
    EXPECT_EQ(opened.channel->path_to(comm.rank()), "via_host");
  });
}

TEST(CopySettings, ComeFromTheEnvironmentAndAreChecked) {
  EXPECT_EQ(copy_settings().queues, CopySettings().queues);
  const Variable queues("SHARDFFT_COPY_QUEUES", "5");
  EXPECT_EQ(copy_settings().queues, 5);
  const Variable bytes("SHARDFFT_COPY_BYTES", "12");
  EXPECT_EQ(thrown([] { (void)copy_settings(); }),
            "invalid_argument: SHARDFFT_COPY_BYTES is a whole number from 64 to 1099511627776, got '12'; unset it for "
            "4194304");
  for (const char* wrong : {"0", "17", "2x", "-1", " 2", "many"}) {
    const Variable other("SHARDFFT_COPY_QUEUES", wrong);
    EXPECT_EQ(
        thrown([] { (void)copy_settings(); }),
        fmt::format("invalid_argument: SHARDFFT_COPY_QUEUES is a whole number from 1 to 16, got '{}'; unset it for 2",
                    wrong));
  }
}

TEST(Pins, AreWholePagesEachOnce) {
  std::byte* const base = nullptr;
  const auto pages = whole_pages({{base + 9000, base + 9001},
                                  {base + 100, base + 200},
                                  {base + 150, base + 4097},
                                  {base + 20480, base + 20480 + 4096}},
                                 4096);
  const std::vector<DevicePins::Range> expected{{base, base + 12288}, {base + 20480, base + 24576}};
  EXPECT_EQ(pages, expected);
}

}  // namespace
}  // namespace shardfft
