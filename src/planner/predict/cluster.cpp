#include "planner/predict/cluster.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "planner/model/machine.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/text.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

using Json = nlohmann::ordered_json;

/// A number of a machine file and what it may be.
struct NumberRow {
  const char* name;
  double Cluster::* number;
  double least, most;
  bool required;
};
constexpr double slow = 1, fast = 1e18, ages = 1e3;
constexpr NumberRow number_rows[] = {{"copy_bytes_per_s", &Cluster::copy_bytes_per_s, slow, fast, true},
                                     {"rank_copy_bytes_per_s", &Cluster::rank_copy_bytes_per_s, slow, fast, false},
                                     {"engine_flops_per_s", &Cluster::engine_flops_per_s, slow, fast, true},
                                     {"engine_flops_per_s_f32", &Cluster::engine_flops_per_s_f32, slow, fast, false},
                                     {"near_bytes_per_s", &Cluster::near_bytes_per_s, slow, fast, false},
                                     {"link_bytes_per_s", &Cluster::link_bytes_per_s, slow, fast, true},
                                     {"latency_s", &Cluster::latency_s, 0, ages, true},
                                     {"message_gap_s", &Cluster::message_gap_s, 0, ages, true},
                                     {"taper", &Cluster::taper, 1e-6, 1, false},
                                     {"nodes_below_taper", &Cluster::nodes_below_taper, 1, 1e9, false}};

constexpr Index most_ranks_per_node = 1024;  // each is looked at beside each other one

/// Likewise, of whole numbers.
struct CountRow {
  const char* name;
  Index Cluster::* count;
  Index least, most;
  bool required;
};
constexpr CountRow count_rows[] = {{"nodes", &Cluster::nodes, 1, 1'000'000'000, true},
                                   {"ranks_per_node", &Cluster::ranks_per_node, 1, most_ranks_per_node, true},
                                   {"gap_ranks", &Cluster::gap_ranks, 0, 1'000'000'000, false}};

class Reader {
 public:
  Reader(const Json& file, const std::string& origin) : file_(file), origin_(origin) {}

  Cluster read() const {
    if (!file_.is_object()) refuse("it", "is a JSON object", file_.is_discarded() ? "no JSON" : file_.type_name());
    check_names();
    Cluster c;
    c.name = text("name", true);
    c.about = text("about", false);
    for (const Json& source : list("sources")) {
      if (!source.is_string()) refuse("sources", "is a list of texts", source.dump());
      c.sources.push_back(source.get<std::string>());
    }
    for (const CountRow& row : count_rows) read(c, row);
    for (const NumberRow& row : number_rows) read(c, row);
    return c;
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& rule, const std::string& got) const {
    refuse_argument(fmt::format("machine file {}: {} {}; got {}; docs/scale.md describes these files", origin_, name,
                                rule, echoed(got)));
  }

  void check_names() const {
    std::vector<std::string> known{"name", "about", "sources"};
    for (const CountRow& row : count_rows) known.emplace_back(row.name);
    for (const NumberRow& row : number_rows) known.emplace_back(row.name);
    for (const auto& [name, value] : file_.items())
      if (std::ranges::count(known, name) == 0)
        refuse("each name", "is one of those of a machine", fmt::format("'{}'{}", name, did_you_mean(name, known)));
  }

  const Json* find(const char* name, bool required, const std::string& rule) const {
    const auto found = file_.find(name);
    if (found != file_.end()) return &*found;
    if (required) refuse(name, rule, "nothing");
    return nullptr;
  }
  std::string text(const char* name, bool required) const {
    const std::string rule = "is a text";
    const Json* found = find(name, required, rule);
    if (found && !found->is_string()) refuse(name, rule, found->dump());
    return found ? found->get<std::string>() : "";
  }
  Json list(const char* name) const {
    const Json* found = find(name, false, "");
    if (found && !found->is_array()) refuse(name, "is a list of texts", found->dump());
    return found ? *found : Json::array();
  }
  void read(Cluster& c, const NumberRow& row) const {
    const std::string rule = fmt::format("is a number from {:g} to {:g}", row.least, row.most);
    const Json* found = find(row.name, row.required, rule);
    if (!found) return;
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!(value >= row.least && value <= row.most)) refuse(row.name, rule, found->dump());
    c.*row.number = value;
  }
  void read(Cluster& c, const CountRow& row) const {
    const std::string rule = fmt::format("is a whole number from {} to {}", row.least, row.most);
    const Json* found = find(row.name, row.required, rule);
    if (!found) return;
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!(value >= static_cast<double>(row.least) && value <= static_cast<double>(row.most)) ||
        value != std::floor(value))
      refuse(row.name, rule, found->dump());
    c.*row.count = static_cast<Index>(value);
  }

  const Json& file_;
  const std::string& origin_;
};

// Rates of one length, with the shape that those of processors usually have.
Rates rates_of(double at_256, const Rates& usual) {
  Rates r = usual;
  for (double& rate : r.of_power) rate *= at_256 / usual.of_power[2];
  return r;
}

}  // namespace

