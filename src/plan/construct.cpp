// How a plan comes to be: recipe, kernels, exchanges, traffic, memory.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

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

PlanParts::PlanParts(const Comm& group, const Problem& problem, const Options& options)
    : comm(group), recipe(make_recipe(group, problem, options)), kernels(*recipe.engine, group.kind() == "dry_run") {}

Plan::Impl::Impl(const Comm& group, const Problem& problem, const Options& options)
    : PlanParts(group, problem, options), gate(*this) {
  collectively(comm, [&] { place_callers_arrays(); });
  if (recipe.device)
    collectively(comm, [&] { open_device(); });
  else
    make_kernels();
  open_first_that_can();
  bind_memory();
  if (!recipe.notice.empty()) notices.push_back(recipe.notice);  // it was said when it was found
}

// Queued work still uses the plan's memory. Messages may use it even longer.
Plan::Impl::~Impl() {
  home->finish();  // what went wrong is said by the caller's own synchronisation
  const auto all = pipelines();
  const bool in_run = std::any_of(all.begin(), all.end(), [](const Pipeline* p) { return p->running(); });
  if (channel) channel->end(in_run, channel_memory);
}

std::vector<Pipeline*> PlanParts::pipelines() const {
  std::vector<Pipeline*> all{forward.get(), backward.get(), both.get()};
  std::erase(all, nullptr);
  return all;
}

void Plan::Impl::for_each_kernel(const std::function<void(int, const KernelRequest&)>& visit) const {
  for (const auto& stages :
       {recipe.analysis, recipe.synthesis, recipe.applied ? recipe.applied->stages : std::vector<Stage>{}})
    for (const Stage& stage : stages)
      for (const AxisTransform& axis : stage.axes) visit(axis.axis, axis.request(recipe.problem.scalar));
}

void Plan::Impl::make_kernels() {
  collectively(comm, [&] {
    for_each_kernel([&](int axis, const KernelRequest& request) {
      if (const std::string why = recipe.engine->refuses(request); !why.empty())
        throw Error(Status::unsupported,
                    fmt::format("axis {}: {}; {}", axis, why,
                                recipe.engine == engines().front() ? "use a shorter axis" : "use engine native"));
    });
  });
  look_for_room();
  with_shared_wisdom(comm, *recipe.engine,
                     [&] { for_each_kernel([&](int, const KernelRequest& request) { (void)kernels.get(request); }); });
}

// Tables of a very long axis take minutes, and memory of their own: what has no room is refused before they are made.
void Plan::Impl::look_for_room() {
  constexpr Index large = Index{1} << 28;  // elements of a rank
  if (comm.kind() == "dry_run" || recipe.encoding.codec || product(recipe.problem.points) / comm.size() < large) return;
  Kernels looked(*recipe.engine, /*look_only=*/true);
  build_pipelines(*recipe.transports.front(), &looked, /*looks_only=*/true);
  require_room(*recipe.transports.front(), traffic());
}

// Sweeps on a device need no kernels of the host.
void Plan::Impl::open_device() {
  home = device_home(recipe, comm);
  pins.reset(home.get());
  place = home->place(recipe);
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

}  // namespace

Encoding Plan::Impl::encoding_of_pairs() const {
  Encoding e = recipe.encoding;
  e.encodes = [group = comm, within = e.within_nodes](int a, int b) {
    return a != b && (within || group.node(a) != group.node(b));
  };
  return e;
}

