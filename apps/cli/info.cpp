// shardfft info
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/codec.hpp"
#include "commands.hpp"
#include "costs.hpp"
#include "device/device.hpp"
#include "engine/engine.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "plan_options.hpp"
#include "planner/cache_files.hpp"
#include "planner/device_file.hpp"
#include "planner/machine.hpp"
#include "planner/machine_file.hpp"
#include "planner/measure_device.hpp"
#include "planner/measure_machine.hpp"
#include "planner/planner.hpp"
#include "shardfft/version.hpp"
#include "side_files.hpp"
#include "support/agree.hpp"
#include "table.hpp"
#include "transport/transport.hpp"

namespace shardfft::cli {
namespace {

std::shared_ptr<Device> device_of(const Comm& comm, const DeviceDriver& driver) { return driver.open(rank_on_node(comm) % driver.count()); }

bool some_rank_has_none(const Comm& comm, const DeviceDriver& driver) { return all_max(comm, std::int64_t{driver.count() == 0}) > 0; }

// What there is on rank 0's node, everything anew. Said on standard error where it cannot be kept.
void measure(const Comm& comm) {
  const auto say = [&](const std::string& why) {
    if (!why.empty()) fmt::print(stderr, "shardfft: what was measured is not kept: {}\n", why);
  };
  Machine known = this_machine(comm);
  known.measured = known.exchanges_measured = false;
  const Machine machine = measure_machine(comm, known);
  if (comm.rank() == 0) say(keep_measured(machine, comm));
  for (const DeviceDriver* driver : device_drivers()) {
    if (some_rank_has_none(comm, *driver)) continue;
    const auto device = device_of(comm, *driver);
    const DeviceMachine found = measure_device(comm, known_device(comm, *device, std::string(driver->space())), device);
    if (comm.rank() == 0) say(keep_measured(found, *device));
  }
}

// Which devices there are, and which of them reach each other's memory.
Json driver_json(const Comm& comm, const DeviceDriver& driver) {
  Json record{{"space", driver.space()}, {"library", driver.library()}, {"reason", driver.count() > 0 ? "" : driver.why_none()}, {"list", Json::array()}};
  record["machine_measured"] = false;
  if (some_rank_has_none(comm, driver)) return record;
  const DeviceMachine measured = known_device(comm, *device_of(comm, driver), std::string(driver.space()));
  record["machine_measured"] = measured.measured;
  if (measured.measured) {
    for_each_device_number(measured, [&](const std::string& name, const double& number) { record["machine"][name] = number; });
    record["machine_text"] = to_string(measured);
  }
  for (int i = 0; i < driver.count(); ++i) {
    const auto device = driver.open(i);
    const DeviceFacts f = device->facts();
    Json peers = Json::array();
    for (int j = 0; j < driver.count(); ++j)
      if (j != i && device->reaches(*driver.open(j))) peers.push_back(j);
    record["list"].push_back({{"number", i}, {"name", f.name}, {"capability", f.capability}, {"memory_bytes", f.memory_bytes}, {"free_bytes", f.free_bytes}, {"cache_bytes", f.cache_bytes}, {"multiprocessors", f.multiprocessors}, {"driver", f.driver}, {"reaches", peers}});
  }
  return record;
}

std::string devices_text(const Json& driver) {
  const auto space = driver["space"].get<std::string>();
  if (driver["list"].empty()) return fmt::format("device      {}: none: {}\n", space, driver["reason"].get<std::string>());
  std::string text;
  for (const Json& d : driver["list"])
    text += fmt::format("device      {}:{} {}{}{}, {}, {} free, reaches {}\n", space, d["number"].get<int>(), d["name"].get<std::string>(), d["capability"].get<std::string>().empty() ? "" : " ",
                        d["capability"].get<std::string>(), bytes_text(d["memory_bytes"].get<Index>()), bytes_text(d["free_bytes"].get<Index>()), d["reaches"].empty() ? "no other one" : fmt::format("{}", fmt::join(d["reaches"].get<std::vector<int>>(), ", ")));
  return text + fmt::format("measured    {}: {}\n", space, driver["machine_measured"].get<bool>() ? driver["machine_text"].get<std::string>() : "not yet; `shardfft info --measure` and `shardfft tune --device` do");
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
    record["machine"] = {{"memory_bytes_per_s", measured.memory_bytes_per_s}, {"node_bytes_per_s", measured.node_bytes_per_s}, {"cache_bytes_per_s", measured.cache_bytes_per_s}};
  for (const Engine* e : engines()) record["engines"].push_back({{"name", e->name()}, {"measures", e->measures()}});
  for (const Transport* t : transports()) {
    const std::string reason = t->refuses(comm);
    record["transports"].push_back({{"name", t->name()}, {"usable_here", reason.empty()}, {"reason", reason}});
  }
  for (const DeviceDriver* driver : device_drivers()) record["devices"].push_back(driver_json(comm, *driver));
  for (const Codec* c : codecs()) record["codecs"].push_back({{"name", c->name()}, {"about", c->about()}});
  return record;
}

std::string facts_text(const Json& r, const MachineFacts& m) {
  std::string text = fmt::format("shardfft {} on {}\n", SHARDFFT_VERSION, m.system);
  text += fmt::format("processor   {}, {} cores, {}\n", m.cpu.empty() ? "unknown" : m.cpu, m.cores, m.simd);
  text += fmt::format("caches      {}\n", m.caches.empty() ? "unknown" : fmt::format("{}", fmt::join(m.caches, ", ")));
  text += fmt::format("memory      {}, {} available\n", bytes_text(m.memory), bytes_text(m.memory_available));
  text += fmt::format("/dev/shm    {}, {} free\n", bytes_text(m.shared_memory), bytes_text(m.shared_memory_free));
  const auto mpi = r["mpi"].get<std::string>();
  text += fmt::format("MPI         {}\n", mpi.empty() ? "not built in" : mpi);
  text += fmt::format("ranks       {} on {} node{} ({})\n", r["ranks"].get<int>(), r["nodes"].get<int>(), r["nodes"] > 1 ? "s" : "",
                      r["comm"].get<std::string>());
  const auto file = r["wisdom_file"].get<std::string>();
  text += fmt::format("wisdom      {}\n", file.empty() ? "not kept" : file);
  text += r["machine_measured"] ? fmt::format("measured    {:.1f} GB/s copying with one core, {:.1f} with the node, {:.1f} in cache\n", r["machine"]["memory_bytes_per_s"].get<double>() / 1e9,
                                              r["machine"]["node_bytes_per_s"].get<double>() / 1e9, r["machine"]["cache_bytes_per_s"].get<double>() / 1e9)
                                : std::string("measured    not yet; `shardfft tune` does\n");
  for (const Json& e : r["engines"])
    text += fmt::format("engine      {}{}\n", e["name"].get<std::string>(), e["measures"].get<bool>() ? " (measures)" : "");
  for (const Json& t : r["transports"]) {
    const auto reason = t["reason"].get<std::string>();
    text += fmt::format("transport   {}{}\n", t["name"].get<std::string>(), reason.empty() ? "" : ": not here: " + reason);
  }
  for (const Json& driver : r["devices"]) text += devices_text(driver);
  for (const Json& c : r["codecs"]) text += fmt::format("codec       {}: {}\n", c["name"].get<std::string>(), c["about"].get<std::string>());
  return text;
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
  command.footer("Examples:\n  shardfft info\n  shardfft info --measure\n  mpirun -n 2 shardfft info --json machine.json");
  command.add_flag("--measure", words->measures, "first measure the machine and the devices, and keep what was found: what the planner's model knows of them");
  add_json(command, words->json);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return info(comm, *words); }; });
}

}  // namespace shardfft::cli
