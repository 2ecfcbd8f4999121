#include "planner/choices.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

[[noreturn]] void fail(const std::string& text) { throw Error(Status::invalid_argument, text); }

int to_int(const char* variable, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(fmt::format("{} is a whole number, got '{}'", variable, text));
  return value;
}

class Reader {
 public:
  explicit Reader(Choices& c) : c_(c) {}

  void text(const char* name, const char* variable, std::string& field) {
    if (!field.empty()) return made(name, field, "option");
    if (const char* value = std::getenv(variable); value && *value) made(name, field = value, variable);
  }

  /// `unset` is the value that leaves the choice to the planner.
  void number(const char* name, const char* variable, int& field, int unset) {
    if (field != unset) return made(name, std::to_string(field), "option");
    if (const char* value = std::getenv(variable); value && *value) {
      field = to_int(variable, value);
      made(name, value, variable);
    }
  }

  void seconds(const char* name, const char* variable, double& field) {
    if (field != 0) return made(name, fmt::format("{}", field), "option");
    const char* value = std::getenv(variable);
    if (!value || !*value) return;
    const std::string text = value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
    if (error != std::errc() || end != text.data() + text.size()) fail(fmt::format("{} is a number of seconds, got '{}'", variable, text));
    made(name, text, variable);
  }

  void grid(const char* variable, Coord& field) {
    if (field.dims() > 0) return made("ranks_grid", to_string(field), "option");
    const char* value = std::getenv(variable);
    if (!value || !*value) return;
    std::string rest = value;
    std::vector<Index> numbers;
    for (std::size_t x; (x = rest.find('x')) != std::string::npos; rest = rest.substr(x + 1)) numbers.push_back(to_int(variable, rest.substr(0, x)));
    numbers.push_back(to_int(variable, rest));
    field = Coord(numbers);
    made("ranks_grid", value, variable);
  }

 private:
  void made(const char* name, const std::string& value, const char* origin) { c_.made.push_back({name, value, origin}); }
  Choices& c_;
};

void check_range(const char* name, int value, NumberRange range) {
  if (value < range.least || value > range.most) fail(fmt::format("{} lies between {} and {}, got {}; {} leaves it to the planner", name, range.least, range.most, value, range.least));
}

void check_tolerances(const Options& o) {
  int given = 0;
  for (const auto& [name, value] : {std::pair("tolerance", o.tolerance), {"tolerance_absolute", o.tolerance_absolute}, {"tolerance_linf", o.tolerance_linf}}) {
    if (!(value >= 0) || std::isinf(value)) fail(fmt::format("{} is an error, 0 (exact) or more, and finite; got {}", name, value));
    given += value > 0;
  }
  if (given > 1) fail("one of tolerance, tolerance_absolute and tolerance_linf is given; got several; leave the others 0");
  if (o.tolerance >= 1) fail(fmt::format("tolerance is a relative error and less than 1, where nothing of the result would be left; got {}", o.tolerance));
  const std::vector<std::string> guarantees{"", "certified", "worst", "statistical"};
  if (std::find(guarantees.begin(), guarantees.end(), o.guarantee) == guarantees.end())
    fail(fmt::format("guarantee is one of certified, worst, statistical; got '{}'", o.guarantee));
}

