#include "planner/decide/planner.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/fused.hpp"
#include "device/model/device_choices.hpp"
#include "grid/layout_checks.hpp"
#include "planner/decide/decompose.hpp"
#include "planner/decide/four_step_axis.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/forked.hpp"
#include "support/processor/startable_threads.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/notice.hpp"
#include "transport/dry_run.hpp"
#include "verify/verify.hpp"

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

// A device has its vendor's library, and perhaps kernels that do all of a sweep. Where it was not measured, the model
// computes with an engine of the host all the same.
bool choose_fused(const std::string& wanted, const Device& device, bool holds_arrays) {
  if (wanted != "fused" && wanted != "library" && !wanted.empty())
    throw Error(
        Status::unsupported,
        fmt::format(
            "engine is one of library, fused for a plan on a device; got '{}'{}; leave it empty to take the library",
            wanted, did_you_mean(wanted, {"library", "fused"})));
  if (wanted == "fused" && !holds_arrays)
    throw Error(Status::unsupported,
                "engine fused is for arrays on a device; got arrays = host; take the engine library");
  if (wanted == "fused" && !find_fused(device.space()))
    throw Error(Status::unsupported, fmt::format("engine fused needs kernels that this build has not for {}; take the "
                                                 "engine library, or build with cuFFTDx (docs/gpu.md)",
                                                 device.space()));
  return wanted == "fused";
}

const Engine* choose_engine(const std::string& wanted) {
  if (wanted.empty()) return engines().front();
  if (const Engine* engine = find_engine(wanted)) return engine;
  refuse_name("engine", engines(), wanted);
}

// Before anything is computed from them. Boxes are compared with each other when the layout is made.
void check_layouts(const CheckedProblem& p, const Options& o, int ranks) {
  const bool direct = p.analysis_is_forward();
  for (const auto& [spec, shape] :
       {std::pair(&o.input, direct ? &p.space : &p.spectrum), {&o.output, direct ? &p.spectrum : &p.space}}) {
    if (spec->kind == LayoutSpec::Kind::any && !spec->order.empty())
      throw Error(Status::invalid_layout, fmt::format("`any` leaves the layout and its memory order to the planner; "
                                                      "got the order {}; name a layout, such as slabs(0)",
                                                      fmt::join(spec->order, ",")));
    if (spec->kind != LayoutSpec::Kind::any && spec->kind != LayoutSpec::Kind::boxes)
      check_layout(*spec, *shape, ranks);
  }
}

void check_padding(const CheckedProblem& p, const Options& o) {
  if (!o.padded_reals) return;
  if (!p.real)
    throw Error(
        Status::invalid_argument,
        fmt::format("padded_reals belongs to r2c and c2r, whose rows of reals it lengthens; got {}; leave it out",
                    to_string(p.asked.kind)));
  const bool direct = p.analysis_is_forward();
  if (!(direct ? o.input_memory : o.output_memory).empty())
    throw Error(Status::invalid_argument,
                fmt::format("padded_reals says where the reals lie, and so does options.{}; got both; leave one out",
                            direct ? "input_memory" : "output_memory"));
}

// What only moves loses nothing, and has no axes.
void check_move(const CheckedProblem& p, const Options& o) {
  if (!p.moves()) return;
  const auto refuse = [](const std::string& what, const std::string& remedy) {
    throw Error(Status::unsupported, fmt::format("a plan that only moves has no {}; {}", what, remedy));
  };
  if (has_tolerance(o) || !(o.expert.codec.empty() || o.expert.codec == "none"))
    refuse("tolerance and no codec", "leave them out: it is exact");
  if (!o.expert.axis_order.empty()) refuse("axis_order", "leave it out");
  if (!o.device.empty() && size_of(p.scalar) < 4)
    refuse("elements of 1 or 2 bytes on a device", "move them on the host, or 4 bytes at once");
}

