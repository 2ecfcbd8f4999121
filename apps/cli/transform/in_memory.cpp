#include "transform/in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "options/operator_words.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "output/trace.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/text.hpp"
#include "transform/report.hpp"

namespace shardfft::cli {
namespace {

FileSide side_of(const Comm& comm, const LayoutSpec& spec, const Shape& shape, bool complex, const Task& task,
                 const TransformWords& words) {
  FileSide side{.spec = spec, .shape = shape, .complex = complex};
  const Precision precision = task.problem.precision;
  const Options options = to_options(words.choices);
  if (is_moved(spec, shape, files::plan_dtype(precision, complex).size, comm, options))
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

TransformOutcome compute(Plan& plan, const Task& task, Sides& sides, const TransformWords& words, const Operator& f,
                         PartsClock& clock) {
  TransformOutcome outcome;
  const bool forward = task.direction == Direction::forward, verify = words.verify, applies = !words.apply.empty();
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

/// Bytes that each rank needs for the arrays in the two files.
Index least_bytes(const Comm& comm, const Task& task) {
  const Precision p = task.problem.precision;
  const Index both = product(task.in) * files::plan_dtype(p, task.complex_in).size +
                     product(task.out) * files::plan_dtype(p, task.complex_out).size;
  return both / comm.size();
}

void require_asked_room(const Room& room, Index needed, const std::string& why_no_passes) {
  if (!room.asked || needed <= room.each) return;
  throw Error(Status::out_of_memory,
              fmt::format("--memory must hold both arrays where {}, {} on each rank; got {}; leave it out",
                          why_no_passes, gigabytes(needed), gigabytes(room.each)));
}

}  // namespace

files::ArrayInfo info_of_result(const Task& task) {
  return {task.out, files::plan_dtype(task.problem.precision, task.complex_out), {}};
}

std::string why_no_passes(const TransformWords& words) {
  const char* device = std::getenv("SHARDFFT_DEVICE");
  const auto given = words.choices.texts.find("--device");
  if (!words.trace.empty()) return "--trace takes arrays that fit into memory";
  if ((given != words.choices.texts.end() && !given->second.empty()) || (device && *device))
    return "--device takes arrays that fit into the memory of the host";
  return {};
}

int complain(const Comm& comm, const TransformWords& words, const Verdict& verdict,
             std::unique_ptr<Progress>& progress) {
  progress.reset();
  if (comm.rank() == 0)
    fmt::print(stderr,
               "shardfft: --verify must find a relative error of at most {:.3g}; got {:.3g}{}; {} was not written\n",
               verdict.bound, verdict.error_rel_l2,
               std::isnan(verdict.error_rel_l2) ? ", because the data hold NaN or Inf" : "", printable(words.out));
  return 1;
}

FilePlan file_plan(const Comm& comm, const TransformWords& words, const Task& task, const FileLayouts& layouts) {
  FilePlan files{.in = side_of(comm, layouts.in, task.in, task.complex_in, task, words),
                 .out = side_of(comm, layouts.out, task.out, task.complex_out, task, words)};
  files.options = options_of(comm, words, task, files.in, files.out);
  return files;
}

std::optional<Plan> plan_that_fits(const Comm& comm, const TransformWords& words, const Task& task,
                                   const FilePlan& files, const Room& room) {
  const std::string why = why_no_passes(words);
  try {
    if (why.empty() && least_bytes(comm, task) > room.each) return std::nullopt;
    require_asked_room(room, least_bytes(comm, task), why);
    Plan plan(comm, task.problem, files.options);
    const Index arrays = array_bytes(plan, files.in, files.out);
    require_room(plan, arrays, remedy_of(words, task));
    const Index beside = static_cast<Index>(plan.workspace_bytes()) + description_of(plan)["shared_bytes"].get<Index>();
    require_asked_room(room, all_max(comm, arrays + beside), why);
    return plan;
  } catch (const Error& e) {
    if (e.status() != Status::out_of_memory || !why.empty()) throw;
  }
  return std::nullopt;
}

int transform_in_memory(Plan& plan, const TransformWords& words, const files::File& input, const Task& task,
                        const FilePlan& files, PartsClock& clock, std::unique_ptr<Progress>& progress) {
  const Comm& comm = plan.comm();
  if (!words.trace.empty()) plan.record(1);
  Operator f;  // what is wrong with it is said before IN is read
  collectively(comm, [&] {
    if (words.make_operator) f = words.make_operator(plan);
  });
  files::File result = files::File::create(comm, words.out, info_of_result(task));
  Sides sides = make_sides(plan, task, !words.apply.empty());
  const bool forward = task.direction == Direction::forward;
  const int threads = helper_threads(comm, to_options(words.choices).threads);
  const files::FilePart from{forward ? plan.input() : plan.output(), comm.rank(), task.problem.precision,
                             task.complex_in, threads};
  const files::FilePart to{forward && words.apply.empty() ? plan.output() : plan.input(), comm.rank(),
                           task.problem.precision, task.complex_out, threads};

  clock.time("reading", [&] {
    if (files.in.moved)
      files.in.moved->read(input, sides.in, *progress);
    else
      collectively(comm, [&] { input.read(from, sides.in.data(), progress.get()); });
    collectively(comm, [&] { input.check_unchanged(); });  // when every rank has read its part
  });
  const TransformOutcome outcome = compute(plan, task, sides, words, f, clock);
  if (outcome.verified && !outcome.verdict.ok()) return complain(comm, words, outcome.verdict, progress);
  sides.in = Array();
  clock.time("writing", [&] {
    if (files.out.moved)
      files.out.moved->write(result, sides.out, *progress);
    else
      collectively(comm, [&] { result.write(to, sides.out.data(), progress.get()); });
    result.commit();
  });
  clock.finish();
  progress.reset();

  const Index peak = peak_memory(comm);
  const Json said = description_over_ranks(plan);
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}", transform_summary(words, input.info(), task, comm, said, clock, outcome));
  write_json(comm, words.json, transform_record(words, input.info(), task, comm, said, clock, outcome, peak));
  write_trace(plan, words.trace);
  return 0;
}

int transform_nothing(const Comm& comm, const TransformWords& words, const files::File& input, const Task& task,
                      PartsClock& clock, std::unique_ptr<Progress>& progress) {
  Task one = task;  // with one element along the empty axes
  for (Coord* extents : {&one.in, &one.out, &one.problem.shape, &one.problem.support, &one.problem.modes})
    for (int axis = 0; axis < extents->dims(); ++axis) (*extents)[axis] = std::max<Index>((*extents)[axis], 1);
  const FilePlan files = file_plan(comm, words, one, file_layouts(words, one, input.info().order));
  std::string said_by_first;
  clock.time("planning", [&] {
    collectively(comm, [&] {
      if (comm.rank() != 0) return;
      const Plan plan(dry_run(comm.size()), one.problem, files.options);
      if (words.make_operator) (void)words.make_operator(plan);
      said_by_first = description_of(plan).dump();
    });
  });
  Json said = Json::parse(text_of_first(comm, said_by_first));
  add_threads(comm, said, said["threads"].get<Index>());
  files::File result = files::File::create(comm, words.out, info_of_result(task));
  clock.time("writing", [&] { result.commit(); });
  clock.finish();
  progress.reset();
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}hash {}\n", heading(words, input.info(), task, comm, said), hash_text(0));
  Json record = heading_record(words, input.info(), task, comm, said, clock);
  record["hash"] = hash_text(0);
  if (words.verify) record["error_rel_l2"] = 0.0, record["verify_limit"] = 0.0;
  write_json(comm, words.json, record);
  collectively(comm, [&] {
    if (comm.rank() == 0 && !words.trace.empty())
      write_side_file({"--trace", words.trace}, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[]}\n");
  });
  return 0;
}

}  // namespace shardfft::cli
