// Threads of this process as ranks.
#include "support/comm/comm_threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "shardfft/error.hpp"
#include "shardfft/programs/watched_ranks.hpp"
#include "support/comm/comm_impl.hpp"

namespace shardfft {
namespace {

/// Thrown in ranks that did nothing wrong but waited for one that failed.
struct Released final : Error {
  using Error::Error;
};

/// Whether a rank has failed or left; shared by the whole group and the groups split from it.
class Fate {
 public:
  explicit Fate(int ranks) : left_(static_cast<std::size_t>(ranks)) {}

  /// The first failure counts.
  void fail(const std::string& text) {
    std::lock_guard lock(mutex_);
    if (failed_.load(std::memory_order_relaxed)) return;
    text_ = text;
    failed_.store(true, std::memory_order_release);
  }
  void check() const {
    if (failed_.load(std::memory_order_acquire)) throw Released(Status::transport_failed, text_);
  }
  /// A rank of the whole group will not come any more.
  void leave(int rank) { left_[static_cast<std::size_t>(rank)] = true; }
  [[nodiscard]] bool has_left(int rank) const { return left_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::atomic<bool>> left_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::string text_;
};

/// The place where the ranks of one group meet and show each other data.
class Meeting {
 public:
  Meeting(std::vector<int> its_members, std::shared_ptr<Fate> its_fate)
      : fate(std::move(its_fate)),
        members(std::move(its_members)),
        shown(members.size()),
        small(members.size()),
        size_(static_cast<int>(members.size())) {}

  /// Returns when all ranks have come. A complete meeting never throws, even if a rank fails right after it. `surely`:
  /// every rank is known to be on its way here, so nobody may leave early (others still read what it shows).
  void meet(bool surely = false) {
    std::unique_lock lock(mutex_);
    if (!surely) fate->check();
    const auto meeting = meetings_;
    if (++present_ == size_) {
      present_ = 0;
      ++meetings_;
      return all_here_.notify_all();
    }
    const auto complete = [&] { return meetings_ != meeting; };
    while (!all_here_.wait_until(lock, std::chrono::system_clock::now() + std::chrono::milliseconds(5), complete)) {
      if (surely) continue;
      fate->check();
      if (std::any_of(members.begin(), members.end(), [&](int rank) { return fate->has_left(rank); }))
        throw Error(Status::mismatch,
                    "all ranks make the same collective calls; a rank has returned from the function of on_ranks, and "
                    "others wait for it in a call; make it on every rank, or on none");
    }
  }

  const std::shared_ptr<Fate> fate;
  const std::vector<int> members;  ///< ranks of the whole group
  std::vector<const void*> shown;  ///< by rank; written before a meeting, read after it
  /// By rank, in turns: bytes that are written before a meeting are read before the next one.
  struct alignas(64) Small {
    std::array<std::array<std::byte, 32>, 2> turns{};
  };
  std::vector<Small> small;

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int size_, present_ = 0;
  std::uint64_t meetings_ = 0;
};

struct ThreadsComm final : CommImpl {
  ThreadsComm(int my_rank, int my_size, std::vector<int> nodes, std::shared_ptr<Meeting> place)
      : meeting(std::move(place)) {
    rank = my_rank;
    size = my_size;
    node_of = std::move(nodes);
  }

  std::string_view kind() const override { return "threads"; }
  void barrier() override { meeting->meet(); }
  void check_peers() override { meeting->fate->check(); }

  /// All ranks see what every rank shows while `look` runs, which must not throw.
  template <class Look>
  void show(const void* mine, Look look) {
    meeting->shown[static_cast<std::size_t>(rank)] = mine;
    meeting->meet();
    look(meeting->shown);
    meeting->meet(/*surely=*/true);
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    show(bytes.data(), [&](const auto& shown) {
      if (rank != root && !bytes.empty())
        std::memcpy(bytes.data(), shown[static_cast<std::size_t>(root)], bytes.size());
    });
  }

  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (mine.size() <= sizeof(Meeting::Small::turns[0])) return allgather_small(mine, all);
    show(mine.data(), [&](const auto& shown) {
      for (std::size_t r = 0; r < shown.size() && !mine.empty(); ++r)
        std::memcpy(all.data() + r * mine.size(), shown[r], mine.size());
    });
  }

