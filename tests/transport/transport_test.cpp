#include "transport/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <set>

#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/stand_ins/no_channel.hpp"
#include "support/thrown.hpp"
#include "traffic_runs.hpp"
#include "transport/mixed.hpp"

/// Calls of operator new by this thread.
static thread_local long allocations = 0;

// Not inlined: gcc would take each half for the mate of a standard one.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace shardfft {
namespace {

using testing::thrown;

const Transport& transport(std::string_view name) { return *find_transport(name); }

/// Rank 0 sends one unit to rank 1.
Traffic one_message(const Comm& comm) {
  Traffic traffic;
  Round& round = traffic.rounds.emplace_back();
  if (comm.rank() == 0) round.out.push_back({1, 0, 0, 64});
  if (comm.rank() == 1) round.in.push_back({0, 0, 0, 64});
  round.inbox_bytes = comm.rank() == 1 ? 64 : 0;
  return traffic;
}

TEST(Threads, BringEveryUnitToItsReaderWhateverTheTraffic) {
  for (int ranks = 1; ranks <= 12; ++ranks)
    for (std::uint64_t seed = 1; seed <= (testing::sanitized ? 2 : 8); ++seed) {
      SCOPED_TRACE(fmt::format("ranks {} seed {}", ranks, seed));
      on_ranks(ranks, [&](Comm comm) { bring_random_traffic(comm, transport("threads"), seed, 6); });
    }
}

TEST(Threads, ServeAProcessAlone) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) bring_random_traffic(local(), transport("threads"), seed, 4);
}

TEST(Threads, RunSeveralChannelsOfOneGroupAtOnce) {
  on_ranks(4, [&](Comm comm) {
    const Traffic a = random_traffic(5, 4, comm.rank()), b = random_traffic(6, 4, comm.rank());
    const auto channel_a = transport("threads").open(comm, a), channel_b = transport("threads").open(comm, b);
    TrafficProgram program_a(comm, a, *channel_a, 5), program_b(comm, b, *channel_b, 6);
    for (int i = 0; i < 4; ++i) {
      program_a.run(1);
      program_b.run(1);
    }
  });
}

TEST(Threads, RunTwoChannelsAtOnceInAnyOrder) {
  for (int ranks : {1, 2, 3, 5, 8, 12})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(fmt::format("ranks {} seed {}", ranks, seed));
      on_ranks(ranks, [&](Comm comm) { bring_two_at_once(comm, transport("threads"), seed, 3); });
    }
}

TEST(Threads, SayChunkByChunkWhatHasCome) {
  for (int ranks : {1, 2, 3, 6})
    on_ranks(ranks, [&](Comm comm) { EXPECT_EQ(wrong_with_chunks(comm, transport("threads")), ""); });
}

TEST(Threads, AddUpInRankOrderTheSameBitsOnAllRanks) {
  on_ranks(5, [&](Comm comm) {
    const auto channel = transport("threads").open(comm, one_message(comm));
    const double mine[] = {std::ldexp(1.0 / 3, comm.rank() * 20),
                           comm.rank() == 3 ? std::numeric_limits<double>::infinity() : 1};
    double total[2] = {}, expected = 0;
    for (int r = 0; r < 5; ++r) expected += std::ldexp(1.0 / 3, r * 20);
    for (int sums = 0; sums < 100; ++sums) {
      channel->start_sum(mine);
      while (!channel->summed(total)) std::this_thread::yield();
      ASSERT_EQ(total[0], expected);
      ASSERT_EQ(total[1], std::numeric_limits<double>::infinity());
    }
  });
}

TEST(Threads, DoNotWaitForASumOfOneWhoGaveUpThePlan) {
  on_ranks(3, [&](Comm comm) {
    auto channel = transport("threads").open(comm, one_message(comm));
    if (comm.rank() == 0) return channel.reset();
    const double mine[] = {1};
    double total[1];
    channel->start_sum(mine);
    const std::string error = thrown([&] {
      while (!channel->summed(total)) std::this_thread::yield();
    });
    EXPECT_TRUE(error.starts_with("transport_failed: threads: rank ") &&
                error.ends_with(" will send nothing more: it has given up the plan"))
        << error;
  });
}

TEST(Threads, WriteStraightIntoTheReadersInbox) {
  on_ranks(2, [&](Comm comm) {
    const auto channel = transport("threads").open(comm, one_message(comm));
    const std::byte* place = comm.rank() == 0 ? channel->out(0, 0) : channel->in(0, 0);
    const auto places = all_values(comm, reinterpret_cast<std::int64_t>(place));
    EXPECT_EQ(places[0], places[1]);
    EXPECT_EQ(places[0] % 64, 0);
    EXPECT_EQ(channel->private_bytes(), 0);
    EXPECT_GE(channel->shared_bytes(), comm.rank() == 1 ? 64 : 0);
  });
}

