#include "planner/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace shardfft {
namespace {

Index known(long bytes, Index otherwise) { return bytes > 0 ? static_cast<Index>(bytes) : otherwise; }

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

Machine this_machine() {
  Machine m;
  m.l2_bytes = known(sysconf(_SC_LEVEL2_CACHE_SIZE), m.l2_bytes);
  m.l3_bytes = known(sysconf(_SC_LEVEL3_CACHE_SIZE), m.l3_bytes);
  m.cores = usable_cores();
  return m;
}

int default_threads(const Comm& comm, const Machine& machine) {
  if (const char* set = std::getenv("OMP_NUM_THREADS"))
    if (const int n = std::atoi(set); n > 0) return n;
  int ranks_here = 0;
  for (int r = 0; r < comm.size(); ++r) ranks_here += comm.node(r) == comm.node(comm.rank());
  const bool bound = machine.cores < static_cast<int>(std::thread::hardware_concurrency());  // the launcher shared out the cores already
  return bound && comm.kind() == "mpi" ? machine.cores : std::max(1, machine.cores / ranks_here);
}

}  // namespace shardfft
