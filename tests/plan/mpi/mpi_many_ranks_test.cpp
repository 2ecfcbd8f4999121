// Plans of many processes on few cores: right, with few collective calls, at most one communicator each, and two
// windows.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <ostream>
#include <string>

#include "shardfft/shardfft.hpp"
#include "support/comm/agree.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"
#include "support/ranks/mpi_world.hpp"

namespace {
/// Communicators of this process that were made and not freed.
int communicators = 0;
/// Collective calls of this process.
int collectives = 0;

int counted(int code, const MPI_Comm* made) {
  ++collectives;
  communicators += *made != MPI_COMM_NULL;
  return code;
}
}  // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) { return counted(PMPI_Comm_dup(comm, made), made); }
extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return counted(PMPI_Comm_split(comm, color, key, made), made);
}
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return counted(PMPI_Comm_split_type(comm, type, key, info, made), made);
}
extern "C" int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Ibarrier(comm, request);
}
extern "C" int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
extern "C" int MPI_Iallgather(const void* mine, int n, MPI_Datatype type, void* all, int of_each, MPI_Datatype its_type,
                              MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Iallgather(mine, n, type, all, of_each, its_type, comm, request);
}
extern "C" int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
  ++collectives;
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}
extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  --communicators;
  return PMPI_Comm_free(comm);
}

namespace shardfft::testing {
namespace {

struct Windows {
  int count = 0;
  Index bytes = 0;
};

/// Memory that this process shares with others, from the system's list.
Windows shared_windows() {
  Windows found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(" rw-s ") != line.npos) {
      const std::size_t dash = line.find('-');
      ++found.count;
      found.bytes += std::stoll(line.substr(dash + 1), nullptr, 16) - std::stoll(line, nullptr, 16);
    }
  return found;
}

/// Bytes that are this process's own.
Index own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) << 10;
  return 0;
}

struct ManyRanks {
  const char* name;
  Problem problem;
  Options options;
};

void PrintTo(const ManyRanks& c, std::ostream* out) { *out << c.name; }

const std::vector<ManyRanks>& cases() {
  static const std::vector<ManyRanks> all{
      {"slabs", {.shape = {131, 12, 10}, .axes = {0, 1, 2}}, {}},
      {"pencils", {.shape = {19, 17, 23}, .axes = {0, 1, 2}}, {.expert = {.decomposition = "pencil"}}},
      {"messages",
       {.shape = {19, 17, 23}, .axes = {0, 1, 2}},
       {.expert = {.transport = "mpi_p2p", .decomposition = "pencil"}}},
      {"one_axis", {.shape = {960}, .axes = {0}}, {}},
      {"reals", {.shape = {22, 18, 21}, .kind = r2c, .axes = {0, 1, 2}}, {.expert = {.decomposition = "pencil"}}}};
  return all;
}

class ManyRanksOf : public ::testing::TestWithParam<ManyRanks> {};

TEST_P(ManyRanksOf, AreRightWithAFewCommunicatorsAndWindows) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const Problem& problem = GetParam().problem;
  Options options = GetParam().options;
  options.threads = 1;
  options.wisdom = false;
  const int comms_before = communicators;
  const Windows windows_before = shared_windows();
  const Index memory_before = own_memory();
  comm.barrier();
  const int collectives_before = collectives;
  const auto begin = std::chrono::steady_clock::now();
  Plan plan(comm, problem, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const int calls = collectives - collectives_before;
  EXPECT_LE(calls, 10) << "the copy of a communicator among them";

  const bool complex_in = problem.kind == c2c;
  LocalData<double> in(packed_memory(plan.input(), comm.rank()), complex_in),
      out(packed_memory(plan.output(), comm.rank()), true), back(packed_memory(plan.input(), comm.rank()), complex_in);
  const Whole x = random_array(problem.shape, complex_in, 11);
  in.fill(x);
  plan.forward(in.view(), out.view());
  plan.backward(out.view(), back.view());
  const auto error = [&](std::pair<double, double> mine) {
    return std::sqrt(all_sum(comm, mine.first) / all_sum(comm, mine.second));
  };
  EXPECT_LT(error(out.compare(transformed(problem, x, Direction::forward), 1)), 2e-15);
  EXPECT_LT(error(back.compare(x, 1)), 2e-15);

  const int comms = communicators - comms_before;
  const Windows windows = shared_windows();
  EXPECT_LE(comms, 1);
  EXPECT_LE(windows.count - windows_before.count, 2) << "one of inboxes, one of arrays";
  const double seconds = all_max(comm, took.count());
  const std::int64_t memory = all_max(comm, std::int64_t{own_memory() - memory_before});
  if (comm.rank() == 0)
    fmt::print(
        "{} ranks, {}: plan {:.2f} s, {} collectives, own memory {} KiB, {} windows of {} KiB, {} communicators\n",
        comm.size(), GetParam().name, seconds, calls, memory >> 10, windows.count - windows_before.count,
        (windows.bytes - windows_before.bytes) >> 10, comms);
}

INSTANTIATE_TEST_SUITE_P(Plans, ManyRanksOf, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace shardfft::testing
