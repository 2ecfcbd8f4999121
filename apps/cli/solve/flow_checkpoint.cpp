#include "solve/flow_checkpoint.hpp"

#include <utility>

#include <fmt/format.h>

#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::cli {
namespace {

using solvers::FlowProblem;
using solvers::NavierStokes;

constexpr const char* wanted = "a .npy file";
constexpr std::size_t longest_record = 1 << 16;
constexpr int deepest_record = 4;

[[noreturn]] void refuse_checkpoint(const std::string& file, const std::string& why, const std::string& remedy) {
  throw Error(Status::io_failed,
              fmt::format("--restart must name a checkpoint of this problem; '{}' {}; {}", file, why, remedy));
}

files::FilePart part_of(const NavierStokes& flow, const Comm& comm, int threads) {
  return {flow.state_layout(), comm.rank(), flow.problem().precision, true, threads};
}

/// The text beside a checkpoint, on every rank.
std::string text_beside(const Comm& comm, const std::string& file) {
  std::string text;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    try {
      text = read_named(file, longest_record);
    } catch (const FileTrouble& trouble) {
      refuse_checkpoint(file, trouble.what(), "name the .npy file that --checkpoint wrote, with its .json beside it");
    }
  });
  return text_of_first(comm, text);
}

/// A number of steps that leaves room for more.
bool is_count(const Json& number) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (number.is_number_unsigned()) return number.get<std::uint64_t>() <= most;
  return number.is_number_integer() && number.get<std::int64_t>() >= 0;
}

/// States that the text names. Throws Error where it is damaged or names another problem.
std::vector<SavedState> states_in(const std::string& text, const std::string& file, const Json& problem) {
  const Json record = depth_of_json(text) <= deepest_record ? Json::parse(text, nullptr, false) : Json();
  if (!record.is_object() || !record.contains("problem") || !record.contains("states") || !record["states"].is_array())
    refuse_checkpoint(file, "is damaged", "copy it again, or begin anew");
  for (const auto& [key, value] : problem.items())
    if (!record["problem"].is_object() || record["problem"].value(key, Json()) != value)
      refuse_checkpoint(
          file,
          fmt::format("has another {}: {} instead of {}", key,
                      record["problem"].is_object() ? record["problem"].value(key, Json()).dump() : "none",
                      value.dump()),
          "give the words of the run that wrote it");
  std::vector<SavedState> states;
  for (const Json& state : record["states"]) {
    if (!state.is_object() || !is_count(state.value("steps", Json())) || !state.value("time", Json()).is_number() ||
        !state.value("hash", Json()).is_string())
      refuse_checkpoint(file, "is damaged", "copy it again, or begin anew");
    states.push_back({state["steps"].get<Index>(), state["time"].get<double>(), state["hash"].get<std::string>()});
  }
  return states;
}

}  // namespace

Json problem_json(const FlowProblem& problem) {
  return {{"shape", std::vector<Index>(problem.shape.begin(), problem.shape.end())},
          {"lengths", problem.lengths},
          {"viscosity", problem.viscosity},
          {"dealias", problem.dealias},
          {"precision", to_string(problem.precision)}};
}

FlowCheckpoint::FlowCheckpoint(const Comm& comm, std::string file, int threads)
    : comm_(comm), file_(std::move(file)), threads_(threads) {
  if (file_.empty()) return;
  files::check_output_name(file_, false);
  probe_output(comm, file_, wanted);
}

std::string FlowCheckpoint::record(const NavierStokes& flow) const {
  Json states = Json::array();
  for (const SavedState& s : states_) states.push_back({{"steps", s.steps}, {"time", s.time}, {"hash", s.hash}});
  return Json{{"equation", "navier-stokes"}, {"problem", problem_json(flow.problem())}, {"states", states}}.dump(2) +
         '\n';
}

// The text comes first and names the state that the file has until then, too.
void FlowCheckpoint::write(const NavierStokes& flow) {
  states_.insert(states_.begin(), {flow.steps(), flow.time(), hash_text(flow.hash())});
  if (states_.size() > 2) states_.pop_back();
  files::write_whole(comm_, file_ + ".json", record(flow));
  const Shape& shape = flow.state_layout().global();
  files::File file = files::File::create(comm_, file_, {shape, files::plan_dtype(flow.problem().precision, true), {}});
  collectively(comm_, [&] {  // what is shown counts steps, not bytes
    file.write(part_of(flow, comm_, threads_), static_cast<const std::byte*>(flow.state().data));
  });
  file.commit();
}

void FlowCheckpoint::restore(const std::string& file, NavierStokes& flow, Progress& progress) {
  const std::vector<SavedState> states =
      states_in(text_beside(comm_, file + ".json"), file + ".json", problem_json(flow.problem()));
  const files::File input = files::File::open(comm_, file);
  if (input.info().shape != flow.state_layout().global() ||
      input.info().type != files::plan_dtype(flow.problem().precision, true))
    refuse_checkpoint(file,
                      fmt::format("holds {} {}, not {} modes", to_string(input.info().shape),
                                  to_string(input.info().type), to_string(flow.state_layout().global())),
                      "name the .npy file that --checkpoint wrote");
  Array modes;
  collectively(comm_, [&] {
    modes = Array(flow.state().bytes);
    input.read(part_of(flow, comm_, threads_), modes.data(), &progress);
  });
  collectively(comm_, [&] { input.check_unchanged(); });
  for (const SavedState& state : states) {
    flow.restore(modes, state.time, state.steps);
    if (hash_text(flow.hash()) != state.hash) continue;
    states_ = {state};
    return;
  }
  refuse_checkpoint(file, "does not hold the numbers that its .json names", "copy both files again, or begin anew");
}

}  // namespace shardfft::cli
