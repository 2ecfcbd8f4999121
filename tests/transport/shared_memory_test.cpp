#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/ranks/process_ranks.hpp"
#include "traffic_runs.hpp"

namespace shardfft {
namespace {

const Transport& shared_memory() { return *find_transport("shared_memory"); }

/// Segments in /dev/shm that these processes left behind.
int left_behind(const std::vector<ProcessEnd>& ends) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir("/dev/shm"), closedir);
  int count = 0;
  while (const dirent* entry = dir ? readdir(dir.get()) : nullptr)
    for (const auto& end : ends) count += std::string(entry->d_name).starts_with(fmt::format("shardfft-{}-", end.pid));
  return count;
}

/// Rank 0 sends one unit to every other rank.
Traffic one_to_all(const Comm& comm) {
  Traffic traffic;
  Round& round = traffic.rounds.emplace_back();
  for (int r = 1; comm.rank() == 0 && r < comm.size(); ++r) round.out.push_back({r, 0, 0, 64});
  if (comm.rank() != 0) round.in.push_back({0, 0, 0, 64});
  round.inbox_bytes = comm.rank() != 0 ? 64 : 0;
  return traffic;
}

/// Lines of /proc/self/maps with this text.
int mapped(const std::string& text) {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(text) != std::string::npos;
  return count;
}

TEST(SharedMemory, BringsEveryUnitToItsReaderWhateverTheTraffic) {
  for (int ranks = 1; ranks <= 6; ++ranks)
    for (const bool named : {false, true}) {
      const auto ends = on_processes(ranks, [&](Comm comm) {
        if (named) setenv("SHARDFFT_SHM_LIMIT", "1000000000", 1);
        for (std::uint64_t seed = 1; seed <= (testing::sanitized ? 2 : 6); ++seed)
          bring_random_traffic(comm, shared_memory(), seed, 5);
      });
      for (const auto& end : ends) EXPECT_EQ(end.said, "ok") << ranks << " ranks" << (named ? ", named files" : "");
      EXPECT_EQ(left_behind(ends), 0);
    }
}

TEST(SharedMemory, RunsTwoChannelsAtOnceChunkByChunk) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const auto ends = on_processes(ranks, [&](Comm comm) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) bring_two_at_once(comm, shared_memory(), seed, 3);
      if (const std::string wrong = wrong_with_chunks(comm, shared_memory()); !wrong.empty())
        throw Error(Status::internal, wrong);
    });
    for (const auto& end : ends) EXPECT_EQ(end.said, "ok") << ranks << " ranks";
  }
}

TEST(SharedMemory, SaysWhichRankDiedInsteadOfWaitingForItsPartOfASum) {
  const auto ends = on_processes(2, [&](Comm comm) {
    const auto channel = shared_memory().open(comm, one_to_all(comm));
    if (comm.rank() == 0) _exit(3);
    const double mine[] = {1};
    double total[1];
    channel->start_sum(mine);
    while (!channel->summed(total)) std::this_thread::yield();
  });
  EXPECT_EQ(ends[1].said,
            fmt::format("transport_failed: shared_memory: rank 0 will send nothing more: its process {} has ended",
                        ends[0].pid));
}

TEST(SharedMemory, TakesAllRanksToNamedFilesWhereOneOfThemCannotDoWithout) {
  const auto ends = on_processes(3, [&](Comm comm) {
    if (comm.rank() == 2) setenv("SHARDFFT_SHM_LIMIT", "1000000", 1);
    const auto channel = shared_memory().open(comm, one_to_all(comm));
    if (mapped("/dev/shm/shardfft-") != 1) throw Error(Status::internal, "the segments are not in a named file");
  });
  for (const auto& end : ends) EXPECT_EQ(end.said, "ok");
}

