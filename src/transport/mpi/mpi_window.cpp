#include "transport/mpi/mpi_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_mpi.hpp"

namespace shardfft {
namespace {

constexpr Index word_bytes = sizeof(std::int64_t), probe_bytes = 32 * word_bytes;

/// At the distances 1, 2, 4 ... around the ring; a rank alone has itself.
template <class Work>
void for_neighbours(int ranks, Work work) {
  for (std::int64_t step = 1; step == 1 || step < ranks; step *= 2) work(static_cast<int>(step));
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Status::unsupported,
              fmt::format("mpi_rma: the windows of this MPI do not work on these ranks: {}; use mpi_p2p", why));
}

void free_window(MPI_Win win) {
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/// All that this rank has. Their numbers put them in the same order on all ranks, whichever thread made them: so
/// MPI_Finalize can free them one after the other.
struct Number {
  std::int64_t maker = 0,
               count = 0;  ///< rank 0 of the window, by its number in MPI_COMM_WORLD, and how many it had made
  auto operator<=>(const Number&) const = default;
};
struct Known {
  MPI_Win win = MPI_WIN_NULL;
  int ranks = 0;
  bool given_up = false;
  bool claimed = false;  ///< by a thread that asks the other ranks about it
};
struct Register {
  std::mutex mutex;
  std::int64_t count = 0;
  std::map<Number, Known> all;
};
/// Never destroyed: plans may be static objects.
Register& register_of_all() {
  static Register& all = *new Register;
  return all;
}

int free_all(MPI_Comm, int, void*, void*) {
  for (const auto& [number, known] : std::exchange(register_of_all().all, {})) free_window(known.win);
  return MPI_SUCCESS;
}

/// Of windows of as many ranks, those that this rank has given up and that no other thread has claimed.
std::vector<Number> claim_given_up(int ranks) {
  std::vector<Number> numbers;
  Register& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  for (auto& [number, known] : r.all)
    if (known.given_up && known.ranks == ranks && !std::exchange(known.claimed, true)) numbers.push_back(number);
  return numbers;
}

/// Of those it has claimed, takes out what `all_claimed` holds; the others may be claimed again.
std::vector<MPI_Win> settle_claims(const std::vector<Number>& mine, const std::vector<Number>& all_claimed) {
  std::vector<MPI_Win> windows;
  Register& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  for (const Number& number : all_claimed) windows.push_back(r.all.extract(number).mapped().win);
  for (const Number& number : mine)
    if (const auto known = r.all.find(number); known != r.all.end()) known->second.claimed = false;
  return windows;
}

/// Collective. Frees what all ranks of the group have given up. These are all ranks of such a window, for it has no
/// more. Two threads of the same ranks may be here, each with a communicator of its own: a window is freed by threads
/// that have claimed it on all ranks.
void free_given_up(const Comm& group) {
  const std::vector<Number> mine = claim_given_up(group.size());
  std::vector<Number> candidates = mine, all_claimed;
  std::uint64_t count = candidates.size();
  group.broadcast(std::as_writable_bytes(std::span(&count, 1)), 0);
  candidates.resize(count);
  group.broadcast(std::as_writable_bytes(std::span(candidates)), 0);
  std::vector<char> here, on_all(count * static_cast<std::size_t>(group.size()));
  for (const Number& number : candidates) here.push_back(std::binary_search(mine.begin(), mine.end(), number));
  if (count > 0) group.allgather(std::as_bytes(std::span(here)), std::as_writable_bytes(std::span(on_all)));
  for (std::size_t i = 0; i < count; ++i) {
    bool all = true;
    for (std::size_t r = 0; r < on_all.size(); r += count) all = all && on_all[r + i];
    if (all) all_claimed.push_back(candidates[i]);
  }
  for (const MPI_Win win : settle_claims(mine, all_claimed)) free_window(win);
}

std::int64_t word_of(int from, int to) { return (std::int64_t{from} << 32 | to) ^ 0x5a5a'0f0f'3c3c'9696; }

}  // namespace

MpiWindow::MpiWindow(const Comm& group, MPI_Comm comm, Index bytes)
    : comm_(comm), bytes_(std::max(bytes, probe_bytes)) {
  free_given_up(group);
  const auto agreed = [&](auto work) {
    collectively(group, [&] {
      try {
        work();
      } catch (const Error& e) { refuse(e.what()); }
    });
  };
  // Where one of these fails nothing is freed: the other ranks may have no window, or none that can be.
  agreed([&] { make(); });
  agreed([&] { put_words(group); });
  agreed([&] { find_words(group); });
  note(group);
}

void MpiWindow::note(const Comm& group) {
  Register& r = register_of_all();
  Number number;
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  {
    const std::lock_guard lock(r.mutex);
    number = {me, ++r.count};
    if (r.count == 1) {
      int key = MPI_KEYVAL_INVALID;  // MPI_Finalize deletes the attributes of MPI_COMM_SELF before all else
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, nullptr);
      MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    }
  }
  group.broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
  const std::lock_guard lock(r.mutex);
  r.all.emplace(number, Known{win_, group.size()});
}

MpiWindow::~MpiWindow() {
  Register& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  for (auto& [number, known] : r.all) known.given_up = known.given_up || known.win == win_;
}

void MpiWindow::put(const std::byte* from, Index bytes, int rank, Index at, MPI_Request* request) const {
  const int n = static_cast<int>(bytes);
  check_mpi(MPI_Rput(from, n, MPI_BYTE, rank, static_cast<MPI_Aint>(at), n, MPI_BYTE, win_, request), "MPI_Rput");
}

void MpiWindow::flush(int rank) const { check_mpi(MPI_Win_flush(rank, win_), "MPI_Win_flush"); }
void MpiWindow::sync() const { check_mpi(MPI_Win_sync(win_), "MPI_Win_sync"); }

void MpiWindow::make() {
  check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(bytes_), 1, MPI_INFO_NULL, comm_, &data_, &win_),
            "MPI_Win_allocate");
  check_mpi(MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
}

void MpiWindow::put_words(const Comm& group) const {
  std::vector<std::int64_t> words;
  std::vector<int> targets;
  for_neighbours(group.size(), [&](int step) {
    targets.push_back((group.rank() + step) % group.size());
    words.push_back(word_of(group.rank(), targets.back()));
  });
  std::vector<MPI_Request> requests(words.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < words.size(); ++i)
    put(reinterpret_cast<const std::byte*>(&words[i]), word_bytes, targets[i], static_cast<Index>(i) * word_bytes,
        &requests[i]);
  finish(requests, "MPI_Rput");
  for (const int target : targets) flush(target);
}

void MpiWindow::find_words(const Comm& group) const {
  sync();
  Index i = 0;
  for_neighbours(group.size(), [&](int step) {
    const int source = (group.rank() - step + group.size()) % group.size();
    std::int64_t word = 0;
    std::memcpy(&word, data_ + i++ * word_bytes, word_bytes);
    if (word != word_of(source, group.rank()))
      throw Error(Status::internal, fmt::format("what rank {} put did not come", source));
  });
}

}  // namespace shardfft
