#include "process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attention.hpp"
#include "process_tree.hpp"
#include "shardfft/error.hpp"

extern char** environ;

namespace shardfft::compare {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw Error(Status::io_failed,
                  fmt::format("a pipe to another program is needed; {}; close other programs", std::strerror(errno)));
    read = ends[0], write = ends[1];
    ::fcntl(read, F_SETFL, O_NONBLOCK);
  }
  ~Pipe() { close_write(), ::close(read); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
};

/// What has arrived in a pipe; false when nothing more will.
bool take(int fd, std::string& to) {
  char part[4096];
  while (true) {
    const ssize_t n = ::read(fd, part, sizeof part);
    if (n > 0) to.append(part, static_cast<std::size_t>(n));
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
  }
}

/// Text of words and environment as exec wants it, made before the fork: the child may not allocate.
struct Texts {
  std::vector<std::string> environment{};
  std::vector<char*> words{}, variables{};

  explicit Texts(const ProcessRequest& request) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string name(*entry, std::strcspn(*entry, "="));
      const bool replaced =
          std::ranges::any_of(request.environment, [&](const auto& added) { return added.first == name; });
      if (!replaced) environment.emplace_back(*entry);
    }
    for (const auto& [name, value] : request.environment) environment.push_back(name + "=" + value);
    for (const std::string& word : request.words) words.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& entry : environment) variables.push_back(const_cast<char*>(entry.c_str()));
    words.push_back(nullptr), variables.push_back(nullptr);
  }
};

/// In the child: only what is safe after a fork. fork and exec rather than posix_spawn, because only so the child can
/// ask to be ended with its parent.
[[noreturn]] void become(const Texts& texts, pid_t parent, int output, int errors, int report) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output >= 0 ? output : nothing, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  if (::getppid() == parent) ::execvpe(texts.words[0], texts.words.data(), texts.variables.data());
  const int why = errno;
  (void)!::write(report, &why, sizeof why);
  ::_exit(127);
}

class Child {
 public:
  explicit Child(const ProcessRequest& request) : keep_output_(request.keep_output) {
    const Texts texts(request);
    const pid_t me = ::getpid();
    Pipe report;
    pid_ = ::fork();
    if (pid_ == 0) become(texts, me, keep_output_ ? output_.write : -1, errors_.write, report.write);
    if (pid_ < 0)
      throw Error(Status::io_failed,
                  fmt::format("cannot start another process: {}; end other programs", std::strerror(errno)));
    ::setpgid(pid_, pid_);  // both sides, so that it holds whoever comes first
    for (Pipe* pipe : {&report, &output_, &errors_}) pipe->close_write();
    ::fcntl(report.read, F_SETFL, 0);
    if (::read(report.read, &start_error_, sizeof start_error_) != sizeof start_error_) start_error_ = 0;
  }

  /// Waits for news until `until`.
  void listen(const Attention& attention, Clock::time_point until) {
    const double left_ms = std::chrono::duration<double, std::milli>(until - Clock::now()).count();
    pollfd fds[] = {{attention.wake_fd(), POLLIN, 0},
                    {errors_open_ ? errors_.read : -1, POLLIN, 0},
                    {output_open_ ? output_.read : -1, POLLIN, 0}};
    ::poll(fds, std::size(fds), static_cast<int>(std::clamp(std::ceil(left_ms), 0.0, 1e9)));
    attention.drain();
    collect();
  }

  [[nodiscard]] bool ended() { return ended_ || (ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_); }
  void send(int signal) const { ::kill(-pid_, signal); }

  void tell(ProcessOutcome& outcome) {
    collect();
    if (start_error_ != 0) outcome.start_error = std::strerror(start_error_);
    if (ended_ && WIFEXITED(status_)) outcome.exit_status = WEXITSTATUS(status_);
    if (ended_ && WIFSIGNALED(status_)) outcome.signal = WTERMSIG(status_);
    outcome.output = std::move(output_text_);
    outcome.errors = std::move(errors_text_);
  }

 private:
  void collect() {
    constexpr std::size_t most_output = 1 << 20, most_errors = 1 << 14;
    if (errors_open_) errors_open_ = take(errors_.read, errors_text_);
    if (output_open_) output_open_ = take(output_.read, output_text_);
    if (output_text_.size() > most_output) output_text_.resize(most_output);
    if (errors_text_.size() > most_errors) errors_text_.erase(0, errors_text_.size() - most_errors);
  }

