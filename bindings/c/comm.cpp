// Groups of ranks.
#include <map>
#include <mutex>

#include "handles.hpp"
#include "shardfft/collective.hpp"

using namespace shardfft::c;
using shardfft::Comm;
using shardfft::Error;
using shardfft::Status;

namespace {

using Body = int (*)(shardfft_comm, void*);

/// How the ranks of shardfft_on_ranks() failed. Those that were released because another one had failed do not count.
class Failures {
 public:
  [[noreturn]] void add(int rank, const Error& failure) {
    const std::lock_guard guard(lock_);
    if (by_rank_.empty() || failure.status() != Status::transport_failed) by_rank_.emplace(rank, failure);
    throw failure;
  }
  /// The one of the lowest rank, instead of `other`.
  [[noreturn]] void throw_first(const std::exception_ptr& other) const {
    if (by_rank_.empty()) std::rethrow_exception(other);
    throw by_rank_.begin()->second;
  }

 private:
  std::mutex lock_;
  std::map<int, Error> by_rank_;
};

/// What `body` says by its status alone, the last text of its thread explains.
void run_rank(const Comm& comm, Body body, void* user, Failures& failures) {
  shardfft_comm_s handle{.comm = comm, .lent = true};
  forget_last_error();
  const int status = body(&handle, user);
  if (status == 0) return;
  const std::string text = last_error();
  failures.add(comm.rank(),
               Error(static_cast<Status>(status), "the function of rank " + std::to_string(comm.rank()) + " returned " +
                                                      std::to_string(status) + (text.empty() ? text : ": " + text)));
}

/// Collective: the caller's memory, and that all ranks speak of as much of it.
void check_memory(const Comm& comm, const void* memory, std::size_t n, const char* call) {
  shardfft::collectively(comm, [&] {
    if (n > 0 && !memory) refuse(std::string(call) + " takes " + std::to_string(n) + " bytes of memory; got NULL");
  });
  shardfft::require_same(comm, "the length of " + std::string(call), std::to_string(n));
}

}  // namespace

int shardfft_comm_local(shardfft_comm* out) {
  return make_handle(out, [] { return shardfft_comm_s{.comm = shardfft::local()}; });
}

int shardfft_comm_dry_run(int ranks, int rank, int ranks_per_node, shardfft_comm* out) {
  return make_handle(out, [&] { return shardfft_comm_s{.comm = shardfft::dry_run(ranks, rank, ranks_per_node)}; });
}

int shardfft_on_ranks(int ranks, int (*body)(shardfft_comm, void*), void* user) {
  return attempt([&] {
    if (!body) refuse("shardfft_on_ranks() takes the function that each rank runs; got NULL");
    Failures failures;
    try {
      shardfft::on_ranks(ranks, [&](const Comm& comm) { run_rank(comm, body, user, failures); });
    } catch (...) { failures.throw_first(std::current_exception()); }
  });
}

int shardfft_comm_rank(shardfft_comm c) {
  return look(c, "a shardfft_comm", -1, [](const shardfft_comm_s& h) { return h.comm.rank(); });
}
int shardfft_comm_size(shardfft_comm c) {
  return look(c, "a shardfft_comm", 0, [](const shardfft_comm_s& h) { return h.comm.size(); });
}
int shardfft_comm_node(shardfft_comm c, int rank) {
  return look(c, "a shardfft_comm", -1, [&](const shardfft_comm_s& h) { return h.comm.node(rank); });
}
int shardfft_comm_nodes(shardfft_comm c) {
  return look(c, "a shardfft_comm", 0, [](const shardfft_comm_s& h) { return h.comm.nodes(); });
}
const char* shardfft_comm_kind(shardfft_comm c) {
  return look(c, "a shardfft_comm", static_cast<const char*>(nullptr),
              [](const shardfft_comm_s& h) { return h.kind.c_str(); });
}

int shardfft_comm_barrier(shardfft_comm c) {
  return attempt([&] { there(c).barrier(); });
}

int shardfft_comm_broadcast(shardfft_comm c, void* bytes, size_t n, int root) {
  return attempt([&] {
    const Comm& comm = there(c);
    check_memory(comm, bytes, n, "shardfft_comm_broadcast()");
    shardfft::require_same(comm, "the root of shardfft_comm_broadcast()", std::to_string(root));
    comm.broadcast({static_cast<std::byte*>(bytes), n}, root);
  });
}

int shardfft_comm_allgather(shardfft_comm c, const void* mine, size_t n, void* all) {
  return attempt([&] {
    const Comm& comm = there(c);
    check_memory(comm, mine && all ? mine : nullptr, n, "shardfft_comm_allgather()");
    if (n > SIZE_MAX / 2 / static_cast<std::size_t>(comm.size()))  // as all ranks find
      refuse("shardfft_comm_allgather() gathers at most SIZE_MAX / 2 bytes; got " + std::to_string(n) +
             " of each rank");
    comm.allgather({static_cast<const std::byte*>(mine), n},
                   {static_cast<std::byte*>(all), n * static_cast<std::size_t>(comm.size())});
  });
}

void shardfft_comm_destroy(shardfft_comm c) {
  if (c && !c->lent) delete c;
}