TEST(SharedMemory, NeedsNoRoomInDevShmAndTakesNoMemoryBeforeTheFirstRun) {
  if (std::ifstream mode("/proc/sys/vm/overcommit_memory"); mode.get() == '2')
    GTEST_SKIP() << "memory that is not reserved is not certain here";
  constexpr Index inbox = Index{1} << 30;
  const auto ends = on_processes(2, [&](Comm comm) {
    Traffic traffic = one_to_all(comm);
    traffic.rounds[0].inbox_bytes = inbox;
    const auto channel = shared_memory().open(comm, traffic);
    if (mapped("/memfd:shardfft") != 1) throw Error(Status::internal, "the segments are not in a file without a name");
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    if (used.ru_maxrss * Index{1024} > inbox / 4)
      throw Error(Status::internal, fmt::format("{} KiB are used", used.ru_maxrss));
  });
  for (const auto& end : ends) EXPECT_EQ(end.said, "ok");
}

TEST(SharedMemory, SaysThatTheMachineIsTooSmallBeforeAnythingIsUsed) {
  const auto ends = on_processes(2, [&](Comm comm) {
    Traffic traffic = one_to_all(comm);
    traffic.rounds[0].inbox_bytes = comm.rank() == 0 ? 0 : Index{1} << 45;
    (void)shared_memory().open(comm, traffic);
  });
  EXPECT_TRUE(ends[0].said.starts_with("out_of_memory: shared memory: the ranks of this node need ")) << ends[0].said;
  EXPECT_EQ(ends[1].said, ends[0].said);
}

TEST(SharedMemory, GivesTheSameErrorOnAllRanksWhenOneFindsNoRoomAndLeavesNothingBehind) {
  const auto ends = on_processes(3, [&](Comm comm) {
    if (comm.rank() == 1) setenv("SHARDFFT_SHM_LIMIT", "100", 1);
    bring_random_traffic(comm, shared_memory(), 1, 1);
  });
  EXPECT_TRUE(ends[1].said.starts_with("out_of_memory: rank 1: shared memory: this rank needs")) << ends[1].said;
  EXPECT_NE(ends[1].said.find("in /dev/shm, where 100 are free"), std::string::npos) << ends[1].said;
  for (const auto& end : ends) EXPECT_EQ(end.said, ends[1].said);
  EXPECT_EQ(left_behind(ends), 0);
}

TEST(SharedMemory, SaysWhichRankDiedInsteadOfWaitingForIt) {
  const auto ends = on_processes(3, [&](Comm comm) {
    const auto channel = shared_memory().open(comm, one_to_all(comm));
    channel->begin(0);
    if (comm.rank() == 0) _exit(3);
    channel->send(0, 0);
    channel->wait(0);
  });
  EXPECT_EQ(ends[0].said, "exit 3");
  const std::string expected = fmt::format(
      "transport_failed: shared_memory: rank 0 will send nothing more: its process {} has ended", ends[0].pid);
  EXPECT_EQ(ends[1].said, expected);
  EXPECT_EQ(ends[2].said, expected);
  EXPECT_EQ(left_behind(ends), 0);
}

TEST(SharedMemory, SaysAtTheStartOfARunWhichRankDied) {
  const auto ends = on_processes(3, [&](Comm comm) {
    const auto channel = shared_memory().open(comm, one_to_all(comm));
    std::vector<std::byte> heard(3);
    channel->handshake(comm, std::byte{1}, heard);
    if (comm.rank() == 1) _exit(3);
    channel->handshake(comm, std::byte{2}, heard);
  });
  for (const int rank : {0, 2})
    EXPECT_EQ(ends.at(static_cast<std::size_t>(rank)).said,
              fmt::format("transport_failed: shared_memory: rank 1 will send nothing more: its process {} has ended",
                          ends[1].pid));
}

