#include "shardfft/programs/inventory.hpp"

#include <memory>

#include "codec/codec.hpp"
#include "device/device.hpp"
#include "device/model/device_machine.hpp"
#include "engine/engine.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "transport/transport.hpp"

namespace shardfft {
namespace {

std::shared_ptr<Device> device_of(const Comm& comm, const DeviceDriver& driver) {
  return driver.open(rank_on_node(comm) % driver.count());
}

bool some_rank_has_none(const Comm& comm, const DeviceDriver& driver) {
  return all_max(comm, std::int64_t{driver.count() == 0}) > 0;
}

FoundDevice found(const DeviceDriver& driver, int number) {
  const auto device = driver.open(number);
  const DeviceFacts f = device->facts();
  FoundDevice result{.number = number,
                     .name = f.name,
                     .capability = f.capability,
                     .memory_bytes = f.memory_bytes,
                     .free_bytes = f.free_bytes,
                     .cache_bytes = f.cache_bytes,
                     .multiprocessors = f.multiprocessors,
                     .driver = f.driver};
  for (int other = 0; other < driver.count(); ++other)
    if (other != number && device->reaches(*driver.open(other))) result.reaches.push_back(other);
  return result;
}

/// Collective. Which devices there are, and which of them reach each other's memory.
DeviceSpace space_of(const Comm& comm, const DeviceDriver& driver) {
  DeviceSpace result{.space = std::string(driver.space()), .library = driver.library()};
  if (driver.count() == 0) result.reason = driver.why_none();
  if (some_rank_has_none(comm, driver)) return result;
  const DeviceMachine machine = known_device(comm, *device_of(comm, driver), result.space);
  result.measured = machine.measured;
  if (machine.measured) {
    for_each_device_number(
        machine, [&](const std::string& name, const double& number) { result.numbers.emplace_back(name, number); });
    result.text = to_string(machine);
  }
  for (int i = 0; i < driver.count(); ++i) result.devices.push_back(found(driver, i));
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

/// Collective: opens it, as a plan would, and closes it. Empty where that works; else why not, on all ranks.
std::string why_not_open(const Comm& comm, const Transport& transport, Device* device) {
  std::unique_ptr<Queue> queue;
  Traffic traffic = short_messages(comm.size());
  try {
    if (device)
      collectively(comm, [&] {
        queue = device->make_queue();
        traffic.on = {device, queue.get()};
      });
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
    return "stands for other transports in plans that are only looked at, as by `shardfft explain`";
  if (std::string reason = transport.refuses(comm); !reason.empty()) return reason;
  if (!transport.on_device()) return why_not_open(comm, transport, nullptr);
  std::string reason = "moves messages in the memory of devices, of which there are none here";
  for (const DeviceDriver* driver : device_drivers()) {
    if (some_rank_has_none(comm, *driver)) continue;
    reason = why_not_open(comm, transport, device_of(comm, *driver).get());
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
  for (const char* name : {"mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mixed_rma", "mpi_device", "nccl"})
    note("transport", name, find_transport(name) != nullptr);
  for (const char* name : {"cuda", "hip"}) note("device", name, find_driver(name) != nullptr);
  note("codec", "zfp", find_codec("zfp") != nullptr);
  return result;
}

}  // namespace

Inventory inventory(const Comm& comm) {
  Inventory result;
  for (const Engine* e : engines())
    result.engines.push_back({.name = std::string(e->name()), .measures = e->measures()});
  for (const Transport* t : transports())
    result.transports.push_back({.name = std::string(t->name()), .reason = why_unusable(comm, *t)});
  for (const DeviceDriver* driver : device_drivers()) result.devices.push_back(space_of(comm, *driver));
  for (const Codec* c : codecs())
    result.codecs.push_back({.name = std::string(c->name()), .about = std::string(c->about())});
  result.not_built = not_built();
  return result;
}

}  // namespace shardfft
