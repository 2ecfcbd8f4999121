// shardfft bench --shape 256x256x256
#include <memory>

#include <fmt/format.h>

#include "bench/measure.hpp"
#include "bench/report.hpp"
#include "commands.hpp"
#include "output/trace.hpp"
#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

void check(const BenchWords& words) {
  if (words.iterations >= 1 && words.warmup >= 0) return;
  throw Error(
      Status::invalid_argument,
      fmt::format("--iterations must be at least 1 and --warmup at least 0; got {} and {}; leave them out for 10 and 2",
                  words.iterations, words.warmup));
}

int bench(const Comm& comm, const BenchWords& words) {
  check(words);
  require_apply(words.apply, words.box);
  check_side_files(comm, {{"--json", words.json}, {"--trace", words.trace}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  Bench bench(comm, words, *progress);
  const BenchResult result = bench.run();
  const Json said = description_over_ranks(bench.plan());
  progress.reset();
  if (comm.rank() == 0 && words.json != "-")
    fmt::print("{}", words.quiet ? bench_brief(result) : bench_summary(bench.plan(), said, result));
  write_json(comm, words.json, bench_record(bench.plan(), said, words, bench.options(), result));
  write_trace(bench.plan(), words.trace);
  if (!result.right() && comm.rank() == 0)
    fmt::print(stderr, "shardfft: the answer is wrong: the error is above what verifying allows\n");
  return result.right() ? 0 : 1;
}

constexpr const char* bench_examples =
    R"(Runs forward and backward and verifies both. For every step and in total, prints the least, median and largest
time of the slowest rank, and the bytes of one run of all ranks. Then prints the limit, measured now: the longer of
two copies of the array with non-temporal stores, and of computing at the engine's in-cache rate. A wrong result
ends with status 1. The data and the hash of the result are the same for any number of ranks and any layout.

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
  const Command command = program.add_command("bench", "measure and verify a transform of generated data");
  command.footer(bench_examples);
  add_problem(command, words->problem);
  command.add_option("--iterations", words->iterations, "timed runs forward and backward").shows_default();
  command.add_option("--warmup", words->warmup, "runs before the timed ones").shows_default();
  command.add_flag("-q,--quiet", words->quiet, "print one line: the medians, the error and whether it was verified");
  add_apply(command, words->apply, words->box);
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
