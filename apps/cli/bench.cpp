// shardfft bench --shape 256x256x256
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/operator_words.hpp"
#include "options/plan_options.hpp"
#include "options/words.hpp"
#include "output/beyond_limit.hpp"
#include "output/costs.hpp"
#include "output/link_times.hpp"
#include "output/progress.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "output/trace.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/programs/limit.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

struct BenchWords {
  ProblemWords problem{};
  ChoiceWords choices{};
  int iterations = 10, warmup = 2, ranks = 0;
  bool quiet = false;
  std::string apply{}, json{}, trace{};
};

/// What was measured and found.
struct Result {
  std::vector<RunCost> forward{}, backward{}, apply{};
  Verdict forward_verdict{}, backward_verdict{};
  Loss forward_loss{}, backward_loss{};
  std::uint64_t hash = 0;
  Index memory_peak = 0;
  std::optional<Limit> limit{};
  std::string no_limit{};  ///< why it was not measured
  [[nodiscard]] bool right() const { return forward_verdict.ok() && backward_verdict.ok(); }
  [[nodiscard]] double times_limit(const std::vector<RunCost>& runs) const {
    return total_spread(runs).median / limit->seconds();
  }
  [[nodiscard]] double error() const { return std::max(forward_verdict.error_rel_l2, backward_verdict.error_rel_l2); }
  [[nodiscard]] double promised() const { return std::max(forward_loss.bound, backward_loss.bound); }
  [[nodiscard]] double verify_limit() const { return std::max(forward_verdict.bound, backward_verdict.bound); }
};

/// Input and output of a plan, and what is applied; in place they are one array.
class Arrays {
 public:
  Arrays(const Plan& plan, bool in_place, bool applies) : in_place_(in_place) {
    collectively(plan.comm(), [&] {
      in_ = plan.make_input();  // in place it is long enough for the output
      if (!in_place) out_ = plan.make_output();
      if (!in_place && applies) applied_ = plan.make_applied();
    });
  }
  Array& in() { return in_; }
  Array& out() { return in_place_ ? in_ : out_; }
  Array& applied() { return in_place_ ? in_ : applied_; }

 private:
  bool in_place_;
  Array in_{}, out_{}, applied_{};
};

Options options_of(const BenchWords& words, const Comm& comm) {
  Options options = to_options(words.choices, words.problem, comm);
  if (!words.apply.empty()) options.apply = Apply::to_outputs;
  return options;
}

class Bench {
 public:
  Bench(const Comm& comm, const BenchWords& words, Progress& progress)
      : comm_(comm),
        words_(words),
        progress_(progress),
        options_(options_of(words, comm)),
        plan_(comm, to_problem(words.problem), options_),
        arrays_(with_room(), words.problem.in_place, applies()) {
    if (applies()) operator_ = parse_operator(words.apply, plan_);
  }

