#include "passes/plan.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files/disk/direct_file.hpp"
#include "files/file_runs.hpp"
#include "passes/four_steps.hpp"
#include "passes/two.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::files {
namespace {

/// Nothing is sent, so nothing is encoded; what else is asked of exchanges means nothing either. The memory is ours.
Options without_exchanges(Options o, int dims) {
  o.input_memory.clear(), o.output_memory.clear();
  o.padded_reals = o.in_place = false;
  o.workspace = nullptr, o.workspace_bytes = 0;
  o.apply = Apply::none;
  o.tolerance = o.tolerance_absolute = o.tolerance_linf = 0;
  o.guarantee.clear();
  o.expert.decomposition.clear();
  o.expert.ranks_grid = Coord::filled(dims, 1);
  o.expert.codec = "none";
  o.expert.chunks = 1;
  o.expert.transport.clear();
  return o;
}

Options options_of_whole(const FileTransform& t, Options options) {
  if (!t.applies) return options;
  options.apply = Apply::to_outputs;
  options.output = {};
  return options;
}

/// What plans of tiles take beside these: one for each size of tiles.
Index bytes_beside(const PassesPlan& plan, std::size_t number) {
  const Pass& pass = plan.passes[number];
  if (only_rearranges(pass)) return 0;
  const Shape tile = pass.tile_in(0).shape();
  Options options = tile_options(plan, pass, order_of_tiles(plan, number));
  options.expert.transport.clear();
  const auto bytes_of_plan = [&](const Options& of_tile) {
    const Plan look(dry_run(1), tile_problem(plan.transform, pass, tile), of_tile);
    return static_cast<Index>(look.workspace_bytes()) + Json::parse(look.describe_json())["shared_bytes"].get<Index>();
  };
  Index bytes = bytes_of_plan(options);
  if (pass.meets) {
    options = tile_options(plan, second_of(plan.transform, pass), order_of_tiles(plan, number));
    options.expert.transport.clear();
    bytes += bytes_of_plan(options);
  }
  Index sizes = 1;
  for (int a = 0; a < pass.in.dims(); ++a) {
    const Index unit = pass.grain.dims() > 0 ? pass.grain[a] : 1, units = (pass.in[a] + unit - 1) / unit;
    sizes *= (units % pass.parts[a] != 0 ? 2 : 1) + (pass.in[a] % unit != 0 ? 1 : 0);
  }
  const Index tables = multiplies_twiddles(plan.transform, pass) ? twiddle_bytes(plan.transform) : 0;
  return tables + sizes * bytes;
}

/// Bytes that reading and writing takes beside tiles: pieces are aligned, so longer at both ends.
Index disk_bytes(Index bytes) { return 2 * disk_threads * (piece_bytes_in(bytes) + 2 * direct_alignment); }

/// Bytes that the fullest pass takes.
Index bytes_of(const PassesPlan& plan) {
  Index most = 0;
  for (std::size_t i = 0; i < plan.passes.size(); ++i)
    most = std::max(most, ring_of(plan.transform, plan.passes[i]).bytes() + bytes_beside(plan, i));
  return most;
}

/// Rings get what plans leave. False where some ring is too large. `taken`: what all passes need beside.
bool find_passes_of(PassesPlan& plan, const FileTransform& transform, Index bytes, Index taken) {
  plan.transform = transform;
  bytes -= taken + disk_bytes(bytes);
  for (Index room = bytes; room > 0;) {
    const auto passes = choose_passes(plan.transform, room);
    if (!passes) return false;
    plan.passes = *passes;
    const Index over = bytes_of(plan) - bytes;
    if (over <= 0) return true;
    Index largest = 0;
    for (const Pass& pass : plan.passes) largest = std::max(largest, ring_of(plan.transform, pass).bytes());
    room = std::min(room, largest) - std::min(over, largest / 16 + 1);  // other passes may need smaller plans
  }
  return false;
}

/// Whether the split axis may lie in the file in two factors.
bool takes_four_steps(const PassesPlan& plan, const File& in) {
  const FileTransform& t = plan.asked;
  return plan.split && t.problem.kind == c2c && !t.applies && !t.reduces && !t.two && in.impl().is_flat();
}

/// Prefers passes in which the axis is whole, which are fewer.
bool find_passes(PassesPlan& plan, const File& in, Index bytes, Index taken) {
  return find_passes_of(plan, plan.asked, bytes, taken) ||
         (takes_four_steps(plan, in) && find_passes_of(plan, in_four_steps(plan.asked, *plan.split), bytes, taken));
}

[[noreturn]] void refuse_memory(PassesPlan& plan, const Comm& comm, const File& in, bool asked, Index bytes,
                                Index taken) {
  Index least = bytes;
  while (!find_passes(plan, in, least, taken)) least += least / 4 + 1;
  throw Error(Status::out_of_memory,
              fmt::format("the memory for a transform in passes must hold tiles of each pass, about {} for each of {}; "
                          "got {}; {}",
                          bytes_text(static_cast<double>(least)), counted(comm.size(), "rank"),
                          bytes_text(static_cast<double>(bytes)),
                          plan.split && plan.asked.problem.kind == c2c && !in.impl().is_flat()
                              ? "raise --memory, or copy the array to a .npy file, whose axis may be cut"
                          : asked ? "raise --memory, or start fewer ranks"
                                  : "use more nodes"));
}

/// Reads what a recipe says: "axis 0 into 512 x 256".
AxisSplit split_from(const std::string& text) {
  AxisSplit s;
  if (std::sscanf(text.c_str(), "axis %d into %" SCNd64 " x %" SCNd64, &s.axis, &s.slow, &s.fast) != 3)
    throw Error(Status::internal, fmt::format("a recipe splits an axis into two factors; got '{}'; report this", text));
  return s;
}

/// What the plan of the whole array says, for those of tiles.
void take_whole(PassesPlan& plan, const std::string& text, bool forward) {
  const Json said = Json::parse(text);
  plan.said = text;
  plan.asked.order = said["axis_order"][forward ? "forward" : "backward"].get<std::vector<int>>();
  if (plan.asked.order.size() > 1 && said["recipe"].contains("split"))
    throw Error(Status::unsupported,
                "a transform in passes does not split one of several axes; got --split always; leave it out");
  if (said["recipe"].contains("split")) plan.split = split_from(said["recipe"]["split"].get<std::string>());
  plan.options.destroy_input = !plan.asked.keeps_input;  // it is our copy of the file
  plan.options.expert.engine = said["recipe"]["engine"].get<std::string>();
  plan.options.expert.transport = "threads";
  plan.options.expert.intermediate = Intermediate::output;  // in the tile that is there already
}

// Rank 0 decides: others may have other caches and threads.
Json to_json(const Pass& pass) {
  const auto list = [](const Coord& c) { return std::vector<Index>(c.begin(), c.end()); };
  return {{"work", static_cast<int>(pass.work)},
          {"axes", pass.axes},
          {"in", list(pass.in)},
          {"out", list(pass.out)},
          {"complex_in", pass.complex_in},
          {"complex_out", pass.complex_out},
          {"in_place", pass.in_place},
          {"meets", pass.meets},
          {"parts", list(pass.parts)},
          {"grain", list(pass.grain)}};
}
Pass pass_from(const Json& json) {
  const auto coord = [&](const char* name) { return Coord(json[name].get<std::vector<Index>>()); };
  return {.work = static_cast<Work>(json["work"].get<int>()),
          .axes = json["axes"].get<std::vector<int>>(),
          .in = coord("in"),
          .out = coord("out"),
          .complex_in = json["complex_in"].get<bool>(),
          .complex_out = json["complex_out"].get<bool>(),
          .in_place = json["in_place"].get<bool>(),
          .meets = json["meets"].get<bool>(),
          .parts = coord("parts"),
          .grain = coord("grain")};
}

void set_passes(PassesPlan& plan, const Json& passes) {
  const Precision precision = plan.asked.problem.precision;
  plan.passes.clear();
  for (const Json& pass : passes) plan.passes.push_back(pass_from(pass));
  const bool is_split = plan.passes.front().in.dims() > plan.asked.in.dims();
  plan.transform = is_split ? in_four_steps(plan.asked, *plan.split) : plan.asked;
  plan.moved = moved_by(plan.transform, plan.passes);
  plan.scratch_bytes = 0;
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i)
    plan.scratch_bytes += product(plan.passes[i].out) * plan_dtype(precision, plan.passes[i].complex_out).size *
                          (plan.transform.two && i < meeting_of(plan.passes) ? 2 : 1);
}

}  // namespace

