// shardfft transform IN OUT
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "files/array_file.hpp"
#include "files/moved_file.hpp"
#include "launch/surroundings.hpp"
#include "options/operator_words.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/progress.hpp"
#include "output/side_files.hpp"
#include "output/trace.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"
#include "transform/parts_clock.hpp"
#include "transform/report.hpp"

namespace shardfft::cli {
namespace {

/// Where the elements of a file are, on this rank.
struct FileSide {
  LayoutSpec spec{};
  Shape shape{};
  bool complex = true;
  std::optional<MovedFile> moved{};  ///< where the file is not read or written as `spec` says
  [[nodiscard]] std::vector<Placement> memory(const Comm& comm) const {
    return moved ? std::vector<Placement>{} : box_after_box(spec, shape, comm);
  }
};
FileSide side_of(const Comm& comm, const LayoutSpec& spec, const Shape& shape, bool complex, const Task& task,
                 const TransformWords& words) {
  FileSide side{.spec = spec, .shape = shape, .complex = complex};
  const Precision precision = task.problem.precision;
  const Options options = to_options(words.choices);
  if (is_moved(spec, shape, plan_dtype(precision, complex).size, comm, options))
    side.moved.emplace(comm, spec, shape, precision, complex, options);
  return side;
}

Options options_of(const Comm& comm, const TransformWords& words, const Task& task, const FileSide& in,
                   const FileSide& out) {
  Options options = to_options(words.choices);
  const bool forward = task.direction == Direction::forward;
  const FileSide &before = forward ? in : out, &after = forward ? out : in;
  options.input = before.spec;
  options.output = after.spec;
  options.input_memory = before.memory(comm);
  options.output_memory = after.memory(comm);
  if (!words.apply.empty()) {
    options.apply = Apply::to_outputs;
    options.output = {};
    options.output_memory.clear();
  }
  if (!options.device.empty()) options.arrays = "host";  // a file may be larger than the device
  options.destroy_input = !words.verify;                 // it is our copy of the file
  return options;
}

/// The arrays on both sides of one direction of a plan.
struct Sides {
  Array in{}, out{};
};
Sides make_sides(const Plan& plan, const Task& task, bool applies) {
  Sides sides;
  const bool forward = task.direction == Direction::forward;
  collectively(plan.comm(), [&] {
    sides.in = forward ? plan.make_input() : plan.make_output();
    sides.out = applies ? plan.make_applied() : forward ? plan.make_output() : plan.make_input();
  });
  return sides;
}

// A file that is moved goes through one array more.
Index array_bytes(const Plan& plan, const FileSide& in, const FileSide& out) {
  const auto a = static_cast<Index>(plan.input_bytes()), b = static_cast<Index>(plan.output_bytes());
  return a + b + (in.moved || out.moved ? 2 * std::max(a, b) : 0);
}

std::string remedy_of(const TransformWords& words, const Task& task) {
  const bool narrower = task.problem.precision == Precision::f64;
  return fmt::format("use more nodes{}{}", words.verify ? ", leave out --verify" : "",
                     narrower ? ", or take --precision f32" : "");
}

TransformOutcome compute(Plan& plan, const Task& task, Sides& sides, const TransformWords& words, PartsClock& clock) {
  TransformOutcome outcome;
  const bool forward = task.direction == Direction::forward, verify = words.verify, applies = !words.apply.empty();
  const Operator f = applies ? parse_operator(words.apply, plan) : Operator();
  const double seconds = clock.time("transforming", [&] {
    applies   ? plan.apply(sides.in, sides.out, f)
    : forward ? plan.forward(sides.in, sides.out)
              : plan.backward(sides.in, sides.out);
  });
  outcome.cost = cost_over_ranks(plan.comm(), seconds, plan.last_run());
  outcome.promised = plan.error_bound();
  if (verify) clock.time("verifying", [&] { outcome.verdict = plan.verify(sides.in, sides.out, task.direction); });
  outcome.verified = verify;
  clock.time("hashing",
             [&] { outcome.hash = forward && !applies ? plan.hash_output(sides.out) : plan.hash_input(sides.out); });
  return outcome;
}

void complain(const TransformWords& words, const Verdict& verdict) {
  fmt::print(stderr,
             "shardfft: --verify must find a relative error of at most {:.3g}; got {:.3g}{}; {} was not written\n",
             verdict.bound, verdict.error_rel_l2,
             std::isnan(verdict.error_rel_l2) ? ", because the data hold NaN or Inf" : "", printable(words.out));
}

constexpr const char* wanted_output = "a .npy file";

int transform(const Comm& comm, const TransformWords& words) {
  check_side_files(comm, {{"--json", words.json}, {"--trace", words.trace}}, {{"IN", words.in}, {"OUT", words.out}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  PartsClock clock(comm, *progress);
  const NpyInput input(comm, words.in);
  const Task task = make_task(words, input.header());
  probe_output(comm, words.out, wanted_output);
  std::optional<Plan> plan;
  const FileLayouts layouts = file_layouts(words, task, input.order());
  const FileSide in = side_of(comm, layouts.in, task.in, task.complex_in, task, words),
                 out = side_of(comm, layouts.out, task.out, task.complex_out, task, words);
  const Options options = options_of(comm, words, task, in, out);
  clock.time("planning", [&] { plan.emplace(comm, task.problem, options); });
  require_room(*plan, array_bytes(*plan, in, out), remedy_of(words, task));
  if (!words.trace.empty()) plan->record(1);

  const std::string header = npy_header(plan_dtype(task.problem.precision, task.complex_out), task.out);
  const auto header_bytes = static_cast<Index>(header.size());
  PartialFile output(comm, words.out, header,
                     header_bytes + product(task.out) * plan_dtype(task.problem.precision, task.complex_out).size,
                     wanted_output);
  Sides sides = make_sides(*plan, task, !words.apply.empty());
  const bool forward = task.direction == Direction::forward;
  const int threads = helper_threads(comm, options.threads);
  const FilePart from{forward ? plan->input() : plan->output(), comm.rank(), task.problem.precision, task.complex_in,
                      threads};
  const FilePart to{forward && words.apply.empty() ? plan->output() : plan->input(), comm.rank(),
                    task.problem.precision, task.complex_out, threads};

  clock.time("reading", [&] {
    if (in.moved) return in.moved->read(input, sides.in, *progress);
    collectively(comm, [&] { input.read(from, sides.in.data(), *progress); });
  });
  const TransformOutcome outcome = compute(*plan, task, sides, words, clock);
  if (outcome.verified && !outcome.verdict.ok()) {
    progress.reset();
    if (comm.rank() == 0) complain(words, outcome.verdict);
    return 1;
  }
  sides.in = Array();
  clock.time("writing", [&] {
    if (out.moved)
      out.moved->write(output, header_bytes, sides.out, *progress);
    else
      collectively(comm, [&] { write_part(output, header_bytes, to, sides.out.data(), *progress); });
    output.commit();
  });
  clock.finish();
  progress.reset();

  const Index peak = peak_memory(comm);
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}", transform_summary(words, input, task, *plan, clock, outcome));
  write_json(comm, words.json, transform_record(words, input, task, *plan, clock, outcome, peak));
  write_trace(*plan, words.trace);
  return 0;
}

constexpr const char* transform_examples =
    R"(Equals NumPy: transform a.npy b.npy is numpy.fft.fftn; --kind r2c is rfftn, --kind c2r irfftn, --direction
backward the inverse. float16, float32 and complex64 stay single precision, everything else is double. OUT appears whole
or not at all; it may be IN.

Examples:
  shardfft transform volume.npy spectrum.npy
  shardfft transform volume.npy half.npy --kind r2c --verify
  shardfft transform half.npy volume.npy --kind c2r
  shardfft transform movie.npy spectra.npy --axes 1,2 --norm ortho
  shardfft transform box.npy modes.npy --kinds cosine2,sine1,fourier
  shardfft transform volume.npy lowest.npy --modes 171
  mpirun -n 4 shardfft transform volume.npy spectrum.npy --json times.json)";

}  // namespace

void add_transform(const Command& program, Action& chosen) {
  const auto words = std::make_shared<TransformWords>();
  const Command command = program.add_command("transform", "transform the array in a .npy file into another .npy file");
  command.footer(transform_examples);
  command.add_option("IN", words->in, ".npy file, any number type, C or Fortran order").required();
  command.add_option("OUT", words->out, ".npy file to write; replaced when it exists").required();
  command.add_option("--axes", words->axes,
                     "transformed axes, such as 0,1,2 or --axes=-1; of r2c and c2r the last fourier one is real "
                     "(default: all, at most 4)");
  command.add_option("--kind", words->kind,
                     "c2c, r2c (real to half spectrum), c2r (half spectrum to real) or r2r (default: c2c; r2r where IN "
                     "is real and no kind of an axis is fourier)");
  command.add_option("--kinds", words->kinds, kinds_help);
  command.add_option("--direction", words->direction, "forward or backward (default: forward; c2r: backward)");
  command.add_option("--precision", words->precision, "f32 or f64 (default: as the elements of IN)");
  command.add_option("--norm", words->norm, "which direction is scaled, in NumPy's words: backward, ortho or forward")
      .shows_default();
  command.add_option("--real-length", words->real_length,
                     "extent of the real axis of OUT (default: 2 (m - 1) for m elements of half spectrum)");
  command.add_option("--shape", words->shape,
                     "logical extents, where IN has fewer points, or backward fewer modes: zeros stand for the others");
  command.add_option("--modes", words->modes,
                     "modes of each transformed axis that OUT has, the lowest frequencies: 171, or 171x128x86");
  command.add_option("--support", words->support,
                     "backward: points of each transformed axis that OUT has, from the start, in the same words");
  command.add_option("--input", words->input, "who reads what: slabs:A, pencils:A, bricks, cyclic:A, grid:2x3x1");
  command.add_option("--output", words->output, "who writes what, in the same words");
  command.add_flag("--verify", words->verify,
                   "measure the error before OUT is written; a wrong answer ends with status 1 and no OUT");
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_apply(command, words->apply);
  add_json(command, words->json);
  add_trace(command, words->trace);
  add_choices(command, words->choices, OptionGroup::planner);
  add_choices(command, words->choices, OptionGroup::exactness);
  add_choices(command, words->choices, OptionGroup::devices, {"arrays"});
  add_choices(command, words->choices, OptionGroup::effort);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return transform(comm, *words); }; });
}

}  // namespace shardfft::cli
