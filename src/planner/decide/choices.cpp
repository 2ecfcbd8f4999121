#include "planner/decide/choices.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/text.hpp"

namespace shardfft {
namespace {

[[noreturn]] void fail(const std::string& text) { throw Error(Status::invalid_argument, text); }

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

int to_int(const char* variable, const std::string& text) {
  if (const auto value = whole_number(text)) return *value;
  fail(fmt::format("{} is a whole number, got '{}'; unset it to leave the choice to the planner", variable, text));
}

Coord to_grid(const char* variable, const std::string& text) {
  std::vector<Index> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("xX", at), text.size());
    const auto number = whole_number(text.substr(at, end - at));
    if (!number || numbers.size() == std::size_t{max_dims})
      fail(
          fmt::format("{} is up to {} whole numbers with an x between two of them, such as 2x3, got '{}'; unset it to "
                      "leave the choice to the planner",
                      variable, max_dims, text));
    numbers.push_back(*number);
    at = end + 1;
  }
  return Coord(numbers);
}

class Reader {
 public:
  explicit Reader(Choices& c) : c_(c) {}

  /// A word, in letters of either case.
  void text(const char* name, const char* variable, std::string& field) {
    if (!field.empty()) return made(name, field = lower(field), "option");
    if (const char* value = std::getenv(variable); value && *value) made(name, field = lower(value), variable);
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
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("{} is a number of seconds, got '{}'; unset it for the default of the effort", variable, text));
    made(name, text, variable);
  }

  void grid(const char* variable, Coord& field) {
    if (field.dims() > 0) return made("ranks_grid", to_string(field), "option");
    const char* value = std::getenv(variable);
    if (!value || !*value) return;
    field = to_grid(variable, value);
    made("ranks_grid", value, variable);
  }

 private:
  void made(const char* name, const std::string& value, const char* origin) {
    c_.made.push_back({name, value, origin});
  }
  Choices& c_;
};

/// Keeps the first rule that is broken.
class Rules {
 public:
  void require(bool kept, const char* option, const std::string& rule, const std::string& remedy) {
    if (!kept && !broken_) broken_ = Refusal{option, rule, remedy};
  }
  void range(const char* option, int value, NumberRange range) {
    require(value >= range.least && value <= range.most, option,
            fmt::format("lies between {} and {}, got {}", range.least, range.most, value),
            fmt::format("{} leaves it to the planner", range.least));
  }
  /// "" is none of the words, and allowed: it stands for `otherwise`.
  void word(const char* option, const std::string& value, const std::vector<std::string>& words,
            const char* otherwise) {
    require(value.empty() || std::find(words.begin(), words.end(), value) != words.end(), option,
            fmt::format("is one of {}; got '{}'{}", fmt::join(words, ", "), value, did_you_mean(value, words)),
            fmt::format("leave it empty for {}", otherwise));
  }
  [[nodiscard]] const std::optional<Refusal>& broken() const { return broken_; }

 private:
  std::optional<Refusal> broken_{};
};

void check_tolerances(const Options& o, Rules& rules) {
  int given = 0;
  for (const auto& [name, value] : {std::pair("tolerance", o.tolerance),
                                    {"tolerance_absolute", o.tolerance_absolute},
                                    {"tolerance_linf", o.tolerance_linf}}) {
    rules.require(value >= 0 && !std::isinf(value), name,
                  fmt::format("is an error, 0 (exact) or more, and finite; got {}", value), "take 0 for exact results");
    given += value > 0;
  }
  rules.require(given <= 1, "one of tolerance, tolerance_absolute and tolerance_linf", "is given; got several",
                "leave the others 0");
  rules.require(!(o.tolerance >= 1), "tolerance",
                fmt::format("is a relative error and less than 1, where nothing of the result would be left; got {}",
                            o.tolerance),
                "take a smaller one, such as 1e-6");
  rules.word("guarantee", o.guarantee, {"certified", "worst", "statistical"}, "certified");
}

}  // namespace

NumberRanges number_ranges(const std::string& device) {
  NumberRanges ranges;
  if (!device.empty()) ranges.tile.most = 1 << 24, ranges.fuse.most = 3;
  return ranges;
}

