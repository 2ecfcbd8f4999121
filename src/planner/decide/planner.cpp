#include "planner/decide/planner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grid/layout_checks.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/memory.hpp"
#include "planner/decide/plan_stages.hpp"
#include "planner/options/variant.hpp"
#include "planner/problem/option_checks.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/forked.hpp"
#include "support/processor/team_threads.hpp"
#include "support/text/notice.hpp"
#include "verify/verify.hpp"

namespace shardfft {
namespace {

// Once for a process, however many plans it makes.
void say_once(const Comm& comm, const std::string& text) {
  static ForkMutex lock;
  static std::string said;
  const std::lock_guard guard(lock);
  if (comm.rank() == 0 && said != text) notice(text);
  if (comm.rank() == 0) said = text;
}

/// Ranks that share limits keep all that they started until each has counted its own.
struct CountedThreads {
  StartedThreads there{};
  CountedThreads() = default;
  CountedThreads(const CountedThreads&) = delete;
  ~CountedThreads() {
    if (there.refused) TeamThreads::of_this_thread().keep(usable(there));
  }
};

// A dry run has no rank 0 to ask and reckons what it would say.
int reckoned_threads_of_first(const Recipe& r, const Comm& comm) {
  const int asked = r.choices.options.threads;
  return asked > 0 ? asked : default_threads(comm, r.machine, 0);
}

/// Collective: starts the threads of each rank. As many as were asked for where the system is what refuses them; else
/// fewer, and why is said.
void find_threads(Recipe& r, const Comm& comm) {
  if (comm.kind() == "dry_run") {
    r.threads_of_first = reckoned_threads_of_first(r, comm);
    return;
  }
  const int wanted = r.tuning.threads;
  CountedThreads counted;
  StartedThreads& there = counted.there;
  std::array<std::int64_t, 2> most{};  // missing on a rank, there on the first
  collectively(comm, most, [&] {
    there = start_threads(wanted);
    if (there.refused && r.choices.options.threads > 0)
      throw Error(Status::invalid_argument,
                  fmt::format("threads must be as many as a rank can start; got {}, of which {} could be started ({}); "
                              "take fewer, or 0 for the cores of the node shared among its ranks",
                              wanted, there.count, there.why));
    most = {wanted - usable(there), comm.rank() == 0 ? usable(there) : 0};
  });
  r.tuning.threads = usable(there);
  r.threads_of_first = static_cast<int>(most[1]);
  if (comm.kind() == "mpi") share_cores_with((ranks_on_node(comm, comm.rank()) - 1) * r.tuning.threads);
  if (most[0] == 0) return;
  const std::vector<std::int64_t> missing = all_values(comm, wanted - usable(there));
  const auto first = std::find_if(missing.begin(), missing.end(), [](std::int64_t n) { return n > 0; });
  r.notice = there.count < wanted
                 ? fmt::format("{} of {} threads{} ({})", r.tuning.threads, wanted,
                               there.refused ? ": no more can be started" : "", there.why)
                 : fmt::format("fewer threads than planned on rank {}, where limits keep {} from starting",
                               first - missing.begin(), *first);
  say_once(comm, r.notice);
}

Machine agreed_machine(const Comm& comm, int& threads) {
  struct Facts {
    Machine machine;
    int threads;
  } facts{this_machine(comm), 1};
  facts.threads = threads > 0 ? threads : default_threads(comm, facts.machine, comm.rank());
  const int mine = facts.threads;
  comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), 0);
  threads = comm.kind() == "dry_run" ? facts.threads : mine;
  return facts.machine;
}

double arithmetic_bound(const CheckedProblem& p) {
  if (p.moves()) return 0;
  return exact_bound({.shape = p.asked.shape, .axes = p.axes, .kinds = p.kinds}, p.asked.precision);
}

// What was measured before, where nobody says otherwise. Returns the key of its entry.
std::string recall_choices(Recipe& r, const Comm& comm) {
  if (!r.choices.options.wisdom) return {};
  const auto entry = recall_on_all(comm, r.problem, r.choices.options, r.threads_of_first);
  const Measured* best = entry ? fastest_allowed(*entry, comm, r.choices.options) : nullptr;
  if (!best) return {};
  r.wisdom = Remembered{.date = entry->date,
                        .effort = entry->effort,
                        .seconds = best->seconds,
                        .transport = best->variant.transport,
                        .complete = entry->complete,
                        .tune_seconds = entry->tune_seconds};
  if (const Measured* next = best + 1;
      next !=
      entry->measured.data() +
          entry->measured.size()) {  // in the entry's order: a faster one behind the chosen was faster by chance
    r.wisdom->runner_up = to_string(next->variant);
    r.wisdom->runner_up_changes = changes(next->variant, best->variant);
    r.wisdom->runner_up_seconds = next->seconds;
  }
  Tuning variant = best->variant;
  if (comm.kind() == "dry_run") variant.transport.clear();
  fill_in(r.choices, variant, fmt::format("wisdom of {}", entry->date));
  if (const int most = variant.threads; most > 0) {
    r.tuning.threads = std::min(r.tuning.threads, most);
    r.threads_of_first = std::min(r.threads_of_first, most);
  }
  return entry->key;
}

