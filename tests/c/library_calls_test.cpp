// Each function once as it is meant and once as it is not: the library itself, and groups of ranks.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "calls.hpp"

namespace shardfft_c_tests {

// The names of tests are those of functions: names_test.py compares them with the header.

TEST(Calls, shardfft_version) { EXPECT_GE(shardfft_version(), 100); }

TEST(Calls, shardfft_version_text) {
  int major = 0, minor = 0, patch = 0;
  ASSERT_EQ(std::sscanf(shardfft_version_text(), "%d.%d.%d", &major, &minor, &patch), 3);
  EXPECT_EQ(shardfft_version(), 10000 * major + 100 * minor + patch);
}

/// Whether SYCL's runtime is in this process.
bool has_loaded_sycl() {
  std::ifstream maps("/proc/self/maps");
  return std::string(std::istreambuf_iterator<char>(maps), {}).find("/libsycl.so") != std::string::npos;
}

TEST(Calls, shardfft_has) {
  const bool had_loaded_sycl = has_loaded_sycl();
  EXPECT_EQ(shardfft_has("native"), 1);
  EXPECT_EQ(shardfft_has("shared_memory"), 1);
  EXPECT_EQ(shardfft_has("block_float"), 1);
  EXPECT_EQ(shardfft_has("abacus"), 0);
  EXPECT_EQ(shardfft_has(nullptr), 0);
  (void)shardfft_has("sycl");
  EXPECT_EQ(has_loaded_sycl(), had_loaded_sycl) << "a name needs no device";
}

TEST(Calls, shardfft_status_name) {
  EXPECT_STREQ(shardfft_status_name(SHARDFFT_OK), "ok");
  EXPECT_STREQ(shardfft_status_name(SHARDFFT_INVALID_LAYOUT), "invalid_layout");
  EXPECT_STREQ(shardfft_status_name(SHARDFFT_DEVICE_FAILED), "device_failed");
  EXPECT_EQ(shardfft_status_name(SHARDFFT_DEVICE_FAILED + 1), nullptr);
  EXPECT_EQ(shardfft_status_name(-1), nullptr);
}

TEST(Calls, shardfft_error) {
  expect_null_handle(shardfft_comm_barrier(nullptr));
  const std::string first = shardfft_error();
  Comm comm;
  expect_good(shardfft_comm_local(&comm));
  EXPECT_EQ(shardfft_error(), first) << "what succeeds leaves it";
  EXPECT_EQ(shardfft_comm_node(comm, 4), -1);
  EXPECT_NE(shardfft_error(), first);
}

TEST(Calls, shardfft_free) {
  char* text = nullptr;
  expect_good(shardfft_why_no_device("abacus", &text));
  shardfft_free(text);
  shardfft_free(nullptr);
}

TEST(Calls, shardfft_on_notice) {
  std::string heard;
  const auto say = [](const char* line, void* user) { *static_cast<std::string*>(user) += line; };
  shardfft_on_notice(say, &heard);
  setenv("SHARDFFT_CHUNK", "2", 1);
  const SmallPlan told;
  EXPECT_NE(heard.find("shardfft: warning: the environment variable SHARDFFT_CHUNK"), std::string::npos) << heard;
  EXPECT_EQ(heard.find('\n'), std::string::npos) << heard;
  heard.clear();
  shardfft_on_notice(nullptr, nullptr);
  setenv("SHARDFFT_TYLE", "2", 1);
  ::testing::internal::CaptureStderr();
  { const SmallPlan not_told; }
  EXPECT_EQ(heard + ::testing::internal::GetCapturedStderr(), "");
  unsetenv("SHARDFFT_CHUNK");
  unsetenv("SHARDFFT_TYLE");
}

TEST(Calls, shardfft_device_count) {
  int count = -1;
  expect_good(shardfft_device_count("abacus", &count));
  EXPECT_EQ(count, 0);
  expect_null_handle(shardfft_device_count(nullptr, &count));
  expect_null_handle(shardfft_device_count("cuda", nullptr));
}

TEST(Calls, shardfft_why_no_device) {
  Text text;
  expect_good(shardfft_why_no_device("abacus", &text));
  EXPECT_STRNE(text, "");
  expect_null_handle(shardfft_why_no_device(nullptr, &text));
  expect_null_handle(shardfft_why_no_device("cuda", nullptr));
}

TEST(Calls, shardfft_comm_local) {
  Comm comm;
  expect_good(shardfft_comm_local(&comm));
  expect_null_handle(shardfft_comm_local(nullptr));
}

TEST(Calls, shardfft_comm_mpi) {  // the good one: mpi_test.c
  Comm comm;
  const char one_byte = 0;
  const int status = shardfft_comm_mpi(&one_byte, 1, &comm);
  if (shardfft_has("mpi"))
    expect_refused(status, SHARDFFT_INVALID_ARGUMENT, "got one of 1 bytes, of another MPI");
  else
    expect_refused(status, SHARDFFT_UNSUPPORTED, "built without it");
  EXPECT_EQ(comm, nullptr);
  expect_null_handle(shardfft_comm_mpi(&one_byte, 1, nullptr));
}

TEST(Calls, shardfft_comm_mpi_f) {  // the good one: mpi_test.c
  Comm comm;
  const int status = shardfft_comm_mpi_f(0, &comm);
  if (shardfft_has("mpi"))
    expect_refused(status, SHARDFFT_INVALID_ARGUMENT, "MPI is not initialised yet");
  else
    expect_refused(status, SHARDFFT_UNSUPPORTED, "built without it");
  expect_null_handle(shardfft_comm_mpi_f(0, nullptr));
}

TEST(Calls, shardfft_comm_dry_run) {
  Comm comm;
  expect_good(shardfft_comm_dry_run(6, 4, 2, &comm));
  EXPECT_EQ(shardfft_comm_nodes(comm), 3);
  expect_refused(shardfft_comm_dry_run(6, 6, 2, &comm), SHARDFFT_INVALID_ARGUMENT, "6");
  expect_null_handle(shardfft_comm_dry_run(6, 4, 2, nullptr));
}

TEST(Calls, shardfft_on_ranks) {  // more: ranks_test.cpp
  int sum = 0;
  const auto add = [](shardfft_comm comm, void* user) {
    int mine = shardfft_comm_rank(comm) + 1, all[3] = {};
    const int status = shardfft_comm_allgather(comm, &mine, sizeof mine, all);
    if (mine == 1) *static_cast<int*>(user) = all[0] + 10 * all[1] + 100 * all[2];
    return status;
  };
  expect_good(shardfft_on_ranks(3, add, &sum));
  EXPECT_EQ(sum, 321);
  expect_refused(shardfft_on_ranks(0, add, &sum), SHARDFFT_INVALID_ARGUMENT, "0");
  expect_null_handle(shardfft_on_ranks(3, nullptr, &sum));
}

TEST(Calls, shardfft_comm_rank) {
  Comm comm;
  expect_good(shardfft_comm_dry_run(6, 4, 2, &comm));
  EXPECT_EQ(shardfft_comm_rank(comm), 4);
  EXPECT_EQ(shardfft_comm_rank(nullptr), -1);
}

TEST(Calls, shardfft_comm_size) {
  Comm comm;
  expect_good(shardfft_comm_dry_run(6, 4, 2, &comm));
  EXPECT_EQ(shardfft_comm_size(comm), 6);
  EXPECT_EQ(shardfft_comm_size(nullptr), 0);
}

TEST(Calls, shardfft_comm_node) {
  Comm comm;
  expect_good(shardfft_comm_dry_run(6, 4, 2, &comm));
  EXPECT_EQ(shardfft_comm_node(comm, 3), 1);
  EXPECT_EQ(shardfft_comm_node(comm, -1), -1);
  EXPECT_EQ(shardfft_comm_node(comm, 6), -1);
  EXPECT_EQ(shardfft_comm_node(nullptr, 0), -1);
}

TEST(Calls, shardfft_comm_nodes) {
  Comm comm;
  expect_good(shardfft_comm_local(&comm));
  EXPECT_EQ(shardfft_comm_nodes(comm), 1);
  EXPECT_EQ(shardfft_comm_nodes(nullptr), 0);
}

TEST(Calls, shardfft_comm_kind) {
  Comm local, dry;
  expect_good(shardfft_comm_local(&local));
  expect_good(shardfft_comm_dry_run(6, 4, 2, &dry));
  EXPECT_STREQ(shardfft_comm_kind(local), "local");
  EXPECT_STREQ(shardfft_comm_kind(dry), "dry_run");
  EXPECT_EQ(shardfft_comm_kind(nullptr), nullptr);
}

TEST(Calls, shardfft_comm_barrier) {
  Comm comm;
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_comm_barrier(comm));
  expect_null_handle(shardfft_comm_barrier(nullptr));
}

