// Other programs are run under a time limit and leave nothing behind.
#include "compare/launch/process.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "compare/launch/attention.hpp"
#include "compare/launch/launch_record.hpp"
#include "compare/launch/launcher.hpp"
#include "compare/launch/process_tree.hpp"

namespace shardfft::compare {
namespace {

ProcessRequest shell(const std::string& script, double limit_s = 60) {
  return {
      .words = {"sh", "-c", script}, .environment = {{"FAKE_WORD", "told"}}, .limit_s = limit_s, .keep_output = true};
}

TEST(Process, GivesOutputErrorsAndStatus) {
  const ProcessOutcome outcome = run_process(shell("echo $FAKE_WORD; echo a >&2; echo last words >&2; exit 3"));
  EXPECT_EQ(outcome.output, "told\n");
  EXPECT_EQ(outcome.exit_status, 3);
  EXPECT_FALSE(outcome.good());
  EXPECT_EQ(reason_of(outcome, 60), "exit status 3: last words");
  EXPECT_TRUE(run_process(shell("true")).good());
}

TEST(Process, ThatCannotBeStartedSaysWhy) {
  const ProcessOutcome outcome = run_process({.words = {"/nowhere/program"}});
  EXPECT_FALSE(outcome.good());
  EXPECT_EQ(reason_of(outcome, 60), "cannot be started: No such file or directory");
}

TEST(Process, ThatIsKilledSaysBySignal) {
  const ProcessOutcome outcome = run_process(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_NE(reason_of(outcome, 60).find("signal 11"), std::string::npos);
}

TEST(Process, ThatHangsIsEndedWithAllThatDescendsFromIt) {
  const ProcessOutcome outcome =
      run_process(shell("trap '' TERM; setsid sleep 600 & sleep 600 & sleep 600; sleep 600", 0.3));
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(reason_of(outcome, 0.3), "not done after 0.3 s");
  EXPECT_TRUE(descendants().empty());
}

TEST(Process, ThatEndsLeavesNoChildrenBehindEither) {
  EXPECT_TRUE(run_process(shell("setsid sleep 600 & exit 0")).good());
  EXPECT_TRUE(descendants().empty());
}

TEST(Process, MayWriteMuchToBothOutputs) {
  const ProcessOutcome outcome = run_process(shell(
      "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2; echo >&2; echo end >&2"));
  EXPECT_TRUE(outcome.good());
  EXPECT_EQ(outcome.output.size(), std::size_t{1} << 20);
  EXPECT_EQ(reason_of(outcome, 60), "end");
}

TEST(Process, IsEndedWhenThisOneIsAskedToEnd) {
  std::thread asks([] {
    while (descendants().empty()) std::this_thread::yield();
    ::kill(::getpid(), SIGTERM);
  });
  int signal = 0;
  try {
    (void)run_process(shell("sleep 600"));
  } catch (const Interrupted& end) { signal = end.signal; }
  asks.join();
  EXPECT_EQ(signal, SIGTERM);
  EXPECT_TRUE(descendants().empty());
}

TEST(Reason, IsTheLastLineThatTheLauncherDidNotWrite) {
  ProcessOutcome outcome{.exit_status = 1};
  outcome.errors =
      "first\npeer: out of luck\n\n-------------------------------------\nmpirun noticed "
      "something\n-------------------------------------\n";
  EXPECT_EQ(reason_of(outcome, 1), "exit status 1: peer: out of luck");
  outcome.errors =
      "[vm:1] *** An error occurred in MPI_Allreduce\n[vm:1] *** MPI_ERR_TRUNCATE: message truncated\n[vm:1] *** "
      "MPI_ERRORS_ARE_FATAL (and "
      "so on)\n";
  EXPECT_EQ(reason_of(outcome, 1), "exit status 1: [vm:1] *** MPI_ERR_TRUNCATE: message truncated");
  outcome.errors = "\x1b[31mred\r\n";
  EXPECT_EQ(reason_of(outcome, 1), "exit status 1:  [31mred ");
  outcome.errors = "=====================================\n=   BAD TERMINATION\n";
  EXPECT_EQ(reason_of(outcome, 1), "exit status 1: =   BAD TERMINATION");
}

TEST(Reason, IsTheFirstSentenceOfTheLauncherWhereNobodyElseSpoke) {
  const std::string frame(74, '-');
  ProcessOutcome outcome{.exit_status = 1};
  outcome.errors = frame +
                   "\nThere are not enough slots available in the system to satisfy the 4\nslots that were requested "
                   "by the application:\n\n  /x/peer_shardfft\n\n"
                   "Either request fewer slots for your application, or make more slots\navailable for use.\n\n"
                   "A \"slot\" is the Open MPI term for an allocatable unit where we can\nlaunch a process. There are "
                   "more ways:\n\n  1. as many as cores, the default, can\n     launch.\n" +
                   frame + '\n';
  EXPECT_EQ(reason_of(outcome, 1),
            "exit status 1: There are not enough slots available in the system to satisfy the 4 slots that were "
            "requested by the application");
  outcome.errors =
      frame + "\nmpirun was unable to launch the specified application. It said\nsomething else.\n" + frame + '\n';
  EXPECT_EQ(reason_of(outcome, 1), "exit status 1: mpirun was unable to launch the specified application");
  outcome.errors = frame + "\nA sentence without an end\n" + frame + "\nand another frame.\n" + frame + '\n';
  EXPECT_EQ(reason_of(outcome, 1), "exit status 1: A sentence without an end");
}

TEST(Launcher, PutsTheNumbersOfTheCaseWhereTheyAreWanted) {
  const Case c{.shape = {8, 8, 8}, .ranks = 4, .threads = 3, .nodes = 2};
  const auto words = [&](std::vector<std::string> launcher) {
    return launch_of({std::move(launcher), false, 2, false}, c).words;
  };
  EXPECT_EQ(words({"srun", "-N", "{nodes}", "-n", "{ranks}", "-c{threads}"}),
            (std::vector<std::string>{"srun", "-N", "2", "-n", "4", "-c3"}));
  EXPECT_EQ(words({"mpirun", "-n"}), (std::vector<std::string>{"mpirun", "-n", "4"}));
}

TEST(Launcher, TellsOpenMpiOfRootAndOfMoreRanksThanCoresOnlyWhereItIsSo) {
  const Launcher launcher{{"mpirun", "-n", "{ranks}"}, true, 2, true};
  const Launch fits = launch_of(launcher, {.shape = {8}, .ranks = 2});
  EXPECT_EQ(fits.words, (std::vector<std::string>{"mpirun", "--bind-to", "none", "-n", "2"}));
  EXPECT_EQ(fits.environment.size(), 4U);
  EXPECT_EQ(launch_of(launcher, {.shape = {8}, .ranks = 3}).words[1], "--oversubscribe");
  EXPECT_TRUE(launch_of(launcher, {.shape = {8}, .ranks = 1}).words.empty());
}

TEST(Launcher, KnowsOverHowManyNodesItCanSpreadRanks) {
  const auto nodes = [](const char* words, const char* slurm, int max_nodes) {
    ::setenv("SHARDFFT_MPIRUN", words, 1), ::setenv("SLURM_JOB_NUM_NODES", slurm, 1), ::unsetenv("SLURM_NNODES");
    const int found = find_launcher_words("Open MPI", 2, max_nodes).nodes;
    ::unsetenv("SHARDFFT_MPIRUN"), ::unsetenv("SLURM_JOB_NUM_NODES");
    return found;
  };
  constexpr int any = std::numeric_limits<int>::max();
  EXPECT_EQ(nodes("", "", 0), 1);
  EXPECT_EQ(nodes("mpirun -n", "", 0), 1);
  EXPECT_EQ(nodes("srun -N {nodes} -n {ranks}", "", 0), any);
  EXPECT_EQ(nodes("srun -N {nodes} -n {ranks}", "4", 0), 4);
  EXPECT_EQ(nodes("", "4", 0), 4);
  EXPECT_EQ(nodes("mpirun --hostfile hosts -n", "", 3), 3);
}

class Records : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "record-" + std::to_string(::getpid()) + ".json";
  Settings settings_{.iterations = 2};
  Case case_{.shape = {8, 8, 8}, .ranks = 4, .nodes = 2};
  Json good_ = Json::parse(
      R"({"status": "ok", "reason": "", "library": "x", "version": "1", "call": "best", "configuration": "",
    "plan_s": 1, "first_call_s": 1, "forward_s": [1, 2], "backward_s": [3, 4], "error_rel_l2": 1e-16,
    "error_backward_rel_l2": 3e-15, "bound": 2e-15, "phases_s": {}})");
  ~Records() override { ::unlink(path_.c_str()); }
  LaunchRecord read(const std::string& text) {
    std::ofstream(path_) << text;
    return record_of({}, path_, settings_, case_, 4);
  }
  LaunchRecord with(const char* name, Json value) {
    Json json = good_;
    json[name] = std::move(value);
    return read(json.dump());
  }
};

TEST_F(Records, OfAGoodLaunchKeepItsTimes) {
  const LaunchRecord record = read(good_.dump());
  EXPECT_TRUE(record.ok());
  EXPECT_EQ(record.turn, 4);
  EXPECT_EQ(record.forward_s, (std::vector<double>{1, 2}));
  const LaunchRecord again = launch_record_from(to_json(record));
  EXPECT_EQ(again.backward_s, record.backward_s);
  EXPECT_EQ(to_json(again), to_json(record));
}

TEST_F(Records, OfAWrongAnswerHaveNoTimesWhateverThePeerSays) {
  for (const LaunchRecord& record : {with("error_rel_l2", 3e-15), with("error_rel_l2", nullptr),
                                     with("error_backward_rel_l2", 5e-15), with("status", "wrong")}) {
    EXPECT_EQ(record.status, "wrong");
    EXPECT_TRUE(record.forward_s.empty());
    EXPECT_FALSE(to_json(record).contains("forward_s"));
  }
}

TEST_F(Records, OfALaunchOnOtherNodesThanWereAskedForAreFailures) {
  EXPECT_TRUE(with("nodes", 2).ok());
  const LaunchRecord record = with("nodes", 1);
  EXPECT_EQ(record.status, "failed");
  EXPECT_EQ(record.reason.find("asked for 2 nodes, ran on 1; "), 0U) << record.reason;
  EXPECT_TRUE(record.forward_s.empty());
}

TEST_F(Records, OfWhatIsNoResultAreFailures) {
  for (const LaunchRecord& record :
       {read(""), read("[]"), read("{}"), read("{\"status\": 3}"), with("status", "fine"), with("forward_s", {1}),
        with("forward_s", {1, -2}), with("backward_s", "fast"), with("bound", nullptr), with("plan_s", "long")}) {
    EXPECT_EQ(record.status, "failed");
    EXPECT_NE(record.reason.find("result is not"), std::string::npos) << record.reason;
  }
  ::unlink(path_.c_str());
  EXPECT_EQ(record_of({}, path_, settings_, case_, 0).reason, "ended well but wrote no result");
}

}  // namespace
}  // namespace shardfft::compare
