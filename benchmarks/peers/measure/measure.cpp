#include "measure.hpp"

#include "checks.hpp"
#include "clock.hpp"
#include "energy.hpp"
#include "gpu_energy.hpp"
#include "mpi_traffic.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::peers {
namespace {

/// Collective. The slowest rank's phases, everybody's bytes.
RunFacts over_ranks(const Comm& comm, RunFacts mine) {
  const auto sum = [&](Index& n) { n = all_max(comm, Index{n < 0}) > 0 ? -1 : all_sum(comm, n); };
  sum(mine.bytes_sent_network);
  sum(mine.messages_sent);
  for (auto& [label, seconds] : mine.phases) seconds = all_max(comm, seconds);
  return mine;
}

/// What the library tells, or else what was seen of it. Of several ranks that hand nothing to MPI nothing is known.
RunFacts complete(const Comm& comm, RunFacts facts, const Traffic& before) {
  const Traffic now = traffic_so_far();
  const Index seen = now.messages - before.messages;
  if (facts.messages_sent >= 0 || (comm.size() > 1 && all_max(comm, seen) == 0)) return facts;
  facts.messages_sent = seen;
  facts.bytes_sent_network = now.bytes - before.bytes;
  return facts;
}

}  // namespace

Times measure(const Comm& comm, const Arguments& arguments, Transform& transform) {
  Times times;
  EnergyCounter processors(comm);
  GpuEnergyCounter gpus(comm);
  const auto seconds_and_energy = [&](bool counts, auto&& work) {
    if (counts) gpus.start(), processors.start();
    const double seconds = seconds_of(comm, work);
    if (counts) processors.stop(), gpus.stop();
    return seconds;
  };
  for (int i = -arguments.warmup; i < arguments.iterations; ++i) {
    fill_input(arguments.task, transform);
    comm.barrier();
    const Traffic before = traffic_so_far();
    const double forward = seconds_and_energy(i >= 0, [&] { transform.forward(); });
    const RunFacts facts = over_ranks(comm, complete(comm, transform.last_forward(), before));
    const double backward = seconds_and_energy(i >= 0, [&] { transform.backward(); });
    if (i == -arguments.warmup) times.first_call_s = forward;
    if (i < 0) continue;
    times.forward_s.push_back(forward);
    times.backward_s.push_back(backward);
    times.facts.push_back(facts);
  }
  if (const auto all = processors.joules()) times.energy_j = *all / arguments.iterations;
  if (const auto all = gpus.joules()) times.energy_gpus_j = *all / arguments.iterations;
  return times;
}

}  // namespace shardfft::peers
