// shardfft: transforms .npy files, measures, explains. Exit status: 0 done, 1 a wrong answer or a defect, 2 bad input
// (one line on stderr).
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "help/help.hpp"
#include "launch/launch.hpp"
#include "launch/surroundings.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

constexpr int bad_input = 2, failure = 1;

struct Request {
  Action action{};  ///< empty when only `text` is to be shown
  std::string text{};
};

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void say(const std::string& text) {
  fmt::print(stderr, "shardfft: {}\n", printable(one_line(with_short_echoes(text))));
}

/// What is wrong with the command line, with the remedy.
std::string complaint(const BadWords& bad) {
  const std::string word = bad.strange.empty() ? "" : bad.strange[0];
  const std::string got = bad.strange.empty()
                              ? "none"
                              : fmt::format("'{}'{}", word, did_you_mean(word.substr(0, word.find('=')), bad.names));
  const bool of_command = !bad.commands.empty() && (bad.lacks_command() || !(word.empty() || word.starts_with('-')));
  const std::string what =
      of_command            ? fmt::format("the command must be one of {}; got {}", fmt::join(bad.commands, ", "), got)
      : bad.strange.empty() ? one_line(bad.what())
                            : fmt::format("options and arguments must be those that --help lists; got {}", got);
  return fmt::format("{}; see shardfft{} --help", what, bad.command.empty() ? "" : " " + bad.command);
}

Request parse(const std::vector<std::string>& words) {
  Request request;
  CommandLine program{"Fourier transforms of arrays of any size, on all cores or under mpirun and srun.", "shardfft"};
  program.version("shardfft " SHARDFFT_VERSION);
  program.top().require_command();
  program.top().footer(
      "Examples:\n  shardfft transform volume.npy spectrum.npy\n  mpirun -n 4 shardfft bench --shape 256x256x256\n  "
      "shardfft transform "
      "--help");
  for (const auto add :
       {add_transform, add_bench, add_benchmarks, add_explain, add_predict, add_filter, add_spectrum, add_correlate,
        add_convolve, add_deconvolve, add_compare_files, add_solve, add_navier_stokes, add_tune, add_wisdom, add_info})
    add(program.top(), request.action);
  add_help(program, request.text);
  try {
    if (const auto text = program.parse(words)) return {{}, *text + '\n'};
  } catch (const BadWords& bad) { throw Error(Status::invalid_argument, complaint(bad)); }
  return request;
}

/// Collective. What was printed and reached nobody, on a full disk perhaps, was not done.
void finish_output(const Comm& comm) {
  collectively(comm, [&] {
    if (comm.rank() == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
      throw Error(Status::io_failed, lost_output(errno));
  });
}

/// Said once: programs that this one starts do not see these variables any more.
void forget_strange_variables(const Comm& comm) {
  if (comm.rank() > 0) return;
  for (const std::string& name : warn_of_strange_variables()) ::unsetenv(name.c_str());
}

int run(const Comm& comm, const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& w : words) line += w + ' ';
  require_same(comm, "the command line", line);
  forget_strange_variables(comm);
  const Request request = parse(words);
  const int status = request.action ? request.action(comm) : 0;
  if (!request.action && comm.rank() == 0) fmt::print("{}", request.text);
  finish_output(comm);
  return status;
}

/// Errors that every rank has alike end every rank by itself; after others, the ranks may be out of step and are ended
/// together.
bool may_be_mine_alone(Status status) { return status == Status::internal || status == Status::transport_failed; }

int guarded(World& world, const std::vector<std::string>& words) {
  const Comm& comm = world.comm();
  int status = failure;
  try {
    return run(comm, words);
  } catch (const Error& e) {
    if (!may_be_mine_alone(e.status())) {
      if (comm.rank() == 0) say(e.what());
      return bad_input;
    }
    say(e.what());
  } catch (const std::exception& e) {
    // More than stdio holds back is refused while it is printed, not when it is flushed.
    const auto* refused = std::ferror(stdout) != 0 ? dynamic_cast<const std::system_error*>(&e) : nullptr;
    if (refused) status = bad_input;
    say(refused ? lost_output(refused->code().value()) : fmt::format("rank {}: {}", comm.rank(), e.what()));
  }
  if (comm.size() > 1) world.abort(status);
  return status;
}

}  // namespace
}  // namespace shardfft::cli

int main(int argc, char** argv) {
  using namespace shardfft::cli;
  settle_standard_streams();
  settle_signals();
  try {
    const auto world = join_world();
    return guarded(*world, {argv + 1, argv + argc});
  } catch (const std::exception& e) {
    const int rank = find_launcher().rank;
    if (may_speak_before_mpi()) say(rank == 0 ? e.what() : fmt::format("rank {}: {}", rank, e.what()));
    end_ranks_before_mpi(bad_input);
    return bad_input;
  }
}