PipelineSpec Plan::Impl::pipeline_spec(const Transport& t, Direction direction, bool applies, bool same) const {
  const bool fwd = direction == Direction::forward;
  const bool analysis = fwd == recipe.problem.analysis_is_forward();
  PipelineSpec s{.me = comm.rank(),
                 .scalar = recipe.problem.scalar,
                 .from = on_base(ends(direction, applies).from, Base::input),
                 .to = on_base(ends(direction, applies).to, Base::output)};
  const SweptSide &side = analysis ? recipe.space_side : recipe.spectrum_side,
                  &other = analysis ? recipe.spectrum_side : recipe.space_side;
  s.from = s.from.seen_by(applies ? recipe.applied->side : side, true);
  s.to = s.to.seen_by(applies ? recipe.applied->side : other, false);
  s.stages = applies ? recipe.applied->stages : analysis ? recipe.analysis : recipe.synthesis;
  s.scaling = recipe.problem.scaling(fwd);
  if (applies) {
    s.scaling_back = recipe.problem.scaling(!fwd);
    s.middle = middle_array();
  }
  s.tuning = recipe.tuning;
  const bool past_cache = recipe.non_temporal_in(analysis) || (applies && recipe.non_temporal_in(!analysis));
  s.tuning.non_temporal = past_cache ? NonTemporal::all : NonTemporal::none;
  s.in_place = options().in_place;
  s.destroy_input = options().destroy_input;
  s.same_places = applies ? applied.layout.global() == s.from.layout.global()
                          : same && !recipe.split;  // of the split array, indexes before and after are others
  s.encoding = encoding_of_pairs();
  s.place = place;
  s.pads = !recipe.device;
  s.near = [group = comm, transport_ = &t](int peer) { return is_near(group, *transport_, peer); };
  s.parts = recipe.device ? 1 : parts_of(comm, s.near);
  return s;
}

void Plan::Impl::build_pipelines(const Transport& t) {
  build_pipelines(t, recipe.device ? nullptr : &kernels, comm.kind() == "dry_run");
}

void Plan::Impl::build_pipelines(const Transport& t, Kernels* made, bool looks_only) {
  const bool same = all_max(comm, std::int64_t{!have_same_places()}) == 0;
  collectively(comm, [&] {
    const auto make = [&](Direction direction, bool applies = false) {
      PipelineSpec spec = pipeline_spec(t, direction, applies, same);
      spec.looks_only = looks_only;
      return std::make_unique<Pipeline>(std::move(spec), made);
    };
    forward = make(Direction::forward);
    backward = make(Direction::backward);
    if (recipe.applied) both = make(applying_direction(), true);
  });
}

// Messages are known with the pipelines. Where none is worth encoding the plan is that of exact mode, with its windows,
// chunks and sweeps; all ranks find the same.
bool Plan::Impl::gives_up_encoding() {
  if (!recipe.encoding.codec) return false;
  Expected all;
  for (const Pipeline* pipeline : pipelines())
    for (const Exchange& e : pipeline->route().exchanges) {
      if (e.spec().codec) return false;
      if (!e.spec().saves_nothing) continue;
      all.encoded += e.spec().saves_nothing->encoded;
      all.plain += e.spec().saves_nothing->plain;
    }
  if (all.plain == 0) return false;
  recipe.saves_nothing = fmt::format("{} would send about {} with headers and padding instead of {}",
                                     recipe.encoding.codec->name(), bytes_text(all.encoded), bytes_text(all.plain));
  collectively(comm, [&] {
    complete(recipe, comm);
    place_callers_arrays();
  });
  if (recipe.device)
    place = home->place(recipe);
  else
    make_kernels();
  return true;
}

// Bytes of a shared array that saves a copy, if peers reach it. Peers must know the places of its elements, which they
// do for default placements only.
Index Plan::Impl::shared_array_bytes() const {
  const auto saves = [](const Pipeline* p) { return p->copies() || hands_on_in_outputs(p->spec(), p->route()); };
  const auto all = pipelines();
  if (comm.size() == 1 || options().in_place || recipe.encoding.codec || recipe.holder() ||
      std::none_of(all.begin(), all.end(), saves))
    return 0;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const bool default_places =
      options().input_memory.empty() && options().output_memory.empty() && !options().padded_reals;
  const std::int64_t largest = all_max(
      comm, default_places ? static_cast<std::int64_t>(std::max({input_bytes, output_bytes, applied_bytes})) : none);
  return largest == none ? 0 : largest;
}

void require_room(const Comm& comm, const Transport& t, const Traffic& traffic, const char* what, bool own,
                  const char* instead) {
  if (comm.kind() == "dry_run") return;
  const auto counted = dry_run_of(t).open(comm, traffic);
  const MemoryNeed need{.own = own ? counted->private_bytes() : 0, .shared = counted->shared_bytes()};
  if (const std::string why = why_no_room(comm, need); !why.empty())
    throw Error(Status::out_of_memory,
                fmt::format("{} takes {} on this rank for windows and buffers, and there is no room for them: {}; {}",
                            what, gigabytes(need.own + need.shared), why, instead));
}