  Result run() {
    progress_.stage("filling");
    fill();
    Result result;
    for (int i = -words_.warmup; i < words_.iterations; ++i) {
      if (i == 0 && !words_.trace.empty())
        plan_.record((applies() ? 3 : 2) * static_cast<std::size_t>(words_.iterations));
      progress_.stage(i < 0 ? "warming up" : fmt::format("iteration {} of {}", i + 1, words_.iterations));
      const RunCost forward = timed([&] { plan_.forward(arrays_.in(), arrays_.out()); });
      const RunCost backward = timed([&] { plan_.backward(arrays_.out(), arrays_.in()); });
      const RunCost apply =
          applies() ? timed([&] { plan_.apply(arrays_.in(), arrays_.applied(), operator_); }) : RunCost{};
      if (i < 0) continue;
      if (applies()) result.apply.push_back(apply);
      result.forward.push_back(forward);
      result.backward.push_back(backward);
    }
    if (!words_.quiet || !words_.json.empty()) {  // else nobody would be told
      progress_.stage("measuring the limit");
      measure_limit_of(result);
    }
    progress_.stage("verifying");
    verify(result);
    result.memory_peak = peak_memory(comm_);
    return result;
  }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  [[nodiscard]] bool applies() const { return !words_.apply.empty(); }
  // In place, verifying takes copies of both.
  const Plan& with_room() const {
    const auto in = static_cast<Index>(plan_.input_bytes()), out = static_cast<Index>(plan_.output_bytes());
    const bool on_host = options_.device.empty() || options_.arrays == "host";
    if (on_host)
      require_room(plan_, words_.problem.in_place ? 3 * std::max(in, out) : in + out + (applies() ? in : 0),
                   "use more nodes, --precision f32 or a smaller shape");
    return plan_;
  }
  /// Noise goes to the side of the reals; a half spectrum is the transform of noise, for not every array is one.
  void fill() {
    const Problem& p = plan_.problem();
    if (p.kind == c2r) {
      fill(plan_.output(), false, arrays_.out());
      plan_.backward(arrays_.out(), arrays_.in());
    } else {
      fill(plan_.input(), p.kind == c2c, arrays_.in());
    }
  }
  void fill(const Layout& layout, bool complex, Array& array) {
    const int threads = helper_threads(comm_, options_.threads);
    const int padded = options_.padded_reals && !complex ? layout.order().back() : -1;
    if (array.space() == Space::host)
      return fill_with_noise(layout, comm_.rank(), plan_.problem().precision, complex, array, threads, padded);
    Array made = on_host(array);
    fill_with_noise(layout, comm_.rank(), plan_.problem().precision, complex, made, threads, padded);
    plan_.copy(made, array);
  }
  /// Memory of the host as large as an array.
  [[nodiscard]] Array on_host(const Array& array) const {
    Array made;
    collectively(comm_, [&] { made = Array(array.bytes()); });
    return made;
  }
  /// A copy that the next transform, in place, does not overwrite.
  [[nodiscard]] Array copy_of(const Array& array) const {
    Array copy = on_host(array);
    plan_.copy(array, copy);
    return copy;
  }

  // Results are kept where it cannot be measured.
  void measure_limit_of(Result& result) try {
    constexpr double most_s = 3;
    result.limit = options_.device.empty()
                       ? measure_limit(comm_, plan_.problem(), description_of(plan_)["threads"].get<int>(), 1, most_s)
                       : measure_device_limit(comm_, plan_.problem(), options_.device, options_.arrays != "host");
  } catch (const Error& e) {  // on all ranks alike
    if (e.status() == Status::transport_failed || e.status() == Status::internal) throw;
    result.no_limit = e.what();
  }

  template <class Work>
  RunCost timed(Work&& work) {
    comm_.barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    plan_.synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return cost_over_ranks(comm_, seconds, plan_.last_run());
  }

  void verify(Result& result) {
    fill();
    const bool in_place = words_.problem.in_place;
    const Array before = in_place ? copy_of(arrays_.in()) : Array();
    plan_.forward(arrays_.in(), arrays_.out());
    result.forward_verdict = plan_.verify(in_place ? before : arrays_.in(), arrays_.out(), Direction::forward);
    result.forward_loss = plan_.loss();
    result.hash = plan_.hash_output(arrays_.out());
    const Array between = in_place ? copy_of(arrays_.out()) : Array();
    plan_.backward(arrays_.out(), arrays_.in());
    result.backward_verdict = plan_.verify(in_place ? between : arrays_.out(), arrays_.in(), Direction::backward);
    result.backward_loss = plan_.loss();
  }

  const Comm& comm_;
  const BenchWords& words_;
  Progress& progress_;
  Options options_;
  Plan plan_;
  Arrays arrays_;
  Operator operator_{};
};

Json json_of(const Loss& loss) {
  return {{"bound", loss.bound},
          {"encoded", loss.encoded},
          {"bits_per_real", loss.bits},
          {"bytes_before", loss.bytes_before},
          {"bytes_after", loss.bytes_after}};
}

