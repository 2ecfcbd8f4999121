// shardfft transform IN OUT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "files/array_file.hpp"
#include "files/moved_file.hpp"
#include "launch/surroundings.hpp"
#include "options/operator_words.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/link_times.hpp"
#include "output/progress.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "output/trace.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

/// Seconds of the parts of the command, each of its slowest rank, in order: they begin and end on all ranks together.
class Clock {
 public:
  Clock(const Comm& comm, Progress& progress) : comm_(comm), progress_(progress) {}
  /// Returns the seconds of this rank.
  template <class Work>
  double time(const std::string& name, Work&& work) {
    progress_.stage(name);
    const auto start = Moment::clock::now();
    work();
    const double seconds = since(start);
    parts_.emplace_back(name, all_max(comm_, seconds));
    return seconds;
  }
  /// Adds what was done between the parts, so that all of them add up to total().
  void finish() {
    const double all = all_max(comm_, since(start_));
    double parts = 0;
    for (const auto& part : parts_) parts += part.second;
    parts_.emplace_back("other", std::max(all - parts, 0.0));
    total_ = parts + parts_.back().second;
  }
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& parts() const { return parts_; }
  [[nodiscard]] double total() const { return total_; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static double since(Moment start) { return std::chrono::duration<double>(Moment::clock::now() - start).count(); }

  const Comm& comm_;
  Progress& progress_;
  Moment start_ = Moment::clock::now();
  std::vector<std::pair<std::string, double>> parts_;
  double total_ = 0;
};

struct Outcome {
  RunCost cost{};
  bool verified = false;
  Verdict verdict{};
  double promised = 0;  ///< what the run lost at most, relative
  std::uint64_t hash = 0;
};

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

Outcome compute(Plan& plan, const Task& task, Sides& sides, const TransformWords& words, Clock& clock) {
  Outcome outcome;
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

Json steps_json(const std::vector<StepReport>& steps) {
  Json list = Json::array();
  const std::vector<std::string> labels = distinct_labels(steps);
  for (std::size_t i = 0; i < steps.size(); ++i)
    list.push_back({{"label", labels[i]},
                    {"seconds", steps[i].seconds},
                    {"bytes_memory", steps[i].bytes_memory},
                    {"bytes_shared", steps[i].bytes_shared},
                    {"bytes_network", steps[i].bytes_network},
                    {"bytes_link", steps[i].bytes_link},
                    {"link_s", link_json(steps[i])},
                    {"messages", steps[i].messages}});
  return list;
}

Json record_of(const TransformWords& words, const NpyInput& input, const Task& task, const Plan& plan,
               const Clock& clock, const Outcome& outcome, Index peak) {
  const StepReport total = total_of(outcome.cost);
  const Json said = description_of(plan);
  Json record{{"command", "transform"},
              {"version", SHARDFFT_VERSION},
              {"in", words.in},
              {"out", words.out},
              {"dtype", to_string(input.header().dtype)},
              {"shape", std::vector<Index>(task.in.begin(), task.in.end())},
              {"shape_out", std::vector<Index>(task.out.begin(), task.out.end())},
              {"kind", to_string(task.kind)},
              {"kinds", kind_words(task.problem)},
              {"apply", words.apply},
              {"direction", task.direction == Direction::forward ? "forward" : "backward"},
              {"axes", task.problem.axes},
              {"precision", to_string(task.problem.precision)},
              {"ranks", plan.comm().size()},
              {"nodes", plan.comm().nodes()},
              {"threads", said["threads"]},
              {"recipe", said["recipe"]},
              {"notices", said["notices"]}};
  for (const auto& [name, seconds] : clock.parts()) record["seconds"][name] = seconds;
  record["seconds"]["total"] = clock.total();
  record["waiting_s"] = outcome.cost.waiting();
  record["phases_s"] = phases_json({outcome.cost});
  record["modes"] = said["modes"];
  record["support"] = said["support"];
  record["error_bound"] = outcome.promised;
  if (outcome.verified)
    record["error_rel_l2"] = outcome.verdict.error_rel_l2, record["verify_limit"] = outcome.verdict.bound;
  record["hash"] = hash_text(outcome.hash);
  record["bytes_moved_memory"] = total.bytes_memory;
  record["bytes_stored_at_peers"] = total.bytes_shared;
  record["bytes_sent_network"] = total.bytes_network;
  record["messages_sent"] = total.messages;
  record["memory_peak_bytes"] = peak;
  record["steps"] = steps_json(outcome.cost.steps);
  return record;
}

std::vector<std::string> cells(const std::string& name, double seconds, const std::string& waiting,
                               const StepReport& s) {
  return {name,
          seconds_text(seconds),
          waiting,
          bytes_text(s.bytes_memory),
          bytes_text(s.bytes_shared),
          bytes_text(s.bytes_network),
          fmt::format("{}", s.messages)};
}

/// All parts add up to the total, and the steps of the transform to its part.
std::string times_table(const Clock& clock, const RunCost& cost) {
  Table table({"step", "time", "waiting", "memory", "to peers", "network", "messages"});
  const std::vector<std::string> labels = distinct_labels(cost.steps);
  const StepReport sum = total_of(cost);
  const std::string waiting = seconds_text(cost.waiting());
  for (const auto& [name, seconds] : clock.parts()) {
    if (name != "transforming") {
      table.add({name, seconds_text(seconds)});
      continue;
    }
    table.add(cells(name, seconds, waiting, sum));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const StepReport& s = cost.steps[i];
      table.add(cells("  " + labels[i], s.seconds, waits(s) ? seconds_text(s.seconds) : "", s));
    }
    table.add({"  around the steps", seconds_text(cost.rest())});
  }
  table.add(cells("total", clock.total(), waiting, sum));
  return table.text() + link_table({{"transforming", &cost}});
}

std::string summary(const TransformWords& words, const NpyInput& input, const Task& task, const Plan& plan,
                    const Clock& clock, const Outcome& outcome) {
  const Comm& comm = plan.comm();
  const Json said = description_of(plan);
  std::string text = fmt::format("{}: {} {} to {}: {}, {} {}, axes {}, {} on {}, {} each\n{}{}", printable(words.in),
                                 to_string(task.in), to_string(input.header().dtype), printable(words.out),
                                 to_string(task.out), to_string(task.kind), to_string(task.problem.precision),
                                 fmt::join(task.problem.axes, " "), counted(comm.size(), "rank"),
                                 counted(comm.nodes(), "node"), counted(said["threads"].get<Index>(), "thread"),
                                 notices_text(said), times_table(clock, outcome.cost));
  if (outcome.verified)
    text += fmt::format("error {:.2e} {}: verified\n", outcome.verdict.error_rel_l2,
                        bounds_text(outcome.promised, outcome.verdict.bound));
  return text + fmt::format("hash {}\n", hash_text(outcome.hash));
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
  Clock clock(comm, *progress);
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
  const Outcome outcome = compute(*plan, task, sides, words, clock);
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
    fmt::print("{}", summary(words, input, task, *plan, clock, outcome));
  write_json(comm, words.json, record_of(words, input, task, *plan, clock, outcome, peak));
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
