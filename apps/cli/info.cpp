// shardfft info
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/codec.hpp"
#include "commands.hpp"
#include "costs.hpp"
#include "device/device.hpp"
#include "device/model/device_file.hpp"
#include "device/model/measure_device.hpp"
#include "engine/engine.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "plan_options.hpp"
#include "planner/decide/planner.hpp"
#include "planner/measure/measure_machine.hpp"
#include "planner/model/machine.hpp"
#include "planner/model/machine_file.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "shardfft/error.hpp"
#include "shardfft/version.hpp"
#include "side_files.hpp"
#include "support/comm/agree.hpp"
#include "table.hpp"
#include "transport/transport.hpp"

namespace shardfft::cli {
namespace {

std::shared_ptr<Device> device_of(const Comm& comm, const DeviceDriver& driver) {
  return driver.open(rank_on_node(comm) % driver.count());
}

bool some_rank_has_none(const Comm& comm, const DeviceDriver& driver) {
  return all_max(comm, std::int64_t{driver.count() == 0}) > 0;
}

// What there is on rank 0's node, everything anew. Said on standard error where it cannot be kept.
void measure(const Comm& comm) {
  const auto say = [&](const std::string& why) {
    if (!why.empty()) fmt::print(stderr, "shardfft: what was measured is not kept: {}\n", why);
  };
  Machine known = this_machine(comm);
  known.measured = known.exchanges_measured = false;
  const Machine machine = measure_machine(comm, known);
  if (comm.rank() == 0 && machine.measured) say(keep_measured(machine, comm));
  for (const DeviceDriver* driver : device_drivers()) {
    if (some_rank_has_none(comm, *driver)) continue;
    const auto device = device_of(comm, *driver);
    const DeviceMachine found = measure_device(comm, known_device(comm, *device, std::string(driver->space())), device);
    if (comm.rank() == 0) say(keep_measured(found, *device));
  }
}

// Which devices there are, and which of them reach each other's memory.
Json driver_json(const Comm& comm, const DeviceDriver& driver) {
  const bool usable = driver.count() > 0;
  Json record{{"space", driver.space()},
              {"usable_here", usable},
              {"library", driver.library()},
              {"reason", usable ? "" : driver.why_none()},
              {"list", Json::array()}};
  record["machine_measured"] = false;
  if (some_rank_has_none(comm, driver)) return record;
  const DeviceMachine measured = known_device(comm, *device_of(comm, driver), std::string(driver.space()));
  record["machine_measured"] = measured.measured;
  if (measured.measured) {
    for_each_device_number(measured,
                           [&](const std::string& name, const double& number) { record["machine"][name] = number; });
    record["machine_text"] = to_string(measured);
  }
  for (int i = 0; i < driver.count(); ++i) {
    const auto device = driver.open(i);
    const DeviceFacts f = device->facts();
    Json peers = Json::array();
    for (int j = 0; j < driver.count(); ++j)
      if (j != i && device->reaches(*driver.open(j))) peers.push_back(j);
    record["list"].push_back({{"number", i},
                              {"name", f.name},
                              {"capability", f.capability},
                              {"memory_bytes", f.memory_bytes},
                              {"free_bytes", f.free_bytes},
                              {"cache_bytes", f.cache_bytes},
                              {"multiprocessors", f.multiprocessors},
                              {"driver", f.driver},
                              {"reaches", peers}});
  }
  return record;
}

std::string row(std::string_view head, const std::string& what) { return paragraph(fmt::format("{:<12}", head), what); }

std::string device_text(const std::string& space, const Json& d) {
  const auto capability = d["capability"].get<std::string>();
  const auto reaches = d["reaches"].get<std::vector<int>>();
  return fmt::format("{}:{} {}{}{}, {}, {} free, reaches {}", space, d["number"].get<int>(),
                     d["name"].get<std::string>(), capability.empty() ? "" : " ", capability,
                     bytes_text(d["memory_bytes"].get<double>()), bytes_text(d["free_bytes"].get<double>()),
                     reaches.empty() ? "no other one" : fmt::format("{}", fmt::join(reaches, ", ")));
}

// Those that can be used.
std::string devices_text(const Json& driver) {
  if (!driver["usable_here"].get<bool>()) return {};
  const auto space = driver["space"].get<std::string>();
  std::string text;
  for (const Json& d : driver["list"]) text += row("device", device_text(space, d));
  return text +
         row("measured", fmt::format("{}: {}", space,
                                     driver["machine_measured"].get<bool>()
                                         ? driver["machine_text"].get<std::string>()
                                         : "not yet; `shardfft info --measure` and `shardfft tune --device` do"));
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
std::string why_not(const Comm& comm, const Transport& transport) {
  if (transport.name() == "dry_run")
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

/// What this build could have had and has not, by kind.
Json not_built() {
  Json record = Json::object();
  const auto note = [&](const char* kind, std::string_view name, bool built) {
    if (!built) record[kind].push_back(name);
  };
  for (const char* name : {"fftw", "mkl"}) note("engine", name, find_engine(name) != nullptr);
  for (const char* name : {"mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mixed_rma", "mpi_device", "nccl"})
    note("transport", name, find_transport(name) != nullptr);
  for (const char* name : {"cuda", "hip"}) note("device", name, find_driver(name) != nullptr);
  for (const char* name : {"zfp", "lossless_zstd"}) note("codec", name, find_codec(name) != nullptr);
  return record;
}

Json facts_json(const Comm& comm, const MachineFacts& m) {
  Json record{{"command", "info"},
              {"version", SHARDFFT_VERSION},
              {"system", m.system},
              {"cpu", m.cpu},
              {"cores", m.cores},
              {"simd", m.simd},
              {"caches", m.caches},
              {"memory_bytes", m.memory},
              {"memory_available_bytes", m.memory_available},
              {"shared_memory_bytes", m.shared_memory},
              {"shared_memory_free_bytes", m.shared_memory_free},
              {"ranks", comm.size()},
              {"nodes", comm.nodes()},
              {"comm", comm.kind()},
              {"mpi", mpi_library()},
              {"engines", Json::array()},
              {"transports", Json::array()},
              {"devices", Json::array()},
              {"codecs", Json::array()}};
  const Machine measured = this_machine(comm);
  record["wisdom_file"] = wisdom_file().string();
  record["machine_measured"] = measured.measured;
  if (measured.measured)
    record["machine"] = {{"memory_bytes_per_s", measured.memory_bytes_per_s},
                         {"node_bytes_per_s", measured.node_bytes_per_s},
                         {"cache_bytes_per_s", measured.cache_bytes_per_s}};
  for (const Engine* e : engines())
    record["engines"].push_back({{"name", e->name()}, {"usable_here", true}, {"measures", e->measures()}});
  for (const Transport* t : transports()) {
    const std::string reason = why_not(comm, *t);
    record["transports"].push_back({{"name", t->name()}, {"usable_here", reason.empty()}, {"reason", reason}});
  }
  for (const DeviceDriver* driver : device_drivers()) record["devices"].push_back(driver_json(comm, *driver));
  for (const Codec* c : codecs())
    record["codecs"].push_back({{"name", c->name()}, {"usable_here", true}, {"about", c->about()}});
  record["not_built"] = not_built();
  return record;
}

std::string measured_text(const Json& r) {
  if (!r["machine_measured"].get<bool>()) return "not yet; `shardfft tune` does";
  const auto giga = [&](const char* name) { return r["machine"][name].get<double>() / 1e9; };
  return fmt::format("{:.1f} GB/s copying with one core, {:.1f} with the node, {:.1f} in cache",
                     giga("memory_bytes_per_s"), giga("node_bytes_per_s"), giga("cache_bytes_per_s"));
}

std::string usable_text(const Json& r) {
  std::string text;
  for (const Json& e : r["engines"])
    text += row("engine", e["name"].get<std::string>() + (e["measures"].get<bool>() ? " (measures)" : ""));
  for (const Json& t : r["transports"])
    if (t["usable_here"].get<bool>()) text += row("transport", t["name"].get<std::string>());
  for (const Json& driver : r["devices"]) text += devices_text(driver);
  for (const Json& c : r["codecs"])
    text += row("codec", fmt::format("{}: {}", c["name"].get<std::string>(), c["about"].get<std::string>()));
  return text;
}

std::string unusable_text(const Json& r) {
  std::string text;
  const auto add = [&](std::string_view kind, const Json& name, const std::string& why) {
    text += row(fmt::format("  {}", kind), fmt::format("{}: {}", name.get<std::string>(), why));
  };
  for (const Json& t : r["transports"])
    if (!t["usable_here"].get<bool>()) add("transport", t["name"], t["reason"].get<std::string>());
  for (const Json& driver : r["devices"])
    if (!driver["usable_here"].get<bool>()) add("device", driver["space"], driver["reason"].get<std::string>());
  for (const auto& [kind, names] : r["not_built"].items())
    for (const Json& name : names) add(kind, name, "not built in");
  return text.empty() ? text : "not usable here:\n" + text;
}

std::string facts_text(const Json& r, const MachineFacts& m) {
  std::string text = fmt::format("shardfft {} on {}\n", SHARDFFT_VERSION, m.system);
  text +=
      row("processor", fmt::format("{}, {}, {}", m.cpu.empty() ? "unknown" : m.cpu, counted(m.cores, "core"), m.simd));
  text += row("caches", m.caches.empty() ? "unknown" : fmt::format("{}", fmt::join(m.caches, ", ")));
  text += row("memory", fmt::format("{}, {} available", bytes_text(m.memory), bytes_text(m.memory_available)));
  text += row("/dev/shm", fmt::format("{}, {} free", bytes_text(m.shared_memory), bytes_text(m.shared_memory_free)));
  const auto mpi = r["mpi"].get<std::string>(), file = r["wisdom_file"].get<std::string>();
  text += row("MPI", mpi.empty() ? "not built in" : mpi);
  text += row("ranks", fmt::format("{} on {} ({})", counted(r["ranks"].get<int>(), "rank"),
                                   counted(r["nodes"].get<int>(), "node"), r["comm"].get<std::string>()));
  text += row("wisdom", file.empty() ? "not kept" : file);
  text += row("measured", measured_text(r));
  return text + usable_text(r) + unusable_text(r);
}

struct InfoWords {
  bool measures = false;
  std::string json{};
};

int info(const Comm& comm, const InfoWords& words) {
  check_side_files(comm, {{"--json", words.json}});
  if (words.measures) measure(comm);
  const MachineFacts facts = look_at_machine();
  const Json record = facts_json(comm, facts);
  if (comm.rank() == 0 && words.json != "-") fmt::print("{}", facts_text(record, facts));
  write_json(comm, words.json, record);
  return 0;
}

}  // namespace

void add_info(const Command& program, Action& chosen) {
  const auto words = std::make_shared<InfoWords>();
  const Command command = program.add_command("info", "show the machine, what was built in, and what can be used here");
  command.footer(
      "Examples:\n  shardfft info\n  shardfft info --measure\n  mpirun -n 2 shardfft info --json machine.json");
  command.add_flag(
      "--measure", words->measures,
      "first measure the machine and the devices, and keep what was found: what the planner's model knows of them");
  add_json(command, words->json);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return info(comm, *words); }; });
}

}  // namespace shardfft::cli