// Where nothing runs: what stands for it.
const Transport* named_transport(const Comm& comm, const std::string& wanted) {
  const Transport* transport = find_transport(wanted);
  if (!transport) refuse_name("transport", transports(), wanted);
  return comm.kind() == "dry_run" ? &dry_run_of(*transport) : transport;
}

// Best first. A forced one stands alone; one that wisdom names comes first.
std::vector<const Transport*> choose_transports(const Comm& comm, const std::string& wanted, bool forced,
                                                Device* holder) {
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

// Once for a process, however many plans it makes.
void say_once(const Comm& comm, const std::string& text) {
  static ForkMutex lock;
  static std::string said;
  const std::lock_guard guard(lock);
  if (comm.rank() == 0 && said != text) notice(text);
  if (comm.rank() == 0) said = text;
}

/// Collective: threads that there will be, while all ranks hold theirs. As many as were asked for where the system is
/// what refuses them; else fewer, and why is said.
void find_threads(Recipe& r, const Comm& comm) {
  if (comm.kind() == "dry_run") return;
  const int wanted = r.threads;
  std::optional<HeldThreads> held;
  collectively(comm, [&] {
    held.emplace(wanted);
    const StartableThreads& there = held->found();
    if (there.refused && r.choices.options.threads > 0)
      throw Error(Status::invalid_argument,
                  fmt::format("threads must be as many as a rank can start; got {}, of which {} could be started ({}); "
                              "take fewer, or 0 for the cores of the node shared among its ranks",
                              wanted, there.count, there.why));
  });
  const StartableThreads there = held->found();
  const std::vector<std::int64_t> missing = all_values(comm, wanted - usable(there));
  held.reset();
  r.threads = usable(there);
  start_team(r.threads);
  const auto first = std::find_if(missing.begin(), missing.end(), [](std::int64_t n) { return n > 0; });
  if (first == missing.end()) return;
  r.notice = there.count < wanted
                 ? fmt::format("{} of {} threads{} ({})", r.threads, wanted,
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
  facts.threads = threads > 0 ? threads : default_threads(comm, facts.machine);
  const int mine = facts.threads;
  comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), 0);
  threads = comm.kind() == "dry_run" ? facts.threads : mine;
  return facts.machine;
}

// Planes may be somewhat larger than a core's own cache where its share of the common one holds them.
Index plane_limit(const Machine& m) {
  return std::max(m.l2_bytes / 2, std::min(4 * m.l2_bytes, m.l3_bytes / (4 * std::max(1, m.cores))));
}
// Lines of such planes are as short as those of a tile. Where a core's own cache does not hold the plane beside what
// passes through it, two sweeps are up to twice as fast as one (docs/performance/lessons.md).
Index narrow_plane_limit(const Machine& m) { return m.l2_bytes / 2 - 1; }

double bytes_of(const CheckedProblem& p) {
  return static_cast<double>(product(p.spectrum)) * 2 * static_cast<double>(size_of(p.scalar));
}

constexpr double most_common_room = Index{64} << 20;

// Of the cores' common cache, what arrays of one transform may count on; of a very large one others use their part.
double common_room(const Machine& m) { return std::min(static_cast<double>(m.l3_bytes) / 2, most_common_room); }
bool shares_common_cache(const Machine& m) { return static_cast<double>(m.l3_bytes) / 2 > most_common_room; }

// Windows have strides that suit the caches, and sweeps that never write where they read; an array that lies in the
// caller's output all the time takes less room in the cores' common cache, and its lines are written while they are
// still near. Which of them counts depends on whether it fits there (docs/performance/lessons.md).
bool fits_common_cache(const Machine& m, const CheckedProblem& p, bool in_place) {
  return bytes_of(p) <= common_room(m) * (in_place ? 2 : 1);
}