  std::shared_ptr<CommImpl> split(int color) override {
    std::vector<int> colors(static_cast<std::size_t>(size));
    allgather(std::as_bytes(std::span(&color, 1)), std::as_writable_bytes(std::span(colors)));
    const auto first = std::find(colors.begin(), colors.end(), color);
    const auto part_rank = static_cast<int>(std::count(colors.begin(), colors.begin() + rank, color));
    std::vector<int> members;
    for (std::size_t r = 0; r < colors.size(); ++r)
      if (colors[r] == color) members.push_back(meeting->members[r]);
    const auto part_size = static_cast<int>(members.size());
    std::shared_ptr<Meeting> place =
        part_rank == 0 ? std::make_shared<Meeting>(std::move(members), meeting->fate) : nullptr;
    std::shared_ptr<Meeting> found;
    show(&place, [&](const auto& shown) {
      found = *static_cast<const std::shared_ptr<Meeting>*>(shown[static_cast<std::size_t>(first - colors.begin())]);
    });
    auto part = std::make_shared<ThreadsComm>(part_rank, part_size, std::vector<int>{}, std::move(found));
    name_part(*part, *this, colors, color);
    return part;
  }

  std::shared_ptr<Meeting> meeting;

 private:
  // One meeting instead of two.
  void allgather_small(std::span<const std::byte> mine, std::span<std::byte> all) {
    if (mine.empty()) return meeting->meet();
    const std::size_t turn = turns_++ % 2;
    std::copy(mine.begin(), mine.end(), meeting->small[static_cast<std::size_t>(rank)].turns[turn].begin());
    meeting->meet();
    for (std::size_t r = 0; r < meeting->small.size(); ++r)
      std::copy_n(meeting->small[r].turns[turn].begin(), mine.size(),
                  all.begin() + static_cast<std::ptrdiff_t>(r * mine.size()));
  }

  std::size_t turns_ = 0;
};

/// How a rank ended.
struct RankEnd {
  std::exception_ptr exception;
  bool released = false;  ///< it failed only because another rank did
};

std::string what(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) { return e.what(); } catch (...) {
    return "unknown exception";
  }
}

RankEnd run_rank(const std::function<void(Comm)>& body, const std::shared_ptr<ThreadsComm>& comm) {
  try {
    body(Comm(comm));
    comm->meeting->fate->leave(comm->rank);
    return {};
  } catch (const Released&) { return {std::current_exception(), true}; } catch (...) {
    comm->meeting->fate->fail(fmt::format("rank {} failed: {}", comm->rank, what(std::current_exception())));
    return {std::current_exception(), false};
  }
}

/// The threads of one group, and how their ranks end. Shared, because interrupted ranks may outlive the call.
struct Crew {
  Crew(int ranks, const std::function<void(Comm)>& its_body) : body(its_body), ends(static_cast<std::size_t>(ranks)) {}

  /// Waits until all ranks have ended; false if `is_interrupted` says so and some still run.
  bool wait(Fate& fate, const std::function<bool()>& is_interrupted) {
    using std::chrono::milliseconds, std::chrono::seconds, std::chrono::system_clock;
    auto give_up = system_clock::time_point::max();
    std::unique_lock lock(mutex);
    while (!one_ended.wait_until(lock, system_clock::now() + milliseconds(20), [&] { return ended == ends.size(); })) {
      lock.unlock();
      if (is_interrupted && is_interrupted()) {
        fate.fail("on_ranks was interrupted");
        give_up = was_interrupted ? system_clock::now() : system_clock::now() + seconds(2);
        was_interrupted = true;
      }
      if (system_clock::now() >= give_up) return false;
      lock.lock();
    }
    return true;
  }