TEST(SharedMemory, SaysThatARankGaveUpThePlan) {
  const auto ends = on_processes(2, [&](Comm comm) {
    auto channel = shared_memory().open(comm, one_to_all(comm));
    if (comm.rank() == 0) {
      channel.reset();
      return comm.barrier();
    }
    channel->begin(0);
    channel->send(0, 0);
    const std::string error = say([&](const Comm&) { channel->wait(0); }, comm);
    comm.barrier();
    throw Error(Status::internal, error);
  });
  EXPECT_EQ(ends[0].said, "ok");
  EXPECT_EQ(ends[1].said,
            "internal: transport_failed: shared_memory: rank 0 will send nothing more: it has given up the plan");
}

TEST(SharedMemory, ReadsWhatARankSentBeforeItEnded) {
  const auto ends = on_processes(2, [&](Comm comm) {
    const auto channel = shared_memory().open(comm, one_to_all(comm));
    channel->begin(0);
    if (comm.rank() == 0) std::fill_n(channel->out(0, 0), 64, std::byte{42});
    channel->send(0, 0);
    if (comm.rank() == 0) _exit(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    channel->wait(0);
    if (*channel->in(0, 0) != std::byte{42}) throw Error(Status::internal, "the message is not there");
  });
  EXPECT_EQ(ends[1].said, "ok");
}

Traffic with_arrays(const Comm& comm, Index bytes) {
  Traffic traffic = one_to_all(comm);
  traffic.array_bytes = bytes;
  return traffic;
}

void require(bool fact, const char* text) {
  if (!fact) throw Error(Status::internal, text);
}

TEST(SharedMemory, LetsPeersReachArraysWhereTheyAre) {
  if (std::ifstream mode("/proc/sys/vm/overcommit_memory"); mode.get() == '2')
    GTEST_SKIP() << "arrays need memory that is not reserved";
  for (const Index bytes : {Index{100}, Index{3} << 20}) {
    const auto ends = on_processes(3, [&](Comm comm) {
      auto channel = shared_memory().open(comm, with_arrays(comm, bytes));
      require(channel->has_arrays(), "there are arrays");
      const auto first = channel->take_array();
      auto second = channel->take_array();
      require(channel->array_number(first.get()) == 1 && channel->array_number(second.get()) == 2,
              "arrays are numbered from 1");
      require(channel->array_number(second.get() + 64) == 0 && channel->array_number(&bytes) == 0,
              "only the start of an array has a number");
      second.get()[bytes - 1] = static_cast<std::byte>(comm.rank() + 1);
      comm.barrier();
      for (int peer = 0; peer < 3; ++peer)
        require(second.get()[channel->array_distance(peer) + bytes - 1] == static_cast<std::byte>(peer + 1),
                "each is at the same distance");
      comm.barrier();
      second.reset();
      second = channel->take_array();
      require(channel->array_number(second.get()) == 2 && second.get()[bytes - 1] == std::byte{0},
              "an array that was given back is zero when it is taken again");
      std::vector<std::shared_ptr<std::byte>> more;
      for (int i = 0; i < 6; ++i) more.push_back(channel->take_array());
      require(more.back() != nullptr && channel->take_array() == nullptr, "there are eight");
      channel.reset();
      require(second.get()[0] == std::byte{0}, "they outlive the channel");
    });
    for (const auto& end : ends) EXPECT_EQ(end.said, "ok");
  }
}

/// KiB of the memory at `p` that this process reaches through huge pages; -1 without such an entry.
int huge_kib_at(const void* p) {
  std::ifstream maps("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  bool here = false;
  int kib = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) here = begin <= at && at < end;
    if (here && std::sscanf(line.c_str(), "ShmemPmdMapped: %d kB", &kib) == 1) return kib;
  }
  return -1;
}

