#include "planner/decide/backends.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/decide/rank_device.hpp"
#include "shardfft/error.hpp"
#include "support/text/did_you_mean.hpp"
#include "transport/dry_run.hpp"

namespace shardfft {
namespace {

template <class Registry>
[[noreturn]] void refuse_name(const char* option, const Registry& registry, const std::string& wanted) {
  std::vector<std::string> all;
  for (const auto* entry : registry) all.emplace_back(entry->name());
  throw Error(
      Status::unsupported,
      fmt::format(
          "{} is one of those compiled in: {}; got '{}'{}; name one of these, or leave the choice to the planner",
          option, fmt::join(all, ", "), wanted, did_you_mean(wanted, all)));
}

// A plan that never runs takes a stand-in.
const Transport* named_transport(const Comm& comm, const std::string& wanted) {
  const Transport* transport = find_transport(wanted);
  if (!transport) refuse_name("transport", transports(), wanted);
  return comm.kind() == "dry_run" ? &dry_run_of(*transport) : transport;
}

}  // namespace

// A device has its vendor's library, and perhaps kernels that do all of a sweep. Where it was not measured, the model
// computes with an engine of the host all the same.
std::string choose_on_device(const std::string& wanted, const RankDevice& device, bool holds_arrays) {
  if (wanted != "fused" && wanted != "library" && !wanted.empty())
    throw Error(
        Status::unsupported,
        fmt::format(
            "engine is one of library, fused for a plan on a device; got '{}'{}; leave it empty to take the library",
            wanted, did_you_mean(wanted, {"library", "fused"})));
  if (wanted == "fused" && !holds_arrays)
    throw Error(Status::unsupported,
                "engine fused is for arrays on a device; got arrays = host; take the engine library");
  if (wanted == "fused" && !has_fused_kernels(device.space()))
    throw Error(Status::unsupported, fmt::format("engine fused needs kernels that this build has not for {}; take the "
                                                 "engine library, or build with cuFFTDx (docs/gpu.md)",
                                                 device.space()));
  return wanted.empty() ? "library" : wanted;
}

const Engine* choose_engine(const std::string& wanted) {
  if (wanted.empty()) return engines().front();
  if (const Engine* engine = find_engine(wanted)) return engine;
  refuse_name("engine", engines(), wanted);
}

// Best first. A forced one stands alone; one that wisdom names comes first.
std::vector<const Transport*> choose_transports(const Comm& comm, const std::string& wanted, bool forced,
                                                const RankDevice* holder) {
  if (!wanted.empty()) {
    const Transport* transport = named_transport(comm, wanted);
    if (const std::string why = why_not(*transport, comm, holder); !why.empty())
      throw Error(
          Status::unsupported,
          fmt::format("transport {} cannot serve these ranks: {}; leave the choice to the planner or name another",
                      wanted, why));
    if (forced && transport->fallback()) return {transport, transport->fallback()};
    if (forced) return {transport};
  }
  std::vector<const Transport*> all;
  if (!wanted.empty()) all.push_back(named_transport(comm, wanted));
  for (const Transport* t : transports()) {
    const bool fits = t->stands_for_any() == (comm.kind() == "dry_run");
    if (t->name() != wanted && !t->fallback() && fits && why_not(*t, comm, holder).empty()) all.push_back(t);
  }
  if (all.empty())
    throw Error(Status::unsupported,
                fmt::format("no transport of this build serves {} ranks of kind {}", comm.size(), comm.kind()));
  return all;
}

std::string why_not(const Transport& t, const Comm& comm, const RankDevice* holder) {
  if (!t.stands_for_any() && t.on_device() != (holder != nullptr))
    return holder ? "it moves messages of the host's memory, and the arrays are on a device"
                  : "it moves messages in the memory of devices, and the arrays are on the host";
  if (holder)
    if (std::string why = t.refuses(*holder->device()); !why.empty()) return why;
  return t.refuses(comm);
}

// Every rank answers alike.
bool stores_everywhere(const Comm& comm, const Transport& t) {
  const StoreReach reach = t.store_reach();
  return reach == StoreReach::all || comm.size() == 1 || (reach == StoreReach::node && comm.nodes() == 1);
}

Path path_of(const Comm& comm, const Transport& t) {
  if (stores_everywhere(comm, t)) return Path::stores;
  return t.store_reach() == StoreReach::node ? Path::mixed : Path::mpi;
}

bool is_near(const Comm& comm, const Transport& transport, int peer) {
  const StoreReach reach = transport.store_reach();
  if (reach == StoreReach::all) return true;
  const bool in_node = transport.on_device() || reach == StoreReach::node;
  return in_node ? comm.node(peer) == comm.node(comm.rank()) : peer == comm.rank();
}

std::string priced_as(const Comm& comm, const Transport& transport) {
  if (transport.on_device()) return {};
  switch (path_of(comm, transport)) {
    case Path::stores:
      return "stores into the memory of the reader";
    case Path::mixed:
      return "stores inside a node and MPI between nodes";
    default:
      return "messages of MPI between all ranks, whichever way MPI moves them";
  }
}

int rank_on_node(const Comm& comm) {
  int before = 0;
  for (int r = 0; r < comm.rank(); ++r) before += comm.node(r) == comm.node(comm.rank());
  return before;
}

}  // namespace shardfft