// Bypassing the cache pays once a core's share of the array cannot stay in its own cache until the next sweep, even
// where a common cache could hold it: stores that do not first read the line they overwrite save more than that cache
// gives back (docs/performance/lessons.md). In the output the next sweep reads what was just written, and only arrays
// much larger than that, which the common cache cannot hold beside what is transformed, are better written past the
// cache.
bool worth_non_temporal(const Machine& m, const CheckedProblem& p, int cores, bool buffers) {
  const double share = bytes_of(p) / std::max(1, cores), own = static_cast<double>(m.l2_bytes);
  return buffers ? share >= 1.5 * own : share >= 8 * own && 2 * bytes_of(p) > common_room(m);
}

// A very large common cache is slow, and lines that were just written past it are not in it: an array that would be
// stored so goes through buffers there, unless it comes from where it goes (docs/performance/lessons.md).
bool better_in_output(const Machine& m, const CheckedProblem& p, int cores, bool in_place) {
  return fits_common_cache(m, p, in_place) &&
         (in_place || !shares_common_cache(m) || !worth_non_temporal(m, p, cores, false));
}

// Every rank answers alike.
bool stores_everywhere(const Comm& comm, const Transport& t) {
  const StoreReach reach = t.store_reach();
  return reach == StoreReach::all || comm.size() == 1 || (reach == StoreReach::node && comm.nodes() == 1);
}

// The array can lie in the caller's output where processors compute, losing nothing, and every rank of one node reaches
// it.
bool needs_buffers(const Recipe& r, const Comm& comm) {
  return r.device || r.encoding.codec ||
         (comm.size() > 1 && (r.choices.options.in_place || !stores_everywhere(comm, *r.transports.front())));
}

// Encoded exchanges have more to hide: encoding before, decoding after.
int default_chunks(const Comm& comm, const Transport& first, const CheckedProblem& p, bool encoded) {
  if (stores_everywhere(comm, first)) return 1;
  const double message =
      static_cast<double>(product(p.spectrum)) * 2 * static_cast<double>(size_of(p.scalar)) / comm.size() / comm.size();
  constexpr double worth_splitting = 256 << 10;
  return std::clamp(static_cast<int>(message / worth_splitting), 1, encoded ? 8 : 4);
}

Path path_of(const Comm& comm, const Transport& t) {
  if (stores_everywhere(comm, t)) return Path::stores;
  return t.store_reach() == StoreReach::node ? Path::mixed : Path::mpi;
}

int number_of(const Engine& engine) {
  const auto all = engines();
  return static_cast<int>(std::find(all.begin(), all.end(), &engine) - all.begin());
}

Model model_of(const Recipe& r, const Comm& comm) {
  Model m{.machine = r.machine, .comm = &comm, .threads = r.threads_of_first, .sharers = ranks_on_first_node(comm)};
  m.engine = number_of(*r.engine);
  m.scalar = r.problem.scalar;
  m.path = path_of(comm, *r.transports.front());
  m.chunks = r.chunks;
  m.tile = r.tile;
  m.non_temporal = r.non_temporal == NonTemporal::all;
  m.cached = !worth_non_temporal(r.machine, r.problem, comm.size() * r.threads_of_first, true);
  m.intermediate_buffers = r.intermediate_buffers;
  m.fits_common_cache = fits_common_cache(r.machine, r.problem, r.choices.options.in_place);
  m.stays_in_common_cache = !r.intermediate_buffers && r.non_temporal != NonTemporal::all &&
                            2 * bytes_of(r.problem) <= common_room(r.machine);
  return m;
}

// Reals have no room for what lies between two sweeps on the way back to them: that goes through a third array, which
// no sweep has read, unless the half spectrum may be overwritten. Measured on two cores: stored past the cache, half
// spectra of 16 MB are 1.2 times as fast, of 24 to 33 MB 1.5 times; below, what comes next and finds the reals out of
// the cache loses more (docs/performance/lessons.md).
bool streams_back(const Recipe& r, int cores) {
  const Options& o = r.choices.options;
  return r.problem.real && !o.in_place && !o.destroy_input &&
         bytes_of(r.problem) / std::max(1, cores) >= 3.5 * static_cast<double>(r.machine.l2_bytes);
}