void check_values(const Options& o) {
  check_tolerances(o);
  const std::vector<std::string> decompositions{"", "slab", "pencil", "brick"};
  if (std::find(decompositions.begin(), decompositions.end(), o.decomposition) == decompositions.end())
    fail(fmt::format("decomposition is one of slab, pencil, brick; got '{}'", o.decomposition));
  const NumberRanges ranges = number_ranges(o.device);
  check_range("threads", o.threads, ranges.threads);
  check_range("chunks", o.chunks, ranges.chunks);
  check_range("tile", o.tile, ranges.tile);
  check_range("fuse", o.fuse, ranges.fuse);
  if (o.fuse == 0) fail("fuse is 1 or 2 axes in one sweep (on a device also 3), or -1 for the planner's choice; got 0");
  if (!o.arrays.empty() && o.arrays != "device" && o.arrays != "host") fail(fmt::format("arrays is one of device, host; got '{}'", o.arrays));
  if (o.device.empty() && (!o.arrays.empty() || o.queue)) fail("arrays and queue belong to a device; name it with the option device, or leave them");
  check_range("split", o.split, ranges.split);
  check_range("windows", o.windows, ranges.windows);
  check_range("stream", o.stream, ranges.stream);
  check_range("huge_pages", o.huge_pages, ranges.huge_pages);
  const std::vector<std::string> efforts{"", "model", "measure", "exhaustive"};
  if (std::find(efforts.begin(), efforts.end(), o.effort) == efforts.end())
    fail(fmt::format("effort is one of model, measure, exhaustive; got '{}'", o.effort));
  if (!(o.tune_seconds >= 0 && o.tune_seconds <= 1e9)) fail(fmt::format("tune_seconds lies between 0 and 1e9 (0: the default of the effort), got {}", o.tune_seconds));
  for (const Index p : o.ranks_grid)
    if (p < 1) fail(fmt::format("ranks_grid counts processes, each number at least 1; got {}", to_string(o.ranks_grid)));
}

}  // namespace

NumberRanges number_ranges(const std::string& device) {
  NumberRanges ranges;
  if (!device.empty()) ranges.tile.most = 1 << 24, ranges.fuse.most = 3;
  return ranges;
}

Choices choose_from(const Options& options) {
  Choices c{.options = options};
  Options& o = c.options;
  Reader read(c);
  read.text("engine", "SHARDFFT_ENGINE", o.engine);
  read.text("transport", "SHARDFFT_TRANSPORT", o.transport);
  read.text("decomposition", "SHARDFFT_DECOMPOSITION", o.decomposition);
  read.grid("SHARDFFT_RANKS_GRID", o.ranks_grid);
  read.number("threads", "SHARDFFT_THREADS", o.threads, 0);
  read.number("chunks", "SHARDFFT_CHUNKS", o.chunks, 0);
  read.number("tile", "SHARDFFT_TILE", o.tile, 0);
  read.number("fuse", "SHARDFFT_FUSE", o.fuse, -1);
  read.number("split", "SHARDFFT_SPLIT", o.split, -1);
  read.number("windows", "SHARDFFT_WINDOWS", o.windows, -1);
  read.number("stream", "SHARDFFT_STREAM", o.stream, -1);
  read.number("huge_pages", "SHARDFFT_HUGE_PAGES", o.huge_pages, -1);
  read.text("effort", "SHARDFFT_EFFORT", o.effort);
  read.seconds("tune_seconds", "SHARDFFT_TUNE_SECONDS", o.tune_seconds);
  read.text("device", "SHARDFFT_DEVICE", o.device);
  read.text("guarantee", "SHARDFFT_GUARANTEE", o.guarantee);
  read.text("codec", "SHARDFFT_CODEC", o.codec);
  check_values(o);
  return c;
}

std::string Choices::origin(const std::string& name) const {
  for (const Choice& choice : made)
    if (choice.name == name) return choice.origin;
  return "model";
}

std::string shared_text(const Options& o) {
  return fmt::format("input {}, output {}, engine '{}', transport '{}', decomposition '{}', ranks_grid '{}', chunks {}, axis_order '{}', in_place {}, destroy_input {}, padded_reals {}, fuse {}, split {}, windows {}, tolerance {} {} {}, guarantee '{}', codec '{}', encode_near {}, effort '{}', wisdom {}, device '{}', arrays '{}'",
                     to_string(o.input), to_string(o.output), o.engine, o.transport, o.decomposition, to_string(o.ranks_grid), o.chunks,
                     fmt::join(o.axis_order, ","), o.in_place, o.destroy_input, o.padded_reals, o.fuse, o.split, o.windows, o.tolerance, o.tolerance_absolute, o.tolerance_linf, o.guarantee, o.codec, o.encode_near, o.effort, o.wisdom, o.device.substr(0, o.device.find(':')), o.arrays);
}

}  // namespace shardfft
