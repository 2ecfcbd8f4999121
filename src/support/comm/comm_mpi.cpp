// The ranks of an MPI communicator.
//
// SHARDFFT_RANKS_PER_NODE=K emulates that every K consecutive ranks are on a node of their own, to test on one machine
// what depends on nodes.
#include "support/comm/comm_mpi.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "shardfft/error.hpp"
#include "shardfft/mpi.hpp"
#include "support/comm/backoff.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/put_off.hpp"
#include "support/text/number.hpp"

namespace shardfft {
namespace {

/// Counts of one MPI call stay below this, far from the end of int.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;

int as_int(std::size_t n) { return static_cast<int>(n); }

struct MpiCommImpl final : CommImpl {
  explicit MpiCommImpl(MpiComm duplicated) : comm(std::move(duplicated)) {
    check_mpi(MPI_Comm_rank(comm.get(), &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm.get(), &size), "MPI_Comm_size");
  }

  ~MpiCommImpl() override {
    if (!may_end_here(maker)) put_off(std::make_shared<MpiComm>(std::move(comm)));
  }

  std::string_view kind() const override { return "mpi"; }
  void require_callable() const override { require_mpi(); }
  // Below MPI_THREAD_MULTIPLE another thread does not know whether MPI serves one now.
  bool may_end_here(std::thread::id its_maker) const override {
    if (its_maker == std::this_thread::get_id() || !mpi_is_running()) return true;
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }

  void barrier() override {
    require_mpi();
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(comm.get(), &request), "MPI_Ibarrier");
    finish({&request, 1}, "MPI_Ibarrier");
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    require_mpi();
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Ibcast(bytes.data() + at, as_int(std::min(piece_bytes, bytes.size() - at)), MPI_BYTE, root,
                           comm.get(), &request),
                "MPI_Ibcast");
      finish({&request, 1}, "MPI_Ibcast");
    }
  }

  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    require_mpi();
    if (all.size() <= piece_bytes) return allgather_piece(mine, all);
    const std::size_t length = std::max<std::size_t>(piece_bytes / static_cast<std::size_t>(size), 1);
    std::vector<std::byte> gathered;
    for (std::size_t at = 0; at < mine.size(); at += length) {
      const std::size_t n = std::min(length, mine.size() - at);
      gathered.resize(n * static_cast<std::size_t>(size));
      allgather_piece(mine.subspan(at, n), gathered);
      for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r)
        std::memcpy(all.data() + r * mine.size() + at, gathered.data() + r * n, n);
    }
  }

  void all_max(std::span<std::int64_t> values) override {
    require_mpi();
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(
        MPI_Iallreduce(MPI_IN_PLACE, values.data(), as_int(values.size()), MPI_INT64_T, MPI_MAX, comm.get(), &request),
        "MPI_Iallreduce");
    finish({&request, 1}, "MPI_Iallreduce");
  }

  /// Nothing to learn about the others here, but MPI may hold back what was sent earlier until it is called again, and
  /// somebody may wait for that.
  void check_peers() override {
    require_mpi();
    int flag = 0;
    help_all();
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.get(), &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
  }

  std::shared_ptr<CommImpl> split(int color) override {
    require_mpi();
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(comm.get(), color, rank, &part), "MPI_Comm_split");
    std::vector<int> colors(static_cast<std::size_t>(size));
    allgather(std::as_bytes(std::span(&color, 1)), std::as_writable_bytes(std::span(colors)));
    auto impl = std::make_shared<MpiCommImpl>(MpiComm(part));
    name_part(*impl, *this, colors, color);
    return impl;
  }

  MpiComm comm;
  const std::thread::id maker = std::this_thread::get_id();

 private:
  void allgather_piece(std::span<const std::byte> mine, std::span<std::byte> all) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int n = as_int(mine.size());
    check_mpi(MPI_Iallgather(mine.data(), n, MPI_BYTE, all.data(), n, MPI_BYTE, comm.get(), &request),
              "MPI_Iallgather");
    finish({&request, 1}, "MPI_Iallgather");
  }
};

/// The lowest rank of the node that this rank is on.
int leader_of_node(const MpiCommImpl& impl) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(impl.comm.get(), MPI_COMM_TYPE_SHARED, impl.rank, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  const MpiComm owned(node);
  int leader = impl.rank;
  check_mpi(MPI_Bcast(&leader, 1, MPI_INT, 0, node), "MPI_Bcast");
  return leader;
}

/// The value of SHARDFFT_RANKS_PER_NODE; 0 if it is not set.
int emulated_ranks_per_node() {
  const char* text = std::getenv("SHARDFFT_RANKS_PER_NODE");
  if (!text || !*text) return 0;
  int value = 0;
  if (!read_number(text, value) || value < 1)
    throw Error(Status::invalid_argument,
                fmt::format("SHARDFFT_RANKS_PER_NODE must be a positive number, got `{}`", text));
  return value;
}