/// Whether this system puts shared memory into huge pages when it is asked to, seen without the project's own code.
bool system_gives_huge_pages() {
  constexpr std::size_t huge = std::size_t{2} << 20;
  const int file = memfd_create("probe", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, huge) != 0) return false;
  void* reserved = mmap(nullptr, 2 * huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto at = (reinterpret_cast<std::uintptr_t>(reserved) + huge - 1) / huge * huge;
  void* page = mmap(reinterpret_cast<void*>(at), huge, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  std::memset(page, 1, huge);
  const bool gives = madvise(page, huge, 25 /* MADV_COLLAPSE, which older headers lack */) == 0;
  munmap(reserved, 2 * huge);
  close(file);
  return gives;
}

TEST(SharedMemory, PutsWhatIsSharedIntoHugePagesOnRequestAndKeepsWhatIsInIt) {
  if (std::ifstream mode("/proc/sys/vm/overcommit_memory"); mode.get() == '2')
    GTEST_SKIP() << "arrays need memory that is not reserved";
  const bool possible = system_gives_huge_pages();
  if (!possible) std::printf("this system gives none, so only that nothing is lost is tested\n");
  for (const bool huge : {false, true}) {
    const auto ends = on_processes(2, [&](Comm comm) {
      constexpr Index bytes = Index{6} << 20, page = 4096;
      Traffic traffic = with_arrays(comm, bytes);
      traffic.huge_pages = huge;
      for (auto* messages : {&traffic.rounds[0].out, &traffic.rounds[0].in})
        for (Message& m : *messages) m.bytes = bytes;
      if (comm.rank() == 1) traffic.rounds[0].inbox_bytes = bytes;
      auto channel = shared_memory().open(comm, traffic);
      channel->prepare(0);
      comm.barrier();
      channel->begin(0);
      if (comm.rank() == 0) std::fill_n(channel->out(0, 0), bytes, std::byte{7});
      channel->send(0, 0);
      channel->wait(0);
      if (comm.rank() == 1) {
        const std::byte* message = channel->in(0, 0);
        require(std::all_of(message, message + bytes, [](std::byte b) { return b == std::byte{7}; }),
                "the message is there");
        if (huge && possible) require(huge_kib_at(message) >= 4096, "the inbox is in huge pages");
      }
      channel->release(0);
      const auto array = channel->take_array();
      for (Index i = 0; i < bytes; ++i) require(array.get()[i] == std::byte{0}, "an array is zero");
      for (Index i = 0; i < bytes; i += page) array.get()[i] = static_cast<std::byte>(i / page + comm.rank());
      comm.barrier();
      const std::byte* of_peer = array.get() + channel->array_distance(1 - comm.rank());
      for (Index i = 0; i < bytes; i += page)
        require(of_peer[i] == static_cast<std::byte>(i / page + 1 - comm.rank()), "the peer sees it");
      comm.barrier();  // before either gives its array back
      if (huge && possible) require(huge_kib_at(array.get()) >= bytes / 1024, "it is in huge pages");
    });
    for (const auto& end : ends) EXPECT_EQ(end.said, "ok") << (huge ? "huge" : "small") << " pages";
  }
}

TEST(SharedMemory, HasNoArraysInNamedFilesWhosePagesAreReserved) {
  const auto ends = on_processes(2, [&](Comm comm) {
    setenv("SHARDFFT_SHM_LIMIT", "100000000", 1);
    const auto channel = shared_memory().open(comm, with_arrays(comm, 100));
    require(!channel->has_arrays() && channel->take_array() == nullptr && channel->array_number(&comm) == 0,
            "there are none");
  });
  for (const auto& end : ends) EXPECT_EQ(end.said, "ok");
  EXPECT_EQ(left_behind(ends), 0);
}

TEST(SharedMemory, RefusesThreadsAndSeveralNodes) {
  on_ranks(2, [&](Comm comm) { EXPECT_NE(shared_memory().refuses(comm), ""); });
  EXPECT_NE(shared_memory().refuses(local()), "");
  ProcessBoard board;
  const auto impl = std::make_shared<ProcessComm>(board, 0, 2);
  EXPECT_EQ(shared_memory().refuses(Comm(impl)), "");
  impl->node_of = {0, 1};
  EXPECT_NE(shared_memory().refuses(Comm(impl)), "");
}

}  // namespace
}  // namespace shardfft