TileOrder order_of_tiles(const PassesPlan& plan, std::size_t number) {
  const Pass& pass = plan.passes[number];
  return {.before = number == 0 ? plan.transform.file_order : c_order(pass.in.dims()),
          .after = number + 1 == plan.passes.size() ? plan.transform.result_order : c_order(pass.out.dims())};
}

bool only_rearranges(const Pass& pass) { return pass.axes.empty() && pass.in_place; }

Index memory_of(const Comm& comm, const OutOfCore& how) {
  require_same(comm, "the memory of each rank, memory_bytes,", fmt::format("{}", how.memory_bytes));
  return how.memory_bytes > 0 ? how.memory_bytes : memory_for_each(comm) / 4 * 3;
}

// A small part of the memory, in which the disk is nearly as fast as with longer ones.
Index piece_bytes_in(Index bytes) {
  return std::clamp(down_to_direct(bytes / 256), Index{4} * direct_alignment, Index{1} << 20);
}

std::size_t meeting_of(const std::vector<Pass>& passes) {
  return static_cast<std::size_t>(std::ranges::find_if(passes, &Pass::meets) - passes.begin());
}

Options tile_options(const PassesPlan& plan, const Pass& pass, const TileOrder& order) {
  const bool forward = pass.work != Work::backward;
  Options options = plan.options;
  options.apply = pass.work == Work::apply ? Apply::to_outputs : Apply::none;
  const auto layout = [&](const std::vector<int>& axes) {
    return axes == c_order(pass.in.dims()) ? slabs(0) : slabs(0).ordered(axes);
  };
  options.input = layout(forward ? order.before : order.after);
  options.output = pass.work == Work::apply ? LayoutSpec{} : layout(forward ? order.after : order.before);
  options.in_place = pass.in_place;
  options.expert.ranks_grid = Coord::filled(pass.in.dims(), 1);
  if (plan.transform.order.size() <= 1 && options.expert.axis_order.empty()) return options;
  options.expert.axis_order = pass.axes;
  if (!forward) std::ranges::reverse(options.expert.axis_order);
  options.expert.split = SplitAxis::never;  // as where there are several axes
  return options;
}

