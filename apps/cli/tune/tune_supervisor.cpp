#include "tune/tune_supervisor.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"
#include "tune/tune_guard.hpp"

extern char** environ;

namespace shardfft::cli {
namespace {

constexpr int most_runs = 30;         // more candidates than that do not hang on a machine that is worth tuning
constexpr double least_share = 0.25;  // of the time: what a job has that begins when the others have used it up
constexpr int nothing_measured = 1;

int run_once(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ); error != 0)
    throw Error(Status::unsupported,
                fmt::format("--launch must name a launcher that can be started; '{}': {}; try \"mpirun -n 2\"",
                            words[0], std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_final(int status) { return status == 0 || status == 2; }

/// State of the journal, which is replaced as a whole whenever something is written down.
struct Journal {
  std::set<std::string> notes = TuneGuard::notes();
  std::filesystem::file_time_type written = when();

  static std::filesystem::file_time_type when() {
    std::error_code none;
    return std::filesystem::last_write_time(cache_folder() / "tuning.json", none);
  }
  bool gained_notes_since(const Journal& before) const { return !std::ranges::includes(before.notes, notes); }
};

// Why there is no other run; nothing where the job has said it.
std::string why_it_ends(const std::string& launch, int status, const Journal& before, const Journal& after) {
  if (cache_folder().empty())
    return fmt::format(
        "the job ended with status {}: the launcher could not start it, or a candidate ended it, which is not written "
        "down without a folder for it, so that the next job would not go on without; set SHARDFFT_WISDOM to one that "
        "may be written",
        status);
  if (status == candidate_hung)
    return fmt::format(
        "the candidate that hung could not be written down in {}, so that the next job would hang as well",
        cache_folder().string());
  if (before.written != after.written) return {};
  return fmt::format(
      "the launcher could not start the job, which ended with status {} before any candidate was tried; try it with "
      "another program: {} hostname",
      status, launch);
}

std::vector<std::string> words_of(const std::string& launch) {
  std::vector<std::string> all;
  std::istringstream in(launch);
  for (std::string word; in >> word;) all.push_back(word);
  if (all.empty())
    throw Error(Status::invalid_argument, "--launch must name a launcher, got nothing; try \"mpirun -n 2\"");
  all.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  return all;
}

}  // namespace

int supervise(const std::string& launch, const WordsFor& words, double seconds, double limit) {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::string> launcher = words_of(launch);
  double left = seconds;
  int status = candidate_hung;
  for (int i = 0; i < most_runs; ++i) {
    if (i > 0)
      fmt::print(stderr, "shardfft: tuning goes on without the candidate that ended the job (status {})\n", status);
    std::vector<std::string> all = launcher;
    std::ranges::copy(words(std::max(left, seconds * least_share)), std::back_inserter(all));
    const Journal before;
    const auto start = Clock::now();
    status = run_once(all);
    if (is_final(status)) return status;
    const Journal after;
    if (!after.gained_notes_since(before)) {
      if (const std::string why = why_it_ends(launch, status, before, after); !why.empty())
        fmt::print(stderr, "shardfft: --launch: {}\n", why);
      return status == candidate_hung ? status : nothing_measured;
    }
    left -= std::max(
        0.0, std::chrono::duration<double>(Clock::now() - start).count() - (status == candidate_hung ? limit : 0));
  }
  return status;
}

}  // namespace shardfft::cli