double arithmetic_bound(const CheckedProblem& p) {
  if (p.moves()) return 0;
  return exact_bound({.shape = p.asked.shape, .axes = p.axes}, p.asked.precision);
}

// Where the array lies between sweeps, and how it gets there. The halves of a long axis are faster with buffers.
void choose_memory(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  const int cores = comm.size() * r.threads_of_first;
  r.intermediate_buffers =
      needs_buffers(r, comm) || (o.expert.intermediate == Intermediate::automatic
                                     ? r.split || !better_in_output(r.machine, r.problem, cores, o.in_place)
                                     : o.expert.intermediate == Intermediate::buffers);
  r.non_temporal = o.expert.non_temporal != NonTemporal::automatic                           ? o.expert.non_temporal
                   : worth_non_temporal(r.machine, r.problem, cores, r.intermediate_buffers) ? NonTemporal::all
                   : streams_back(r, cores)                                                  ? NonTemporal::synthesis
                                                                                             : NonTemporal::none;
  r.huge_pages = comm.size() > 1 && o.expert.huge_pages != HugePages::off;
}

// Bytes of all axes of one sweep on a device, where they are transformed one plane or volume after the other. Arrays
// that it holds need work memory beside them, and no more. Those of the host need up to eight tiles there, and six in
// pinned memory of the host, for each rank; and tiles that are short beside the array, for one comes while another one
// leaves: that is as fast over a link that carries both directions at once, in far less memory.
Index room_on_device(const Recipe& r, const Comm& comm) {
  const auto free = static_cast<Index>(r.device_free_bytes);
  if (r.holder()) return free / 2;
  constexpr Index usual = Index{512} << 20;
  const Index most = free / 16 / ranks_on_first_node(comm);
  return r.choices.options.expert.fuse < 0 ? std::min(most, usual) : most;
}

int cyclic_axis(const LayoutSpec& spec) { return spec.kind == LayoutSpec::Kind::cyclic ? spec.axis : -1; }

// Before a sweep transforms an axis it is counted as one end of the plan deals it, and afterwards as the other one
// does. An axis that is never transformed is counted one way, so that `any` takes it as the other end has it.
void choose_sides(Recipe& r, int ranks, Ends& ends) {
  const Coord one = Coord::filled(r.problem.dims(), 1);
  r.space_side = {.split = r.split, .digits = Digits::before, .owners = one};
  r.spectrum_side = {
      .split = r.split, .digits = r.split ? digits_after(*r.split, r.problem) : Digits::after, .owners = one};
  const auto is_transformed = [&](int axis) {
    return std::find(r.problem.axes.begin(), r.problem.axes.end(), axis) != r.problem.axes.end();
  };
  for (const auto& [end, other, side, others] :
       {std::tuple(&ends.space, &ends.spectrum, &r.space_side, &r.spectrum_side),
        {&ends.spectrum, &ends.space, &r.spectrum_side, &r.space_side}}) {
    const int axis = cyclic_axis(*end);
    if (axis < 0) continue;
    side->owners[axis] = ranks;
    if (is_transformed(axis)) continue;
    others->owners[axis] = ranks;
    if (other->kind == LayoutSpec::Kind::any) *other = cyclic(axis);
  }
}

LayoutSpec seen(const SweptSide& side, const LayoutSpec& end, const Shape& shape, int ranks) {
  if (end.kind == LayoutSpec::Kind::any || side.is_callers()) return end;
  return side.seen(Layout(end, shape, ranks)).spec();
}

std::vector<StageAxis> with_owners(const Recipe& r, std::vector<StageAxis> order) {
  const Coord before = r.space_side.owners_swept(), after = r.spectrum_side.owners_swept();
  for (StageAxis& axis : order) {
    axis.owners_in = before[axis.axis];
    axis.owners_out = after[axis.axis];
  }
  return order;
}