Cluster parse_cluster(const std::string& text, const std::string& origin) {
  Json file = parse_outside<Json>(text);
  if (file.is_object() && file.contains("cluster")) file = Json(file["cluster"]);  // of `shardfft info --json`
  return Reader(file, origin).read();
}

std::string to_text(const Cluster& c) {
  Json file{{"name", c.name}};
  if (!c.about.empty()) file["about"] = c.about;
  if (!c.sources.empty()) file["sources"] = c.sources;
  for (const CountRow& row : count_rows)
    if (row.required || c.*row.count > 0) file[row.name] = c.*row.count;
  for (const NumberRow& row : number_rows)
    if (row.required || c.*row.number > 0) file[row.name] = c.*row.number;
  return file.dump(2);
}

Cluster this_cluster(const Comm& comm) {
  const Machine m = this_machine(comm);
  const Index ranks = std::clamp<Index>(m.cores, 1, most_ranks_per_node);
  return {.name = processor_text(),
          .about = m.measured ? "measured by shardfft; the network between nodes is assumed unless ranks measured it"
                              : "not measured: orders of magnitude",
          .sources = {"shardfft info --json"},
          .nodes = 1'000'000,
          .ranks_per_node = ranks,
          .copy_bytes_per_s = m.node_bytes_per_s,
          .rank_copy_bytes_per_s = m.memory_bytes_per_s,
          .engine_flops_per_s = m.f64[0].of_power[2],
          .engine_flops_per_s_f32 = m.f32[0].of_power[2],
          .link_bytes_per_s = m.mpi_far.bytes_per_s * static_cast<double>(ranks) / usual_efficiency,
          .latency_s = m.mpi_far.epoch_s,
          .message_gap_s = m.mpi_far.message_s,
          .gap_ranks = m.exchanges_measured && comm.nodes() > 1 ? comm.size() : 0};
}

Machine machine_of(const Cluster& c, int nodes, int ranks_per_node, const Circumstances& now) {
  Machine m;
  m.cores = static_cast<int>(c.ranks_per_node);
  m.measured = m.exchanges_measured = true;
  m.node_bytes_per_s = c.copy_bytes_per_s * now.copies;
  const double share = c.copy_bytes_per_s / static_cast<double>(c.ranks_per_node);
  m.memory_bytes_per_s = (c.rank_copy_bytes_per_s > 0 ? c.rank_copy_bytes_per_s : share) * now.copies;
  m.codec_bytes_per_s = std::max(m.codec_bytes_per_s, m.memory_bytes_per_s / 2);  // GPUs encode as they copy
  m.cache_bytes_per_s = std::max(m.cache_bytes_per_s * now.copies, m.memory_bytes_per_s);
  const double f64 = c.engine_flops_per_s * now.compute,
               f32 = c.engine_flops_per_s_f32 > 0 ? c.engine_flops_per_s_f32 * now.compute : 2 * f64;
  for (int e = 0; e < Machine::most_engines; ++e) {
    const auto i = static_cast<std::size_t>(e);
    m.f64[i] = rates_of(f64, m.f64[i]);
    m.f32[i] = rates_of(f32, m.f32[i]);
  }
  for (ExchangeCost* way : {&m.stores, &m.mpi_near, &m.mpi_far}) way->epoch_s *= now.latency, way->message_s *= now.gap;
  m.stores.bytes_per_s = c.near_bytes_per_s * now.bandwidth;
  m.mpi_far.epoch_s = c.latency_s * now.latency;
  m.mpi_far.message_s = c.message_gap_s * now.gap;
  // All ranks of a node send at once. What leaves the nodes below a switch shares the network above it: of exchanges
  // among all nodes the part that goes to the others.
  const double above = nodes > c.nodes_below_taper ? (nodes - c.nodes_below_taper) / (nodes - 1.0) : 0,
               narrower = now.taper ? std::max(1.0, above / c.taper) : 1;
  m.mpi_far.bytes_per_s = c.link_bytes_per_s * now.efficiency * now.bandwidth / ranks_per_node / narrower;
  return m;
}

}  // namespace shardfft
