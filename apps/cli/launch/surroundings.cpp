#include "launch/surroundings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::cli {
namespace {

/// Paths of files that are not whole yet, for the signal handler.
struct Doomed {
  std::array<char, 4096> path{};
  std::atomic<bool> is{false};
};
std::array<Doomed, 8> doomed{};
static_assert(std::atomic<bool>::is_always_lock_free);

/// The library tells their names; 8 at a time, no longer than a path may be.
struct RemovedWhenKilled final : files::UnfinishedFiles {
  bool begin(const std::string& path) override {
    for (Doomed& file : doomed) {
      if (file.is || path.size() >= file.path.size()) continue;
      std::strcpy(file.path.data(), path.c_str());
      file.is = true;
      return true;
    }
    return false;
  }
  void end(const std::string& path) override {
    for (Doomed& file : doomed)
      if (file.is && path == file.path.data() && file.is.exchange(false)) return;
  }
};

constexpr int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,  SIGUSR1, SIGSEGV,
                          SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGSYS};

void remove_doomed() {
  for (const Doomed& file : doomed)
    if (file.is.load()) ::unlink(file.path.data());
}

/// The kernel sends these in the name of the process whose write failed; errno says it, too.
bool says_a_write(int signal, const siginfo_t& info) {
  return (signal == SIGPIPE || signal == SIGXFSZ) && info.si_pid == ::getpid();
}

void end(int signal, siginfo_t* info, void*) {
  if (says_a_write(signal, *info)) return;
  const int saved = errno;
  remove_doomed();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  errno = saved;
}

void watch(int signal) {
  struct sigaction before{}, action{};
  action.sa_sigaction = end;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  const bool known = ::sigaction(signal, nullptr, &before) == 0;
  if (known && (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL)
    ::sigaction(signal, &action, nullptr);
}

#ifdef __GLIBC__
ssize_t write_or_lose(void*, const char* text, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::write(STDERR_FILENO, text + done, size - done);
    if (n <= 0 && errno != EINTR) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(size);
}

/// fmt throws where a stream takes nothing, in threads and while an error is told.
void never_fail_on_standard_error() {
  FILE* const stream =
      ::fopencookie(nullptr, "w", {.read = nullptr, .write = write_or_lose, .seek = nullptr, .close = nullptr});
  if (stream == nullptr) return;
  std::setvbuf(stream, nullptr, _IONBF, 0);
  stderr = stream;
}
#else
void never_fail_on_standard_error() {}
#endif

}  // namespace

void settle_standard_streams() {
  // The wrong direction, so that using one is the same error as before.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  never_fail_on_standard_error();
}

void settle_signals() {
  for (const int signal : deadly) watch(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) watch(signal);
  static RemovedWhenKilled removed;
  files::tell_unfinished(&removed);
  std::atexit(remove_doomed);  // libraries may end the program so, as OpenMP does
}

std::string lost_output(int error) {
  return fmt::format("standard output must take what is printed; it cannot: {}; lead it elsewhere",
                     std::strerror(error));
}

void print_whole(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(Status::io_failed, lost_output(errno));
}

}  // namespace shardfft::cli
