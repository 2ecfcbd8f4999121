#include "planner/model/machine_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "planner/model/machine_numbers.hpp"
#include "planner/model/machine_sense.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "shardfft/error.hpp"
#include "shardfft/version.hpp"

namespace shardfft {
namespace {

using nlohmann::json;

using machine_numbers::Names;
using machine_numbers::Zero;

// One list of what is kept: visit(names, number, whether it may be 0), for writing and for reading.
template <class M, class Visit>
void for_each_number(M& m, Visit visit) {
  visit({"memory_bytes_per_s"}, m.memory_bytes_per_s, Zero::refused);
  visit({"node_bytes_per_s"}, m.node_bytes_per_s, Zero::refused);
  visit({"cache_bytes_per_s"}, m.cache_bytes_per_s, Zero::refused);
  visit({"team_s"}, m.team_s, Zero::allowed);
  const auto rates = [&](const std::string& engine, const char* scalar, auto& r) {
    for (std::size_t i = 0; i < Rates::lengths.size(); ++i)
      visit({"flops", engine, scalar, fmt::format("length_{}", Rates::lengths[i])}, r.of_power[i], Zero::refused);
    visit({"flops", engine, scalar, "share_of_mixed_lengths"}, r.of_mixed, Zero::refused);
    visit({"flops", engine, scalar, "share_of_prime_lengths"}, r.of_prime, Zero::refused);
  };
  for (std::size_t e = 0; e < std::min(engines().size(), std::size_t{Machine::most_engines}); ++e) {
    rates(std::string(engines()[e]->name()), "f64", m.f64[e]);
    rates(std::string(engines()[e]->name()), "f32", m.f32[e]);
  }
}

// Likewise, of the exchanges between some number of ranks.
template <class M, class Visit>
void for_each_exchange(M& m, Visit visit) {
  const auto way = [&](const char* name, auto& w, Zero wire) {
    visit({name, "epoch_s"}, w.epoch_s, Zero::allowed);
    visit({name, "message_s"}, w.message_s, Zero::allowed);
    visit({name, "bytes_per_s"}, w.bytes_per_s, wire);
    for (std::size_t i = 0; i < ExchangeCost::sizes.size(); ++i)
      visit({name, fmt::format("all_to_all_of_{}_bytes_s", ExchangeCost::sizes[i])}, w.all_to_all_s[i], Zero::allowed);
  };
  way("stores", m.stores, Zero::allowed);  // the sweep moves the bytes
  way("mpi_near", m.mpi_near, Zero::refused);
  way("mpi_far", m.mpi_far, Zero::refused);
}

void read_from(const json& entry, const std::string& ranks, Machine& machine) {
  if (!entry.is_object())
    throw Error(Status::io_failed,
                fmt::format("{} is damaged: the entry of this machine is {}; measure again: shardfft info --measure",
                            machine_file().string(), entry.type_name()));
  Machine found = machine;
  for_each_number(
      found, [&](const Names& names, double& number, Zero zero) { machine_numbers::read(entry, names, number, zero); });
  found.measured = true;
  if (const json::json_pointer p = json::json_pointer("/exchanges") / ranks; entry.contains(p)) {
    for_each_exchange(found, [&](const Names& names, double& number, Zero zero) {
      machine_numbers::read(entry.at(p), names, number, zero);
    });
    found.exchanges_measured = true;
  }
  if (const std::string why = contradiction_in(found, cores_of_node()); !why.empty())
    throw Error(Status::io_failed,
                fmt::format("{} was measured on a busy machine: {}; measure again: shardfft info --measure",
                            machine_file().string(), why));
  machine = found;
}

}  // namespace

std::string machine_key() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{} | {} | {}", host.data(), processor_text(), SHARDFFT_VERSION);
}

void load_measured(Machine& machine, const Comm& comm) {
  if (machine_file().empty()) return;
  try {
    const json entries = machine_numbers::file().read();
    if (const auto found = entries.find(machine_key()); found != entries.end())
      read_from(*found, ranks_text(comm), machine);
  } catch (const std::exception& e) {
    if (comm.rank() == 0 || comm.kind() == "dry_run") machine_numbers::complain(e.what());  // whose numbers count
  }
}

std::string keep_measured(const Machine& machine, const Comm& comm) {
  if (machine_file().empty()) return {};
  json node, exchanges;
  for_each_number(machine,
                  [&](const Names& names, const double& number, Zero) { machine_numbers::write(node, names, number); });
  for_each_exchange(machine, [&](const Names& names, const double& number, Zero) {
    machine_numbers::write(exchanges, names, number);
  });
  try {
    machine_numbers::file().update([&](json& entries) {
      json& entry = entries[machine_key()];
      if (!entry.is_object()) entry = json::object();
      entry.update(node);
      if (comm.size() > 1) entry["exchanges"][ranks_text(comm)] = exchanges;
    });
    return {};
  } catch (const std::exception& e) { return e.what(); }
}

int forget_machine() {
  int gone = 0;
  machine_numbers::file().update([&](json& entries) {
    gone = static_cast<int>(std::erase_if(entries.get_ref<json::object_t&>(),
                                          [](const auto& entry) { return entry.first.ends_with(machine_key()); }));
  });
  return gone;
}

}  // namespace shardfft
