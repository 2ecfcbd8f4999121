#include "launch/launch.hpp"

#include <cstdio>
#include <cstdlib>

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

int number(const char* text) { return text == nullptr ? 0 : std::atoi(text); }

}  // namespace

Launcher find_launcher() {
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
  if (find_launcher().rank == 0) return true;
  const bool is_ended = std::getenv("PMI_FD") || std::getenv("OMPI_COMM_WORLD_RANK");
  if (is_ended) ::sleep(4);
  return is_ended;
}

void end_ranks_before_mpi(int status) {
  const char* manager = std::getenv("PMI_FD");
  if (manager == nullptr) return;
  ::sleep(1);  // for it to print first what this process has said
  ::dprintf(number(manager), "cmd=abort exitcode=%d\n", status);
}

std::unique_ptr<World> join_world() {
  const Launcher launcher = find_launcher();
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
