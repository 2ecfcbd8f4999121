// shardfft transform IN OUT
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/operator_words.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "transform/in_memory.hpp"
#include "transform/passes_report.hpp"
#include "transform/report.hpp"
#include "transform/transform.hpp"

namespace shardfft::cli {
Room room_of(const Comm& comm, const TransformWords& words) {
  if (words.memory.empty()) return {memory_for_each(comm), false};
  Index sharers = 0;
  for (int rank = 0; rank < comm.size(); ++rank) sharers += comm.node(rank) == comm.node(comm.rank()) ? 1 : 0;
  return {parse_bytes("--memory", words.memory) / all_max(comm, sharers), true};
}

std::vector<std::string> scratch_folders(const TransformWords& words) {
  std::vector<std::string> folders;
  std::istringstream text(words.scratch);
  for (std::string folder; std::getline(text, folder, ',');)
    if (!folder.empty()) folders.push_back(folder);
  return folders;
}

namespace {

files::Passes make_passes(const Comm& comm, const TransformWords& words, const Task& task, const FileLayouts& layouts,
                          const files::File& input, const Room& room, Progress& progress) {
  const bool forward = task.direction == Direction::forward;
  Options options = to_options(words.choices);
  options.input = forward ? layouts.in : layouts.out;
  options.output = forward ? layouts.out : layouts.in;
  // A quarter of what is free is left for the system's own copies of files.
  files::OutOfCore how{.memory_bytes = room.asked ? room.each : 0,
                       .scratch = scratch_folders(words),
                       .resume = words.resume,
                       .verify = words.verify,
                       .watcher = &progress};
  if (words.apply.empty()) return {comm, input, task.problem, task.direction, options, how};
  how.resumed_with = words.apply + box_json(words.box, task.in.dims()).dump();
  if (words.notes) how.resumed_with += words.notes(task.in.dims()).second.dump();
  return {comm, input, task.problem, words.make_operator, options, how};
}

int transform_in_passes(const Comm& comm, files::Passes& passes, const TransformWords& words, const files::File& input,
                        const Task& task, PartsClock& clock, std::unique_ptr<Progress>& progress) {
  const files::File result = files::File::create(comm, words.out, info_of_result(task));
  passes.start(result);
  const files::PassesReport& report = passes.report();
  Json said = Json::parse(report.plan);
  add_threads(comm, said, helper_threads(comm, to_options(words.choices).threads));
  const bool speaks = comm.rank() == 0 && !words.quiet && words.json != "-";
  if (speaks) fmt::print("{}{}", heading(words, input.info(), task, comm, said), passes_intent(words, report));
  if (speaks) std::fflush(stdout);
  clock.time("passes", [&] { passes.run(); });
  if (!report.right) return complain(comm, words, report.verdict, progress);
  clock.time("finishing", [&] { passes.finish(); });
  clock.finish();
  progress.reset();
  const Index peak = peak_memory(comm);
  if (speaks) fmt::print("{}", passes_summary(words, report, clock));
  Json record = heading_record(words, input.info(), task, comm, said, clock);
  add_passes(record, words, report, peak);
  write_json(comm, words.json, record);
  return 0;
}

}  // namespace

int transform(const Comm& comm, const TransformWords& words) {
  check_side_files(comm, {{"--json", words.json}, {"--trace", words.trace}},
                   {{"IN", files::file_of(words.in)}, {"OUT", files::file_of(words.out)}});
  files::check_output_name(words.out, true);
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  PartsClock clock(comm, *progress);
  const files::File input = files::File::open(comm, words.in);
  const Task task = make_task(words, input.info());
  const Room room = room_of(comm, words);
  probe_output(comm, files::file_of(words.out), "a .npy file", words.resume);
  if (is_empty(task.in)) return transform_nothing(comm, words, input, task, clock, progress);
  const FileLayouts layouts = file_layouts(words, task, input.info().order);
  const FilePlan sides = file_plan(comm, words, task, layouts);
  std::optional<Plan> plan;
  std::optional<files::Passes> passes;
  clock.time("planning", [&] {
    if (auto fits = plan_that_fits(comm, words, task, sides, room)) return void(plan.emplace(std::move(*fits)));
    passes.emplace(make_passes(comm, words, task, layouts, input, room, *progress));
  });
  if (passes) return transform_in_passes(comm, *passes, words, input, task, clock, progress);
  return transform_in_memory(*plan, words, input, task, sides, clock, progress);
}

void add_files(const Command& command, TransformWords& words, const std::string& order) {
  command.add_option("IN", words.in, fmt::format(".npy file, any number type, {}; or file.h5[:/dataset]", order))
      .required();
  command.add_option("OUT", words.out, ".npy file to write, replaced when it exists; or new file.h5[:/dataset]")
      .required();
}

void add_memory(const Command& command, TransformWords& words, bool writes) {
  command.add_option("--memory", words.memory,
                     "memory of each node for arrays, as 4G; larger ones are transformed in several passes, through "
                     "scratch files (default: what is free)");
  command.add_option("--scratch", words.scratch,
                     std::string("folders for scratch files, on several disks as /ssd1,/ssd2 (default: ") +
                         (writes ? "beside OUT)" : "the system's for such files)"));
  if (writes)
    command.add_flag("--resume", words.resume,
                     "of a transform in passes: go on where a run of the same command was killed, and let this one be "
                     "killed so");
}

void add_transform_outputs(const Command& command, TransformWords& words) {
  command.add_flag("-q,--quiet", words.quiet, "print nothing");
  add_json(command, words.json);
  add_trace(command, words.trace);
  add_choices(command, words.choices, OptionGroup::planner);
  add_choices(command, words.choices, OptionGroup::exactness);
  add_choices(command, words.choices, OptionGroup::devices, {"arrays"});
  add_choices(command, words.choices, OptionGroup::effort);
}

namespace {

/// transform itself, with --apply.
int transform_as_asked(const Comm& comm, TransformWords words) {
  require_apply(words.apply, words.box);
  if (!words.apply.empty())
    words.make_operator = [&](const Plan& plan) { return parse_operator(words.apply, words.box, plan); };
  return transform(comm, words);
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
  add_files(command, *words, "C or Fortran order");
  command.add_option("--axes", words->axes,
                     "transformed axes, such as 0,1,2 or --axes=-1; of r2c and c2r the last fourier one is real "
                     "(default: all)");
  command.add_option("--kind", words->kind,
                     "c2c, r2c (real to half spectrum), c2r (half spectrum to real) or r2r (default: c2c; r2r where IN "
                     "is real and no kind of an axis is fourier; else r2c where --apply filters reals)");
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
  add_memory(command, *words, true);
  command.add_option("--input", words->input, "who reads what: slabs:A, pencils:A, bricks, cyclic:A, grid:2x3x1");
  command.add_option("--output", words->output, "who writes what, in the same words");
  command.add_flag("--verify", words->verify,
                   "measure the error before OUT is written; a wrong answer ends with status 1 and no OUT");
  add_apply(command, words->apply, words->box);
  add_transform_outputs(command, *words);
  command.callback(
      [words, &chosen] { chosen = [words](const Comm& comm) { return transform_as_asked(comm, *words); }; });
}

}  // namespace shardfft::cli
