// How a plan comes to be: recipe, arrays, kernels, pipelines, an open channel, memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "plan/chirp/chirp_filter.hpp"
#include "plan/impl.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/four_step_axis.hpp"
#include "planner/decide/planner.hpp"
#include "planner/wisdom/engine_wisdom.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/memory/memory_room.hpp"
#include "support/memory/round_up.hpp"
#include "support/text/notice.hpp"
#include "support/text/text.hpp"
#include "transport/dry_run.hpp"

namespace shardfft {

std::vector<Pipeline*> Pipelines::all() const {
  std::vector<Pipeline*> all{forward.get(), backward.get(), both.get()};
  std::erase(all, nullptr);
  return all;
}

MemoryNeed need_of(const Comm& comm, const Transport& t, const Traffic& traffic, bool own) {
  if (comm.kind() == "dry_run") return {};
  const auto counted = dry_run_of(t).open(comm, traffic);
  return {.own = own ? counted->private_bytes() : 0, .shared = counted->shared_bytes()};
}

void require_room(const Comm& comm, const MemoryNeed& need, const char* what, const char* instead) {
  if (comm.kind() == "dry_run") return;
  if (const std::string why = why_no_room(comm, need); !why.empty())
    throw Error(Status::out_of_memory,
                fmt::format("{} takes {} on this rank for windows and buffers, and there is no room for them: {}; {}",
                            what, gigabytes(need.own + need.shared), why, instead));
}

namespace {

CallerArray on_base(CallerArray array, Base base) {
  for (Patch& patch : array.patches) patch.base = base;
  return array;
}

// Two parts if any message crosses a network, so that memory receives them at once. All ranks get the same number.
int parts_of(const Comm& comm, const std::function<bool(int)>& near) {
  for (int peer = 0; peer < comm.size(); ++peer)
    if (peer != comm.rank() && !near(peer)) return 2;
  return 1;
}

Encoding encoding_of_pairs(const PlanParts& p) {
  Encoding e = p.recipe.encoding;
  e.encodes = [group = p.comm, within = e.within_nodes](int a, int b) {
    return a != b && (within || group.node(a) != group.node(b));
  };
  return e;
}

PipelineSpec pipeline_spec(const PlanParts& p, const Transport& t, Direction direction, bool applies) {
  const Recipe& recipe = p.recipe;
  const bool fwd = direction == Direction::forward, analysis = fwd == recipe.problem.analysis_is_forward();
  const auto [from, to, call] = p.arrays.ends(direction, applies);
  const auto* from_side = applies ? &recipe.applied->side : analysis ? &recipe.space_side : &recipe.spectrum_side;
  const auto* to_side = applies ? &recipe.applied->side : analysis ? &recipe.spectrum_side : &recipe.space_side;
  const bool past_cache = recipe.non_temporal_in(analysis) || (applies && recipe.non_temporal_in(!analysis));
  const auto& chirped = recipe.chirped;
  const auto array = [&](const PlanArray& one, Base base, const SweptSide& side) {
    const CallerArray seen = on_base(one, base).seen_by(side, base == Base::input);
    return chirped ? seen.with_whole_rows(recipe.problem.scalar) : seen;
  };
  const auto near = [group = p.comm, transport = &t](int peer) { return is_near(group, *transport, peer); };
  PipelineSpec s{.me = p.comm.rank(),
                 .scalar = recipe.problem.scalar,
                 .from = array(from, Base::input, *from_side),
                 .to = array(to, Base::output, *to_side),
                 .stages = applies    ? recipe.applied->stages
                           : analysis ? recipe.analysis
                                      : recipe.synthesis,
                 .scaling = recipe.problem.scaling(fwd),
                 .scaling_back = applies ? recipe.problem.scaling(!fwd) : Scaling::none,
                 .middle = applies   ? middle_array(recipe, p.arrays.middle)
                           : chirped ? middle_of_chirp(recipe, analysis, p.comm.rank())
                                     : nullptr,
                 .chirped = chirped,
                 .chirps_back = !analysis,
                 .tuning = recipe.tuning,
                 .parts = recipe.device ? 1 : parts_of(p.comm, near),
                 .in_place = p.options().in_place,
                 .destroy_input = p.options().destroy_input,
                 .near = near,
                 .pads = !recipe.device,
                 .encoding = encoding_of_pairs(p),
                 .place = p.place};
  s.tuning.non_temporal = past_cache ? NonTemporal::all : NonTemporal::none;
  s.same_places = applies ? p.arrays.applied.layout.global() == s.from.layout.global()
                          : p.same_places && !recipe.split;  // of the split array, indexes before and after are others
  return s;
}

constexpr std::int64_t no_shared_arrays = std::numeric_limits<std::int64_t>::max();

// Bytes of a shared array that saves a copy, if peers reach it: what this rank needs. Peers must know the places of its
// elements, which they do for default placements only.
std::int64_t shared_array_bytes(const PlanParts& p, const Pipelines& pipelines) {
  const auto saves = [](const Pipeline* one) {
    return one->copies() || hands_on_in_outputs(one->spec(), one->route());
  };
  const Options& o = p.options();
  if (p.comm.size() == 1 || o.in_place || p.recipe.chirped || p.recipe.encoding.codec || p.recipe.holder() ||
      std::ranges::none_of(pipelines.all(), saves))
    return 0;
  const bool default_places = o.input_memory.empty() && o.output_memory.empty() && !o.padded_reals;
  const std::size_t longest = std::max({p.arrays.input.bytes, p.arrays.output.bytes, p.arrays.applied.bytes});
  return default_places ? static_cast<std::int64_t>(longest) : no_shared_arrays;
}

Traffic traffic_of(const PlanParts& p, const Pipelines& pipelines) {
  Traffic all{.rounds = {}, .huge_pages = p.recipe.tuning.huge_pages == HugePages::on, .on = p.home->context()};
  for (const Pipeline* pipeline : pipelines.all()) {
    const auto rounds = pipeline->rounds();
    all.rounds.insert(all.rounds.end(), rounds.begin(), rounds.end());
  }
  return all;
}

Pipelines pipelines_over(const PlanParts& p, const Transport& t, Kernels* kernels, bool looks_only) {
  const auto make = [&](Direction direction, bool applies = false) {
    PipelineSpec spec = pipeline_spec(p, t, direction, applies);
    spec.looks_only = looks_only;
    return std::make_unique<Pipeline>(std::move(spec), kernels);
  };
  Pipelines made;
  made.forward = make(Direction::forward);
  made.backward = make(Direction::backward);
  if (p.recipe.applied) made.both = make(p.applying_direction(), true);
  return made;
}

/// Pipelines over a transport, and what they ask of it.
struct MadePipelines {
  Pipelines pipelines{};
  Traffic traffic{};
  MemoryNeed need{};              ///< of this rank
  std::int64_t largest_need = 0;  ///< bytes of the rank that needs most
};

/// Collective. `kernels`: nullptr on a device, whose sweeps need none of the host.
MadePipelines make_pipelines(const PlanParts& p, const Transport& t, Kernels* kernels, bool looks_only) {
  MadePipelines made;
  std::array<std::int64_t, 2> most{};  // bytes of a shared array, of what the traffic takes
  collectively(p.comm, most, [&] {
    made.pipelines = pipelines_over(p, t, kernels, looks_only);
    made.traffic = traffic_of(p, made.pipelines);
    if (!p.recipe.holder()) made.need = need_of(p.comm, t, made.traffic, /*own=*/!p.options().workspace);
    const ChirpBytes chirps = chirp_bytes(p.recipe, p.comm.size());
    made.need.own += chirps.tables + chirps.making;
    most = {shared_array_bytes(p, made.pipelines), made.need.own + made.need.shared};
  });
  made.traffic.array_bytes = most[0] == no_shared_arrays ? 0 : most[0];
  made.largest_need = most[1];
  return made;
}

void require_room(const PlanParts& p, const MadePipelines& made) {
  if (is_worth_looking(p.comm, made.largest_need))
    require_room(p.comm, made.need, "a plan",
                 "use more nodes, f32, a smaller shape, or the options in_place or destroy_input");
}

/// visit(axis, request) for all sweeps of the host.
void for_each_kernel(const Recipe& recipe, const std::function<void(int, const KernelRequest&)>& visit) {
  for (const auto& stages :
       {recipe.analysis, recipe.synthesis, recipe.applied ? recipe.applied->stages : std::vector<Stage>{}})
    for (const Stage& stage : stages)
      for (const AxisTransform& axis : stage.axes) visit(axis.axis, axis.request(recipe.problem.scalar));
}

// Tables of a very long axis take minutes, and memory of their own: what has no room is refused before they are made.
void look_for_room(const PlanParts& p) {
  constexpr Index large = Index{1} << 28;  // elements of a rank
  if (p.comm.kind() == "dry_run" || p.recipe.encoding.codec || product(p.recipe.problem.points) / p.comm.size() < large)
    return;
  Kernels looked(*p.recipe.engine, /*look_only=*/true);
  require_room(p, make_pipelines(p, *p.recipe.transports.front(), &looked, /*looks_only=*/true));
}

void check_kernels(const Recipe& recipe) {
  const Engine& engine = *recipe.engine;
  for_each_kernel(recipe, [&](int axis, const KernelRequest& request) {
    if (const std::string why = engine.refuses(request); !why.empty())
      throw Error(Status::unsupported,
                  fmt::format("axis {}: {}; {}", axis, why,
                              &engine == engines().front() ? "use a shorter axis" : "use engine native"));
  });
}

// Kernels of an engine that measures: what rank 0 has found serves all. Others are made with the pipelines.
void make_kernels(PlanParts& p) {
  const Engine& engine = *p.recipe.engine;
  look_for_room(p);
  if (!engine.measures()) return;
  with_shared_wisdom(p.comm, engine, [&] {
    for_each_kernel(p.recipe, [&](int, const KernelRequest& request) { (void)p.kernels.get(request); });
  });
}

// Places of the arrays, and what transforms them. Sweeps on a device need no kernels.
void prepare(PlanParts& p) {
  std::array<std::int64_t, 1> differ{};
  collectively(p.comm, differ, [&] {
    p.arrays = place_arrays(p.recipe, p.comm);
    if (p.recipe.device)
      p.place = p.home->place(p.recipe);
    else
      check_kernels(p.recipe);
    differ = {!p.arrays.have_same_places(p.recipe.problem)};
  });
  p.same_places = differ[0] == 0;
  if (!p.recipe.device) make_kernels(p);
}

// Messages are known with the pipelines. If none is worth encoding, the plan is prepared again, as that of exact mode,
// with its windows, chunks and sweeps; all ranks find the same.
bool gives_up_encoding(PlanParts& p, const Pipelines& pipelines) {
  if (!p.recipe.encoding.codec) return false;
  Expected all;
  for (const Pipeline* pipeline : pipelines.all())
    for (const Exchange& e : pipeline->route().exchanges) {
      if (e.spec().codec) return false;
      if (!e.spec().saves_nothing) continue;
      all.encoded += e.spec().saves_nothing->encoded;
      all.plain += e.spec().saves_nothing->plain;
    }
  if (all.plain == 0) return false;
  p.recipe.saves_nothing = fmt::format("{} would send about {} with headers and padding instead of {}",
                                       p.recipe.encoding.codec->name(), bytes_text(all.encoded), bytes_text(all.plain));
  collectively(p.comm, [&] { complete(p.recipe, p.comm); });
  prepare(p);
  return true;
}

void open_first_that_can(PlanParts& p) {
  const auto make = [&](const Transport* t) {
    return make_pipelines(p, *t, p.recipe.device ? nullptr : &p.kernels, p.comm.kind() == "dry_run");
  };
  for (std::size_t i = 0;; ++i) {
    MadePipelines made = make(p.recipe.transports[i]);
    if (gives_up_encoding(p, made.pipelines)) made = make(p.recipe.transports[i = 0]);
    const Transport& t = *p.recipe.transports[i];
    require_room(p, made);
    p.pipelines = std::move(made.pipelines);
    try {
      p.channel = t.open(p.comm, made.traffic);
      p.transport = &t;
      break;
    } catch (const Error& e) {
      if (i + 1 == p.recipe.transports.size()) throw;
      p.notices.push_back(fmt::format("transport {} cannot be used ({}); using {}", t.name(), e.what(),
                                      p.recipe.transports[i + 1]->name()));
    }
  }
  if (p.comm.rank() == 0)
    for (const std::string& text : p.notices) notice(text);
}

void check_workspace(const PlanParts& p) {
  const Options& o = p.options();
  const bool on_device = p.recipe.holder() != nullptr;
  if (on_device) p.check_space({o.workspace, o.workspace_bytes}, "options.workspace");
  const std::uintptr_t aligned = on_device ? 256 : 64;  // a device's library wants what its driver gives
  if (reinterpret_cast<std::uintptr_t>(o.workspace) % aligned != 0)
    throw Error(Status::invalid_argument,
                fmt::format("options.workspace is aligned to {} bytes, got {}; {}", aligned, fmt::ptr(o.workspace),
                            on_device ? "give the start of an allocation of the device" : "use std::aligned_alloc"));
  if (o.workspace_bytes < p.workspace_bytes)
    throw Error(Status::invalid_argument,
                fmt::format("options.workspace holds at least {} bytes on this rank, got {}; make it that large",
                            p.workspace_bytes, o.workspace_bytes));
}

// What the channel needs for itself, then the scratch of the sweeps, which all steps share. How much scratch there is
// shows when the sweeps know their patches, and these need the channel's addresses: so the channel is bound first.
void bind_memory(PlanParts& p) {
  const bool dry = looks_only(*p.transport);
  const auto channel_bytes = round_up(static_cast<std::size_t>(p.channel->private_bytes()), device_line);
  auto* given = static_cast<std::byte*>(p.options().workspace);
  const std::vector<Pipeline*> pipelines = p.pipelines.all();
  collectively(p.comm, [&] {
    if (!given && !dry) p.channel_memory = p.home->allocate(channel_bytes, "the send and receive buffers of a plan");
    p.channel->bind(given ? given : p.channel_memory.get());
    const bool poll = p.transport->store_reach() != StoreReach::all;
    int rounds = 0;
    std::size_t scratch = 0;
    for (Pipeline* pipeline : pipelines) {
      pipeline->bind(*p.channel, rounds, poll);
      rounds += static_cast<int>(pipeline->route().exchanges.size());
      scratch = std::max(scratch, pipeline->scratch_bytes());
    }
    p.workspace_bytes = channel_bytes + scratch;
    if (given) check_workspace(p);
    if (!dry) p.home->take_tiles();
    if (!given && !dry) p.scratch_memory = p.home->allocate(scratch, "the tiles of a plan");
    std::byte* tiles = given ? given + channel_bytes : p.scratch_memory.get();
    for (Pipeline* pipeline : pipelines) pipeline->use_scratch(tiles);
  });
  for (Pipeline* pipeline : pipelines)
    if (ErrorControl* errors = pipeline->errors()) {
      const std::vector<double> all = summed(p.comm, errors->encoded_values());
      errors->share_tolerance(all, summed(p.comm, errors->values_of_parts()));
    }
}

}  // namespace

PlanParts::PlanParts(const Comm& group, const Problem& problem, const Options& options)
    : comm(group), recipe(make_recipe(group, problem, options)), kernels(*recipe.engine, group.kind() == "dry_run") {
  if (recipe.device)
    collectively(comm, [&] {
      home = device_home(recipe, comm);
      pins.reset(home.get());
    });
  prepare(*this);
  open_first_that_can(*this);
  bind_memory(*this);
  if (recipe.chirped && comm.kind() != "dry_run") chirp_filters = make_chirp_filters(comm, recipe);
  if (!recipe.notice.empty()) notices.push_back(recipe.notice);  // it was said when it was found
}

// Queued work still uses the plan's memory. Messages may use it even longer.
Plan::Impl::~Impl() {
  home->finish();  // what went wrong is said by the caller's own synchronisation
  const bool in_run = std::ranges::any_of(pipelines.all(), &Pipeline::running);
  if (channel) channel->end(in_run, channel_memory);
}

}  // namespace shardfft
