// shardfft info
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "launch/launch.hpp"
#include "machine.hpp"
#include "options/plan_options.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/programs/bits.hpp"
#include "shardfft/programs/inventory.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/predict.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

// Said on standard error where it cannot be kept.
void measure(const Comm& comm) {
  for (const std::string& why : measure_and_keep(comm))
    fmt::print(stderr, "shardfft: what was measured is not kept: {}\n", why);
}

Json device_json(const FoundDevice& d) {
  return {{"number", d.number},
          {"name", d.name},
          {"capability", d.capability},
          {"memory_bytes", d.memory_bytes},
          {"free_bytes", d.free_bytes},
          {"cache_bytes", d.cache_bytes},
          {"multiprocessors", d.multiprocessors},
          {"driver", d.driver},
          {"reaches", d.reaches}};
}

Json space_json(const DeviceSpace& s) {
  Json record{{"space", s.space},   {"usable_here", s.reason.empty()}, {"library", s.library},
              {"reason", s.reason}, {"list", Json::array()},           {"machine_measured", s.measured}};
  for (const auto& [name, number] : s.numbers) record["machine"][name] = number;
  if (s.measured) record["machine_text"] = s.text;
  for (const FoundDevice& d : s.devices) record["list"].push_back(device_json(d));
  return record;
}

std::string row(std::string_view head, const std::string& what) { return paragraph(fmt::format("{:<12}", head), what); }

std::string device_text(const std::string& space, const Json& d) {
  const auto capability = d["capability"].get<std::string>();
  const auto reaches = d["reaches"].get<std::vector<int>>();
  return fmt::format("{}:{} {}{}{}, {}, {} free, accesses the memory of {}", space, d["number"].get<int>(),
                     d["name"].get<std::string>(), capability.empty() ? "" : " ", capability,
                     bytes_text(d["memory_bytes"].get<double>()), bytes_text(d["free_bytes"].get<double>()),
                     reaches.empty() ? "no other device" : fmt::format("{}", fmt::join(reaches, ", ")));
}

// Those that can be used.
std::string devices_text(const Json& driver) {
  if (!driver["usable_here"].get<bool>()) return {};
  const auto space = driver["space"].get<std::string>();
  std::string text;
  for (const Json& d : driver["list"]) text += row("device", device_text(space, d));
  return text +
         row("measured",
             fmt::format("{}: {}", space,
                         driver["machine_measured"].get<bool>()
                             ? driver["machine_text"].get<std::string>()
                             : "not yet; measure it with `shardfft info --measure` or `shardfft tune --device`"));
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
              {"rank", comm.rank()},
              {"nodes", comm.nodes()},
              {"comm", comm.kind()},
              {"mpi", mpi_library()},
              {"engines", Json::array()},
              {"transports", Json::array()},
              {"devices", Json::array()},
              {"codecs", Json::array()},
              {"files", {".npy"}}};
  if (files::has_hdf5()) record["files"].push_back(".h5");
  const KnownMachine measured = known_machine(comm);
  record["wisdom_file"] = wisdom_file().string();
  record["machine_measured"] = measured.measured;
  if (measured.measured)
    record["machine"] = {{"memory_bytes_per_s", measured.memory_bytes_per_s},
                         {"node_bytes_per_s", measured.node_bytes_per_s},
                         {"cache_bytes_per_s", measured.cache_bytes_per_s}};
  record["cluster"] = Json::parse(to_text(this_cluster(comm)));  // for `shardfft predict --machine`
  const Inventory here = inventory(comm);
  for (const Backend& e : here.engines)
    record["engines"].push_back({{"name", e.name}, {"usable_here", true}, {"measures", e.measures}});
  for (const Backend& t : here.transports)
    record["transports"].push_back({{"name", t.name}, {"usable_here", t.reason.empty()}, {"reason", t.reason}});
  for (const DeviceSpace& s : here.devices) record["devices"].push_back(space_json(s));
  for (const Backend& c : here.codecs)
    record["codecs"].push_back({{"name", c.name}, {"usable_here", true}, {"about", c.about}});
  record["not_built"] = Json::object();
  for (const auto& [kind, name] : here.not_built) record["not_built"][kind].push_back(name);
  return record;
}

std::string measured_text(const Json& r) {
  if (!r["machine_measured"].get<bool>())
    return "not yet; measure it with `shardfft info --measure` or `shardfft tune`";
  const auto giga = [&](const char* name) { return r["machine"][name].get<double>() / 1e9; };
  return fmt::format("{:.1f} GB/s copying with one core, {:.1f} with the node, {:.1f} in cache",
                     giga("memory_bytes_per_s"), giga("node_bytes_per_s"), giga("cache_bytes_per_s"));
}

