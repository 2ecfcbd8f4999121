#include "launch/launch.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

class Alone final : public World {
 public:
  [[nodiscard]] const Comm& comm() const override { return comm_; }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  Comm comm_ = local();
};

/// How launchers tell a process its rank and the number of ranks. Those of an MPI come first: they may themselves run
/// inside a Slurm step.
struct Variables {
  const char *ranks, *rank;
  const char* mpi;  ///< whose ranks they usually are
};
constexpr Variables known[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "openmpi"},
    {"PMI_SIZE", "PMI_RANK", "mpich"},
    {"MPI_LOCALNRANKS", "MPI_LOCALRANKID", "mpich"},
    {"PALS_SIZE", "PALS_RANKID", "mpich"},
    {"PMIX_SIZE", "PMIX_RANK", "openmpi"},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "mpich"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "openmpi"},
};

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

std::string content_of(int process, const char* file) {
  std::ifstream in(fmt::format("/proc/{}/{}", process, file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int parent_of(int process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  int parent = 0;
  for (std::string word; status >> word;)
    if (word == "PPid:") status >> parent;
  return parent;
}

bool is_a_launcher(const std::string& name) {
  constexpr std::string_view launchers[] = {"mpirun", "mpiexec", "orte", "prte", "hydra", "srun", "flux"};
  for (const std::string_view launcher : launchers)
    if (name.starts_with(launcher)) return true;
  return false;
}

/// Whether the rank that the environment speaks of is an ancestor of this process, which inherited its variables: one
/// that has the same and MPI in its memory. A script that a launcher started has no MPI.
bool is_started_by_a_rank(const char* rank) {
  constexpr int most_ancestors = 16;
  const std::string variable = fmt::format("{}={}", rank, value_of(rank)) + '\0';
  int process = ::getppid();
  for (int i = 0; i < most_ancestors && process > 1; ++i, process = parent_of(process)) {
    const std::string variables = '\0' + content_of(process, "environ") + '\0';
    if (variables.find('\0' + variable) == std::string::npos || is_a_launcher(content_of(process, "comm")))
      return false;
    if (content_of(process, "maps").find("/libmpi") != std::string::npos) return true;
  }
  return false;
}

bool inherited_its_rank() {
  if (!value_of("SHARDFFT_MPI").empty()) return false;
  for (const Variables& v : known)
    if (std::getenv(v.rank)) return is_started_by_a_rank(v.rank);
  return false;
}

int number(const char* text) { return text == nullptr ? 0 : std::atoi(text); }

}  // namespace

Launcher find_launcher() {
  if (value_of("SHARDFFT_MPI") == "none") return {};
  for (const Variables& v : known) {
    const char *ranks = std::getenv(v.ranks), *rank = std::getenv(v.rank);
    if (ranks == nullptr && rank == nullptr) continue;
    const bool single_slurm_task = v.ranks == known[std::size(known) - 1].ranks && number(ranks) < 2;
    if (single_slurm_task) continue;
    return {true, number(ranks), number(rank), v.mpi};
  }
  return {};
}

bool may_speak_before_mpi() {
  if (find_launcher().rank == 0 || inherited_its_rank()) return true;
  const bool is_ended = std::getenv("PMI_FD") || std::getenv("OMPI_COMM_WORLD_RANK");
  if (is_ended) ::sleep(4);
  return is_ended;
}

void end_ranks_before_mpi(int status) {
  const char* manager = std::getenv("PMI_FD");
  if (manager == nullptr || inherited_its_rank()) return;  // the manager would end the job of that rank
  ::sleep(1);                                              // for it to print first what this process has said
  ::dprintf(number(manager), "cmd=abort exitcode=%d\n", status);
}

std::unique_ptr<World> join_world() {
  const Launcher launcher = find_launcher();
  if (launcher.present && inherited_its_rank())
    throw Error(Status::unsupported,
                fmt::format("a launcher must start ranks itself; got rank {} of {}, which is the process that started "
                            "this program; set SHARDFFT_MPI=none to run it alone",
                            launcher.rank, launcher.ranks));
  std::unique_ptr<World> world = launcher.present ? join_mpi() : nullptr;
  const int found = world ? world->comm().size() : 1;
  if (launcher.ranks > 1 && found == 1) {
    const std::string built = mpi_library();
    throw Error(
        Status::unsupported,
        fmt::format("a launcher must start ranks that find each other; it started {} processes but each is alone; {}",
                    launcher.ranks,
                    built.empty()
                        ? "this program was built without MPI: start it without a launcher, or build it with MPI"
                        : fmt::format("use the launcher of {}, with which this program was built", built)));
  }
  return world ? std::move(world) : std::make_unique<Alone>();
}

}  // namespace shardfft::cli