Json json_of(const Limit& limit) {
  return {{"copy_s", limit.copy_s},
          {"arithmetic_s", limit.arithmetic_s},
          {"limit_s", limit.seconds()},
          {"copy_bytes_per_s", limit.copy_bytes_per_s},
          {"arithmetic_flops_per_s", limit.arithmetic_flops_per_s}};
}

Json record_of(const Plan& plan, const BenchWords& words, const Options& options, const Result& result) {
  const StepReport total = total_of(result.forward.back());
  const Problem& p = plan.problem();
  const Json said = description_of(plan);
  Json record{
      {"command", "bench"},
      {"version", SHARDFFT_VERSION},
      {"shape", std::vector<Index>(p.shape.begin(), p.shape.end())},
      {"kind", to_string(p.kind)},
      {"kinds", kind_words(p)},
      {"precision", to_string(p.precision)},
      {"axes", p.axes},
      {"modes", std::vector<Index>(p.modes.begin(), p.modes.end())},
      {"support", std::vector<Index>(p.support.begin(), p.support.end())},
      {"ranks", plan.comm().size()},
      {"threads", said["threads"]},
      {"nodes", plan.comm().nodes()},
      {"input", plan.input().describe()},
      {"output", plan.output().describe()},
      {"in_place", words.problem.in_place},
      {"iterations", words.iterations},
      {"device", options.device},
      {"arrays", options.device.empty()   ? "host"
                 : options.arrays.empty() ? "device"
                                          : options.arrays},
      {"recipe", said["recipe"]},
      {"notices", said["notices"]},
      {"forward_s", to_json(total_spread(result.forward))},
      {"backward_s", to_json(total_spread(result.backward))},
      {"model_s", said["model_s"]},
      {"phases_s", {{"forward", phases_json(result.forward)}, {"backward", phases_json(result.backward)}}},
      {"forward_gflops", nominal_gflops(p, total_spread(result.forward).median)},
      {"backward_gflops", nominal_gflops(p, total_spread(result.backward).median)},
      {"limit", result.limit ? json_of(*result.limit) : Json()},
      {"forward_times_limit", result.limit ? Json(result.times_limit(result.forward)) : Json()},
      {"backward_times_limit", result.limit ? Json(result.times_limit(result.backward)) : Json()},
      {"error_rel_l2", result.error()},
      {"error_forward", result.forward_verdict.error_rel_l2},
      {"error_backward", result.backward_verdict.error_rel_l2},
      {"error_bound", result.promised()},
      {"verify_limit", result.verify_limit()},
      {"loss", {{"forward", json_of(result.forward_loss)}, {"backward", json_of(result.backward_loss)}}},
      {"verified", result.right()},
      {"hash", hash_text(result.hash)},
      {"bytes_moved_memory", total.bytes_memory},
      {"bytes_stored_at_peers", total.bytes_shared},
      {"bytes_sent_network", total.bytes_network},
      {"bytes_link", total.bytes_link},
      {"link_s", {{"forward", link_json(result.forward.back())}, {"backward", link_json(result.backward.back())}}},
      {"messages_sent", total.messages},
      {"memory_peak_bytes", result.memory_peak}};
  if (!result.apply.empty())
    record["apply"] = {{"operator", words.apply},
                       {"seconds", to_json(total_spread(result.apply))},
                       {"phases_s", phases_json(result.apply)},
                       {"times_forward", total_spread(result.apply).median / total_spread(result.forward).median}};
  return record;
}

