#include "tune_supervisor.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "tune_guard.hpp"

extern char** environ;

namespace shardfft::cli {
namespace {

constexpr int most_runs = 30;  // more candidates than that do not hang on a machine that is worth tuning

int run_once(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ); error != 0)
    throw Error(Status::unsupported, fmt::format("--launch must name a launcher that can be started; '{}': {}; try \"mpirun -n 2\"", words[0], std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_final(int status) { return status == 0 || status == 2; }

}  // namespace

int supervise(const std::string& launch, const std::vector<std::string>& words) {
  std::vector<std::string> all;
  std::istringstream in(launch);
  for (std::string word; in >> word;) all.push_back(word);
  if (all.empty()) throw Error(Status::invalid_argument, "--launch must name a launcher, got nothing; try \"mpirun -n 2\"");
  all.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  all.insert(all.end(), words.begin(), words.end());
  int status = candidate_hung;
  for (int i = 0; i < most_runs && !is_final(status); ++i) {
    if (i > 0) fmt::print(stderr, "shardfft: tuning goes on without the candidate that ended the job (status {})\n", status);
    status = run_once(all);
  }
  return status;
}

}  // namespace shardfft::cli
