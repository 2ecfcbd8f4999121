#include "mpi_traffic.hpp"

#include <mpi.h>

#include <atomic>
#include <map>
#include <mutex>

namespace shardfft::peers {
namespace {

std::atomic<Index> bytes{0}, messages{0};

void count(Index of_message) {
  if (of_message == 0) return;
  bytes += of_message;
  ++messages;
}

Index size_of(MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_in(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

int rank_in_window(MPI_Win window) {  // a name of its own: handles of MPICH are all of one type
  MPI_Group group;
  PMPI_Win_get_group(window, &group);
  int rank = 0;
  PMPI_Group_rank(group, &rank);
  PMPI_Group_free(&group);
  return rank;
}

Index message(int n, MPI_Datatype type, int to, int me) {
  return to == me || to == MPI_PROC_NULL ? 0 : n * size_of(type);
}

void send(int n, MPI_Datatype type, int to, MPI_Comm comm) { count(message(n, type, to, rank_in(comm))); }

/// Either way.
void put(int n, MPI_Datatype type, int to, MPI_Win window) { count(message(n, type, to, rank_in_window(window))); }

/// `n_of(rank)`, `type_of(rank)`: what goes there.
template <class Count, class Type>
void send_to_all(MPI_Comm comm, Count n_of, Type type_of) {
  const int me = rank_in(comm), ranks = size_in(comm);
  for (int to = 0; to < ranks; ++to) count(message(n_of(to), type_of(to), to, me));
}

/// In place, what is received says what is sent.
void all_to_all(const void* from, int sent, MPI_Datatype sent_type, int received, MPI_Datatype received_type,
                MPI_Comm comm) {
  const bool in_place = from == MPI_IN_PLACE;
  send_to_all(
      comm, [&](int) { return in_place ? received : sent; }, [&](int) { return in_place ? received_type : sent_type; });
}
void all_to_all(const void* from, const int* sent, MPI_Datatype sent_type, const int* received,
                MPI_Datatype received_type, MPI_Comm comm) {
  const bool in_place = from == MPI_IN_PLACE;
  send_to_all(
      comm, [&](int to) { return (in_place ? received : sent)[to]; },
      [&](int) { return in_place ? received_type : sent_type; });
}
void all_to_all(const void* from, const int* sent, const MPI_Datatype* sent_types, const int* received,
                const MPI_Datatype* received_types, MPI_Comm comm) {
  const bool in_place = from == MPI_IN_PLACE;
  send_to_all(
      comm, [&](int to) { return (in_place ? received : sent)[to]; },
      [&](int to) { return (in_place ? received_types : sent_types)[to]; });
}

/// Requests that send the same again with each start.
class Persistent {
 public:
  void add(MPI_Request request, Index bytes_of_message) {
    const std::lock_guard lock(mutex_);
    bytes_[request] = bytes_of_message;
  }
  void start(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    if (const auto found = bytes_.find(request); found != bytes_.end()) count(found->second);
  }
  void drop(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    bytes_.erase(request);
  }

 private:
  std::mutex mutex_;
  std::map<MPI_Request, Index> bytes_;
};

Persistent& persistent() {
  static Persistent requests;
  return requests;
}

}  // namespace

Traffic traffic_so_far() { return {bytes, messages}; }

}  // namespace shardfft::peers

using namespace shardfft::peers;

extern "C" {

int MPI_Send(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send(n, type, to, comm);
  return PMPI_Send(from, n, type, to, tag, comm);
}
int MPI_Ssend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send(n, type, to, comm);
  return PMPI_Ssend(from, n, type, to, tag, comm);
}
int MPI_Rsend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send(n, type, to, comm);
  return PMPI_Rsend(from, n, type, to, tag, comm);
}
int MPI_Bsend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send(n, type, to, comm);
  return PMPI_Bsend(from, n, type, to, tag, comm);
}
int MPI_Isend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  send(n, type, to, comm);
  return PMPI_Isend(from, n, type, to, tag, comm, request);
}
int MPI_Issend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  send(n, type, to, comm);
  return PMPI_Issend(from, n, type, to, tag, comm, request);
}
int MPI_Irsend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  send(n, type, to, comm);
  return PMPI_Irsend(from, n, type, to, tag, comm, request);
}
int MPI_Ibsend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  send(n, type, to, comm);
  return PMPI_Ibsend(from, n, type, to, tag, comm, request);
}
int MPI_Sendrecv(const void* from, int n, MPI_Datatype type, int to, int tag, void* into, int most,
                 MPI_Datatype received_type, int source, int received_tag, MPI_Comm comm, MPI_Status* status) {
  send(n, type, to, comm);
  return PMPI_Sendrecv(from, n, type, to, tag, into, most, received_type, source, received_tag, comm, status);
}
int MPI_Sendrecv_replace(void* data, int n, MPI_Datatype type, int to, int tag, int source, int received_tag,
                         MPI_Comm comm, MPI_Status* status) {
  send(n, type, to, comm);
  return PMPI_Sendrecv_replace(data, n, type, to, tag, source, received_tag, comm, status);
}