void add_rows(Table& table, const std::string& name, const Problem& problem, const std::vector<RunCost>& runs) {
  const Spread total = total_spread(runs);
  const RunCost& last = runs.back();
  const StepReport sum = total_of(last);
  const auto row = [&](const std::string& label, const Spread& s, const StepReport& cost, const std::string& speed) {
    table.add({label, seconds_text(s.min), seconds_text(s.median), seconds_text(s.max), bytes_text(cost.bytes_memory),
               bytes_text(cost.bytes_shared), bytes_text(cost.bytes_network), fmt::format("{}", cost.messages), speed});
  };
  row(name, total, sum, fmt::format("{:.2f}", nominal_gflops(problem, total.median)));
  const std::vector<std::string> labels = distinct_labels(last.steps);
  for (std::size_t i = 0; i < labels.size(); ++i) row("  " + labels[i], step_spread(runs, i), last.steps[i], "");
}

std::string limit_text(const Result& result) {
  if (!result.limit) return fmt::format("limit not known: {}\n", result.no_limit);
  const Limit& limit = *result.limit;
  if (limit.arithmetic_s == 0)
    return fmt::format("limit {} (two passes at {:.1f} GB/s): forward {:.2f}, backward {:.2f} times the limit\n",
                       seconds_text(limit.seconds()), limit.copy_bytes_per_s / 1e9, result.times_limit(result.forward),
                       result.times_limit(result.backward));
  return fmt::format(
      "limit {} (two passes at {:.1f} GB/s {}, arithmetic at {:.0f} Gflop/s {}): forward {:.2f}, backward {:.2f} times "
      "the limit\n",
      seconds_text(limit.seconds()), limit.copy_bytes_per_s / 1e9, seconds_text(limit.copy_s),
      limit.arithmetic_flops_per_s / 1e9, seconds_text(limit.arithmetic_s), result.times_limit(result.forward),
      result.times_limit(result.backward));
}

std::string busy_text(const Result& result) {
  if (!result.limit) return {};
  return beyond_limit("forward", result.times_limit(result.forward)) +
         beyond_limit("backward", result.times_limit(result.backward));
}

// Of devices that were measured: what the planner's model expected of one direction.
std::string model_text(const Json& said, const Result& result) {
  if (said["model_steps"].empty()) return {};
  const double expected = said["model_s"].get<double>();
  return fmt::format("model {}: forward {:.2f}, backward {:.2f} times as long as expected\n", seconds_text(expected),
                     total_spread(result.forward).median / expected, total_spread(result.backward).median / expected);
}

std::string loss_text(const char* direction, const Loss& loss) {
  if (loss.bytes_before == 0) return {};
  return fmt::format("{}: {:.2f} bits for a real number, {} instead of {} between nodes, error at most {:.2e}\n",
                     direction, loss.bits, bytes_text(static_cast<Index>(loss.bytes_after)),
                     bytes_text(static_cast<Index>(loss.bytes_before)), loss.bound);
}

std::string summary(const Plan& plan, const Result& result) {
  Table table({"step", "min", "median", "max", "memory", "to peers", "network", "messages", "Gflop/s"});
  add_rows(table, "forward", plan.problem(), result.forward);
  add_rows(table, "backward", plan.problem(), result.backward);
  const std::string link = link_table({{"forward", &result.forward.back()}, {"backward", &result.backward.back()}});
  std::string apply;
  if (!result.apply.empty()) {
    add_rows(table, "apply", plan.problem(), result.apply);
    apply = fmt::format("apply takes {:.2f} times as long as forward, forward and backward {:.2f} times\n",
                        total_spread(result.apply).median / total_spread(result.forward).median,
                        1 + total_spread(result.backward).median / total_spread(result.forward).median);
  }
  const Json said = description_of(plan);
  return fmt::format(
      "{}, {} on {}, {} each\ninput  {}\noutput {}\n{}{}{}{}{}{}error {:.2e} forward, {:.2e} backward {}: {}\nhash "
      "{}\n",
      to_string(plan.problem()), counted(plan.comm().size(), "rank"), counted(plan.comm().nodes(), "node"),
      counted(said["threads"].get<Index>(), "thread"), plan.input().describe(), plan.output().describe(),
      notices_text(said), table.text() + link + apply, limit_text(result) + busy_text(result), model_text(said, result),
      loss_text("forward", result.forward_loss), loss_text("backward", result.backward_loss),
      result.forward_verdict.error_rel_l2, result.backward_verdict.error_rel_l2,
      bounds_text(result.promised(), result.verify_limit()), result.right() ? "verified" : "WRONG",
      hash_text(result.hash));
}