TEST(Calls, shardfft_comm_broadcast) {
  const auto send = [](shardfft_comm comm, void*) {
    const int rank = shardfft_comm_rank(comm);
    int number = 40 + rank;
    expect_good(shardfft_comm_broadcast(comm, &number, sizeof number, 1));
    EXPECT_EQ(number, 41);
    expect_refused(shardfft_comm_broadcast(comm, rank == 2 ? nullptr : &number, sizeof number, 1),
                   SHARDFFT_INVALID_ARGUMENT, "rank 2: shardfft_comm_broadcast() takes 4 bytes of memory; got NULL");
    expect_refused(shardfft_comm_broadcast(comm, &number, rank == 2 ? 2 : sizeof number, 1), SHARDFFT_MISMATCH,
                   "length");
    expect_refused(shardfft_comm_broadcast(comm, &number, sizeof number, rank), SHARDFFT_MISMATCH, "root");
    expect_refused(shardfft_comm_broadcast(comm, &number, sizeof number, 3), SHARDFFT_INVALID_ARGUMENT, "rank 3");
    expect_good(shardfft_comm_broadcast(comm, nullptr, 0, 0));
    return 0;
  };
  expect_good(shardfft_on_ranks(3, send, nullptr));
  expect_null_handle(shardfft_comm_broadcast(nullptr, nullptr, 0, 0));
}

