// shardfft explain --shape 512x512x512 --ranks 1024
#include <algorithm>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/operator_words.hpp"
#include "options/plan_options.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

struct ExplainWords {
  ProblemWords problem{};
  ChoiceWords choices{};
  int ranks = 1, ranks_per_node = 1, rank = 0;
  std::string apply{}, json{};
  BoxWords box{};  ///< in which `apply` acts
};

void require(bool holds, const std::string& rule, int got, const std::string& remedy) {
  if (!holds) throw Error(Status::invalid_argument, fmt::format("{}; got {}; {}", rule, got, remedy));
}

void check(const ExplainWords& words) {
  constexpr int most = 1'000'000;
  require(words.ranks >= 1 && words.ranks <= most, fmt::format("--ranks must be from 1 to {}", most), words.ranks,
          "choose a number in that range");
  require(words.ranks_per_node >= 1, "--ranks-per-node must be at least 1", words.ranks_per_node,
          "leave it out for one rank on each node");
  require(words.rank >= 0 && words.rank < words.ranks, fmt::format("--rank must be from 0 to {}", words.ranks - 1),
          words.rank, "leave it out for rank 0");
}

// A line of a plan in lines that fit: all of it but the first columns, where its name stands.
std::string fitted(const std::string& description) {
  std::string text;
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    const bool of_a_step = line.starts_with("  ") && !line.starts_with("   ");
    const std::size_t head = std::min<std::size_t>(line.size(), of_a_step ? 12 : 10);
    text += paragraph(line.substr(0, head), line.substr(head));
  }
  return text;
}

void explain_here(const ExplainWords& words) {
  check(words);
  require_apply(words.apply, words.box);
  check_side_files(local(), {{"--json", words.json}});
  const Problem problem = to_problem(words.problem);
  const Comm ranks = dry_run(words.ranks, words.rank, words.ranks_per_node);
  Options options = to_options(words.choices, words.problem, ranks);
  if (!words.apply.empty()) options.apply = Apply::to_outputs;
  const Plan plan(ranks, problem, options);
  if (!words.apply.empty()) (void)parse_operator(words.apply, words.box, plan);
  if (words.json != "-") fmt::print("{}\n", fitted(plan.describe()));
  Json record{{"command", "explain"},
              {"version", SHARDFFT_VERSION},
              {"shape", std::vector<Index>(problem.shape.begin(), problem.shape.end())},
              {"modes", std::vector<Index>(problem.modes.begin(), problem.modes.end())},
              {"support", std::vector<Index>(problem.support.begin(), problem.support.end())},
              {"kind", to_string(problem.kind)},
              {"kinds", kind_words(problem)},
              {"precision", to_string(problem.precision)},
              {"ranks", words.ranks},
              {"ranks_per_node", words.ranks_per_node},
              {"rank", words.rank},
              {"nodes", ranks.nodes()},
              {"input", plan.input().describe()},
              {"output", plan.output().describe()},
              {"input_bytes", plan.input_bytes()},
              {"output_bytes", plan.output_bytes()},
              {"workspace_bytes", plan.workspace_bytes()},
              {"plan", description_of(plan)}};
  record["recipe"] = record["plan"]["recipe"];
  if (!words.apply.empty()) {
    record["apply"] = {{"operator", words.apply}};
    record["apply"].update(box_json(words.box, problem.shape.dims()));
  }
  write_json(local(), words.json, record);
}

constexpr const char* explain_examples =
    R"(Shows the sweeps, exchanges, bytes and messages of one rank. Neither runs the plan nor allocates its memory.

Examples:
  shardfft explain --shape 512x512x512
  shardfft explain --shape 4096x4096x4096 --kind r2c --ranks 1024 --ranks-per-node 64
  shardfft explain --shape 40000x40000x40000 --ranks 100000 --rank 99999 --json plan.json
  shardfft explain --shape 4096x4096x4096 --device cuda --arrays host --tolerance 1e-6)";

}  // namespace

void add_explain(const Command& program, Action& chosen) {
  const auto words = std::make_shared<ExplainWords>();
  const Command command =
      program.add_command("explain", "show what would run, for any number of ranks, without running it");
  command.footer(explain_examples);
  add_problem(command, words->problem);
  command.add_option("--ranks", words->ranks, "ranks of the run that is explained").shows_default();
  command.add_option("--ranks-per-node", words->ranks_per_node, "ranks that share a node's memory").shows_default();
  command.add_option("--rank", words->rank, "rank whose part is shown").shows_default();
  add_apply(command, words->apply, words->box);
  add_json(command, words->json);
  for (const OptionGroup group :
       {OptionGroup::planner, OptionGroup::devices, OptionGroup::exactness, OptionGroup::effort})
    add_choices(command, words->choices, group);
  command.callback([words, &chosen] {
    chosen = [words](const Comm& comm) {
      collectively(comm, [&] {
        if (comm.rank() == 0) explain_here(*words);
      });
      return 0;
    };
  });
}

}  // namespace shardfft::cli