int MPI_Send_init(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Send_init(from, n, type, to, tag, comm, request);
  if (result == MPI_SUCCESS) persistent().add(*request, message(n, type, to, rank_in(comm)));
  return result;
}
int MPI_Start(MPI_Request* request) {
  persistent().start(*request);
  return PMPI_Start(request);
}
int MPI_Startall(int n, MPI_Request requests[]) {
  for (int i = 0; i < n; ++i) persistent().start(requests[i]);
  return PMPI_Startall(n, requests);
}
int MPI_Request_free(MPI_Request* request) {
  persistent().drop(*request);
  return PMPI_Request_free(request);
}

int MPI_Alltoall(const void* from, int sent, MPI_Datatype sent_type, void* into, int received,
                 MPI_Datatype received_type, MPI_Comm comm) {
  all_to_all(from, sent, sent_type, received, received_type, comm);
  return PMPI_Alltoall(from, sent, sent_type, into, received, received_type, comm);
}
int MPI_Ialltoall(const void* from, int sent, MPI_Datatype sent_type, void* into, int received,
                  MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request) {
  all_to_all(from, sent, sent_type, received, received_type, comm);
  return PMPI_Ialltoall(from, sent, sent_type, into, received, received_type, comm, request);
}
int MPI_Alltoallv(const void* from, const int sent[], const int at[], MPI_Datatype sent_type, void* into,
                  const int received[], const int received_at[], MPI_Datatype received_type, MPI_Comm comm) {
  all_to_all(from, sent, sent_type, received, received_type, comm);
  return PMPI_Alltoallv(from, sent, at, sent_type, into, received, received_at, received_type, comm);
}
int MPI_Ialltoallv(const void* from, const int sent[], const int at[], MPI_Datatype sent_type, void* into,
                   const int received[], const int received_at[], MPI_Datatype received_type, MPI_Comm comm,
                   MPI_Request* request) {
  all_to_all(from, sent, sent_type, received, received_type, comm);
  return PMPI_Ialltoallv(from, sent, at, sent_type, into, received, received_at, received_type, comm, request);
}
int MPI_Alltoallw(const void* from, const int sent[], const int at[], const MPI_Datatype sent_types[], void* into,
                  const int received[], const int received_at[], const MPI_Datatype received_types[], MPI_Comm comm) {
  all_to_all(from, sent, sent_types, received, received_types, comm);
  return PMPI_Alltoallw(from, sent, at, sent_types, into, received, received_at, received_types, comm);
}
int MPI_Ialltoallw(const void* from, const int sent[], const int at[], const MPI_Datatype sent_types[], void* into,
                   const int received[], const int received_at[], const MPI_Datatype received_types[], MPI_Comm comm,
                   MPI_Request* request) {
  all_to_all(from, sent, sent_types, received, received_types, comm);
  return PMPI_Ialltoallw(from, sent, at, sent_types, into, received, received_at, received_types, comm, request);
}

int MPI_Put(const void* from, int n, MPI_Datatype type, int to, MPI_Aint at, int target_n, MPI_Datatype target_type,
            MPI_Win window) {
  put(n, type, to, window);
  return PMPI_Put(from, n, type, to, at, target_n, target_type, window);
}
int MPI_Rput(const void* from, int n, MPI_Datatype type, int to, MPI_Aint at, int target_n, MPI_Datatype target_type,
             MPI_Win window, MPI_Request* request) {
  put(n, type, to, window);
  return PMPI_Rput(from, n, type, to, at, target_n, target_type, window, request);
}
// What is fetched is a message of the rank that it lies on, which knows nothing of it: the one that asks counts it.
int MPI_Get(void* into, int n, MPI_Datatype type, int of, MPI_Aint at, int target_n, MPI_Datatype target_type,
            MPI_Win window) {
  put(n, type, of, window);
  return PMPI_Get(into, n, type, of, at, target_n, target_type, window);
}
int MPI_Rget(void* into, int n, MPI_Datatype type, int of, MPI_Aint at, int target_n, MPI_Datatype target_type,
             MPI_Win window, MPI_Request* request) {
  put(n, type, of, window);
  return PMPI_Rget(into, n, type, of, at, target_n, target_type, window, request);
}

}  // extern "C"