// Encoded, a spectrum is best sent as it is, as long as few of its coefficients are large. A device's library does
// several axes at once, and the halves of an axis come in one order.
bool has_own_synthesis_order(const Recipe& r) {
  const bool loses = r.encoding.codec && !r.encoding.codec->is_exact();
  return r.choices.options.expert.axis_order.empty() && !loses && !r.device && !r.split;
}

// Found once for all variants of a recipe: they take as long as all else, and depend on what none of them changes.
const std::vector<StageAxis>& order_of(Recipe& r, const Ends& ends) {
  if (!r.orders)
    r.orders =
        AxisOrders{.analysis = axis_order(r.problem, ends.space, ends.spectrum, r.choices.options.expert.axis_order)};
  return r.orders->analysis;
}

const std::vector<StageAxis>& order_back_of(Recipe& r, const Ends& ends) {
  if (!r.orders->synthesis)
    r.orders->synthesis = synthesis_order(r.problem, ends.space, ends.spectrum, r.orders->analysis);
  return *r.orders->synthesis;
}

// One stage without a transform, where the array is before.
Stage standing(const Layout& layout) { return {.in = layout, .out = layout}; }

void plan_move(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  Ends ends{.space = o.input, .spectrum = o.output};
  if (ends.space.kind == LayoutSpec::Kind::any) ends.space = ends.spectrum;
  if (ends.space.kind == LayoutSpec::Kind::any) ends.space = slabs(0);
  if (ends.spectrum.kind == LayoutSpec::Kind::any) ends.spectrum = ends.space;
  choose_sides(r, comm.size(), ends);
  choose_memory(r, comm);
  r.space = Layout(ends.space, r.problem.space, comm.size());
  r.spectrum = Layout(ends.spectrum, r.problem.spectrum, comm.size());
  const Layout from = r.space_side.is_callers() ? r.space : r.space_side.seen(r.space),
               to = r.spectrum_side.is_callers() ? r.spectrum : r.spectrum_side.seen(r.spectrum);
  r.analysis = {standing(from)};
  r.synthesis = {standing(to)};
  const Model model = model_of(r, comm);
  const double bytes = static_cast<double>(size_of(r.problem.scalar)) * (r.problem.complex_space ? 2 : 1);
  r.seconds = model.copy(largest_part(from), bytes);
  if (!from.same_owners(to)) r.seconds += model.exchange(from, to, bytes) + model.copy(largest_part(to), bytes);
}