std::vector<int> find_nodes(MpiCommImpl& impl) {
  const int emulated = emulated_ranks_per_node();
  const int leader = emulated ? impl.rank / emulated * emulated : leader_of_node(impl);
  std::vector<int> nodes(static_cast<std::size_t>(impl.size));
  impl.allgather(std::as_bytes(std::span(&leader, 1)), std::as_writable_bytes(std::span(nodes)));
  std::map<int, int> number_of;
  for (int& node : nodes) node = number_of.try_emplace(node, static_cast<int>(number_of.size())).first->second;
  return nodes;
}

std::atomic<bool> was_started{false}, stayed_in_parent{false};

void look_before_fork() {
  int initialized = 0;
  was_started = MPI_Initialized(&initialized) == MPI_SUCCESS && initialized;
}

// A child of fork() has the state of MPI and nothing that it talks to. One that starts MPI itself was forked before
// anybody did.
[[maybe_unused]] const int registered =
    pthread_atfork(look_before_fork, nullptr, [] { stayed_in_parent = stayed_in_parent || was_started; });

void require_usable(MPI_Comm comm) {
  if (stayed_in_parent)
    throw Error(Status::invalid_argument,
                "mpi: MPI runs in the process that started it; got a child of fork(); "
                "make a plan on local() here, or fork before MPI_Init");
  require_mpi();
  int between_groups = 0;
  if (comm == MPI_COMM_NULL)
    throw Error(Status::invalid_argument, "mpi: needs a communicator that this process is in, got MPI_COMM_NULL");
  check_mpi(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups)
    throw Error(Status::invalid_argument,
                "mpi: needs the ranks of one group, got an intercommunicator; merge it with MPI_Intercomm_merge");
}

}  // namespace

struct MpiChore::Chores {
  std::mutex mutex;
  std::vector<std::shared_ptr<Ownership>> all;
};

/// Never destroyed: plans may be static objects.
MpiChore::Chores& MpiChore::register_of_all() {
  static Chores& all = *new Chores;
  return all;
}

void MpiChore::begin_help() {
  turn_->chore = this;
  turn_->owner = std::this_thread::get_id();
  Chores& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  r.all.push_back(turn_);
}

void MpiChore::end_help() {
  {
    const std::lock_guard lock(turn_->mutex);
    turn_->chore = nullptr;
  }
  Chores& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  std::erase(r.all, turn_);
}

void MpiChore::change_owner() {
  const std::lock_guard lock(turn_->mutex);
  turn_->owner = std::this_thread::get_id();
}

void help_all() {
  static thread_local std::vector<std::shared_ptr<MpiChore::Ownership>> mine;
  if (!mine.empty()) return;  // what helps has come to a loop that waits
  struct Emptied {
    ~Emptied() { mine.clear(); }
  } const emptied;
  {
    MpiChore::Chores& r = MpiChore::register_of_all();
    const std::lock_guard lock(r.mutex);
    std::copy_if(r.all.begin(), r.all.end(), std::back_inserter(mine),
                 [](const auto& turn) { return turn->owner.load() == std::this_thread::get_id(); });
  }
  for (const auto& turn : mine) {
    const std::lock_guard lock(turn->mutex);
    if (turn->chore && turn->owner.load() == std::this_thread::get_id()) turn->chore->help();
  }
}

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  throw Error(Status::transport_failed,
              fmt::format("{} failed: {}", what, std::string(text.data(), static_cast<std::size_t>(length))));
}

bool mpi_is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized && !stayed_in_parent;
}

void require_mpi() {
  if (!mpi_is_running()) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    throw Error(Status::invalid_argument, fmt::format("call out of order: ranks of MPI are used between "
                                                      "MPI_Init_thread and MPI_Finalize, but MPI {}; move the call",
                                                      finalized ? "is finalised already" : "is not initialised yet"));
  }
  int level = MPI_THREAD_SINGLE, is_main = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&is_main);
  if (level < MPI_THREAD_SERIALIZED && !is_main)
    throw Error(Status::invalid_argument,
                "call out of order: this MPI serves only the thread that initialised it, and another one called; ask "
                "MPI_Init_thread for MPI_THREAD_MULTIPLE");
}

MpiComm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  // Not MPI_Comm_idup: with Open MPI 4.1.4 and 4 ranks, the transport mpi_alltoallv hung far more often on what that
  // made.
  check_mpi(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  MpiComm owned(copy);
  check_mpi(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return owned;
}

MPI_Comm mpi_comm_of(const Comm& comm) {
  const auto* impl = dynamic_cast<const MpiCommImpl*>(&comm.impl());
  if (!impl) throw Error(Status::internal, fmt::format("a group of kind {} has no MPI communicator", comm.kind()));
  return impl->comm.get();
}

void finish(std::span<MPI_Request> requests, const char* what) {
  Backoff backoff(/*sleeps=*/true);
  for (;;) {
    int done = 0;
    check_mpi(MPI_Testall(as_int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), what);
    if (done) return;
    help_all();
    backoff.pause();
  }
}

Comm mpi(MPI_Comm comm) {
  require_usable(comm);
  auto impl = std::make_shared<MpiCommImpl>(duplicate(comm));
  impl->node_of = find_nodes(*impl);
  return Comm(std::move(impl));
}

}  // namespace shardfft