TEST(Threads, AllocateNothingWhileTheyRun) {
  on_ranks(3, [&](Comm comm) {
    const Traffic traffic = random_traffic(5, 3, comm.rank());
    const auto channel = transport("threads").open(comm, traffic);
    TrafficProgram program(comm, traffic, *channel, 5);
    const long before = allocations;
    program.run(5);
    EXPECT_EQ(allocations - before, 0);
  });
}

TEST(Threads, AreReleasedWhenTheOneTheyWaitForFails) {
  std::string waiting;
  const std::string cause = thrown([&] {
    on_ranks(2, [&](Comm comm) {
      const auto channel = transport("threads").open(comm, one_message(comm));
      if (comm.rank() == 0) throw Error(Status::io_failed, "the disk is full");
      channel->begin(0);
      channel->send(0, 0);
      waiting = thrown([&] { channel->wait(0); });
    });
  });
  EXPECT_EQ(cause, "io_failed: the disk is full");
  EXPECT_TRUE(waiting.starts_with("transport_failed: ")) << waiting;
  EXPECT_NE(waiting.find("rank 0"), std::string::npos) << waiting;
}

TEST(Threads, SayThatTheOneTheyWaitForGaveUpThePlan) {
  on_ranks(2, [&](Comm comm) {
    auto channel = transport("threads").open(comm, one_message(comm));
    if (comm.rank() == 0) return channel.reset();
    channel->begin(0);
    channel->send(0, 0);
    const std::string error = thrown([&] { channel->wait(0); });
    EXPECT_EQ(error, "transport_failed: threads: rank 0 will send nothing more: it has given up the plan");
  });
}

TEST(Threads, SayOnAllRanksThatSizesDoNotMatch) {
  on_ranks(2, [&](Comm comm) {
    Traffic traffic = one_message(comm);
    if (comm.rank() == 0) traffic.rounds[0].out[0].bytes = 128;
    const std::string error = thrown([&] { (void)transport("threads").open(comm, traffic); });
    EXPECT_EQ(error, "internal: rank 0: round 0: rank 0 sends 128 bytes to rank 1, which expects 64");
  });
}

TEST(Mixed, BringsEveryUnitWhateverTheNodes) {
  const Mixed mixed("mixed_threads", transport("threads"), transport("threads"));
  for (int ranks : {3, 4, 7})
    for (int per_node : {2, 3})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(fmt::format("ranks {} per node {} seed {}", ranks, per_node, seed));
        on_ranks(ranks, per_node, [&](Comm comm) { bring_random_traffic(comm, mixed, seed, 4); });
      }
}

TEST(Mixed, RunsTwoChannelsAtOnceChunkByChunk) {
  const Mixed mixed("mixed_threads", transport("threads"), transport("threads"));
  for (int ranks : {3, 5, 8})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(fmt::format("ranks {} seed {}", ranks, seed));
      on_ranks(ranks, 2, [&](Comm comm) {
        bring_two_at_once(comm, mixed, seed, 3);
        EXPECT_EQ(wrong_with_chunks(comm, mixed), "");
      });
    }
}

TEST(Mixed, UsesTheInnerTransportForNeighboursOnly) {
  struct Renamed final : Transport {
    std::string_view name() const override { return "renamed"; }
    std::string refuses(const Comm&) const override { return {}; }
    std::unique_ptr<Channel> open(const Comm& comm, const Traffic&) const override {
      return find_transport("dry_run")->open(comm, {});
    }
  } const other;
  const Mixed mixed("mixed_test", transport("threads"), other);
  on_ranks(5, 2, [&](Comm comm) {
    const auto channel = mixed.open(comm, Traffic{});
    for (int peer = 0; peer < 5; ++peer)
      EXPECT_EQ(channel->path_to(peer), comm.node(peer) == comm.node(comm.rank()) ? "threads" : "dry_run");
  });
}

// What was asked of the two halves on this rank, which is a thread.
thread_local std::vector<std::string> asked;

struct Noted final : Transport {
  explicit Noted(std::string its_name) : name_(std::move(its_name)) {}
  std::string_view name() const override { return name_; }
  std::string refuses(const Comm&) const override { return {}; }
  std::unique_ptr<Channel> open(const Comm&, const Traffic& traffic) const override {
    if (traffic.huge_pages) asked.push_back(name_ + " in huge pages");
    return std::make_unique<Noting>(name_);
  }

