#include "transport/mpi/rma/mpi_window.hpp"

#include <fmt/format.h>

#include <algorithm>
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
#include "transport/mpi/mpi_remains.hpp"

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

/// All that this rank has. Their numbers put them in the same order on all ranks, so MPI_Finalize can free them one
/// after the other.
struct Windows {
  std::mutex mutex;
  bool at_finalize = false;  ///< MPI will call free_all()
  std::map<MpiNumber, MPI_Win> all;
};
/// Never destroyed: plans may be static objects.
Windows& windows_of_all() {
  static Windows& all = *new Windows;
  return all;
}

int free_all(MPI_Comm, int, void*, void*) {
  for (const auto& [number, win] : std::exchange(windows_of_all().all, {})) free_window(win);
  return MPI_SUCCESS;
}

class GivenUp final : public MpiRemains {
 public:
  explicit GivenUp(const MpiNumber& number) : number_(number) {}
  void free_together(const MpiCalls&, const MpiCalls&) override {
    MPI_Win win = MPI_WIN_NULL;
    {
      Windows& r = windows_of_all();
      const std::lock_guard lock(r.mutex);
      win = r.all.extract(number_).mapped();
    }
    free_window(win);
  }

 private:
  MpiNumber number_;
};

std::int64_t word_of(int from, int to) { return (std::int64_t{from} << 32 | to) ^ 0x5a5a'0f0f'3c3c'9696; }

}  // namespace

MpiWindow::MpiWindow(const Comm& group, MPI_Comm comm, Index bytes)
    : number_(meet(group)), ranks_(group.size()), comm_(comm), bytes_(std::max(bytes, probe_bytes)) {
  const auto agreed = [&](auto work) {
    collectively(group, [&] {
      try {
        work();
      } catch (const Error& e) { refuse(e.what()); }
    });
  };
  // If one of these fails, nothing is freed: other ranks may have no window, or one that cannot be freed.
  agreed([&] { make(); });
  agreed([&] { put_words(group); });
  agreed([&] { find_words(group); });
  note();
}

void MpiWindow::note() const {
  Windows& r = windows_of_all();
  const std::lock_guard lock(r.mutex);
  if (!std::exchange(r.at_finalize, true)) {
    int key = MPI_KEYVAL_INVALID;  // MPI_Finalize deletes the attributes of MPI_COMM_SELF before all else
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  }
  r.all.emplace(number_, win_);
}

MpiWindow::~MpiWindow() { leave_behind(number_, ranks_, std::make_unique<GivenUp>(number_)); }

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
