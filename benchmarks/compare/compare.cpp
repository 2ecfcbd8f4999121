// shardfft compare --shapes 256 --ranks 2x1 --json results.json

#include <algorithm>
#include <csignal>
#include <memory>

#include <fmt/format.h>

#include "compare/cases/inputs.hpp"
#include "compare/cases/variant.hpp"
#include "compare/launch/attention.hpp"
#include "compare/launch/comparison.hpp"
#include "compare/launch/scratch.hpp"
#include "compare/results/beginning.hpp"
#include "compare/results/comparison_table.hpp"
#include "compare/results/results_file.hpp"
#include "compare/statistics/gate.hpp"
#include "launch/launch.hpp"
#include "machine.hpp"
#include "output/side_files.hpp"
#include "program.hpp"
#include "shardfft/error.hpp"

namespace shardfft::compare {
namespace {

/// Names what does not fit this machine and leaves it out.
void leave_out(std::vector<CaseRequest>& requests, const cli::MachineFacts& facts, int nodes) {
  const Room room{facts.cores, static_cast<double>(facts.memory_available), nodes};
  std::erase_if(requests, [&](const CaseRequest& request) {
    const std::string reason = too_large_for(room, request);
    if (!reason.empty()) fmt::print(stderr, "left out: {}: {}\n", request.work.text(), reason);
    return !reason.empty();
  });
  if (requests.empty())
    throw Error(Status::unsupported,
                "at least one case must fit this machine; all were left out; name smaller ones, or --oversubscribe "
                "where cores are missing");
}

std::vector<Peer> peers_for(const std::vector<CaseRequest>& requests) {
  std::vector<std::string> names;
  for (const CaseRequest& request : requests) names.insert(names.end(), request.with.begin(), request.with.end());
  std::vector<Peer> peers = choose_peers(peers_folder(), names);
  for (const Peer& peer : peers)
    if (!peer.available) fmt::print(stderr, "left out: {}: {}\n", peer.library, peer.reason);
  return peers;
}

/// 1 when shardfft, be it one with options, failed or was wrong in some case, for then there is a defect.
int status_of(const Results& results) {
  int status = 0;
  for (const CaseResult& result : results.cases)
    for (const Entry& entry : result.entries) {
      if (!is_shardfft(entry.library) || entry.status == "ok" || entry.status == "unsupported") continue;
      fmt::print(stderr, "shardfft: no time for {}: {}: {}: {}\n",
                 entry.library == "shardfft" ? "shardfft itself" : entry.library, result.work.text(), entry.status,
                 entry.reason);
      status = 1;
    }
  return status;
}

int report_gate(const GateReport& report) {
  fmt::print("{}", report.text());
  return report.passed() ? 0 : 1;
}

Results measure(const CompareWords& words, Inputs inputs) {
  const cli::MachineFacts facts = cli::look_at_machine();
  const Launcher launcher = find_launcher_words(cli::mpi_library(), facts.cores, words.max_nodes.value_or(0));
  leave_out(inputs.requests, facts, launcher.nodes);
  for (const CaseRequest& request : inputs.requests)
    require_launcher(launcher, request.work);  // now rather than in the middle
  cli::check_side_files(local(), {{"--json", words.json}}, {{"--gate", words.gate}, {"--cases", words.cases}});
  Scratch scratch(words.json);  // first: from now on nobody else changes the file
  Results results = begin_results(words, inputs.settings, facts);
  Surroundings around{peers_for(inputs.requests), launcher, scratch.path(), facts.cores};
  const auto keep = [&] {
    if (!words.json.empty()) write_results(words.json, results);
  };
  const auto show = [](const CaseResult& result) {
    fmt::print("{}\n", table_of(result));
    std::fflush(stdout);
  };
  Comparison(std::move(around), results, keep, show).run(inputs.requests);
  fmt::print("{}", noise_text(results));
  scratch.done();
  return results;
}

Calls calls_of(const std::vector<CaseRequest>& requests) {
  Calls calls;
  for (const CaseRequest& request : requests) calls.insert(request.calls.begin(), request.calls.end());
  return calls;
}

int compare(const CompareWords& words) {
  if (cli::find_launcher().present)
    throw Error(Status::invalid_argument,
                "compare must be started without a launcher, because it starts the ranks itself; got one; leave mpirun "
                "or srun out");
  const GateBy by = parse_gate_by(words.gate_by);
  std::optional<Results> baseline;
  if (!words.gate.empty()) baseline = read_results("--gate", words.gate);
  if (!words.gated.empty() && baseline) {
    (void)inputs_of(words, &*baseline, 1);  // for its complaints
    return report_gate(gate(*baseline, read_results("the results for --gate", words.gated), by, words.gate_missing_ok));
  }
  const Inputs inputs = inputs_of(words, baseline ? &*baseline : nullptr, cli::look_at_machine().cores);
  if (baseline)
    require_comparable(*baseline, inputs.settings,
                       calls_of(inputs.requests));  // now rather than after the measurements
  const Results results = measure(words, inputs);
  const int status = status_of(results);
  if (!baseline) return status;
  return std::max(status, report_gate(gate(*baseline, results, by, words.gate_missing_ok)));
}

constexpr const char* examples =
    R"(Runs every library in processes of its own, in turn, on the same data and layouts, checks every result, and
prints a table for each case: medians of the launches with their 95 % intervals, the ratio to shardfft formed
turn by turn, the time that the memory and the arithmetic of this machine allow, plan time, first call, error,
memory, bytes sent, energy. A library that fails, hangs or is wrong is named with its reason; the others go on.
Ends with status 1 when shardfft itself was wrong or failed, or when the gate finds that it has become slower or
cannot decide. See docs/guide/benchmarking.md.

Environment: SHARDFFT_PEERS, the folder of the libraries' programs; SHARDFFT_MPIRUN, the words that start ranks
("srun -N {nodes} -n {ranks}"); SHARDFFT_PYTHON, the Python of the libraries that need one.

Examples:
  shardfft compare --shapes 64,256x256x256,65536^1 --ranks 2x1,1x2 --layouts natural,transposed
  shardfft compare --with fftw_mpi,mkl_cluster --shapes 128 --kinds c2c,r2c --precisions f64,f32 \
    --call best,default --json results.json
  shardfft compare --cases benchmarks/cases/one_node.toml --json r.json --resume
  shardfft compare --gate baseline.json results.json)";

void add_options(const cli::Command& command, CompareWords& w) {
  command
      .add_option("--shapes", w.shapes,
                  "extents joined by x, several joined by commas; 64 means 64x64x64, 64^1 one dimension")
      .group("What");
  command.add_option("--kinds", w.kinds, "c2c, r2c, or of reals cosine1 to sine4, hartley (default c2c)").group("What");
  command.add_option("--precisions", w.precisions, "f64, f32 (default f64)").group("What");
  command.add_option("--layouts", w.layouts, "natural, transposed, pencils, bricks (default natural)").group("What");
  command.add_option("--ranks", w.ranks, "ranks x threads of each, such as 2x1,1x2 (default: every core a rank)")
      .group("What");
  command.add_option("--nodes", w.nodes, "over which the ranks are spread (default 1)").group("What");
  command.add_option("--batches", w.batches, "fields transformed in one call (default 1)").group("What");
  command
      .add_option("--grids", w.grids, "process grids such as 2x4 that libraries are to use (default: their own choice)")
      .group("What");
  command
      .add_option("--axes", w.axes,
                  "transformed axes of a field, such as 0,1; of r2c the last one is real (default: all)")
      .group("What");
  command.add_option("--cases", w.cases, "a file of cases (TOML) instead of the options above")
      .type_name("FILE")
      .group("What");
  command.add_option("--study", w.study, "of the file, only the cases of this study").group("What");
  command
      .add_option("--with", w.with,
                  "libraries beside shardfft, joined by commas, or all (default); shardfft's may have options: "
                  "shardfft_cuda+transport=nccl; shardfft+again is shardfft itself, whose ratio is the noise")
      .any_case()
      .group("How");
  command
      .add_option("--call", w.call,
                  "best, default: the best call of each library, or that of its first example (default best)")
      .any_case()
      .group("How");
  command
      .add_option("--launches", w.launches,
                  "launches of each library and case (default 6, the fewest that give a 95 % interval)")
      .group("How");
  command.add_option("--iterations", w.iterations, "timed runs in a launch, forward and backward (default 7)")
      .group("How");
  command.add_option("--warmup", w.warmup, "runs before the timed ones (default 2)").group("How");
  command.add_option("--plan-seconds", w.plan_seconds, "time in which a best call chooses its plan (default 60)")
      .group("How");
  command.add_option("--time-limit", w.time_limit_s, "seconds after which a launch is ended (default 600)")
      .group("How");
  command.add_option("--seed", w.seed, "seed of the data (default 1)").group("How");
  command
      .add_option("--max-nodes", w.max_nodes,
                  "available nodes (default: those of the Slurm job; else any number if SHARDFFT_MPIRUN holds "
                  "{nodes}; else 1)")
      .group("How");
  command.add_flag("--oversubscribe", w.oversubscribe, "run cases of more ranks x threads than cores, too")
      .group("How");
  command.add_option("--json", w.json, "write results to FILE, after every launch").type_name("FILE");
  command.add_flag("--resume", w.resume, "continue the file of --json");
  command.add_flag("--retry", w.retry, "with --resume: repeat launches that failed");
  command
      .add_option("--gate", w.gate,
                  "compare shardfft's times with those of an earlier results file; status 1 if slower")
      .type_name("FILE");
  command.add_option("--gate-by", w.gate_by, "auto, times or ratios to a peer").any_case().shows_default();
  command.add_flag("--gate-missing-ok", w.gate_missing_ok,
                   "pass also if cases of the baseline are missing in the new results");
  command.add_option("RESULTS", w.gated, "results for --gate; default: the baseline's cases are measured now");
}

}  // namespace
}  // namespace shardfft::compare

namespace shardfft::cli {

void add_compare(const Command& program, Action& chosen) {
  const auto words = std::make_shared<compare::CompareWords>();
  const Command command = program.add_command("compare", "measure shardfft against other libraries");
  command.footer(compare::examples);
  compare::add_options(command, *words);
  command.callback([words, &chosen] {
    chosen = [words](const Comm&) {
      try {
        return compare::compare(*words);
      } catch (const compare::Interrupted& end) {
        std::raise(end.signal);  // its children are ended: now as if it had come first
        return 128 + end.signal;
      }
    };
  });
}

}  // namespace shardfft::cli