void plan_stages(Recipe& r, const Comm& comm) {
  if (r.problem.moves()) return plan_move(r, comm);
  const Options& o = r.choices.options;
  const bool direct = r.problem.analysis_is_forward();
  Ends ends{.space = direct ? o.input : o.output, .spectrum = direct ? o.output : o.input};
  r.split = choose_split(r.problem, o, ends, comm.size());
  // Codecs do not know that elements of a hermitian spectrum stand for others. Whole, the axis would have Inf and NaN
  // in other places than exact mode.
  if (r.split && r.problem.real && r.problem.axes.size() == 1 && r.encoding.codec) {
    r.encoding.codec = nullptr;
    r.encoding.why = "the halves of a real axis are exchanged as they are";
  }
  choose_sides(r, comm.size(), ends);
  choose_memory(r, comm);
  const Model model = model_of(r, comm);
  const std::optional<DeviceModel> on_device =
      has_device_model(r) ? std::optional(device_model_of(r, model)) : std::nullopt;
  Costs costs{.model = &model,
              .device = on_device ? &*on_device : nullptr,
              .plane_limit = plane_limit(r.machine),
              .narrow_plane_limit = narrow_plane_limit(r.machine),
              .fuse = o.expert.fuse < 0 ? usual_fuse(r) : std::max(1, o.expert.fuse)};
  if (r.device) {
    costs.plane_limit = room_on_device(r, comm);
    costs.on_device = true;
  }
  const auto& order = order_of(r, ends);
  const GridRules rules{o.expert.decomposition, o.expert.ranks_grid};
  const CheckedProblem swept = r.split ? split(*r.split, r.problem) : r.problem;
  const auto axes = with_owners(r, r.split ? split(*r.split, swept, order) : order);
  const Decomposition d =
      decompose(swept, axes, seen(r.space_side, ends.space, r.problem.space, comm.size()),
                seen(r.spectrum_side, ends.spectrum, r.problem.spectrum, comm.size()), comm.size(), rules, costs);
  const auto callers = [&](const LayoutSpec& end, const Shape& shape, const Layout& found) {
    return end.kind == LayoutSpec::Kind::any ? found : Layout(end, shape, comm.size());
  };
  r.space = callers(ends.space, r.problem.space, d.space);
  r.spectrum = callers(ends.spectrum, r.problem.spectrum, d.spectrum);
  r.analysis = d.stages;
  r.synthesis = reversed(d.stages);
  const auto back = has_own_synthesis_order(r) ? order_back_of(r, ends) : std::vector<StageAxis>{};
  if (!back.empty())
    r.synthesis =
        inverted(decompose(swept, back, seen(r.spectrum_side, ends.spectrum, r.problem.spectrum, comm.size()),
                           seen(r.space_side, ends.space, r.problem.space, comm.size()), comm.size(), rules, costs)
                     .stages);
  r.seconds = d.cost;
  if (on_device) r.expected = expected_steps(d, *on_device, 2 * static_cast<double>(size_of(r.problem.scalar)));
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
    r.wisdom->runner_up_seconds = next->seconds;
  }
  Variant variant = best->variant;
  if (comm.kind() == "dry_run") variant.transport.clear();
  fill_in(r.choices, variant, fmt::format("wisdom of {}", entry->date));
  if (const int most = variant.threads; most > 0) {
    r.threads = std::min(r.threads, most);
    r.threads_of_first = std::min(r.threads_of_first, most);
  }
  return entry->key;
}

// Every rank must plan with the same number.
std::size_t least_free_bytes(const Comm& comm, Device& device) {
  return static_cast<std::size_t>(-all_max(comm, -static_cast<std::int64_t>(device.facts().free_bytes)));
}

Encoding encoding_of(const Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  Encoding e = choose_encoding(o, r.problem, r.machine, comm, arithmetic_bound(r.problem));
  if (r.device) check_codec_of_device(e);
  return e;
}

// Encoded messages become as long as they become.
void leave_out_fixed_sizes(Recipe& r) {
  if (!r.encoding.codec) return;
  const auto refuses = [](const Transport* t) { return !t->refuses_varying().empty(); };
  const Transport& first = *r.transports.front();
  std::erase_if(r.transports, refuses);
  if (r.transports.empty())
    throw Error(Status::unsupported,
                fmt::format("transport {} cannot carry encoded messages: {}; take another one, or codec none",
                            first.name(), first.refuses_varying()));
}

}  // namespace

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

std::string why_not(const Transport& t, const Comm& comm, Device* holder) {
  if (!t.stands_for_any() && t.on_device() != (holder != nullptr))
    return holder ? "it moves messages of the host's memory, and the arrays are on a device"
                  : "it moves messages in the memory of devices, and the arrays are on the host";
  if (holder)
    if (std::string why = t.refuses(*holder); !why.empty()) return why;
  return t.refuses(comm);
}

bool is_near(const Comm& comm, const Transport& transport, int peer) {
  const StoreReach reach = transport.store_reach();
  if (reach == StoreReach::all) return true;
  const bool in_node = transport.on_device() || reach == StoreReach::node;
  return in_node ? comm.node(peer) == comm.node(comm.rank()) : peer == comm.rank();
}

