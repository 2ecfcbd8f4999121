// What is counted of what a library hands to MPI. Ring and all-to-all on any number of ranks; of one rank alone
// nothing.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "peers/measure/mpi_traffic.hpp"

namespace shardfft::peers {
namespace {

struct Ring {
  int me = 0, ranks = 1;
  Ring() {
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  [[nodiscard]] int next() const { return (me + 1) % ranks; }
  [[nodiscard]] int last() const { return (me + ranks - 1) % ranks; }
  [[nodiscard]] Index others() const { return ranks - 1; }
};

Traffic of(const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Traffic before = traffic_so_far();
  work();
  const Traffic after = traffic_so_far();
  return {after.bytes - before.bytes, after.messages - before.messages};
}

void expect(const Traffic& seen, Index bytes, Index messages) {
  EXPECT_EQ(seen.bytes, bytes);
  EXPECT_EQ(seen.messages, messages);
}

TEST(MpiTraffic, SendsOfEveryKindCountOnceUnlessToOneself) {
  const Ring ring;
  const Index to_others = ring.ranks > 1 ? 1 : 0;
  std::vector<double> from(12), into(12);
  using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  for (const Send send : {Send{MPI_Isend}, Send{MPI_Issend}}) {
    MPI_Request requests[2];
    expect(of([&] {
             MPI_Irecv(into.data(), 12, MPI_DOUBLE, ring.last(), 1, MPI_COMM_WORLD, &requests[0]);
             send(from.data(), 12, MPI_DOUBLE, ring.next(), 1, MPI_COMM_WORLD, &requests[1]);
             MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
           }),
           96 * to_others, to_others);
  }
  expect(of([&] {
           MPI_Request request;
           MPI_Irecv(into.data(), 12, MPI_DOUBLE, ring.last(), 2, MPI_COMM_WORLD, &request);
           MPI_Send(from.data(), 12, MPI_DOUBLE, ring.next(), 2, MPI_COMM_WORLD);
           MPI_Wait(&request, MPI_STATUS_IGNORE);
         }),
         96 * to_others, to_others);
  expect(of([&] {
           MPI_Sendrecv(from.data(), 3, MPI_FLOAT, ring.next(), 3, into.data(), 3, MPI_FLOAT, ring.last(), 3,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
         }),
         12 * to_others, to_others);
  expect(of([&] {
           MPI_Sendrecv_replace(from.data(), 5, MPI_CHAR, ring.next(), 4, ring.last(), 4, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE);
         }),
         5 * to_others, to_others);
  expect(of([&] { MPI_Send(from.data(), 12, MPI_DOUBLE, MPI_PROC_NULL, 5, MPI_COMM_WORLD); }), 0, 0);
}

TEST(MpiTraffic, PersistentSendsCountWithEveryStart) {
  const Ring ring;
  const Index to_others = ring.ranks > 1 ? 1 : 0;
  std::vector<double> from(7), into(7);
  MPI_Request requests[2];
  expect(of([&] {
           MPI_Send_init(from.data(), 7, MPI_DOUBLE, ring.next(), 6, MPI_COMM_WORLD, &requests[0]);
           MPI_Recv_init(into.data(), 7, MPI_DOUBLE, ring.last(), 6, MPI_COMM_WORLD, &requests[1]);
         }),
         0, 0);
  for (int i = 0; i < 3; ++i)
    expect(of([&] {
             MPI_Start(&requests[1]);
             MPI_Start(&requests[0]);
             MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
             MPI_Startall(2, requests);
             MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
           }),
           2 * 56 * to_others, 2 * to_others);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

TEST(MpiTraffic, AllToAllsCountWhatLeavesTheRank) {
  const Ring ring;
  const auto ranks = static_cast<std::size_t>(ring.ranks);
  std::vector<double> from(4 * ranks), into(4 * ranks);
  expect(of([&] { MPI_Alltoall(from.data(), 4, MPI_DOUBLE, into.data(), 4, MPI_DOUBLE, MPI_COMM_WORLD); }),
         32 * ring.others(), ring.others());
  expect(of([&] { MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into.data(), 4, MPI_DOUBLE, MPI_COMM_WORLD); }),
         32 * ring.others(), ring.others());

  // Rank r sends min(r + to, 3) numbers to rank `to`; only rank 0 sends none, to itself.
  std::vector<int> counts(ranks), places(ranks);
  for (std::size_t i = 0; i < ranks; ++i)
    counts[i] = std::min(ring.me + static_cast<int>(i), 3), places[i] = static_cast<int>(4 * i);
  const Index sent =
      std::accumulate(counts.begin(), counts.end(), Index{0}) - counts[static_cast<std::size_t>(ring.me)];
  expect(of([&] {
           MPI_Alltoallv(from.data(), counts.data(), places.data(), MPI_DOUBLE, into.data(), counts.data(),
                         places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
         }),
         8 * sent, ring.others());
  MPI_Request request;
  expect(of([&] {
           MPI_Ialltoallv(from.data(), counts.data(), places.data(), MPI_DOUBLE, into.data(), counts.data(),
                          places.data(), MPI_DOUBLE, MPI_COMM_WORLD, &request);
           MPI_Wait(&request, MPI_STATUS_IGNORE);
         }),
         8 * sent, ring.others());

  MPI_Datatype pair;  // of which only the numbers count, not what lies between them
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  std::vector<int> one(ranks, 1), bytes_at(ranks);
  for (std::size_t i = 0; i < ranks; ++i) bytes_at[i] = static_cast<int>(32 * i);
  const std::vector<MPI_Datatype> types(ranks, pair);
  expect(of([&] {
           MPI_Alltoallw(from.data(), one.data(), bytes_at.data(), types.data(), into.data(), one.data(),
                         bytes_at.data(), types.data(), MPI_COMM_WORLD);
         }),
         16 * ring.others(), ring.others());
  MPI_Type_free(&pair);
}

TEST(MpiTraffic, WhatIsPutOrFetchedCountsToo) {
  const Ring ring;
  const Index to_others = ring.ranks > 1 ? 1 : 0;
  double* memory = nullptr;
  MPI_Win window;
  MPI_Win_allocate(6 * sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  const std::vector<double> from(6);
  std::vector<double> into(6);
  expect(of([&] {
           MPI_Win_fence(0, window);
           MPI_Get(into.data(), 6, MPI_DOUBLE, ring.next(), 0, 6, MPI_DOUBLE, window);
           MPI_Win_fence(0, window);
         }),
         48 * to_others, to_others);
  expect(of([&] {
           MPI_Win_fence(0, window);
           MPI_Put(from.data(), 6, MPI_DOUBLE, ring.next(), 0, 6, MPI_DOUBLE, window);
           MPI_Win_fence(0, window);
         }),
         48 * to_others, to_others);
  MPI_Win_free(&window);
}

}  // namespace
}  // namespace shardfft::peers
