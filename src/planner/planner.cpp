#include "planner/planner.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/decompose.hpp"
#include "shardfft/error.hpp"
#include "support/agree.hpp"

namespace shardfft {
namespace {

template <class Registry>
std::string names(const Registry& registry) {
  std::vector<std::string> all;
  for (const auto* entry : registry) all.emplace_back(entry->name());
  return fmt::format("{}", fmt::join(all, ", "));
}

const Engine* choose_engine(const std::string& wanted) {
  if (wanted.empty()) return engines().front();
  if (const Engine* engine = find_engine(wanted)) return engine;
  throw Error(Status::unsupported, fmt::format("engine is one of those compiled in: {}; got '{}'", names(engines()), wanted));
}

bool shares_nodes(const Comm& comm) { return comm.nodes() < comm.size(); }

// Best first. A forced one stands alone.
std::vector<const Transport*> choose_transports(const Comm& comm, const std::string& wanted) {
  if (!wanted.empty()) {
    const Transport* transport = find_transport(wanted);
    if (!transport)
      throw Error(Status::unsupported, fmt::format("transport is one of those compiled in: {}; got '{}'", names(transports()), wanted));
    if (const std::string why = transport->refuses(comm); !why.empty())
      throw Error(Status::unsupported, fmt::format("transport {} cannot serve these ranks: {}; leave the choice to the planner or name another", wanted, why));
    return {transport};
  }
  std::vector<const Transport*> all;
  for (const Transport* t : transports()) {
    const bool dry = t->name() == "dry_run";
    const bool pointless = t->name() == "mixed" && (comm.nodes() == 1 || !shares_nodes(comm));
    if (dry == (comm.kind() == "dry_run") && !pointless && t->refuses(comm).empty()) all.push_back(t);
  }
  if (all.empty()) throw Error(Status::unsupported, fmt::format("no transport of this build serves {} ranks of kind {}", comm.size(), comm.kind()));
  return all;
}

Machine agreed_machine(const Comm& comm, int& threads) {
  struct Facts {
    Machine machine;
    int threads;
  } facts{this_machine(), 1};
  facts.threads = threads > 0 ? threads : default_threads(comm, facts.machine);
  const int mine = facts.threads;
  if (comm.kind() == "dry_run" && threads == 0) facts.threads = 1;
  comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), 0);
  threads = comm.kind() == "dry_run" ? facts.threads : mine;
  return facts.machine;
}

// Planes may be somewhat larger than a core's own cache where its share of the common one holds them.
Index plane_limit(const Machine& m) { return std::max(m.l2_bytes / 2, std::min(4 * m.l2_bytes, m.l3_bytes / (4 * std::max(1, m.cores)))); }

// Bypassing the cache pays once a core's share of the array cannot stay in its own cache until the next sweep, even where a common cache could hold it: stores
// that do not first read the line they overwrite save more than that cache gives back (docs/performance.md).
bool worth_streaming(const Machine& m, const CheckedProblem& p, int cores) {
  const double bytes = static_cast<double>(product(p.spectrum)) * 2 * static_cast<double>(size_of(p.scalar)) / std::max(1, cores);
  return bytes > 1.5 * static_cast<double>(m.l2_bytes);
}

// Every rank answers alike.
bool stores_everywhere(const Comm& comm, const Transport& t) {
  if (t.name() == "threads" || t.name() == "shared_memory" || comm.size() == 1) return true;
  return (t.name() == "mixed" || t.name() == "dry_run") && comm.nodes() == 1;
}

int default_chunks(const Comm& comm, const Transport& first, const CheckedProblem& p) {
  if (stores_everywhere(comm, first)) return 1;
  const double message = static_cast<double>(product(p.spectrum)) * 2 * static_cast<double>(size_of(p.scalar)) / comm.size() / comm.size();
  constexpr double worth_splitting = 256 << 10;
  return std::clamp(static_cast<int>(message / worth_splitting), 1, 4);
}

void plan_stages(Recipe& r, const Comm& comm, int threads_of_first) {
  const Options& o = r.choices.options;
  const bool direct = r.problem.analysis_is_forward();
  const LayoutSpec& space = direct ? o.input : o.output;
  const LayoutSpec& spectrum = direct ? o.output : o.input;
  const Model model{.machine = r.machine, .comm = &comm, .threads = threads_of_first};
  const Costs costs{.model = &model, .plane_limit = plane_limit(r.machine), .fuse = o.fuse < 0 ? 2 : std::max(1, o.fuse)};
  const auto order = axis_order(r.problem, space, spectrum, o.axis_order);
  const Decomposition d = decompose(r.problem, order, space, spectrum, comm.size(), {o.decomposition, o.ranks_grid}, costs);
  r.analysis = d.stages;
  r.space = d.space;
  r.spectrum = d.spectrum;
  r.seconds = d.cost;
}

}  // namespace

bool is_near(const Comm& comm, const Transport& transport, int peer) {
  if (transport.name() == "threads" || transport.name() == "shared_memory") return true;
  if (transport.name() == "mixed" || transport.name() == "dry_run") return comm.node(peer) == comm.node(comm.rank());
  return peer == comm.rank();
}

Recipe make_recipe(const Comm& comm, const Problem& problem, const Options& options) {
  Recipe r;
  collectively(comm, [&] {
    r.problem = check(problem);
    r.choices = choose_from(options);
    r.engine = choose_engine(r.choices.options.engine);
    r.transports = choose_transports(comm, r.choices.options.transport);
  });
  require_same(comm, "problem and options", fmt::format("{}; {} ranks; {}", to_string(problem), comm.size(), shared_text(r.choices.options)));
  r.threads = r.choices.options.threads;
  r.machine = agreed_machine(comm, r.threads);
  int threads_of_first = r.threads;
  comm.broadcast(std::as_writable_bytes(std::span(&threads_of_first, 1)), 0);
  r.tile = r.choices.options.tile;
  r.stream = r.choices.options.stream < 0 ? worth_streaming(r.machine, r.problem, comm.size() * threads_of_first) : r.choices.options.stream == 1;
  r.chunks = r.choices.options.chunks > 0 ? r.choices.options.chunks : default_chunks(comm, *r.transports.front(), r.problem);
  collectively(comm, [&] { plan_stages(r, comm, threads_of_first); });
  return r;
}

}  // namespace shardfft
