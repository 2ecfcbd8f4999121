// The machine as programs see it: shardfft/programs/machine.hpp.
#include "shardfft/programs/machine.hpp"

#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "planner/decide/rank_device.hpp"
#include "planner/measure/measure_machine.hpp"
#include "planner/model/machine.hpp"
#include "planner/model/machine_file.hpp"
#include "planner/options/choices.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {

KnownMachine known_machine(const Comm& comm) {
  const Machine m = this_machine(comm);
  return {.measured = m.measured,
          .cores = m.cores,
          .l2_bytes = m.l2_bytes,
          .l3_bytes = m.l3_bytes,
          .memory_bytes_per_s = m.memory_bytes_per_s,
          .node_bytes_per_s = m.node_bytes_per_s,
          .cache_bytes_per_s = m.cache_bytes_per_s};
}

std::vector<std::string> measure_and_keep(const Comm& comm) {
  std::vector<std::string> lost;
  const auto note = [&](std::string why) {
    if (!why.empty()) lost.push_back(std::move(why));
  };
  Machine known = this_machine(comm);
  known.measured = known.exchanges_measured = false;
  const Machine machine = measure_machine(comm, known);
  if (comm.rank() == 0 && machine.measured) note(keep_measured(machine, comm));
  for (const std::string& space : device_spaces()) {
    if (all_max(comm, std::int64_t{device_count(space) == 0}) > 0) continue;  // some rank has none
    const auto device = find_rank_device(space, rank_on_node(comm));
    device->know(comm, space);
    note(device->measure(comm));
  }
  return lost;
}

std::vector<PairRates> measure_pairs(const Comm& comm) {
  std::vector<PairRates> all;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& space : device_spaces())
      for (PairRates& row : pairs_of(space)) all.push_back(std::move(row));
  });
  return all;
}

int usual_threads(const Comm& comm) {
  const int said = choose_from({}).options.threads;
  return said > 0 ? said : default_threads(comm, this_machine(comm), comm.rank());
}

}  // namespace shardfft