  bool keep_output_, errors_open_ = true, output_open_ = true, ended_ = false;
  Pipe output_, errors_;
  pid_t pid_ = -1;
  int start_error_ = 0, status_ = 0;
  std::string output_text_, errors_text_;
};

void wait_until(Child& child, const Attention& attention, Clock::time_point until) {
  while (!child.ended() && attention.asked_to_end() == 0 && Clock::now() < until) child.listen(attention, until);
}

/// Asks first, so that a launcher can end its ranks, here and on other nodes.
void end(Child& child, const Attention& attention) {
  child.send(SIGTERM);
  const auto until = Clock::now() + std::chrono::seconds(3);
  while (!child.ended() && Clock::now() < until) child.listen(attention, until);
  child.send(SIGKILL);
  const auto forced = Clock::now() + std::chrono::seconds(5);
  while (!child.ended() && Clock::now() < forced) child.listen(attention, forced);
}

/// Lines that launchers draw around what they say themselves.
bool is_frame(const std::string& line) { return line.size() >= 10 && line.find_first_not_of("-=| ") == line.npos; }

/// Open MPI's words about an error of MPI, "[host:pid] *** ...", but for the one that names it.
bool is_small_talk(const std::string& line) {
  return line.starts_with('[') && line.find("] *** ") != line.npos && line.find("] *** MPI_ERR_") == line.npos;
}

/// What a launcher says within its frame, line by line: its first sentence, without what follows a colon. The rest
/// explains.
class Sentence {
 public:
  void add(const std::string& line) {
    if (is_done_) return;
    const std::size_t full_stop = line.find(". ");
    text_ += (text_.empty() ? "" : " ") + line.substr(0, std::min(full_stop, line.find_last_not_of(" \t\r") + 1));
    is_done_ = full_stop != line.npos || text_.ends_with('.') || text_.ends_with(':') || line.starts_with('=') ||
               line.starts_with('|');
    while (is_done_ && (text_.ends_with('.') || text_.ends_with(':'))) text_.pop_back();
  }
  void end() { is_done_ = !text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_{};
  bool is_done_ = false;
};

/// The last line that is no launcher's; where there is none, what the launcher says first.
std::string telling_line(const std::string& text) {
  std::string last;
  Sentence launcher;
  bool framed = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    framed = framed || is_frame(line);
    const bool empty = is_frame(line) || line.find_first_not_of(" \t\r") == line.npos;
    if (empty) launcher.end();
    if (empty || is_small_talk(line)) continue;
    framed ? launcher.add(line) : void(last = line);
  }
  return last.empty() ? launcher.text() : last;
}

/// Without what would move the cursor of a terminal, and not longer than anybody reads.
std::string readable(std::string line) {
  constexpr std::size_t enough = 300;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  if (line.size() > enough) line = line.substr(0, enough) + "...";
  return line;
}

}  // namespace

ProcessOutcome run_process(const ProcessRequest& request) {
  adopt_orphans();
  const Attention attention;
  const auto start = Clock::now();
  ProcessOutcome outcome;
  Child child(request);
  wait_until(child, attention,
             start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.limit_s)));
  outcome.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.timed_out = !child.ended() && attention.asked_to_end() == 0;
  if (!child.ended()) end(child, attention);
  end_descendants();
  child.tell(outcome);
  if (const int signal = attention.asked_to_end()) throw Interrupted{signal};
  return outcome;
}

std::string reason_of(const ProcessOutcome& outcome, double limit_s) {
  if (!outcome.start_error.empty()) return "cannot be started: " + outcome.start_error;
  std::string what;
  if (outcome.timed_out)
    what = fmt::format("not done after {:g} s", limit_s);
  else if (outcome.signal != 0)
    what = fmt::format("ended by signal {} ({})", outcome.signal, ::strsignal(outcome.signal));
  else if (outcome.exit_status != 0)
    what = fmt::format("exit status {}", outcome.exit_status);
  const std::string said = readable(telling_line(outcome.errors));
  return said.empty() ? what : what.empty() ? said : what + ": " + said;
}

}  // namespace shardfft::compare