 private:
  struct Noting final : testing::NoChannel {
    explicit Noting(const std::string& half) : half_(half) {}
    void note(const char* call, int round) const { asked.push_back(fmt::format("{} {} {}", half_, call, round)); }
    void prepare(int round) override { note("prepare", round); }
    void begin(int round) override { note("begin", round); }
    void send(int round, int) override { note("send", round); }
    using NoChannel::wait;
    void wait(int round) override { note("wait", round); }
    void release(int round) override { note("release", round); }
    void drain(int round) override { note("drain", round); }
    std::string half_;
  };
  std::string name_;
};

// Owners take the memory of their inboxes in prepare(): it was left to whoever wrote there first, on whatever part of
// the machine.
TEST(Mixed, AsksBothHalvesForWhatIsAskedOfARound) {
  const Noted near("near"), far("far");
  const Mixed mixed("mixed_test", near, far);
  on_ranks(4, 2, [&](Comm comm) {
    Traffic traffic;
    traffic.rounds.resize(2);
    const auto channel = mixed.open(comm, traffic);
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"prepare", [&] { channel->prepare(1); }}, {"begin", [&] { channel->begin(1); }},
        {"send", [&] { channel->send(1, 0); }},    {"wait", [&] { channel->wait(1); }},
        {"release", [&] { channel->release(1); }}, {"drain", [&] { channel->drain(1); }}};
    for (const auto& [name, call] : calls) {
      asked.clear();
      call();
      std::ranges::sort(asked);
      EXPECT_EQ(asked, (std::vector{fmt::format("far {} 1", name), fmt::format("near {} 1", name)}));
    }
  });
}

TEST(Mixed, WantsHugePagesOfTheHalfWhoseRanksShareMemory) {
  const Noted near("near"), far("far");
  const Mixed mixed("mixed_test", near, far);
  on_ranks(4, 2, [&](Comm comm) {
    for (const bool huge : {false, true}) {
      asked.clear();
      (void)mixed.open(comm, Traffic{.rounds = {}, .huge_pages = huge});
      EXPECT_EQ(std::ranges::count(asked, "near in huge pages"), huge ? 1 : 0);
    }
  });
}

TEST(Mixed, FailsOnAllRanksWhenOneNodeCannot) {
  struct FailsOnNode1 final : Transport {
    std::string_view name() const override { return "fails"; }
    std::string refuses(const Comm&) const override { return {}; }
    std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
      if (comm.size() == 1) throw Error(Status::out_of_memory, "no room");
      return find_transport("threads")->open(comm, traffic);
    }
  } const inside;
  const Mixed mixed("mixed_test", inside, transport("threads"));
  on_ranks(3, 2, [&](Comm comm) {
    EXPECT_EQ(thrown([&] { (void)mixed.open(comm, Traffic{}); }), "out_of_memory: rank 2: on node 1, no room");
    comm.barrier();
  });
}

TEST(Mixed, RefusesGroupsThatOneTransportServesAsWell) {
  const Mixed mixed("mixed_threads", transport("threads"), transport("threads"));
  on_ranks(4, 2, [&](Comm comm) { EXPECT_EQ(mixed.refuses(comm), ""); });
  on_ranks(4, 4, [&](Comm comm) { EXPECT_NE(mixed.refuses(comm), ""); });
  on_ranks(4, 1, [&](Comm comm) { EXPECT_NE(mixed.refuses(comm), ""); });
}

TEST(DryRun, GivesNoMemoryAndDoesNotRun) {
  const Comm comm = dry_run(6, 2, 2);
  EXPECT_EQ(transport("dry_run").refuses(comm), "");
  const auto channel = transport("dry_run").open(comm, random_traffic(3, 6, 2));
  EXPECT_EQ(channel->out(0, 0), nullptr);
  EXPECT_EQ(channel->in(0, 0), nullptr);
  EXPECT_TRUE(thrown([&] { channel->begin(0); }).starts_with("invalid_argument: "))
      << thrown([&] { channel->begin(0); });
  const double mine[] = {3, 4};
  double total[2] = {};
  channel->start_sum(mine);
  EXPECT_TRUE(channel->summed(total) && total[0] == 3 && total[1] == 4);
}

TEST(Transports, AreFoundByNameAndSayWhyTheyRefuse) {
  std::set<std::string_view> names;
  for (const Transport* t : transports()) {
    EXPECT_EQ(find_transport(t->name()), t);
    EXPECT_TRUE(names.insert(t->name()).second) << t->name();
    const std::string reason = t->refuses(dry_run(4));
    EXPECT_EQ(reason.empty(), t->name() == "dry_run") << t->name() << ": " << reason;
  }
  EXPECT_TRUE(names.contains("threads") && names.contains("shared_memory") && names.contains("dry_run"));
  EXPECT_EQ(find_transport("pigeons"), nullptr);
}

}  // namespace
}  // namespace shardfft