TEST(Calls, shardfft_comm_allgather) {
  const auto gather = [](shardfft_comm comm, void*) {
    const int rank = shardfft_comm_rank(comm);
    const char mine = static_cast<char>('a' + rank);
    char all[4] = "???";
    expect_good(shardfft_comm_allgather(comm, &mine, 1, all));
    EXPECT_STREQ(all, "abc");
    expect_refused(shardfft_comm_allgather(comm, &mine, 1, rank == 1 ? nullptr : all), SHARDFFT_INVALID_ARGUMENT,
                   "rank 1: shardfft_comm_allgather() takes 1 bytes of memory; got NULL");
    expect_refused(shardfft_comm_allgather(comm, &mine, rank == 0 ? 0 : 1, all), SHARDFFT_MISMATCH, "length");
    return 0;
  };
  expect_good(shardfft_on_ranks(3, gather, nullptr));
  expect_null_handle(shardfft_comm_allgather(nullptr, nullptr, 0, nullptr));
}

TEST(Calls, shardfft_comm_destroy) {
  shardfft_comm_destroy(nullptr);
  const auto destroy_lent = [](shardfft_comm comm, void*) {
    shardfft_comm_destroy(comm);
    return shardfft_comm_barrier(comm);
  };
  expect_good(shardfft_on_ranks(2, destroy_lent, nullptr));
}

}  // namespace shardfft_c_tests
