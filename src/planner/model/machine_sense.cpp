#include "planner/model/machine_sense.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

namespace shardfft {
namespace {

constexpr double slack = 1.5;  // of one core alone: its clock is higher, or it was not quite alone

double giga(double bytes_per_s) { return bytes_per_s / 1e9; }

std::string contradiction_in(const char* name, const ExchangeCost& cost) {
  double before = 0;
  for (std::size_t i = 0; i < cost.sizes.size(); ++i) {
    const double seconds = cost.all_to_all_s[i];
    if (seconds == 0) continue;  // not measured
    if (slack * seconds < before)
      return fmt::format("{}: messages of {} bytes take {:.3g} s, shorter ones {:.3g} s", name, cost.sizes[i], seconds,
                         before);
    before = seconds;
  }
  return {};
}

}  // namespace

int cores_of_node() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

std::string contradiction_in(const Machine& m, int cores) {
  const double core = m.memory_bytes_per_s, node = m.node_bytes_per_s, cache = m.cache_bytes_per_s;
  const Machine usual;
  if (core == usual.memory_bytes_per_s && node == usual.node_bytes_per_s) return {};  // nobody measured them
  if (cache < core)
    return fmt::format("{:.1f} GB/s in cache are less than {:.1f} GB/s in memory", giga(cache), giga(core));
  if (node < core)
    return fmt::format("the node's {:.1f} GB/s are less than one core's {:.1f} GB/s", giga(node), giga(core));
  if (node > slack * cores * core)
    return fmt::format("the node's {:.1f} GB/s are more than {:.1f} GB/s of each of its {} cores", giga(node),
                       giga(core), cores);
  for (const auto& [name, cost] : {std::pair("stores", &m.stores), {"mpi_near", &m.mpi_near}, {"mpi_far", &m.mpi_far}})
    if (std::string found = contradiction_in(name, *cost); !found.empty()) return found;
  return {};
}

std::string measure_until_sensible(Machine& machine, int cores, int most, const std::function<Machine()>& measure) {
  std::string found;
  for (int i = 0; i < most; ++i) {
    const Machine before = machine;
    machine = measure();
    for (double Machine::* rate :
         {&Machine::memory_bytes_per_s, &Machine::node_bytes_per_s, &Machine::cache_bytes_per_s})
      if (i > 0) machine.*rate = std::max(machine.*rate, before.*rate);
    found = contradiction_in(machine, cores);
    if (found.empty()) break;
  }
  return found;
}

}  // namespace shardfft