void complete(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  const bool forced =
      !r.wisdom || r.choices.origin("transport") == "option" || r.choices.origin("transport") == "SHARDFFT_TRANSPORT";
  r.engine = choose_engine(r.device ? "" : o.expert.engine);
  r.fused = r.device && choose_fused(o.expert.engine, *r.device, r.holder() != nullptr);
  r.transports = choose_transports(comm, o.expert.transport, forced, r.holder());
  r.tile = o.expert.tile;
  const bool through = r.device && !r.holder();  // then the number of sweeps decides
  if (!through) r.encoding = encoding_of(r, comm);
  if (!r.saves_nothing.empty()) r.encoding.codec = nullptr, r.encoding.why = r.saves_nothing;
  leave_out_fixed_sizes(r);
  r.chunks = o.expert.chunks > 0 ? o.expert.chunks
                                 : default_chunks(comm, *r.transports.front(), r.problem, r.encoding.codec != nullptr);
  choose_ways(r, model_of(r, comm));
  plan_stages(r, comm);
  if (through)
    r.encoding = choose_storage(o, r.problem, static_cast<int>(r.analysis.size()) - 1, arithmetic_bound(r.problem));
}

namespace {

// An entry with which no recipe can be made is as good as none. Where none can be made without it either, it is not
// what is wrong.
void complete_with_wisdom(Recipe& r, const Comm& comm) {
  const Recipe open = r;
  const std::string key = recall_choices(r, comm);
  std::string why;
  try {
    return collectively(comm, [&] { complete(r, comm); });
  } catch (const Error& e) {
    if (key.empty()) throw;
    why = e.what();
  }
  r = open;
  collectively(comm, [&] { complete(r, comm); });
  if (comm.rank() == 0 || comm.kind() == "dry_run") give_up(key, why);
}

}  // namespace

namespace {

/// A field a line.
std::string lines_of(const Problem& p) {
  const auto scaling = [](Scaling s) {
    return s == Scaling::none ? "none" : s == Scaling::by_n ? "by_n" : "by_sqrt_n";
  };
  return fmt::format(
      "shape {}\nkind {}\nprecision {}\naxes '{}'\nforward scaling {}\nbackward scaling {}\nelement bytes {}\n",
      to_string(p.shape), to_string(p.kind), to_string(p.precision), fmt::join(p.axes, " "), scaling(p.forward),
      scaling(p.backward), p.element_bytes);
}

}  // namespace

Recipe make_recipe(const Comm& comm, const Problem& problem, const Options& options) {
  if (comm.rank() == 0) warn_of_strange_variables();
  Recipe r;
  collectively(comm, [&] {
    r.problem = check(problem);
    r.choices = choose_from(options);
    for (LayoutSpec* end : {&r.choices.options.input, &r.choices.options.output})
      *end = counted_from_front(*end, problem.shape.dims());
    check_layouts(r.problem, r.choices.options, comm.size());
    check_padding(r.problem, r.choices.options);
    check_move(r.problem, r.choices.options);
    r.given = r.choices.options;
    if (r.choices.options.device.empty()) (void)choose_engine(r.choices.options.expert.engine);
    if (const std::string& device = r.choices.options.device; !device.empty())
      r.device = find_device(device, rank_on_node(comm));
    (void)choose_transports(comm, r.choices.options.expert.transport, true, r.holder());
  });
  require_same(comm, "problem and options", lines_of(problem) + shared_text(r.choices.options));
  if (r.device)
    r.device_free_bytes =
        least_free_bytes(comm, *r.device);  // collective: only now is it known that all ranks have one
  if (r.device) r.device_machine = known_device(comm, *r.device, r.choices.options.device);
  r.threads = r.choices.options.threads;
  r.machine = agreed_machine(comm, r.threads);
  find_threads(r, comm);
  r.threads_of_first = r.threads;
  comm.broadcast(std::as_writable_bytes(std::span(&r.threads_of_first, 1)), 0);
  complete_with_wisdom(r, comm);
  require_same(comm, "the recipe, which every rank makes by itself,", to_string(r));
  return r;
}

}  // namespace shardfft
