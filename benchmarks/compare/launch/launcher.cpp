#include "launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "shardfft/error.hpp"

namespace shardfft::compare {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool replace(std::string& word, const std::string& name, int value) {
  const std::size_t at = word.find(name);
  if (at == word.npos) return false;
  word.replace(at, name.size(), fmt::format("{}", value));
  return true;
}

int nodes_there(const std::vector<std::string>& words, int max_nodes) {
  if (max_nodes > 0) return max_nodes;
  for (const char* variable : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"})
    if (const char* told = std::getenv(variable); told != nullptr && std::atoi(told) > 0) return std::atoi(told);
  const bool asked =
      std::ranges::any_of(words, [](const std::string& word) { return word.find("{nodes}") != word.npos; });
  return asked ? std::numeric_limits<int>::max() : 1;
}

/// Whether exec would find the program: by its path, or by its name in PATH.
bool can_be_run(const std::string& program) {
  const auto is_program = [](const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != program.npos) return is_program(program);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (is_program(fs::path(folder) / program)) return true;
  return false;
}

}  // namespace

Launcher find_launcher_words(const std::string& mpi_library, int cores, int max_nodes) {
  const bool open_mpi = mpi_library.starts_with("Open MPI");
  const char* set = std::getenv("SHARDFFT_MPIRUN");
  if (const auto words = split_words(set == nullptr ? "" : set); !words.empty())
    return {words, false, cores, false, nodes_there(words, max_nodes)};
  if (mpi_library.empty()) return {{}, false, cores, false};
  const std::string built_with = SHARDFFT_MPIEXEC;
  const std::string program = ::access(built_with.c_str(), X_OK) == 0 ? built_with : "mpirun";
  return {{program, "-n", "{ranks}"}, open_mpi, cores, ::geteuid() == 0, nodes_there({}, max_nodes)};
}

Launch launch_of(const Launcher& launcher, const Case& c) {
  if (c.ranks == 1) return {};
  if (launcher.words.empty())
    throw Error(Status::unsupported, fmt::format("{} ranks need a launcher of MPI programs; this program was built "
                                                 "without MPI; name one in SHARDFFT_MPIRUN, "
                                                 "for example 'mpirun -n'",
                                                 c.ranks));
  Launch launch{launcher.words, {}};
  bool told = false;
  for (std::string& word : launch.words) {
    told = replace(word, "{ranks}", c.ranks) || told;
    replace(word, "{threads}", c.threads);
    replace(word, "{nodes}", c.nodes);
  }
  if (!told) launch.words.push_back(fmt::format("{}", c.ranks));
  if (!launcher.open_mpi) return launch;
  launch.words.insert(launch.words.begin() + 1, {"--bind-to", "none"});
  if (c.workers() > Index{launcher.cores} * c.nodes) launch.words.insert(launch.words.begin() + 1, "--oversubscribe");
  if (launcher.root) {
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
                             "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
      launch.environment.emplace_back(name, "1");
  }
  return launch;
}

void require_launcher(const Launcher& launcher, const Case& c) {
  const Launch launch = launch_of(launcher, c);
  if (launch.words.empty() || can_be_run(launch.words[0])) return;
  throw Error(Status::unsupported,
              fmt::format("{} ranks need a launcher of MPI programs that can be run; got '{}', which is no such "
                          "program; name one in SHARDFFT_MPIRUN, for example 'mpirun -n'",
                          c.ranks, launch.words[0]));
}

}  // namespace shardfft::compare
