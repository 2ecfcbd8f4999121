#include "passes/plan.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "disk/direct_file.hpp"
#include "files/file_runs.hpp"
#include "options/words.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

/// Nothing is sent, so nothing is encoded; what else is asked of exchanges means nothing either.
Options without_exchanges(Options o, int dims) {
  o.tolerance = o.tolerance_absolute = o.tolerance_linf = 0;
  o.guarantee.clear();
  o.expert.decomposition.clear();
  o.expert.ranks_grid = Coord::filled(dims, 1);
  o.expert.codec = "none";
  o.expert.chunks = 1;
  o.expert.transport.clear();
  return o;
}

Plan plan_of_whole(const Task& task, const FileLayouts& layouts, Options options) {
  const bool forward = task.direction == Direction::forward;
  options.input = forward ? layouts.in : layouts.out;
  options.output = forward ? layouts.out : layouts.in;
  return Plan(dry_run(1), task.problem, options);
}

/// What plans of tiles take beside these: one for each size of tiles.
Index bytes_beside(const PassesPlan& plan, const Pass& pass, const std::vector<int>& order) {
  const Shape tile = pass.tile_in(0).shape();
  Options options = tile_options(plan, pass, order);
  options.expert.transport.clear();
  const Plan look(dry_run(1), tile_problem(plan.transform.task, pass, tile), options);
  Index sizes = 1;
  for (int a = 0; a < pass.in.dims(); ++a) {
    const Index unit = pass.grain.dims() > 0 ? pass.grain[a] : 1, units = (pass.in[a] + unit - 1) / unit;
    sizes *= (units % pass.parts[a] != 0 ? 2 : 1) + (pass.in[a] % unit != 0 ? 1 : 0);
  }
  return sizes * (static_cast<Index>(look.workspace_bytes()) + description_of(look)["shared_bytes"].get<Index>());
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
  const Task& task = plan.transform.task;
  for (const Pass& pass : plan.passes) {
    const bool first = &pass == &plan.passes.front();
    const Index beside = bytes_beside(plan, pass, first ? plan.transform.file_order : c_order(pass.in.dims()));
    most = std::max(most, ring_of(task, pass).bytes() + beside);
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
    for (const Pass& pass : plan.passes) largest = std::max(largest, ring_of(plan.transform.task, pass).bytes());
    room = std::min(room, largest) - over;
  }
  return false;
}

[[noreturn]] void refuse_memory(PassesPlan& plan, const Comm& comm, const TransformWords& words, Index bytes,
                                Index taken) {
  Index least = bytes;
  while (!find_passes(plan, least, taken)) least += least / 4 + 1;
  throw Error(Status::out_of_memory,
              fmt::format("the memory for a transform in passes must hold tiles of each pass, about {} for each of {}; "
                          "got {}; {}",
                          bytes_text(static_cast<double>(least)), counted(comm.size(), "rank"),
                          bytes_text(static_cast<double>(bytes)),
                          words.memory.empty() ? "use more nodes" : "raise --memory, or start fewer ranks"));
}

/// What the plan of the whole array says, for those of tiles.
void take_whole(PassesPlan& plan, const Json& said, const TransformWords& words) {
  const bool forward = plan.transform.task.direction == Direction::forward;
  plan.said = said;
  plan.transform.order = said["axis_order"][forward ? "forward" : "backward"].get<std::vector<int>>();
  plan.orders = plan.transform.order.size() > 1 || !plan.options.expert.axis_order.empty();
  if (plan.transform.order.size() > 1 && said["recipe"].contains("split"))
    throw Error(Status::unsupported,
                "a transform in passes does not split one of several axes; got --split always; leave it out");
  plan.options.destroy_input = !words.verify;  // it is our copy of the file
  plan.options.expert.engine = said["recipe"]["engine"].get<std::string>();
  plan.options.expert.transport = "threads";
  plan.options.expert.intermediate = Intermediate::output;  // in the tile that is there already
}