Encoding encoding_of(const Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  const int transforms = o.apply == Apply::none ? 1 : 2;  // of one run
  Encoding e = choose_encoding(o, r.problem, r.machine, comm, transforms * arithmetic_bound(r.problem));
  if (r.device) check_codec_of_device(e);
  return e;
}

}  // namespace

void complete(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  const bool forced =
      !r.wisdom || r.choices.origin("transport") == "option" || r.choices.origin("transport") == "SHARDFFT_TRANSPORT";
  r.engine = choose_engine(r.device ? "" : o.expert.engine);
  Tuning& t = r.tuning;
  t = {o.expert, t.threads};
  t.engine =
      r.device ? choose_on_device(o.expert.engine, *r.device, r.holder() != nullptr) : std::string(r.engine->name());
  r.transports = choose_transports(comm, o.expert.transport, forced, r.holder());
  const bool through = r.device && !r.holder();
  if (!through) r.encoding = encoding_of(r, comm);
  if (!r.saves_nothing.empty()) r.encoding.codec = nullptr, r.encoding.why = r.saves_nothing;
  t.streams = r.device ? r.device->streams(r) : 0;
  if (t.chunks == 0) t.chunks = default_chunks(comm, *r.transports.front(), r.problem, r.encoding.codec != nullptr);
  if (r.device) r.device->choose_ways(r, model_of(r, comm));
  t.transport = r.transports.front()->name();
  plan_stages(r, comm);
  if (through)  // the number of sweeps decides
    r.encoding = choose_storage(o, r.problem, static_cast<int>(r.analysis.size()) - 1, arithmetic_bound(r.problem));
}

namespace {

void complete_alike(Recipe& r, const Comm& comm) {
  collectively_same(comm, "the recipe, which every rank makes by itself,", [&] {
    complete(r, comm);
    return to_string(r);
  });
}

// An entry with which no recipe can be made is as good as none. Where none can be made without it either, it is not
// what is wrong.
void complete_with_wisdom(Recipe& r, const Comm& comm) {
  const Recipe open = r;
  const std::string key = recall_choices(r, comm);
  std::string why;
  try {
    return complete_alike(r, comm);
  } catch (const Error& e) {
    if (key.empty() || e.status() == Status::mismatch) throw;
    why = e.what();
  }
  r = open;
  complete_alike(r, comm);
  if (comm.rank() == 0 || comm.kind() == "dry_run") give_up(key, why);
}

}  // namespace

std::string lines_of(const Problem& p) {
  constexpr const char* scalings[] = {"none", "by_sqrt_n", "by_n", "orthonormal"};
  std::vector<std::string> kinds;
  for (const AxisKind kind : p.kinds) kinds.push_back(to_string(kind));
  return fmt::format(
      "shape {}\nkind {}\nprecision {}\naxes '{}'\nforward scaling {}\nbackward scaling {}\nelement bytes {}\n"
      "kinds '{}'\nmodes '{}'\nsupport '{}'\n",
      to_string(p.shape), to_string(p.kind), to_string(p.precision), fmt::join(p.axes, " "),
      scalings[static_cast<int>(p.forward)], scalings[static_cast<int>(p.backward)], p.element_bytes,
      fmt::join(kinds, " "), to_string(p.modes), to_string(p.support));
}

Recipe make_recipe(const Comm& comm, const Problem& problem, const Options& options, const Machine* machine) {
  if (comm.rank() == 0) warn_of_strange_variables();
  Recipe r;
  collectively_same(comm, "problem and options", [&] {
    r.problem = check(problem);
    r.choices = choose_from(options);
    for (LayoutSpec* end : {&r.choices.options.input, &r.choices.options.output})
      *end = counted_from_front(*end, problem.shape.dims());
    check_options(r.problem, r.choices.options, comm.size());
    r.given = r.choices.options;
    if (r.choices.options.device.empty()) (void)choose_engine(r.choices.options.expert.engine);
    if (const std::string& device = r.choices.options.device; !device.empty())
      r.device = find_rank_device(device, rank_on_node(comm));
    (void)choose_transports(comm, r.choices.options.expert.transport, true, r.holder());
    return lines_of(problem) + shared_text(r.choices.options);
  });
  if (r.device) r.device->know(comm, r.choices.options.device);  // only now is it known that all ranks have one
  r.tuning.threads = r.choices.options.threads;
  r.machine = machine ? *machine : agreed_machine(comm, r.tuning.threads);
  find_threads(r, comm);
  complete_with_wisdom(r, comm);
  return r;
}

}  // namespace shardfft
