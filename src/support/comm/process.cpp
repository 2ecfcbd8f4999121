#include "support/comm/process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/handle.hpp"

namespace shardfft {
namespace {

void close_fd(int fd) { close(fd); }

struct ProcStat {
  char state = 'X';
  std::int64_t start_time = 0;
};

/// Reads /proc/PID/stat: the state is field 3 and the start time field 22. Field 2, the program's name in brackets, may
/// hold blanks and brackets. State 'X': there is no such process. '?': unknown at the moment, for example without a
/// free file descriptor.
ProcStat read_stat(std::int64_t pid) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(pid));
  const Handle<int, close_fd, -1> file(open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file) return {.state = errno == ENOENT ? 'X' : '?'};
  std::array<char, 1024> text{};
  if (read(file.get(), text.data(), text.size() - 1) <= 0) return {.state = errno == ESRCH ? 'X' : '?'};
  const char* at = std::strrchr(text.data(), ')');
  if (!at || at[1] == '\0') return {.state = '?'};
  ProcStat stat;
  stat.state = at[2];
  at += 2;
  for (int field = 3; field < 22 && at; ++field) at = std::strchr(at + 1, ' ');
  if (at) stat.start_time = std::atoll(at);
  return stat;
}

/// The name space in which /proc shows this process under the number that it has; 0 where that is not so.
std::int64_t numbering_of_proc(std::int64_t pid) {
  std::array<char, 32> self{};
  struct stat space{};
  if (readlink("/proc/self", self.data(), self.size() - 1) <= 0 || std::atoll(self.data()) != pid) return 0;
  return stat("/proc/self/ns/pid", &space) == 0 ? static_cast<std::int64_t>(space.st_ino) : 0;
}

}  // namespace

ProcessId this_process() {
  const std::int64_t pid = getpid();
  return {pid, read_stat(pid).start_time, numbering_of_proc(pid)};
}

bool can_see(const ProcessId& me, const ProcessId& other) {
  return (me.numbering != 0 && me.numbering == other.numbering) || is_alive(other);
}

bool is_alive(const ProcessId& process) {
  const ProcStat stat = read_stat(process.pid);
  if (stat.state == '?') return true;  // a rank is given up only when it is known to be gone
  return stat.state != 'X' && stat.state != 'Z' && stat.start_time == process.start_time;
}

}  // namespace shardfft
