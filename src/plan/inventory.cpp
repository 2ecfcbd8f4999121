#include "shardfft/programs/inventory.hpp"

#include <algorithm>

#include "codec/codec.hpp"
#include "engine/engine.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "planner/decide/rank_device.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/parts.hpp"
#include "support/comm/agree.hpp"
#include "transport/transport.hpp"

namespace shardfft {
namespace {

bool some_rank_has_none(const Comm& comm, std::string_view space) {
  return all_max(comm, std::int64_t{device_count(space) == 0}) > 0;
}

/// Collective. Which devices there are, and which of them reach each other's memory.
DeviceSpace space_of(const Comm& comm, const std::string& space) {
  DeviceSpace result{.space = space, .library = device_library(space), .reason = why_none_of(space)};
  if (some_rank_has_none(comm, space)) return result;
  const auto device = find_rank_device(space, rank_on_node(comm));
  device->know(comm, space);
  result.measured = device->is_measured();
  result.numbers = device->numbers();
  result.text = device->times();
  result.devices = found_devices(space);
  return result;
}

/// A short message from every rank to every rank, forward and backward.
Traffic short_messages(int ranks) {
  constexpr Index bytes = 64;
  Round round;
  round.inbox_bytes = bytes * ranks;
  for (int peer = 0; peer < ranks; ++peer) {
    round.out.push_back({.peer = peer, .bytes = bytes});
    round.in.push_back({.peer = peer, .offset = bytes * peer, .bytes = bytes});
  }
  Traffic traffic;
  traffic.rounds = {round, round};
  return traffic;
}

/// Collective: opens it, as a plan would, for devices of `space` if there is one, and closes it. Empty where that
/// works; else why not, on all ranks.
std::string why_not_open(const Comm& comm, const Transport& transport, const std::string& space) {
  Traffic traffic = short_messages(comm.size());
  try {
    if (!space.empty())
      collectively(comm, [&] { traffic.on = find_rank_device(space, rank_on_node(comm))->make_context(); });
    (void)transport.open(comm, traffic);
    return transport.probe(comm);
  } catch (const Error& e) {
    if (e.status() == Status::transport_failed || e.status() == Status::internal) throw;
    return e.what();
  }
}

/// Collective. Empty where ranks like these can use it here and now; else why not.
std::string why_unusable(const Comm& comm, const Transport& transport) {
  if (transport.stands_for_any())
    return "stands for the transports of real ranks in plans that never run, as those of `shardfft explain`";
  if (std::string reason = transport.refuses(comm); !reason.empty()) return reason;
  if (!transport.on_device()) return why_not_open(comm, transport, {});
  std::string reason = "moves messages in the memory of devices, of which there are none here";
  for (const std::string& space : device_spaces()) {
    if (some_rank_has_none(comm, space)) continue;
    reason = why_not_open(comm, transport, space);
    if (reason.empty()) break;
  }
  return reason;
}

/// By kind and name.
std::vector<std::pair<std::string, std::string>> not_built() {
  std::vector<std::pair<std::string, std::string>> result;
  const auto note = [&](const char* kind, const char* name, bool built) {
    if (!built) result.emplace_back(kind, name);
  };
  for (const char* name : {"fftw", "mkl"}) note("engine", name, find_engine(name) != nullptr);
  for (const char* name :
       {"mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mpi_node", "mixed_rma", "mpi_device", "nccl"})
    note("transport", name, find_transport(name) != nullptr);
  const std::vector<std::string> spaces = device_spaces();
  for (const char* name : {"cuda", "hip", "sycl"}) note("device", name, std::ranges::count(spaces, name) > 0);
  note("codec", "zfp", find_codec("zfp") != nullptr);
  return result;
}

}  // namespace

std::vector<std::string> parts_of_build() {
  std::vector<std::string> names = device_spaces();
  for (const Engine* e : engines()) names.emplace_back(e->name());
  for (const Transport* t : transports()) names.emplace_back(t->name());
  for (const Codec* c : codecs()) names.emplace_back(c->name());
  return names;
}

Inventory inventory(const Comm& comm) {
  Inventory result;
  for (const Engine* e : engines())
    result.engines.push_back({.name = std::string(e->name()), .measures = e->measures()});
  for (const Transport* t : transports())
    result.transports.push_back({.name = std::string(t->name()), .reason = why_unusable(comm, *t)});
  for (const std::string& space : device_spaces()) result.devices.push_back(space_of(comm, space));
  for (const Codec* c : codecs())
    result.codecs.push_back({.name = std::string(c->name()), .about = std::string(c->about())});
  result.not_built = not_built();
  return result;
}

}  // namespace shardfft