std::string usable_text(const Json& r) {
  std::string text;
  for (const Json& e : r["engines"])
    text += row("engine", e["name"].get<std::string>() + (e["measures"].get<bool>() ? " (measures its plans)" : ""));
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
  std::string text =
      fmt::format("shardfft {} on {}{}\n", SHARDFFT_VERSION, m.system,
                  r["ranks"].get<int>() > 1 ? fmt::format(", seen by rank {}", r["rank"].get<int>()) : "");
  text +=
      row("processor", fmt::format("{}, {}, {}", m.cpu.empty() ? "unknown" : m.cpu, counted(m.cores, "core"), m.simd));
  text += row("caches", m.caches.empty() ? "unknown" : fmt::format("{}", fmt::join(m.caches, ", ")));
  text += row("memory", fmt::format("{}, {} available", bytes_text(m.memory), bytes_text(m.memory_available)));
  text += row("/dev/shm", fmt::format("{}, {} free", bytes_text(m.shared_memory), bytes_text(m.shared_memory_free)));
  const auto mpi = r["mpi"].get<std::string>(), file = r["wisdom_file"].get<std::string>();
  text += row("MPI", mpi.empty() ? "not built in" : mpi);
  text += row("ranks", fmt::format("{} on {} ({})", counted(r["ranks"].get<int>(), "rank"),
                                   counted(r["nodes"].get<int>(), "node"), r["comm"].get<std::string>()));
  text += row("files", fmt::format("{}", fmt::join(r["files"].get<std::vector<std::string>>(), " ")));
  text += row("wisdom", file.empty() ? "not kept" : file);
  text += row("measured", measured_text(r));
  return text + usable_text(r) + unusable_text(r);
}

Json pairs_json(const std::vector<PairRates>& pairs) {
  Json rows = Json::array();
  for (const PairRates& p : pairs)
    rows.push_back({{"space", p.space},
                    {"one", p.one},
                    {"other", p.other < 0 ? Json("host") : Json(p.other)},
                    {"way", p.way},
                    {"streams", p.streams},
                    {"there_bytes_per_s", p.there_bytes_per_s},
                    {"back_bytes_per_s", p.back_bytes_per_s},
                    {"swap_bytes_per_s", p.swap_bytes_per_s}});
  return rows;
}

std::string pairs_text(const std::vector<PairRates>& pairs) {
  if (pairs.empty()) return "pairs       no device can be used here\n";
  Table table({"pairs, GB/s", "way", "streams", "there", "back", "swap"});
  const auto giga = [](double rate) { return fmt::format("{:.4g}", rate / 1e9); };
  bool emulated = false;
  for (const PairRates& p : pairs) {
    emulated = emulated || p.space == "emulated";
    table.add({fmt::format("{}:{} - {}", p.space, p.one, p.other < 0 ? "host" : fmt::format("{}", p.other)), p.way,
               fmt::format("{}", p.streams), giga(p.there_bytes_per_s), giga(p.back_bytes_per_s),
               giga(p.swap_bytes_per_s)});
  }
  return table.text() + (emulated ? "emulated devices are memory of the host: their numbers mean nothing\n" : "");
}

/// What of the list of bits these ranks compute otherwise; longer problems take more than a second together.
Json bits_json(const Comm& comm) {
  constexpr Index longest = 40000;
  Json record{
      {"fused", fuses_multiply_adds()}, {"listed", has_listed_bits()}, {"checked", 0}, {"differ", Json::array()}};
  for (const ListedBits& listed : listed_bits()) {
    if (elements_of(listed) > longest) continue;
    record["checked"] = record["checked"].get<int>() + 1;
    if (bits_here(comm, listed.problem, 1) != listed) record["differ"].push_back(listed.problem);
  }
  return record;
}

std::string bits_text(const Json& bits) {
  const auto checked = bits["checked"].get<int>();
  const auto differ = bits["differ"].get<std::vector<std::string>>();
  std::string text =
      row("bits", differ.empty() ? fmt::format("of {} problems: all as listed", checked)
                                 : fmt::format("of {} problems: {} differ from the list", checked, differ.size()));
  if (!bits["fused"].get<bool>())
    return text + row("", "this processor has no fused multiply-adds: its bits are those of others without them");
  if (!bits["listed"].get<bool>())
    return text + row("", "this build has few radices (SHARDFFT_RADICES): its bits are its own");
  for (const std::string& problem : differ) text += row("  differs", problem);
  return text;
}

struct InfoWords {
  bool measures = false, pairs = false, bits = false;
  std::string json{};
};

int info(const Comm& comm, const InfoWords& words) {
  check_side_files(comm, {{"--json", words.json}});
  if (words.measures) measure(comm);
  const MachineFacts facts = look_at_machine();
  Json record = facts_json(comm, facts);
  const std::vector<PairRates> pairs = words.pairs ? measure_pairs(comm) : std::vector<PairRates>();
  if (words.pairs) record["pairs"] = pairs_json(pairs);
  if (words.bits) record["bits"] = bits_json(comm);
  if (comm.rank() == 0 && words.json != "-")
    fmt::print("{}{}{}", facts_text(record, facts), words.pairs ? pairs_text(pairs) : "",
               words.bits ? bits_text(record["bits"]) : "");
  write_json(comm, words.json, record);
  return words.bits && record["bits"]["listed"].get<bool>() && !record["bits"]["differ"].empty() ? 1 : 0;
}

}  // namespace

void add_info(const Command& program, Action& chosen) {
  const auto words = std::make_shared<InfoWords>();
  const Command command = program.add_command("info", "show the machine, what was built in, and what can be used here");
  command.footer(
      "Examples:\n  shardfft info\n  shardfft info --measure\n  shardfft info --pairs\n  shardfft info --bits\n  "
      "mpirun -n 2 shardfft info "
      "--json machine.json");
  command.add_flag(
      "--measure", words->measures,
      "first measure the machine and the devices, and keep what was found: what the planner's model knows of them");
  command.add_flag("--pairs", words->pairs,
                   "also measure how fast each pair of devices, and each device with the host, swap arrays, with one "
                   "and two streams");
  command.add_flag("--bits", words->bits,
                   "also compare results with listed hashes, which all processors share; exit status 1 if any differ");
  add_json(command, words->json);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return info(comm, *words); }; });
}

}  // namespace shardfft::cli
