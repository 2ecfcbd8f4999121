#include "transport/mpi_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/comm_mpi.hpp"

namespace shardfft {
namespace {

constexpr Index word_bytes = sizeof(std::int64_t), probe_bytes = 32 * word_bytes;

/// At the distances 1, 2, 4 ... around the ring; a rank alone has itself.
template <class Work>
void for_neighbours(int ranks, Work work) {
  for (std::int64_t step = 1; step == 1 || step < ranks; step *= 2) work(static_cast<int>(step));
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Status::unsupported, fmt::format("mpi_rma: the windows of this MPI do not work on these ranks: {}; use mpi_p2p", why));
}

void free_window(MPI_Win win) {
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/// In the order in which they were given up, which is that of all ranks where they fail together.
std::vector<MPI_Win>& abandoned() {
  static std::vector<MPI_Win> windows;
  return windows;
}

int free_abandoned(MPI_Comm, int, void*, void*) {
  for (const MPI_Win win : abandoned()) free_window(win);
  return MPI_SUCCESS;
}

std::int64_t word_of(int from, int to) { return (std::int64_t{from} << 32 | to) ^ 0x5a5a'0f0f'3c3c'9696; }

}  // namespace

MpiWindow::MpiWindow(const Comm& group, MPI_Comm comm, Index bytes) : comm_(comm), bytes_(std::max(bytes, probe_bytes)) {
  const auto agreed = [&](auto work) {
    collectively(group, [&] {
      try {
        work();
      } catch (const Error& e) {
        refuse(e.what());
      }
    });
  };
  // Where one of these fails nothing is freed: the other ranks may have no window, or none that can be.
  agreed([&] { make(); });
  agreed([&] { put_words(group); });
  agreed([&] { find_words(group); });
}

void MpiWindow::abandon() {
  abandoned().push_back(std::exchange(win_, MPI_WIN_NULL));
  if (abandoned().size() > 1) return;
  int key = MPI_KEYVAL_INVALID;  // MPI_Finalize deletes the attributes of MPI_COMM_SELF before all else
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_abandoned, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

MpiWindow::~MpiWindow() {
  if (win_ == MPI_WIN_NULL || !mpi_is_running()) return;
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  try {
    check_mpi(MPI_Ibarrier(comm_, &all_are_here), "MPI_Ibarrier");
    finish({&all_are_here, 1}, "MPI_Ibarrier");  // politely, which MPI_Win_free may not be
  } catch (const Error&) {
    return;
  }
  free_window(win_);
}

void MpiWindow::put(const std::byte* from, Index bytes, int rank, Index at, MPI_Request* request) const {
  const int n = static_cast<int>(bytes);
  check_mpi(MPI_Rput(from, n, MPI_BYTE, rank, static_cast<MPI_Aint>(at), n, MPI_BYTE, win_, request), "MPI_Rput");
}

void MpiWindow::flush(int rank) const { check_mpi(MPI_Win_flush(rank, win_), "MPI_Win_flush"); }
void MpiWindow::sync() const { check_mpi(MPI_Win_sync(win_), "MPI_Win_sync"); }

void MpiWindow::make() {
  check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(bytes_), 1, MPI_INFO_NULL, comm_, &data_, &win_), "MPI_Win_allocate");
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
    put(reinterpret_cast<const std::byte*>(&words[i]), word_bytes, targets[i], static_cast<Index>(i) * word_bytes, &requests[i]);
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
    if (word != word_of(source, group.rank())) throw Error(Status::internal, fmt::format("what rank {} put did not come", source));
  });
}

}  // namespace shardfft
