#include "planner/model/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "planner/model/machine_file.hpp"
#include "support/processor/processor_caches.hpp"

namespace shardfft {
namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") || line.starts_with("CPU part"))
      if (const std::size_t at = line.find(": "); at != line.npos) return line.substr(at + 2);
  return "unknown processor";
}

constexpr long most_threads = 1 << 16;  // as the option threads

enum class Length { power, mixed, prime };

Length kind_of(Index n) {
  if (std::has_single_bit(static_cast<std::uint64_t>(n))) return Length::power;
  for (const Index p : {2, 3, 5, 7})
    while (n % p == 0) n /= p;
  return n == 1 ? Length::mixed : Length::prime;
}

}  // namespace

double Rates::at(Index n) const {
  std::size_t i = 0;
  while (i + 1 < lengths.size() && lengths[i] < n) ++i;
  const Length kind = n <= 1 ? Length::power : kind_of(n);
  return of_power[i] * (kind == Length::power ? 1 : kind == Length::mixed ? of_mixed : of_prime);
}

Machine::Machine() {
  constexpr std::array<double, Rates::lengths.size()> own{70e9, 70e9, 60e9, 55e9, 50e9, 45e9},
      foreign{28e9, 28e9, 28e9, 30e9, 27e9, 25e9};
  for (int e = 0; e < most_engines; ++e) {
    Rates& r = f64[static_cast<std::size_t>(e)];
    r.of_power = e == 0 ? own : foreign;
    f32[static_cast<std::size_t>(e)] = r;
    for (double& rate : f32[static_cast<std::size_t>(e)].of_power) rate *= 2;
  }
}

const Rates& Machine::rates(int engine, Scalar scalar) const {
  const auto i = static_cast<std::size_t>(std::clamp(engine, 0, most_engines - 1));
  return scalar == Scalar::f32 ? f32[i] : f64[i];
}

Machine this_machine(const Comm& comm) {
  Machine m;
  load_measured(m, comm);
  m.l2_bytes = cache_bytes(2, m.l2_bytes);
  m.l3_bytes = cache_bytes(3, m.l3_bytes);
  m.cores = usable_cores();
  return m;
}

std::string processor_text() {
  static const std::string name = processor_name();
  return fmt::format("{}, {} cores, L2 {} KiB", name, sysconf(_SC_NPROCESSORS_ONLN), cache_bytes(2, 0) / 1024);
}

std::string ranks_text(const Comm& comm) {
  if (comm.size() == 1) return "1 rank";
  std::map<int, int> on_node, nodes_with;
  for (int r = 0; r < comm.size(); ++r) ++on_node[comm.node(r)];
  for (const auto& [node, ranks] : on_node) ++nodes_with[ranks];
  std::string text;
  for (const auto& [ranks, nodes] : nodes_with)
    text += fmt::format("{}{} node{} of {} ranks", text.empty() ? "" : " and ", nodes, nodes > 1 ? "s" : "", ranks);
  return text;
}

int ranks_on_node(const Comm& comm, int rank) {
  int ranks = 0;
  for (int r = 0; r < comm.size(); ++r) ranks += comm.node(r) == comm.node(rank);
  return ranks;
}

int core_share(const Comm& comm, const Machine& machine, int rank) {
  const bool bound =
      machine.cores <
      static_cast<int>(std::thread::hardware_concurrency());  // the launcher shared out the cores already
  return bound && comm.kind() == "mpi" ? machine.cores : std::max(1, machine.cores / ranks_on_node(comm, rank));
}

int default_threads(const Comm& comm, const Machine& machine, int rank) {
  if (const char* set = std::getenv("OMP_NUM_THREADS"))
    if (const long n = std::strtol(set, nullptr, 10); n > 0) return static_cast<int>(std::min(n, most_threads));
  return core_share(comm, machine, rank);
}

}  // namespace shardfft