  const std::function<void(Comm)> body;
  std::mutex mutex;
  std::condition_variable one_ended;
  std::vector<RankEnd> ends;
  std::size_t ended = 0;
  bool was_interrupted = false;  ///< of the thread that waits
};

// Each thread keeps a list of all nodes.
constexpr int most_threads = 4096;

void run_crew(int ranks, int ranks_per_node, const std::function<void(Comm)>& body,
              const std::function<bool()>& is_interrupted) {
  if (ranks < 1 || ranks_per_node < 1)
    throw Error(
        Status::invalid_argument,
        fmt::format("on_ranks takes at least one rank, and one for each node; got {} and {}; ask for one or more",
                    ranks, ranks_per_node));
  if (ranks > most_threads)
    throw Error(Status::invalid_argument,
                fmt::format("on_ranks starts a thread for each rank, at most {}; got {} ranks; use processes of MPI",
                            most_threads, ranks));
  if (!body) throw Error(Status::invalid_argument, "on_ranks: needs a function that the ranks run; got an empty one");
  std::vector<int> nodes, members(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) nodes.push_back(r / ranks_per_node);
  std::iota(members.begin(), members.end(), 0);
  const auto meeting = std::make_shared<Meeting>(std::move(members), std::make_shared<Fate>(ranks));
  const auto crew = std::make_shared<Crew>(ranks, body);
  std::vector<std::thread> threads;
  std::string cannot_start;
  try {
    for (int r = 0; r < ranks; ++r)
      threads.emplace_back([crew, r, comm = std::make_shared<ThreadsComm>(r, ranks, nodes, meeting)]() mutable {
        RankEnd end = run_rank(crew->body, comm);
        comm.reset();
        const std::lock_guard lock(crew->mutex);
        crew->ends[static_cast<std::size_t>(r)] = std::move(end);
        ++crew->ended;
        crew->one_ended.notify_all();
      });
  } catch (const std::exception& e) {  // the ranks that did start must not wait for those that did not
    cannot_start = fmt::format("on_ranks: cannot start {} threads: {}", ranks, e.what());
    meeting->fate->fail(cannot_start);
  }
  const bool all_ended = !cannot_start.empty() || crew->wait(*meeting->fate, is_interrupted);
  for (std::thread& thread : threads) all_ended ? thread.join() : thread.detach();
  if (!cannot_start.empty()) throw Error(Status::unsupported, cannot_start);
  const std::lock_guard lock(crew->mutex);
  for (const bool released : {false, true})
    for (const RankEnd& end : crew->ends)
      if (end.exception && end.released == released) std::rethrow_exception(end.exception);
  if (crew->was_interrupted) throw Error(Status::transport_failed, "on_ranks was interrupted");
}

}  // namespace

void on_ranks(int ranks, int ranks_per_node, const std::function<void(Comm)>& body) {
  run_crew(ranks, ranks_per_node, body, {});
}

void on_watched_ranks(int ranks, const std::function<void(Comm)>& body, const std::function<bool()>& is_interrupted) {
  run_crew(ranks, std::max(ranks, 1), body, is_interrupted);
}

std::vector<std::shared_ptr<const void>> shared_by_all(const Comm& comm, const std::shared_ptr<const void>& mine) {
  std::vector<std::shared_ptr<const void>> all(static_cast<std::size_t>(comm.size()), mine);
  auto* threads = dynamic_cast<ThreadsComm*>(&comm.impl());
  if (threads)
    threads->show(&mine, [&](const auto& shown) {
      for (std::size_t r = 0; r < all.size(); ++r) all[r] = *static_cast<const std::shared_ptr<const void>*>(shown[r]);
    });
  return all;
}

void on_ranks(int ranks, const std::function<void(Comm)>& body) { on_ranks(ranks, std::max(ranks, 1), body); }

}  // namespace shardfft
