#include "options/plan_options.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "options/words.hpp"
#include "planner/decide/choices.hpp"
#include "shardfft/error.hpp"
#include "shardfft/machine.hpp"

namespace shardfft::cli {
namespace {

void require_range(const char* option, int value, NumberRange range) {
  if (value >= range.least && value <= range.most) return;
  throw Error(Status::invalid_argument,
              fmt::format("{} must be from {} to {}; got {}; leave it out to let shardfft choose", option, range.least,
                          range.most, value));
}

}  // namespace

void add_choices(const Command& command, ChoiceWords& words) {
  command.add_option("--ranks-grid", words.ranks_grid, "process grid of the inner stages, such as 2x3").group("How");
  command.add_option("--decomposition", words.decomposition, "slab, pencil or brick").any_case().group("How");
  command.add_option("--transport", words.transport, "how bytes move between ranks; `shardfft info` lists them")
      .any_case()
      .group("How");
  command.add_option("--engine", words.engine, "what computes the 1-D transforms; `shardfft info` lists them")
      .any_case()
      .group("How");
  command
      .add_option("--threads", words.threads, "threads of each rank (default: the node's cores shared among its ranks)")
      .group("How");
  command.add_option("--chunks", words.chunks, "parts of an exchange that overlap with computing").group("How");
  command.add_option("--tile", words.tile, "pencils that are in cache together").group("How");
  command.add_option("--fuse", words.fuse, "axes done in one sweep: 1 or 2, on a device also 3").group("How");
  command
      .add_option(
          "--split", words.split,
          "one axis in two halves: 0 never, 1 wherever it has two factors (default: where it is the only one and long)")
      .group("How");
  command
      .add_option("--intermediate", words.intermediate,
                  "between sweeps the array lies in: buffers, or output if it can")
      .group("How");
  command
      .add_option("--non-temporal", words.non_temporal,
                  "stores that bypass the cache: 0, 1, or 2, only from the spectrum back")
      .group("How");
  command
      .add_option("--huge-pages", words.huge_pages,
                  "memory that ranks of a node share in huge pages: 0 or 1 (default: 1)")
      .group("How");
}

void add_effort(const Command& command, ChoiceWords& words) {
  command
      .add_option("--effort", words.effort,
                  "model (use wisdom, else the model), measure or exhaustive (measure what wisdom does not know)")
      .any_case()
      .group("How");
  command.add_option("--tune-seconds", words.tune_seconds, "what measuring may take (default: 10, exhaustive: 120)")
      .group("How");
  command
      .add_flag("--no-wisdom", words.no_wisdom,
                "neither read nor write what is kept, as SHARDFFT_WISDOM=off: tunings, the measured machine, what "
                "engines found")
      .group("How");
}

void add_approximation(const Command& command, ChoiceWords& words) {
  const char* group = "How exact";
  command
      .add_option(
          "--tolerance", words.tolerance,
          "relative L2 error that the result may have: exchanges between nodes send fewer bytes (default: 0, exact)")
      .group(group);
  command
      .add_option("--tolerance-absolute", words.tolerance_absolute,
                  "the same as an L2 norm, not relative to the result's")
      .group(group);
  command
      .add_option("--tolerance-linf", words.tolerance_linf,
                  "largest error of any element, relative to the root mean square of all")
      .group(group);
  command.add_option("--guarantee", words.guarantee, "certified (default), worst or statistical")
      .any_case()
      .group(group);
  command
      .add_option(
          "--codec", words.codec,
          "how exchanges are encoded; `shardfft info` lists them; without a tolerance it is used whatever it loses")
      .any_case()
      .group(group);
  command.add_flag("--encode-near", words.encode_near, "encode exchanges within a node, too (for studies; slower)")
      .group(group);
}

void add_device(const Command& command, ChoiceWords& words, bool arrays_too) {
  command
      .add_option("--device", words.device,
                  "transform on a GPU: cuda, hip (the ranks of a node share theirs out), or that one: cuda:1; "
                  "`shardfft info` lists them")
      .any_case()
      .group("How");
  if (arrays_too)
    command
        .add_option("--arrays", words.arrays,
                    "with --device, where the arrays are: device (default), or host: through the device tile by tile")
        .any_case()
        .group("How");
}

Options to_options(const ChoiceWords& words) {
  const char* device = std::getenv("SHARDFFT_DEVICE");  // of the planner, where --device is left out
  const NumberRanges ranges = number_ranges(words.device.empty() && device ? device : words.device);
  require_range("--threads", words.threads, ranges.threads);
  require_range("--chunks", words.chunks, ranges.chunks);
  require_range("--tile", words.tile, ranges.tile);
  require_range("--fuse", words.fuse, ranges.fuse);
  require_range("--split", words.split, ranges.split);
  require_range("--non-temporal", words.non_temporal, ranges.non_temporal);
  require_range("--huge-pages", words.huge_pages, ranges.huge_pages);
  Options options;
  if (!words.ranks_grid.empty()) options.ranks_grid = parse_extents("--ranks-grid", words.ranks_grid);
  options.decomposition = words.decomposition;
  options.transport = words.transport;
  options.engine = words.engine;
  options.threads = words.threads;
  options.chunks = words.chunks;
  options.tile = words.tile;
  options.fuse = words.fuse;
  options.split = words.split;
  options.intermediate = words.intermediate;
  options.non_temporal = words.non_temporal;
  options.huge_pages = words.huge_pages;
  options.effort = words.effort;
  options.tune_seconds = words.tune_seconds;
  options.wisdom = !words.no_wisdom;
  if (words.no_wisdom)
    ::setenv("SHARDFFT_WISDOM", "off",
             1);  // numbers of the machine and what engines keep included; nothing has read it yet
  options.tolerance = words.tolerance;
  options.tolerance_absolute = words.tolerance_absolute;
  options.tolerance_linf = words.tolerance_linf;
  options.guarantee = words.guarantee;
  options.codec = words.codec;
  options.encode_near = words.encode_near;
  options.device = words.device;
  options.arrays = words.arrays;
  return options;
}

void add_problem(const Command& command, ProblemWords& words) {
  command
      .add_option("--shape", words.shape, "extents of the array, real ones for r2c and c2r, axis 0 first: 256x256x256")
      .required()
      .group("What");
  command
      .add_option("--axes", words.axes,
                  "transformed axes, such as 0,1,2; the last one is the real one (default: all, at most 4)")
      .group("What");
  command.add_option("--kind", words.kind, "c2c, r2c or c2r").shows_default().group("What");
  command.add_option("--precision", words.precision, "f32 or f64").shows_default().group("What");
  command.add_option("--layout", words.layout, "natural, transposed, pencils or bricks: sets input and output")
      .shows_default()
      .group("What");
  command
      .add_option("--input", words.input,
                  "who owns what before: natural, slabs:A, pencils:A, bricks, cyclic:A, grid:2x3x1, any")
      .group("What");
  command.add_option("--output", words.output, "who owns what after, in the same words").group("What");
  command
      .add_flag("--in-place", words.in_place,
                "input and output are the same memory; reals in rows with room for their half spectrum, where rows are "
                "whole on a rank")
      .group("What");
}

Problem to_problem(const ProblemWords& words) {
  Problem problem;
  problem.shape = parse_extents("--shape", words.shape);
  problem.kind = parse_kind(words.kind);
  problem.precision = parse_precision(words.precision);
  problem.axes = parse_axes(words.axes, problem.shape.dims());
  return problem;
}

std::vector<Placement> box_after_box(const LayoutSpec& spec, const Shape& shape, const Comm& comm) {
  if (spec.kind != LayoutSpec::Kind::cyclic) return {};
  const Layout layout(spec, shape, comm.size());
  std::vector<Placement> placements;
  Index offset = 0;
  for (const Box& box : layout.boxes(comm.rank())) {
    Placement& p = placements.emplace_back(offset, Coord::filled(box.dims(), 1));
    Index stride = 1;
    for (auto axis = layout.order().rbegin(); axis != layout.order().rend(); ++axis) {
      p.strides[*axis] = stride;
      stride *= box.extent(*axis);
    }
    offset += box.count();
  }
  return placements;
}

// As in place means with other libraries; where rows do not lie in one piece on a rank, they are as they would be
// otherwise.
bool can_be_padded(const LayoutSpec& reals, const Problem& problem, const Comm& comm) {
  if (problem.kind == c2c || reals.kind == LayoutSpec::Kind::any || reals.kind == LayoutSpec::Kind::cyclic)
    return false;
  const int axis = problem.axes.back();
  const Layout layout(reals, problem.shape, comm.size());
  const auto whole_rows = [&](int rank) {
    const auto boxes = layout.boxes(rank);
    return std::all_of(boxes.begin(), boxes.end(),
                       [&](const Box& box) { return box.extent(axis) == problem.shape[axis]; });
  };
  for (int rank = 0; rank < comm.size(); ++rank)
    if (!whole_rows(rank)) return false;
  return layout.order().back() == axis;
}

Options to_options(const ChoiceWords& choices, const ProblemWords& words, const Comm& comm) {
  const Problem problem = to_problem(words);
  const int dims = problem.shape.dims();
  Options options = to_options(choices);
  const LayoutPair pair = parse_layout_pair(words.layout, dims);
  options.input = words.input.empty() ? pair.input : parse_layout(words.input, dims);
  options.output = words.output.empty() ? pair.output : parse_layout(words.output, dims);
  options.in_place = words.in_place;
  options.padded_reals =
      words.in_place && can_be_padded(problem.kind == c2r ? options.output : options.input, problem, comm);
  return options;
}

void add_ranks(const Command& command, int& ranks) {
  command
      .add_option("--ranks", ranks,
                  "ranks that are threads of this process, as programs with several GPUs have them (default: those "
                  "that a launcher starts)")
      .group("How");
}

int on_threads(const Comm& comm, int ranks, const std::function<int(const Comm&)>& work) {
  if (ranks == 0) return work(comm);
  require_range("--ranks", ranks, {1, 4096});
  if (comm.size() > 1)
    throw Error(
        Status::invalid_argument,
        fmt::format(
            "--ranks makes ranks of the threads of one process; got {} processes; leave it out, or start one process",
            comm.size()));
  int result = 0;
  on_ranks(ranks, [&](const Comm& group) {
    const int mine = work(group);
    if (group.rank() == 0) result = mine;
  });
  return result;
}

void add_json(const Command& command, std::string& file) {
  command
      .add_option("--json", file,
                  "write the figures to FILE as JSON; - is standard output, then nothing else is printed there")
      .type_name("FILE");
}

void add_trace(const Command& command, std::string& file) {
  command
      .add_option("--trace", file,
                  "write when each rank did what to FILE, for ui.perfetto.dev, chrome://tracing or speedscope; it "
                  "appears whole or not at all")
      .type_name("FILE");
}

int helper_threads(const Comm& comm, int asked) { return team_of(asked > 0 ? asked : usual_threads(comm)); }

}  // namespace shardfft::cli