PassesPlan plan_passes(const Comm& comm, const FileTransform& asked, const OperatorFor& operator_for,
                       const TwoSpectra& of_two, const Options& options, const File& in, const File* second,
                       const OutOfCore& how) {
  const Index bytes = memory_of(comm, how);
  PassesPlan plan{.asked = asked, .verifies = how.verify, .bytes = bytes, .piece_bytes = piece_bytes_in(bytes)};
  plan.asked.file_order = in.info().order;
  plan.asked.chunks = in.impl().chunks();
  plan.asked.keeps_input = how.verify;
  plan.options = without_exchanges(options, asked.in.dims());
  plan.options.threads = team_of(options.threads > 0 ? options.threads : usual_threads(comm));
  const bool forward = asked.direction == Direction::forward;
  Json decided;
  collectively(comm, [&] {
    std::optional<Plan> whole;
    if (comm.rank() == 0 || asked.applies)
      whole.emplace(dry_run(1), asked.problem, options_of_whole(asked, plan.options));
    if (asked.applies)
      plan.tile_operator = of_two ? TileOperator(*whole, of_two) : TileOperator(*whole, operator_for(*whole));
    if (comm.rank() != 0) return;
    take_whole(plan, whole->describe_json(), forward);
    const Index taken = in.impl().library_bytes() + (second ? second->impl().library_bytes() : 0);
    if (!find_passes(plan, in, bytes, taken)) refuse_memory(plan, comm, in, how.memory_bytes > 0, bytes, taken);
    decided = {{"said", plan.said}, {"passes", passes_json(plan)}};
  });
  decided = Json::parse(text_of_first(comm, decided.dump()));
  if (comm.rank() != 0) take_whole(plan, decided["said"].get<std::string>(), forward);
  set_passes(plan, decided["passes"]);
  return plan;
}

Json passes_json(const PassesPlan& plan) {
  Json passes = Json::array();
  for (const Pass& pass : plan.passes) passes.push_back(to_json(pass));
  return passes;
}

Json identity_of(const PassesPlan& plan, const File& in, const File& out, const OutOfCore& how) {
  const FileTransform& t = plan.asked;
  const Problem& p = t.problem;
  const auto list = [](const Coord& c) { return std::vector<Index>(c.begin(), c.end()); };
  std::vector<int> kinds;
  for (const AxisKind kind : p.kinds) kinds.push_back(static_cast<int>(kind));
  return {{"version", SHARDFFT_VERSION},
          {"in", in.impl().stamp()},
          {"dataset", in.name()},
          {"dtype", to_string(in.info().type)},
          {"out", out.name()},
          {"scratch", how.scratch},
          {"shape", list(p.shape)},
          {"modes", list(p.modes)},
          {"support", list(p.support)},
          {"axes", p.axes},
          {"kind", to_string(p.kind)},
          {"kinds", kinds},
          {"precision", to_string(p.precision)},
          {"scaling", {static_cast<int>(p.forward), static_cast<int>(p.backward)}},
          {"forward", t.direction == Direction::forward},
          {"applies", t.applies},
          {"with", how.resumed_with},
          {"order", t.order},
          {"engine", plan.options.expert.engine},
          {"verify", how.verify}};
}

bool take_passes(PassesPlan& plan, const Json& noted, const File& in) {
  PassesPlan other = plan;
  set_passes(other, noted);
  if (bytes_of(other) > plan.bytes - in.impl().library_bytes() - disk_bytes(plan.bytes)) return false;
  set_passes(plan, noted);
  return true;
}

}  // namespace shardfft::files
