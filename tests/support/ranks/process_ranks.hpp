// Ranks that are processes, without MPI: forked, meeting in a piece of shared memory.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "shardfft/error.hpp"
#include "support/comm/backoff.hpp"
#include "support/comm/comm_impl.hpp"

namespace shardfft {

/// What the forked ranks share.
struct ProcessBoard {
  static constexpr int max_ranks = 8;
  std::atomic<int> present{0};
  std::atomic<int> meetings{0};
  std::array<std::array<std::byte, 65536>, max_ranks> shown{};
  std::array<std::array<char, 1024>, max_ranks> said{};
};

struct ProcessComm final : CommImpl {
  ProcessComm(ProcessBoard& shared, int my_rank, int ranks) : board(shared) {
    rank = my_rank;
    size = ranks;
  }
  std::string_view kind() const override { return "processes"; }
  void barrier() override {
    const int meeting = board.meetings.load();
    if (board.present.fetch_add(1) + 1 == size) {
      board.present.store(0);
      board.meetings.fetch_add(1);
    }
    Backoff backoff(true);
    while (board.meetings.load() == meeting) backoff.pause();
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    auto& shown = board.shown.at(static_cast<std::size_t>(root));
    if (bytes.size() > shown.size()) throw Error(Status::unsupported, "the board of this test is too small");
    if (rank == root) std::memcpy(shown.data(), bytes.data(), bytes.size());
    barrier();
    std::memcpy(bytes.data(), shown.data(), bytes.size());
    barrier();
  }
  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (mine.size() > board.shown[0].size()) throw Error(Status::unsupported, "the board of this test is too small");
    std::memcpy(board.shown.at(static_cast<std::size_t>(rank)).data(), mine.data(), mine.size());
    barrier();
    for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r)
      std::memcpy(all.data() + r * mine.size(), board.shown[r].data(), mine.size());
    barrier();
  }
  std::shared_ptr<CommImpl> split(int) override { throw Error(Status::unsupported, "forked ranks are not split"); }

  ProcessBoard& board;
};

/// How a forked rank ended: what its body threw ("transport_failed: ..."), or "ok", or "exit 3", or "signal 14" (after
/// a minute).
struct ProcessEnd {
  int pid = 0;
  std::string said;
};

inline std::string say(const std::function<void(Comm)>& body, Comm comm) {
  try {
    body(std::move(comm));
    return "ok";
  } catch (const Error& e) {
    return fmt::format("{}: {}", name(e.status()), e.what());
  } catch (const std::exception& e) { return e.what(); }
}

/// Runs `body` in `ranks` processes (at most ProcessBoard::max_ranks); returns when all have ended, reaping none
/// before.
inline std::vector<ProcessEnd> on_processes(int ranks, const std::function<void(Comm)>& body) {
  void* memory = mmap(nullptr, sizeof(ProcessBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(Status::out_of_memory, "no memory for the board of this test");
  auto* board = new (memory) ProcessBoard;
  std::vector<ProcessEnd> ends(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < ends.size(); ++r) {
    ends[r].pid = fork();
    if (ends[r].pid != 0) continue;
    alarm(60);
    const std::string text = say(body, Comm(std::make_shared<ProcessComm>(*board, static_cast<int>(r), ranks)));
    text.copy(board->said.at(r).data(), board->said[r].size() - 1);
    _exit(0);
  }
  for (auto& end : ends) {  // all must have ended before the first is reaped: a rank must notice one that is not
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(end.pid), &info, WEXITED | WNOWAIT);
  }
  for (std::size_t r = 0; r < ends.size(); ++r) {
    int status = 0;
    waitpid(ends[r].pid, &status, 0);
    ends[r].said = WIFSIGNALED(status)   ? fmt::format("signal {}", WTERMSIG(status))
                   : WEXITSTATUS(status) ? fmt::format("exit {}", WEXITSTATUS(status))
                                         : std::string(board->said[r].data());
  }
  munmap(memory, sizeof(ProcessBoard));
  return ends;
}

}  // namespace shardfft
