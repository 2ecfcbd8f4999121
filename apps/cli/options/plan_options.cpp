#include "options/plan_options.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "options/words.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::cli {
namespace {

void add_row(const Command& command, const OptionRow& row, std::string& text) {
  const std::string flag(row.flag), help(row.help);
  const Option option =
      row.type == OptionType::truth ? command.add_flag(flag, text, help) : command.add_option(flag, text, help);
  if (row.type == OptionType::whole) option.whole_number();
  if (row.type == OptionType::number) option.number();
  option.group(row.group == OptionGroup::exactness ? "How exact" : "How");
}

}  // namespace

void add_choices(const Command& command, ChoiceWords& words, OptionGroup group,
                 std::initializer_list<std::string_view> without) {
  for (const OptionRow& row : option_table())
    if (row.group == group && !row.flag.empty() && std::ranges::count(without, row.name) == 0)
      add_row(command, row, words.texts[std::string(row.flag)]);
  if (group == OptionGroup::effort)
    command
        .add_flag("--no-wisdom", words.no_wisdom,
                  "neither read nor write what is kept, as SHARDFFT_WISDOM=off: tunings, the measured machine, what "
                  "engines found")
        .group("How");
}

Options to_options(const ChoiceWords& words) {
  Options options;
  for (const auto& [flag, text] : words.texts)
    if (!text.empty()) set_option(options, flag, text);
  Options planned = options;
  if (const char* device = std::getenv("SHARDFFT_DEVICE"); device && options.device.empty())
    set_option(planned, "SHARDFFT_DEVICE", device);
  for (const auto& [flag, text] : words.texts)
    if (!text.empty()) check_option(planned, flag);
  options.wisdom = !words.no_wisdom;
  if (words.no_wisdom)
    ::setenv("SHARDFFT_WISDOM", "off",
             1);  // numbers of the machine and what engines keep included; nothing has read it yet
  return options;
}

Option add_problem(const Command& command, ProblemWords& words) {
  const Option shape = command
                           .add_option("--shape", words.shape,
                                       "extents of the array, real ones for r2c and c2r, axis 0 first: 256x256x256")
                           .required()
                           .group("What");
  command
      .add_option("--axes", words.axes,
                  "transformed axes, such as 0,1,2; the last fourier one is the real one (default: all)")
      .group("What");
  command
      .add_option("--kind", words.kind, "c2c, r2c, c2r or r2r (default: c2c; r2r where no kind of an axis is fourier)")
      .group("What");
  command.add_option("--kinds", words.kinds, kinds_help).group("What");
  command
      .add_option("--modes", words.modes,
                  "modes of each transformed axis that the spectrum keeps: 171, or 171x128x86 (default: all)")
      .group("What");
  command
      .add_option("--support", words.support,
                  "points of each transformed axis, from the start, that may be nonzero, in the same words")
      .group("What");
  command.add_option("--precision", words.precision, "f32 or f64").shows_default().group("What");
  command.add_option("--layout", words.layout, "natural, transposed, pencils or bricks: sets input and output")
      .shows_default()
      .group("What");
  command
      .add_option("--input", words.input,
                  "layout of the input: natural, slabs:A, pencils:A, bricks, cyclic:A, grid:2x3x1, any")
      .group("What");
  command.add_option("--output", words.output, "layout of the output, in the same words").group("What");
  command
      .add_flag("--in-place", words.in_place,
                "input and output are the same memory; rows of reals have room for their half spectrum if they are "
                "whole on a rank")
      .group("What");
  return shape;
}

Problem to_problem(const ProblemWords& words) {
  Problem problem;
  problem.shape = parse_extents("--shape", words.shape);
  problem.precision = parse_precision(words.precision);
  problem.axes = parse_axes(words.axes, problem.shape.dims());
  problem.kinds = parse_kinds(words.kinds, problem.axes.size());
  problem.kind = parse_kind(words.kind, problem.kinds);
  problem.modes = parse_fewer("--modes", words.modes, problem.shape, problem.axes);
  problem.support = parse_fewer("--support", words.support, problem.shape, problem.axes);
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

// Rows are padded as other libraries pad them in place. Rows that a rank does not hold in one piece are not padded.
bool can_be_padded(const LayoutSpec& reals, const Problem& problem, const Comm& comm) {
  if ((problem.kind != r2c && problem.kind != c2r) || reals.kind == LayoutSpec::Kind::any ||
      reals.kind == LayoutSpec::Kind::cyclic)
    return false;
  const int axis = real_axis(problem);
  Shape points = problem.shape;
  for (int a = 0; a < problem.support.dims(); ++a)
    if (problem.support[a] > 0) points[a] = problem.support[a];
  const Layout layout(reals, points, comm.size());
  const auto whole_rows = [&](int rank) {
    const auto boxes = layout.boxes(rank);
    return std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) { return box.extent(axis) == points[axis]; });
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
  if (ranks < 1 || ranks > 4096)
    throw Error(Status::invalid_argument,
                fmt::format("--ranks must be from 1 to 4096; got {}; leave it out to let shardfft choose", ranks));
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