std::optional<Refusal> broken_rule(const Options& o) {
  Rules rules;
  check_tolerances(o, rules);
  const char* const planner = "the planner's choice";
  rules.word("decomposition", o.decomposition, {"slab", "pencil", "brick"}, planner);
  const NumberRanges ranges = number_ranges(o.device);
  rules.range("threads", o.threads, ranges.threads);
  rules.range("chunks", o.chunks, ranges.chunks);
  rules.range("tile", o.tile, ranges.tile);
  rules.range("fuse", o.fuse, ranges.fuse);
  rules.require(o.fuse != 0, "fuse", "is 1 or 2 axes in one sweep (on a device also 3), got 0",
                "-1 leaves it to the planner");
  rules.word("arrays", o.arrays, {"device", "host"}, "device");
  rules.require(!o.device.empty() || (o.arrays.empty() && !o.queue), "arrays and queue", "belong to a device; got none",
                "name it with the option device, or leave them");
  rules.range("split", o.split, ranges.split);
  rules.word("intermediate", o.intermediate, {"buffers", "output"}, planner);
  rules.range("non_temporal", o.non_temporal, ranges.non_temporal);
  rules.range("huge_pages", o.huge_pages, ranges.huge_pages);
  rules.word("effort", o.effort, {"model", "measure", "exhaustive"}, "model");
  rules.require(o.tune_seconds >= 0 && o.tune_seconds <= 1e9, "tune_seconds",
                fmt::format("lies between 0 and 1e9, got {}", o.tune_seconds), "0 takes the default of the effort");
  rules.require(std::all_of(o.ranks_grid.begin(), o.ranks_grid.end(), [](Index p) { return p >= 1; }), "ranks_grid",
                fmt::format("counts processes, each number at least 1; got {}", to_string(o.ranks_grid)),
                "leave it empty for the planner's choice");
  return rules.broken();
}

Choices choose_from(const Options& options) {
  Choices c{.options = options};
  Options& o = c.options;
  o.arrays = lower(o.arrays);
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
  read.text("intermediate", "SHARDFFT_INTERMEDIATE", o.intermediate);
  read.number("non_temporal", "SHARDFFT_NON_TEMPORAL", o.non_temporal, -1);
  read.number("huge_pages", "SHARDFFT_HUGE_PAGES", o.huge_pages, -1);
  read.text("effort", "SHARDFFT_EFFORT", o.effort);
  read.seconds("tune_seconds", "SHARDFFT_TUNE_SECONDS", o.tune_seconds);
  read.text("device", "SHARDFFT_DEVICE", o.device);
  read.text("guarantee", "SHARDFFT_GUARANTEE", o.guarantee);
  read.text("codec", "SHARDFFT_CODEC", o.codec);
  if (const auto broken = broken_rule(o)) {
    const std::string who = c.origin(broken->option);
    fail(fmt::format("{} {}; {}", who.starts_with("SHARDFFT_") ? who : broken->option, broken->rule, broken->remedy));
  }
  return c;
}

std::string Choices::origin(const std::string& name) const {
  for (const Choice& choice : made)
    if (choice.name == name) return choice.origin;
  return "model";
}

std::string shared_text(const Options& o) {
  return fmt::format(
      "input {}\noutput {}\nengine '{}'\ntransport '{}'\ndecomposition '{}'\nranks_grid '{}'\n"
      "chunks {}\naxis_order '{}'\nin_place {}\ndestroy_input {}\npadded_reals {}\nfuse {}\nsplit {}\n"
      "intermediate '{}'\nhuge_pages {}\ntolerance {}\ntolerance_absolute {}\ntolerance_linf {}\n"
      "guarantee '{}'\ncodec '{}'\nencode_near {}\neffort '{}'\nwisdom {}\ndevice '{}'\narrays '{}'",
      to_string(o.input), to_string(o.output), o.engine, o.transport, o.decomposition, to_string(o.ranks_grid),
      o.chunks, fmt::join(o.axis_order, ","), o.in_place, o.destroy_input, o.padded_reals, o.fuse, o.split,
      o.intermediate, o.huge_pages, o.tolerance, o.tolerance_absolute, o.tolerance_linf, o.guarantee, o.codec,
      o.encode_near, o.effort, o.wisdom, o.device.substr(0, o.device.find(':')), o.arrays);
}

}  // namespace shardfft