// Rank 0 decides: others may have other caches and threads.
Json to_json(const Pass& pass) {
  const auto list = [](const Coord& c) { return std::vector<Index>(c.begin(), c.end()); };
  return {{"axes", pass.axes},
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
  return {.axes = json["axes"].get<std::vector<int>>(),
          .in = coord("in"),
          .out = coord("out"),
          .complex_in = json["complex_in"].get<bool>(),
          .complex_out = json["complex_out"].get<bool>(),
          .in_place = json["in_place"].get<bool>(),
          .parts = coord("parts"),
          .grain = coord("grain")};
}

void set_passes(PassesPlan& plan, const Json& passes) {
  const Precision precision = plan.transform.task.problem.precision;
  plan.passes.clear();
  for (const Json& pass : passes) plan.passes.push_back(pass_from(pass));
  plan.moved = moved_by(plan.transform, plan.passes);
  plan.scratch_bytes = 0;
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i)
    plan.scratch_bytes += product(plan.passes[i].out) * plan_dtype(precision, plan.passes[i].complex_out).size;
}

}  // namespace

std::string why_no_passes(const TransformWords& words) {
  const char* device = std::getenv("SHARDFFT_DEVICE");
  const auto given = words.choices.texts.find("--device");
  if (!words.apply.empty()) return "--apply takes arrays that fit into memory";
  if (!words.trace.empty()) return "--trace takes arrays that fit into memory";
  if ((given != words.choices.texts.end() && !given->second.empty()) || (device && *device))
    return "--device takes arrays that fit into the memory of the host";
  return {};
}

Options tile_options(const PassesPlan& plan, const Pass& pass, const std::vector<int>& order) {
  const bool forward = plan.transform.task.direction == Direction::forward;
  Options options = plan.options;
  const LayoutSpec own = slabs(0), files = order == c_order(pass.in.dims()) ? own : own.ordered(order);
  options.input = forward ? files : own;
  options.output = forward ? own : files;
  options.in_place = pass.in_place;
  if (!plan.orders) return options;
  options.expert.axis_order = pass.axes;
  if (!forward) std::ranges::reverse(options.expert.axis_order);
  options.expert.split = SplitAxis::never;  // as where there are several axes
  return options;
}

PassesPlan plan_passes(const Comm& comm, const TransformWords& words, const Task& task, const FileLayouts& layouts,
                       const NpyInput& input, Index bytes) {
  PassesPlan plan{.transform = {.task = task, .file_order = input.order(), .keeps_input = words.verify},
                  .bytes = bytes,
                  .piece_bytes = piece_bytes_in(bytes)};
  plan.verifies = words.verify;
  plan.options = without_exchanges(to_options(words.choices), task.in.dims());
  plan.options.threads = helper_threads(comm, plan.options.threads);
  Json decided;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    take_whole(plan, description_of(plan_of_whole(task, layouts, plan.options)), words);
    const Index taken = input.library_bytes();
    if (!find_passes(plan, bytes, taken)) refuse_memory(plan, comm, words, bytes, taken);
    decided = {{"said", plan.said}, {"passes", passes_json(plan)}};
  });
  decided = Json::parse(text_of_first(comm, decided.dump()));
  if (comm.rank() != 0) take_whole(plan, decided["said"], words);
  add_threads(comm, plan.said, plan.options.threads);
  set_passes(plan, decided["passes"]);
  return plan;
}

Json passes_json(const PassesPlan& plan) {
  Json passes = Json::array();
  for (const Pass& pass : plan.passes) passes.push_back(to_json(pass));
  return passes;
}

Json identity_of(const PassesPlan& plan, const TransformWords& words, const NpyInput& input) {
  const Problem& p = plan.transform.task.problem;
  const auto list = [](const Coord& c) { return std::vector<Index>(c.begin(), c.end()); };
  return {{"version", SHARDFFT_VERSION},
          {"in", input.stamp()},
          {"dataset", words.in},
          {"dtype", to_string(input.header().dtype)},
          {"out", words.out},
          {"scratch", words.scratch},
          {"shape", list(p.shape)},
          {"modes", list(p.modes)},
          {"support", list(p.support)},
          {"axes", p.axes},
          {"kind", to_string(p.kind)},
          {"kinds", kind_words(p)},
          {"precision", to_string(p.precision)},
          {"norm", words.norm},
          {"forward", plan.transform.task.direction == Direction::forward},
          {"order", plan.transform.order},
          {"engine", plan.options.expert.engine},
          {"verify", words.verify}};
}

bool take_passes(PassesPlan& plan, const Json& noted, const NpyInput& input) {
  PassesPlan other = plan;
  set_passes(other, noted);
  if (bytes_of(other) > plan.bytes - input.library_bytes() - disk_bytes(plan.bytes)) return false;
  set_passes(plan, noted);
  return true;
}

}  // namespace shardfft::cli
