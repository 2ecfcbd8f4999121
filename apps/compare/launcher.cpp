#include "launcher.hpp"

#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "shardfft/error.hpp"

namespace shardfft::compare {
namespace {

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

}  // namespace

Launcher find_launcher_words(const std::string& mpi_library, int cores) {
  const bool open_mpi = mpi_library.starts_with("Open MPI");
  if (const char* set = std::getenv("SHARDFFT_MPIRUN"); set != nullptr && *set != '\0') return {split_words(set), false, cores, false};
  if (mpi_library.empty()) return {{}, false, cores, false};
  const std::string built_with = SHARDFFT_MPIEXEC;
  const std::string program = ::access(built_with.c_str(), X_OK) == 0 ? built_with : "mpirun";
  return {{program, "-n", "{ranks}"}, open_mpi, cores, ::geteuid() == 0};
}

Launch launch_of(const Launcher& launcher, const Case& c) {
  if (c.ranks == 1) return {};
  if (launcher.words.empty())
    throw Error(Status::unsupported,
                fmt::format("{} ranks need a launcher of MPI programs; this program was built without MPI; name one in SHARDFFT_MPIRUN, "
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
  if (c.workers() > launcher.cores * c.nodes) launch.words.insert(launch.words.begin() + 1, "--oversubscribe");
  if (launcher.root) {
    for (const char* name :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
      launch.environment.emplace_back(name, "1");
  }
  return launch;
}

}  // namespace shardfft::compare
