#include "passes/plan.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files/disk/direct_file.hpp"
#include "files/file_runs.hpp"
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
Index bytes_beside(const PassesPlan& plan, const Pass& pass, const std::vector<int>& order) {
  const Shape tile = pass.tile_in(0).shape();
  Options options = tile_options(plan, pass, order);
  options.expert.transport.clear();
  const Plan look(dry_run(1), tile_problem(plan.transform, pass, tile), options);
  Index sizes = 1;
  for (int a = 0; a < pass.in.dims(); ++a) {
    const Index unit = pass.grain.dims() > 0 ? pass.grain[a] : 1, units = (pass.in[a] + unit - 1) / unit;
    sizes *= (units % pass.parts[a] != 0 ? 2 : 1) + (pass.in[a] % unit != 0 ? 1 : 0);
  }
  return sizes *
         (static_cast<Index>(look.workspace_bytes()) + Json::parse(look.describe_json())["shared_bytes"].get<Index>());
}

/// A small part of the memory, in which the disk is nearly as fast as with longer ones.
Index piece_bytes_in(Index bytes) {
  return std::clamp(down_to_direct(bytes / 256), Index{4} * direct_alignment, Index{1} << 20);
}

/// Bytes that reading and writing takes beside tiles: pieces are aligned, so longer at both ends.
Index disk_bytes(Index bytes) { return 2 * disk_threads * (piece_bytes_in(bytes) + 2 * direct_alignment); }

/// Bytes that the fullest pass takes.
Index bytes_of(const PassesPlan& plan) {
  Index most = 0;
  for (const Pass& pass : plan.passes) {
    const bool first = &pass == &plan.passes.front();
    const Index beside = bytes_beside(plan, pass, first ? plan.transform.file_order : c_order(pass.in.dims()));
    most = std::max(most, ring_of(plan.transform, pass).bytes() + beside);
  }
  return most;
}

/// Rings get what plans leave. False where some ring is too large. `taken`: what all passes need beside.
bool find_passes(PassesPlan& plan, Index bytes, Index taken) {
  bytes -= taken + disk_bytes(bytes);
  for (Index room = bytes; room > 0;) {
    const auto passes = choose_passes(plan.transform, room);
    if (!passes) return false;
    plan.passes = *passes;
    const Index over = bytes_of(plan) - bytes;
    if (over <= 0) return true;
    Index largest = 0;
    for (const Pass& pass : plan.passes) largest = std::max(largest, ring_of(plan.transform, pass).bytes());
    room = std::min(room, largest) - std::min(over, largest / 4 + 1);  // other passes may need smaller plans
  }
  return false;
}

[[noreturn]] void refuse_memory(PassesPlan& plan, const Comm& comm, bool asked, Index bytes, Index taken) {
  Index least = bytes;
  while (!find_passes(plan, least, taken)) least += least / 4 + 1;
  throw Error(Status::out_of_memory,
              fmt::format("the memory for a transform in passes must hold tiles of each pass, about {} for each of {}; "
                          "got {}; {}",
                          bytes_text(static_cast<double>(least)), counted(comm.size(), "rank"),
                          bytes_text(static_cast<double>(bytes)),
                          asked ? "raise --memory, or start fewer ranks" : "use more nodes"));
}

/// What the plan of the whole array says, for those of tiles.
void take_whole(PassesPlan& plan, const std::string& text, const FileTransform& asked, bool forward) {
  const Json said = Json::parse(text);
  plan.said = text;
  plan.transform.order = said["axis_order"][forward ? "forward" : "backward"].get<std::vector<int>>();
  plan.orders = plan.transform.order.size() > 1 || !plan.options.expert.axis_order.empty();
  if (plan.transform.order.size() > 1 && said["recipe"].contains("split"))
    throw Error(Status::unsupported,
                "a transform in passes does not split one of several axes; got --split always; leave it out");
  plan.options.destroy_input = !asked.keeps_input;  // it is our copy of the file
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
          .parts = coord("parts"),
          .grain = coord("grain")};
}

void set_passes(PassesPlan& plan, const Json& passes) {
  const Precision precision = plan.transform.problem.precision;
  plan.passes.clear();
  for (const Json& pass : passes) plan.passes.push_back(pass_from(pass));
  plan.moved = moved_by(plan.transform, plan.passes);
  plan.scratch_bytes = 0;
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i)
    plan.scratch_bytes += product(plan.passes[i].out) * plan_dtype(precision, plan.passes[i].complex_out).size;
}

}  // namespace

Options tile_options(const PassesPlan& plan, const Pass& pass, const std::vector<int>& order) {
  const bool forward = pass.work != Work::backward;
  Options options = plan.options;
  options.apply = pass.work == Work::apply ? Apply::to_outputs : Apply::none;
  const LayoutSpec own = slabs(0), files = order == c_order(pass.in.dims()) ? own : own.ordered(order);
  options.input = forward ? files : own;
  options.output = pass.work == Work::apply ? LayoutSpec{} : forward ? own : files;
  options.in_place = pass.in_place;
  if (!plan.orders) return options;
  options.expert.axis_order = pass.axes;
  if (!forward) std::ranges::reverse(options.expert.axis_order);
  options.expert.split = SplitAxis::never;  // as where there are several axes
  return options;
}

PassesPlan plan_passes(const Comm& comm, const FileTransform& asked, const OperatorFor& operator_for,
                       const Options& options, const File& in, const OutOfCore& how) {
  const Index bytes = how.memory_bytes > 0 ? how.memory_bytes : memory_for_each(comm) / 4 * 3;
  PassesPlan plan{.transform = asked, .verifies = how.verify, .bytes = bytes, .piece_bytes = piece_bytes_in(bytes)};
  plan.transform.file_order = in.info().order;
  plan.transform.keeps_input = how.verify;
  plan.options = without_exchanges(options, asked.in.dims());
  plan.options.threads = team_of(options.threads > 0 ? options.threads : usual_threads(comm));
  const bool forward = asked.direction == Direction::forward;
  Json decided;
  collectively(comm, [&] {
    std::optional<Plan> whole;
    if (comm.rank() == 0 || asked.applies)
      whole.emplace(dry_run(1), asked.problem, options_of_whole(asked, plan.options));
    if (asked.applies) plan.tile_operator = TileOperator(*whole, operator_for(*whole));
    if (comm.rank() != 0) return;
    take_whole(plan, whole->describe_json(), plan.transform, forward);
    const Index taken = in.impl().library_bytes();
    if (!find_passes(plan, bytes, taken)) refuse_memory(plan, comm, how.memory_bytes > 0, bytes, taken);
    decided = {{"said", plan.said}, {"passes", passes_json(plan)}};
  });
  decided = Json::parse(text_of_first(comm, decided.dump()));
  if (comm.rank() != 0) take_whole(plan, decided["said"].get<std::string>(), plan.transform, forward);
  set_passes(plan, decided["passes"]);
  return plan;
}

Json passes_json(const PassesPlan& plan) {
  Json passes = Json::array();
  for (const Pass& pass : plan.passes) passes.push_back(to_json(pass));
  return passes;
}

Json identity_of(const PassesPlan& plan, const File& in, const File& out, const OutOfCore& how) {
  const FileTransform& t = plan.transform;
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