/// One line: what one would compare.
std::string brief(const Result& result) {
  return fmt::format("forward {}, backward {}, error {:.2e}, {}\n", seconds_text(total_spread(result.forward).median),
                     seconds_text(total_spread(result.backward).median), result.error(),
                     result.right() ? "verified" : "WRONG");
}

void check(const BenchWords& words) {
  if (words.iterations >= 1 && words.warmup >= 0) return;
  throw Error(
      Status::invalid_argument,
      fmt::format("--iterations must be at least 1 and --warmup at least 0; got {} and {}; leave them out for 10 and 2",
                  words.iterations, words.warmup));
}

int bench(const Comm& comm, const BenchWords& words) {
  check(words);
  check_side_files(comm, {{"--json", words.json}, {"--trace", words.trace}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  Bench bench(comm, words, *progress);
  const Result result = bench.run();
  progress.reset();
  if (comm.rank() == 0 && words.json != "-")
    fmt::print("{}", words.quiet ? brief(result) : summary(bench.plan(), result));
  write_json(comm, words.json, record_of(bench.plan(), words, bench.options(), result));
  write_trace(bench.plan(), words.trace);
  if (!result.right() && comm.rank() == 0)
    fmt::print(stderr, "shardfft: the answer is wrong: the error is above what verifying allows\n");
  return result.right() ? 0 : 1;
}

constexpr const char* bench_examples =
    R"(Runs forward and backward and verifies both. Prints for every step and in total the least, median and largest
time of the slowest rank, and the bytes of one run of all ranks. Then prints the limit, measured here and now: the
longer of copying the array twice with non-temporal stores and of computing at the engine's in-cache rate. A wrong
answer ends with status 1. The data and the hash of the result are the same for any ranks and layout.

Examples:
  shardfft bench --shape 256x256x256
  shardfft bench --shape 512x512x512 --kind r2c --precision f32 --iterations 20 --json record.json
  mpirun -n 4 shardfft bench --shape 256x256x256 --layout transposed --transport mpi_p2p
  shardfft bench --shape 256x256x256 --apply shift:0.1
  shardfft bench --shape 512x512x512 --device cuda --ranks 4 --transport peer_kernel
  mpirun -n 6 shardfft bench --shape 300x200x100 --input bricks --output any --ranks-grid 2x3)";

}  // namespace

void add_bench(const Command& program, Action& chosen) {
  const auto words = std::make_shared<BenchWords>();
  const Command command = program.add_command("bench", "measure and verify a transform of made-up data");
  command.footer(bench_examples);
  add_problem(command, words->problem);
  command.add_option("--iterations", words->iterations, "timed runs forward and backward").shows_default();
  command.add_option("--warmup", words->warmup, "runs before the timed ones").shows_default();
  command.add_flag("-q,--quiet", words->quiet, "print one line: the medians, the error and whether it was verified");
  add_apply(command, words->apply);
  add_json(command, words->json);
  add_trace(command, words->trace);
  add_choices(command, words->choices, OptionGroup::planner);
  add_choices(command, words->choices, OptionGroup::exactness);
  add_choices(command, words->choices, OptionGroup::devices);
  add_ranks(command, words->ranks);
  add_choices(command, words->choices, OptionGroup::effort);
  command.callback([words, &chosen] {
    chosen = [words](const Comm& comm) {
      return on_threads(comm, words->ranks, [&](const Comm& group) { return bench(group, *words); });
    };
  });
}

}  // namespace shardfft::cli