void Plan::Impl::require_room(const Transport& t, const Traffic& messages) const {
  shardfft::require_room(comm, t, messages, "a plan", /*own=*/!options().workspace,
                         "use more nodes, f32, a smaller shape, or the options in_place or destroy_input");
}

Traffic Plan::Impl::traffic() const {
  Traffic all{.rounds = {},
              .array_bytes = shared_array_bytes(),
              .huge_pages = recipe.tuning.huge_pages == HugePages::on,
              .on = home->context()};
  for (const Pipeline* pipeline : pipelines()) {
    const auto rounds = pipeline->rounds();
    all.rounds.insert(all.rounds.end(), rounds.begin(), rounds.end());
  }
  return all;
}

void Plan::Impl::open_first_that_can() {
  for (std::size_t i = 0;; ++i) {
    build_pipelines(*recipe.transports[i]);
    if (gives_up_encoding()) build_pipelines(*recipe.transports[i = 0]);
    const Transport& t = *recipe.transports[i];
    const Traffic messages = traffic();
    if (!recipe.holder()) require_room(t, messages);
    try {
      channel = t.open(comm, messages);
      transport = &t;
      break;
    } catch (const Error& e) {
      if (i + 1 == recipe.transports.size()) throw;
      notices.push_back(fmt::format("transport {} cannot be used ({}); using {}", t.name(), e.what(),
                                    recipe.transports[i + 1]->name()));
    }
  }
  if (comm.rank() == 0)
    for (const std::string& text : notices) notice(text);
}

// What the channel needs for itself, then the scratch of the sweeps, which all steps share. How much scratch there is
// shows when the sweeps know their patches, and these need the channel's addresses: so the channel is bound first.
void Plan::Impl::bind_memory() {
  const bool dry = looks_only(*transport);
  const auto channel_bytes = round_up(static_cast<std::size_t>(channel->private_bytes()), device_line);
  auto* given = static_cast<std::byte*>(options().workspace);
  collectively(comm, [&] {
    if (!given && !dry) channel_memory = home->allocate(channel_bytes, "the send and receive buffers of a plan");
    channel->bind(given ? given : channel_memory.get());
    const bool poll = transport->store_reach() != StoreReach::all;
    int rounds = 0;
    std::size_t scratch = 0;
    for (Pipeline* pipeline : pipelines()) {
      pipeline->bind(*channel, rounds, poll);
      rounds += static_cast<int>(pipeline->rounds().size());
      scratch = std::max(scratch, pipeline->scratch_bytes());
    }
    workspace_bytes = channel_bytes + scratch;
    if (given) check_workspace();
    if (!dry) home->take_tiles();
    if (!given && !dry) scratch_memory = home->allocate(scratch, "the tiles of a plan");
    std::byte* tiles = given ? given + channel_bytes : scratch_memory.get();
    for (Pipeline* pipeline : pipelines()) pipeline->use_scratch(tiles);
  });
  for (Pipeline* pipeline : pipelines())
    if (ErrorControl* errors = pipeline->errors()) {
      const std::vector<double> all = summed(comm, errors->encoded_values());
      errors->share_tolerance(all, summed(comm, errors->values_of_parts()));
    }
}

std::vector<double> summed(const Comm& comm, std::vector<double> values) {
  for (double& value : values) value = all_sum(comm, value);
  return values;
}

void Plan::Impl::check_workspace() const {
  if (recipe.holder()) check_space({options().workspace, options().workspace_bytes}, "options.workspace");
  const std::uintptr_t aligned = recipe.holder() ? 256 : 64;  // a device's library wants what its driver gives
  if (reinterpret_cast<std::uintptr_t>(options().workspace) % aligned != 0)
    throw Error(
        Status::invalid_argument,
        fmt::format("options.workspace is aligned to {} bytes, got {}; {}", aligned, fmt::ptr(options().workspace),
                    recipe.holder() ? "give the start of an allocation of the device" : "use std::aligned_alloc"));
  if (options().workspace_bytes < workspace_bytes)
    throw Error(Status::invalid_argument,
                fmt::format("options.workspace holds at least {} bytes on this rank, got {}; make it that large",
                            workspace_bytes, options().workspace_bytes));
}

}  // namespace shardfft
