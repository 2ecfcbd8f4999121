// The machine: what is measured makes sense, and is kept.
#include "planner/model/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <tuple>

#include <nlohmann/json.hpp>

#include "planner/measure/measure_exchanges.hpp"
#include "planner/measure/measure_machine.hpp"
#include "planner/model/machine_file.hpp"
#include "planner/model/machine_numbers.hpp"
#include "planner/model/machine_sense.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "shardfft/error.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

Machine odd_machine() {
  Machine m;
  m.memory_bytes_per_s = 1.25e9;
  m.node_bytes_per_s = 3.5e9;
  m.cache_bytes_per_s = 7e9;
  m.team_s = 1e-5;
  m.f64[0].of_power[3] = 12e9;
  m.f32[0].of_prime = 0.125;
  m.stores.epoch_s = 3e-6;
  m.mpi_near.bytes_per_s = 9e8;
  m.mpi_near.all_to_all_s = {1, 2, 3};
  return m;
}

TEST(Machine, IsKeptForItsHostAndItsExchangesForTheNumberOfRanks) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  const Comm two = dry_run(2, 0, 2), three = dry_run(3, 0, 3);
  EXPECT_FALSE(this_machine(two).measured);
  ASSERT_EQ(keep_measured(odd_machine(), two), "");
  const Machine back = this_machine(two), other = this_machine(three);
  EXPECT_TRUE(back.measured && back.exchanges_measured);
  EXPECT_EQ(back.memory_bytes_per_s, 1.25e9);
  EXPECT_EQ(back.node_bytes_per_s, 3.5e9);
  EXPECT_EQ(back.cache_bytes_per_s, 7e9);
  EXPECT_EQ(back.team_s, 1e-5);
  EXPECT_EQ(back.f64[0].of_power[3], 12e9);
  EXPECT_EQ(back.f32[0].of_prime, 0.125);
  EXPECT_EQ(back.stores.epoch_s, 3e-6);
  EXPECT_EQ(back.mpi_near.bytes_per_s, 9e8);
  EXPECT_EQ(back.mpi_near.all_to_all_s[1], 2);
  EXPECT_TRUE(other.measured && !other.exchanges_measured);
  EXPECT_EQ(other.memory_bytes_per_s, 1.25e9);
  EXPECT_EQ(other.stores.epoch_s, Machine().stores.epoch_s);
  ASSERT_EQ(keep_measured(odd_machine(), three), "");
  EXPECT_TRUE(this_machine(two).exchanges_measured) << "still there";
}

TEST(Machine, OfADamagedFileIsTheDefaultOne) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  ::testing::internal::CaptureStderr();
  for (const std::string number : {"-1", "\"fast\"", "null", "1e999"}) {
    std::ofstream(machine_file()) << R"({"format":"shardfft machine 1","entries":{")" << machine_key()
                                  << R"(":{"memory_bytes_per_s":)" << number << "}}}";
    const Machine m = this_machine(local());
    EXPECT_FALSE(m.measured) << number;
    EXPECT_EQ(m.memory_bytes_per_s, Machine().memory_bytes_per_s);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST(Machine, WithARateOfNothingIsTheDefaultOneAndSaidToBeMeasuredAnew) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  const Comm two = dry_run(2, 0, 2);
  Machine good = odd_machine();
  good.team_s = 0;  // a time may be nothing
  ASSERT_EQ(keep_measured(good, two), "");
  EXPECT_TRUE(this_machine(two).measured);
  for (double Machine::* rate :
       {&Machine::memory_bytes_per_s, &Machine::node_bytes_per_s, &Machine::cache_bytes_per_s}) {
    Machine bad = good;
    bad.*rate = 0;
    ASSERT_EQ(keep_measured(bad, two), "");
    EXPECT_FALSE(this_machine(two).measured);
  }
  Machine slow = good, far = good;
  slow.f64[0].of_power[2] = 0;
  far.mpi_far.bytes_per_s = 0;
  for (const Machine& bad : {slow, far}) {
    ASSERT_EQ(keep_measured(bad, two), "");
    EXPECT_FALSE(this_machine(two).measured);
  }
  nlohmann::json entry{{"memory_bytes_per_s", 0}};
  double number = 1;
  try {
    machine_numbers::read(entry, {"memory_bytes_per_s"}, number, machine_numbers::Zero::refused);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("/memory_bytes_per_s is finite and more than 0; got 0; measure again"),
              std::string::npos)
        << e.what();
  }
}

Machine with_rates(double core, double node, double cache) {
  Machine m = odd_machine();
  m.memory_bytes_per_s = core, m.node_bytes_per_s = node, m.cache_bytes_per_s = cache;
  return m;
}

TEST(Machine, MakesSenseOnlyWhereItsNumbersAgree) {
  EXPECT_EQ(contradiction_in(with_rates(10e9, 19e9, 40e9), 2), "");
  EXPECT_EQ(contradiction_in(with_rates(10e9, 10e9, 10e9), 2), "") << "all the memory's";
  EXPECT_EQ(contradiction_in(Machine(), 1), "") << "nobody measured it";
  for (const auto& [m, words] : {std::pair(with_rates(10.6e9, 37.9e9, 7.3e9), "7.3 GB/s in cache"),
                                 {with_rates(10.6e9, 37.9e9, 40e9), "37.9 GB/s are more"},
                                 {with_rates(10e9, 9e9, 40e9), "9.0 GB/s are less"}})
    EXPECT_NE(contradiction_in(m, 2).find(words), std::string::npos) << words;
  Machine late = with_rates(10e9, 19e9, 40e9);
  late.stores.all_to_all_s = {3e-6, 4e-6, 1e-6};
  EXPECT_NE(contradiction_in(late, 2).find("stores"), std::string::npos);
  late.stores.all_to_all_s = {3e-6, 4e-6, 0};
  EXPECT_EQ(contradiction_in(late, 2), "") << "not measured";
}

