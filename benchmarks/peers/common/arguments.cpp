#include "arguments.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "options/command_line.hpp"
#include "options/words.hpp"
#include "shardfft/error.hpp"

namespace shardfft::peers {
namespace {

struct Words {
  std::string shape, kind = "c2c", precision = "f64", call = "best", grid, axes;
  std::int64_t seed = 1;
};

[[noreturn]] void refuse(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got {}; {}", rule, got, remedy));
}

void add_options(const cli::Command& command, Arguments& a, Words& w) {
  command.add_option("--shape", w.shape, "extents, as 256x256x256");
  command.add_option("--kind", w.kind, "c2c, r2c, or of reals cosine1 to cosine4, sine1 to sine4, hartley")
      .shows_default();
  command.add_option("--precision", w.precision, "f64 or f32").shows_default();
  command.add_option("--layout", a.task.layout, "natural, transposed, pencils or bricks").shows_default();
  command.add_option("--batch", a.task.batch, "fields of that shape, transformed in one call").shows_default();
  command.add_option("--axes", w.axes, "transformed axes of a field, such as 0,1; of r2c the last one is real");
  command.add_option("--grid", w.grid, "processes along the two cut axes of pencils, as 2x4");
  command.add_option("--threads", a.task.threads, "of each rank").shows_default();
  command.add_option("--iterations", a.iterations, "timed runs forward and backward").shows_default();
  command.add_option("--warmup", a.warmup, "runs before the timed ones").shows_default();
  command
      .add_option("--call", w.call, "best: as fast as the library gets; default: as its documentation's first example")
      .shows_default();
  command.add_option("--plan-seconds", a.task.plan_seconds, "time limit for measured plans").shows_default();
  command.add_option("--scratch", a.task.scratch, "folder that keeps measured plans for the next launch");
  command.add_option("--result", a.result, "file to write: one JSON object, whole or not at all");
  command.add_option("--seed", w.seed, "which made-up data").shows_default();
  command.add_flag("--about", a.about, "print what the library is and can, as JSON");
}

void check_numbers(const Arguments& a, const Words& w) {
  const auto at_least = [](const char* option, double value, double least) {
    if (!(value >= least))
      refuse(fmt::format("{} must be at least {}", option, least), fmt::format("{}", value),
             "leave it out for the default");
  };
  at_least("--batch", static_cast<double>(a.task.batch), 1);
  at_least("--threads", a.task.threads, 1);
  at_least("--iterations", a.iterations, 1);
  at_least("--warmup", a.warmup, 0);
  at_least("--plan-seconds", a.task.plan_seconds, 0);
  at_least("--seed", static_cast<double>(w.seed), 1);
}

/// Whether their product is the number of ranks is seen when the ranks have met.
Coord parse_grid(const std::string& text) {
  if (text.empty()) return {};
  const Coord grid = cli::parse_extents("--grid", text);
  if (grid.dims() != 2) refuse("--grid must be two numbers", fmt::format("'{}'", text), "write for example --grid 2x4");
  return grid;
}

void interpret(Arguments& a, const Words& w) {
  if (w.shape.empty()) refuse("--shape must be given", "nothing", "write for example --shape 256x256x256");
  a.task.shape = cli::parse_extents("--shape", w.shape);
  if (!w.axes.empty()) a.task.axes = cli::parse_axes(w.axes, a.task.shape.dims());
  if (const auto real = cli::real_kind(w.kind)) {
    a.task.kind = r2r;
    a.task.axis_kind = *real;
  } else {
    a.task.kind = cli::parse_kind(w.kind);
    if (a.task.kind == c2r || a.task.kind == r2r)
      refuse("--kind must be one of c2c, r2c, cosine2 and the like", fmt::format("'{}'", w.kind),
             "choose r2c, whose backward transform is c2r, or name the kind of all axes");
  }
  a.task.precision = cli::parse_precision(w.precision);
  (void)cli::parse_layout_pair(a.task.layout, a.task.shape.dims());
  if (w.call != "best" && w.call != "default")
    refuse("--call must be one of best, default", fmt::format("'{}'", w.call), "choose one of these");
  a.task.call = w.call == "best" ? Call::best : Call::standard;
  check_numbers(a, w);
  (void)product(a.task.input_array());
  a.task.grid = parse_grid(w.grid);
  a.task.seed = static_cast<std::uint64_t>(w.seed);
  if (a.result.empty())
    refuse("--result must name the file to write", "nothing", "write for example --result result.json");
  const auto folder = std::filesystem::path(a.result).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    refuse("--result must name a file in a folder that exists", fmt::format("'{}'", a.result),
           "make the folder first, or name another place");
  if (!a.task.scratch.empty() && !std::filesystem::is_directory(a.task.scratch))
    refuse("--scratch must be a folder", fmt::format("'{}'", a.task.scratch), "make it first, or leave it out");
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

}  // namespace

Arguments parse(const std::string& program, const std::vector<std::string>& words) {
  Arguments arguments;
  Words w;
  cli::CommandLine line{
      "Runs one library on one task for shardfft compare: made-up data, forward and backward, timed and verified.",
      program};
  add_options(line.top(), arguments, w);
  try {
    if (const auto text = line.parse(words)) {
      arguments.help = true;
      arguments.text = *text;
      return arguments;
    }
  } catch (const cli::BadWords& e) {
    refuse("the options must be those that --help lists", one_line(e.what()), "see --help");
  }
  if (!arguments.about) interpret(arguments, w);
  return arguments;
}

}  // namespace shardfft::peers
