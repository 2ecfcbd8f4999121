// main() of test programs that run under mpirun. Only rank 0 reports what passes, every rank what fails; the exit
// status is the same on all ranks. SHARDFFT_TEST_RANKS=N, where it is set, is how many ranks there must be: a program
// of one MPI under the launcher of another runs as N groups of one, in which most tests would pass without testing
// anything. A watchdog ends a program that hangs: SHARDFFT_TEST_SECONDS, 120 unless it is set.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

/// Says which rank failed where, at once: the other ranks may hang now.
class FailuresOfRank final : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() ? result.file_name() : "";
    fmt::print(stderr, "rank {}: {}:{}: {}\n", rank_, file, result.line_number(), result.message());
    std::fflush(stderr);
  }

 private:
  int rank_;
};

bool has_the_ranks_that_were_asked_for() {
  const char* wanted = std::getenv("SHARDFFT_TEST_RANKS");
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!wanted || std::atoi(wanted) == size) return true;
  fmt::print(stderr,
             "{} ranks were asked for, but there are {}: is the launcher that of another MPI than the program's?\n",
             wanted, size);
  return false;
}

void end_if_hanging(int rank) {
  const char* seconds = std::getenv("SHARDFFT_TEST_SECONDS");
  std::thread([rank, limit = seconds ? std::atoi(seconds) : 120] {
    std::this_thread::sleep_for(std::chrono::seconds(limit));
    fmt::print(stderr, "rank {}: the tests still run after {} seconds: a hang, or another rank failed\n", rank, limit);
    std::fflush(stderr);
    std::_Exit(124);
  }).detach();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE, rank = 0;
#ifndef SHARDFFT_TEST_THREADS
#define SHARDFFT_TEST_THREADS MPI_THREAD_FUNNELED
#endif
  MPI_Init_thread(&argc, &argv, SHARDFFT_TEST_THREADS, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!has_the_ranks_that_were_asked_for()) {
    MPI_Finalize();
    return 2;
  }
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailuresOfRank(rank));
  end_if_hanging(rank);
  int mine = RUN_ALL_TESTS(), worst = 0, finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return mine;  // a test did so
  MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst;
}