TEST(Machine, ThatContradictsItselfIsMeasuredAgainAndKeepsTheFasterNumbers) {
  std::vector<Machine> told{with_rates(2e9, 19e9, 40e9), with_rates(10e9, 8e9, 5e9), with_rates(1, 1, 1)};
  std::size_t times = 0;
  Machine m;
  EXPECT_EQ(measure_until_sensible(m, 2, 4, [&] { return told[times++]; }), "");
  EXPECT_EQ(times, 2u);
  EXPECT_EQ(std::tuple(m.memory_bytes_per_s, m.node_bytes_per_s, m.cache_bytes_per_s), std::tuple(10e9, 19e9, 40e9));
  times = 0;
  EXPECT_NE(measure_until_sensible(m, 2, 4, [&] { return ++times, with_rates(10.6e9, 37.9e9, 7.3e9); }), "");
  EXPECT_EQ(times, 4u);
}

TEST(Machine, ThatContradictsItselfInItsFileIsNotUsedAndForgotten) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  ASSERT_EQ(keep_measured(with_rates(10.6e9, 37.9e9, 7.3e9), local()), "");
  const Machine m = this_machine(local());
  EXPECT_FALSE(m.measured);
  EXPECT_EQ(m.cache_bytes_per_s, Machine().cache_bytes_per_s);
  EXPECT_EQ(forget_machine(), 1);
  EXPECT_EQ(forget_machine(), 0);
}

// One measurement: on a busy machine, measure_machine() may keep nothing.
TEST(Machine, MeasuredIsTheSameOnEveryRankAndHasNoHoles) {
  std::vector<Machine> found(2);
  on_ranks(2,
           [&](Comm comm) { found[static_cast<std::size_t>(comm.rank())] = measure_once(comm, this_machine(comm)); });
  for (const Machine& m : found) {
    EXPECT_TRUE(m.measured && m.exchanges_measured);
    for (const double number :
         {m.memory_bytes_per_s, m.node_bytes_per_s, m.cache_bytes_per_s, m.stores.epoch_s, m.stores.message_s,
          m.stores.all_to_all_s[0], m.stores.all_to_all_s[2], m.f64[0].of_mixed, m.f64[0].of_prime, m.f32[0].of_mixed})
      EXPECT_TRUE(std::isfinite(number) && number > 0) << number;
    for (const double rate : m.f64[0].of_power) EXPECT_TRUE(std::isfinite(rate) && rate > 1e6) << rate;
  }
  EXPECT_EQ(found[0].memory_bytes_per_s, found[1].memory_bytes_per_s);
  EXPECT_EQ(found[0].stores.all_to_all_s, found[1].stores.all_to_all_s);
}

// One that is planned for a single thread must not leave a machine of one core behind.
TEST(Machine, IsMeasuredWithAllItsCoresWhateverThreadsThereAre) {
  const Folder empty;
  const Variable nothing_kept("SHARDFFT_WISDOM", empty.path()), one("OMP_NUM_THREADS", "1");
  const int cores = this_machine(local()).cores;
  EXPECT_EQ(core_share(local(), this_machine(local()), 0), cores);
  EXPECT_EQ(default_threads(local(), this_machine(local()), 0), 1);
  const Machine m = measure_once(local(), this_machine(local()));
  EXPECT_EQ(m.team_s == Machine().team_s, cores == 1)
      << "that of the threads of all cores; of one core nobody can know";
}

TEST(Machine, KnowsAllToAllsOfManyRanksAsFarAsInboxesAreSmall) {
  std::vector<Machine> found(65);
  on_ranks(65, [&](Comm comm) {
    Machine m = this_machine(comm);
    measure_exchanges(comm, m);
    found[static_cast<std::size_t>(comm.rank())] = m;
  });
  EXPECT_GT(found[0].stores.all_to_all_s[0], 0);
  EXPECT_GT(found[0].stores.all_to_all_s[1], 0);
  EXPECT_EQ(found[0].stores.all_to_all_s[2], 0) << "65 MiB";
  EXPECT_EQ(found[0].stores.all_to_all_s, found[64].stores.all_to_all_s);
}

TEST(Machine, StoresWhatItMeasuresInSharedMemory) {
  on_ranks(2, [&](Comm comm) {
    Machine m = this_machine(comm);
    measure_exchanges(comm, m);
    EXPECT_GT(m.stores.all_to_all_s[2], 2e-6) << "1 MiB at 500 GB/s; flags alone take less";
  });
}

TEST(Rates, FollowTheKindAndTheSizeOfALength) {
  Rates r{.of_power = {1, 2, 3, 4, 5, 6}, .of_mixed = 0.5, .of_prime = 0.25};
  EXPECT_EQ(r.at(64), 1);
  EXPECT_EQ(r.at(8), 1);
  EXPECT_EQ(r.at(1024), 5);
  EXPECT_EQ(r.at(1 << 20), 6);
  EXPECT_EQ(r.at(240), 1.5);
  EXPECT_EQ(r.at(189), 1.5);
  EXPECT_EQ(r.at(211), 0.75);
  EXPECT_EQ(r.at(22), 0.25);
}

}  // namespace
}  // namespace shardfft::testing
