// Transports for the memory of devices whose messages go over MPI, on emulated devices of each process.
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/emulated/scheduler.hpp"
#include "device/transport/device_via_host.hpp"
#include "device/transport/inbox_keeper.hpp"
#include "on_device.hpp"
#include "shardfft/error.hpp"
#include "support/ranks/mpi_world.hpp"
#include "support/thrown.hpp"
#include "traffic_runs.hpp"
#include "transport/mpi/mpi_p2p.hpp"

namespace shardfft {
namespace {

using testing::thrown;
using testing::world;

/// Random traffic, two channels at once, and chunk by chunk, for some seeds.
void try_out(const Comm& comm, const Transport& transport) {
  SCOPED_TRACE(fmt::format("{} {} ranks on {} nodes", transport.name(), comm.size(), comm.nodes()));
  const OnDevice here(comm.rank(), 2), there(comm.rank(), 3);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    emulated::scheduler().reseed(seed * 10 + static_cast<std::uint64_t>(comm.rank()));
    bring_random_traffic(comm, transport, seed, 5, here.context());
    bring_two_at_once(comm, transport, seed, 3, here.context(), there.context());
  }
  EXPECT_EQ(wrong_with_chunks(comm, transport, here.context()), "");
}

TEST(DeviceTransportsOverMpi, BringEveryUnitThroughHostsWhateverTheNodes) {
  for (int ranks_per_node : {1, 2, 8}) {
    const Comm comm = world(ranks_per_node);
    try_out(comm, *find_transport("via_host"));
  }
}

TEST(DeviceTransportsOverMpi, BringEveryUnitOverEachTransportOfTheHost) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const MpiP2p in_small_pieces(128);
  for (const Transport* over :
       {find_transport("mpi_p2p"), find_transport("shared_memory"), static_cast<const Transport*>(&in_small_pieces)})
    try_out(comm, ViaHost(over));
  const OnDevice here(comm.rank(), 2);
  const ViaHost over_alltoallv(find_transport("mpi_alltoallv"));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) bring_random_traffic(comm, over_alltoallv, seed, 4, here.context());
}

TEST(DeviceTransportsOverMpi, GiveMpiTheMemoryOfDevicesThatItReads) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  try_out(comm, *find_transport("mpi_device"));
}

TEST(DeviceTransportsOverMpi, BelieveTheEnvironmentMoreThanTheMpi) {
  const Transport& device_mpi = *find_transport("mpi_device");
  const OnDevice here(0, 1);
  EXPECT_EQ(device_mpi.refuses(*here.device), "");
  setenv("SHARDFFT_GPU_AWARE_MPI", "0", 1);
  EXPECT_EQ(device_mpi.refuses(*here.device),
            "SHARDFFT_GPU_AWARE_MPI=0 says that this MPI does not read the memory of devices");
  const Comm comm = mpi(MPI_COMM_WORLD);
  Traffic traffic;
  traffic.on = here.context();
  EXPECT_EQ(thrown([&] { (void)device_mpi.open(comm, traffic); }),
            "unsupported: transport mpi_device cannot serve this device: SHARDFFT_GPU_AWARE_MPI=0 says that this MPI "
            "does not read the memory of devices");
  setenv("SHARDFFT_GPU_AWARE_MPI", "yes", 1);
  EXPECT_EQ(thrown([&] { (void)device_mpi.refuses(*here.device); }),
            "invalid_argument: SHARDFFT_GPU_AWARE_MPI is 0 or 1, got 'yes'; unset it to believe what the MPI says");
  unsetenv("SHARDFFT_GPU_AWARE_MPI");
}

// Memory of emulated devices is a process's own.
TEST(DeviceTransportsOverMpi, SayOnAllRanksThatDevicesCannotBeShown) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (comm.nodes() > 1) GTEST_SKIP() << "the ranks are on several nodes";
  const OnDevice here(comm.rank(), 2);
  for (const char* name : {"peer_kernel", "peer_copy", "staged"}) {
    Traffic traffic = random_traffic(3, comm.size(), comm.rank());
    traffic.on = here.context();
    const std::string error = thrown([&] { (void)find_transport(name)->open(comm, traffic); });
    EXPECT_TRUE(error.starts_with("unsupported: ")) << error;
    require_same(comm, "the error", error);
  }
}

// Whoever ends first: what a rank shows is there until all others have closed it, and nobody waits for that.
TEST(InboxKeeper, KeepsWhatIsShownUntilAllOthersHaveClosedIt) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (comm.nodes() > 1) GTEST_SKIP() << "the ranks are on several nodes";
  for (int first = 0; first < comm.size(); ++first) {
    auto shown = std::make_shared<int>(comm.rank());
    const std::weak_ptr<int> seen = shown;
    auto keeper = std::make_unique<InboxKeeper>(comm, std::move(shown));
    const auto end = [&](bool mine) {
      if (mine) keeper.reset();
      comm.barrier();
    };
    end(comm.rank() == first);
    EXPECT_EQ(seen.expired(), comm.size() == 1) << "rank " << comm.rank() << ", the first to end is " << first;
    end(comm.rank() != first);
    const InboxKeeper next(comm, nullptr);
    EXPECT_TRUE(seen.expired());
    EXPECT_EQ(kept_for_others(), 0u);
    comm.barrier();
  }
}

TEST(DeviceTransportsOverMpi, SurviveAChannelThatIsLeftInTheMiddle) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const OnDevice here(comm.rank(), 2);
  for (const Transport* transport : {find_transport("via_host"), find_transport("mpi_device")}) {
    Traffic traffic = two_chunks(comm);
    traffic.on = here.context();
    const OpenedChannel opened(comm, *transport, traffic);
    opened.channel->begin(0);
    opened.channel->send(0, 0);
    comm.barrier();
  }
}

}  // namespace
}  // namespace shardfft
