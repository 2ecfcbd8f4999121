#include "support/processor/team_threads.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/ranks/in_child.hpp"

namespace shardfft::testing {
namespace {

int threads_now() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

std::string output_of(const std::string& command) {
  std::string said;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  pclose(pipe);
  return said;
}

/// Threads of this process; the kernel may list one that was joined for a moment longer.
int threads_of_process(int expected) {
  for (int i = 0; i < 1000 && threads_now() != expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return threads_now();
}

/// How often each member of a team came.
std::vector<int> members(int wanted) {
  std::vector<int> came(static_cast<std::size_t>(wanted));
  on_team(wanted, [&](TeamMember me) {
    EXPECT_EQ(me.threads, wanted);
    ++came[static_cast<std::size_t>(me.thread)];
  });
  return came;
}

TEST(TeamThreads, AreAsManyAsWereWantedWhereNothingLimitsThem) {
  for (const int wanted : {1, 7, 40, 7}) {
    const StartedThreads there = start_threads(wanted);
    EXPECT_EQ(there.count, wanted);
    EXPECT_EQ(there.why, "");
    EXPECT_EQ(members(wanted), std::vector<int>(static_cast<std::size_t>(wanted), 1));
  }
}

TEST(TeamThreads, EndWithTheThreadThatKeepsThem) {
  const int before = threads_now();
  std::thread([] { EXPECT_EQ(members(9).size(), 9U); }).join();
  EXPECT_EQ(threads_of_process(before), before);
  std::thread([before] {
    start_threads(9);
    TeamThreads::of_this_thread().keep(3);
    EXPECT_EQ(threads_of_process(before + 3), before + 3);
    EXPECT_EQ(members(5), std::vector<int>(5, 1));
  }).join();
  EXPECT_EQ(threads_of_process(before), before);
}

TEST(TeamThreads, SleepWhileTheyWait) {
  EXPECT_EQ(members(4).size(), 4U);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto process_ms = [] { return 1000 * std::clock() / CLOCKS_PER_SEC; };
  const auto before = process_ms();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(process_ms() - before, 100);
}

// The next test reads what this one prints.
TEST(TeamThreads, MayRunSomewhere) {
  on_team(2, [](TeamMember me) {
    cpu_set_t set;
    ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof(set), &set), 0);
    EXPECT_GT(CPU_COUNT(&set), 0);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) fmt::print("member {} core {}\n", me.thread, core);
    team_barrier();
  });
}

bool is_loaded(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != line.npos) return true;
  return false;
}

// OpenMP binds the first thread to one core, which threads that it starts inherit.
TEST(TeamThreads, AreBoundAsOpenMpBindsThem) {
  if (cores_of_process() < 2) GTEST_SKIP() << "one core";
  if (is_loaded("/libomp.so") && is_loaded("/libgomp.so"))
    GTEST_SKIP() << "a library brings the OpenMP of gcc, which binds this process to one core before that of clang";
  for (const char* bind : {"close", "spread"}) {
    const std::string said =
        output_of(fmt::format("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX OMP_PLACES=threads OMP_PROC_BIND={} "
                              "/proc/{}/exe "
                              "--gtest_filter=TeamThreads.MayRunSomewhere",
                              bind, getpid()));
    std::vector<std::set<std::string>> cores(2);
    std::istringstream lines(said);
    for (std::string word, member, core; lines >> word;)
      if (word == "member" && lines >> member >> word >> core && member.size() == 1 && member < "2")
        cores[static_cast<std::size_t>(member[0] - '0')].insert(core);
    EXPECT_EQ(cores[0].size(), 1U) << said;
    EXPECT_EQ(cores[1].size(), 1U) << said;
    EXPECT_NE(cores[0], cores[1]) << said;
  }
}

TEST(Team, WaitsUntilAllHaveWorked) {
  std::vector<long> sums(1000);
  for (int round = 0; round < 1000; ++round)
    on_team(1 + round % 5, [&](TeamMember me) {
      for (Index i = me.begin(1000); i < me.end(1000); ++i) sums[static_cast<std::size_t>(i)] += i;
    });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 1000L * 999 * 500);
}

TEST(Team, MeetsAtBarriers) {
  for (const int threads : {1, 2, 3, 6}) {
    std::atomic<int> sum{0};
    on_team(threads, [&](TeamMember me) {
      for (int round = 1; round <= 200; ++round) {
        sum += round;
        team_barrier();
        EXPECT_EQ(sum.load(), me.threads * round * (round + 1) / 2);
        team_barrier();
      }
    });
  }
}

TEST(Team, ThrowsTheFirstExceptionWhenAllAreDone) {
  for (const int bad : {0, 1, 3}) {
    std::atomic<int> done{0};
    const auto work = [&](TeamMember me) {
      if (me.thread == bad) throw std::runtime_error("member " + std::to_string(bad));
      ++done;
    };
    EXPECT_THROW(on_team(4, work), std::runtime_error);
    EXPECT_EQ(done, 3);
    EXPECT_EQ(members(4), std::vector<int>(4, 1));
  }
}

TEST(Team, IsOneThreadInsideAnotherTeam) {
  std::atomic<int> came{0};
  on_team(3, [&](TeamMember) {
    EXPECT_EQ(team_of(8), 1);
    on_team(8, [&](TeamMember inner) {
      EXPECT_EQ(inner.threads, 1);
      EXPECT_EQ(team_of(8), 1);
      on_team(8, [](TeamMember innermost) { EXPECT_EQ(innermost.threads, 1); });
      team_barrier();  // of the inner team alone
      ++came;
    });
    team_barrier();
  });
  EXPECT_EQ(came, 3);
}

TEST(Team, StartsInATeamOfOne) {
  on_team(1, [](TeamMember) { EXPECT_EQ(members(3), std::vector<int>(3, 1)); });
}

TEST(Team, BelongsToTheThreadThatCallsIt) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([] {
      for (int round = 0; round < 100; ++round) EXPECT_EQ(members(3), std::vector<int>(3, 1));
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(Team, IsStartedAnewInAForkedChild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads where its parent has some";
#endif
  EXPECT_EQ(members(3), std::vector<int>(3, 1));
  EXPECT_EQ(in_child([] {
              if (TeamThreads::of_this_thread().count() != 1) throw std::runtime_error("it has its parent's threads");
              if (members(4) != std::vector<int>(4, 1)) throw std::runtime_error("a member did not come");
            }),
            "ok");
  EXPECT_EQ(members(3), std::vector<int>(3, 1));
}

TEST(TeamThreads, HaveStacksOfTheSizeThatOpenMpReads) {
  constexpr std::size_t k = 1024;
  const std::vector<std::pair<const char*, std::size_t>> sizes{{"16", 16 * k},
                                                               {" 20000 ", 20000 * k},
                                                               {"512B", 512},
                                                               {"4k", 4 * k},
                                                               {" 10 M ", 10 * k * k},
                                                               {"2G", 2 * k * k * k},
                                                               {"", 0},
                                                               {"-5", 0},
                                                               {"8T", 0},
                                                               {"5 M B", 0},
                                                               {"many", 0},
                                                               {"99999999999999999999", 0},
                                                               {"99999999999999999G", 0}};
  for (const auto& [text, bytes] : sizes) EXPECT_EQ(stack_size_of(text), bytes) << text;
  EXPECT_EQ(stack_size_of(nullptr), 0U);
}

}  // namespace
}  // namespace shardfft::testing
