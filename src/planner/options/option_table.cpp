#include "planner/options/option_table.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/text.hpp"

namespace shardfft {
namespace {

constexpr double any_number = std::numeric_limits<double>::max(), most_streams = 8;

constexpr std::string_view places[] = {"device", "host"}, cuts[] = {"slab", "pencil", "brick"},
                           efforts[] = {"model", "measure", "exhaustive"},
                           guarantees[] = {"certified", "worst", "statistical"};

using enum OptionGroup;
using enum OptionType;
using O = Options;
using E = ExpertOptions;
using V = Variant;

constexpr OptionEntry entries[] = {
    {{.name = "in_place",
      .help = "input and output are the same memory",
      .group = arrays,
      .type = truth,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::in_place}},
    {{.name = "destroy_input",
      .help = "the input may be overwritten",
      .group = arrays,
      .type = truth,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::destroy_input}},
    {{.name = "padded_reals",
      .help = "rows of reals have room for their half spectrum",
      .group = arrays,
      .type = truth,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::padded_reals}},
    {{.name = "apply",
      .help = "which of apply (to_outputs) and apply_physical (to_inputs) will be called",
      .group = arrays,
      .type = word,
      .words = words_of(Apply())},
     OptionField{&O::apply}},
    {{.name = "components_in",
      .help = "with apply: elements of axis 0 that operators see together",
      .group = arrays,
      .most = 1 << 20},
     OptionField{&O::components_in}},
    {{.name = "components_out",
      .help = "with apply: elements of axis 0 that operators leave",
      .group = arrays,
      .most = 1 << 20},
     OptionField{&O::components_out}},
    {{.name = "device",
      .variable = "SHARDFFT_DEVICE",
      .flag = "--device",
      .help = "transform on a GPU: cuda, hip (the ranks of a node share theirs out), or that one: cuda:1; "
              "`shardfft info` lists them",
      .group = devices,
      .type = word,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::device}},
    {{.name = "arrays",
      .flag = "--arrays",
      .help = "with --device, where the arrays are: device (default), or host: through the device tile by tile",
      .group = devices,
      .type = word,
      .words = places,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::arrays}},
    {{.name = "engine",
      .variable = "SHARDFFT_ENGINE",
      .flag = "--engine",
      .help = "what computes the 1-D transforms; `shardfft info` lists them",
      .type = word,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::engine, &V::engine}},
    {{.name = "transport",
      .variable = "SHARDFFT_TRANSPORT",
      .flag = "--transport",
      .help = "how bytes move between ranks; `shardfft info` lists them",
      .type = word,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::transport, &V::transport}},
    {{.name = "decomposition",
      .variable = "SHARDFFT_DECOMPOSITION",
      .flag = "--decomposition",
      .help = "slab, pencil or brick",
      .type = word,
      .words = cuts,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::decomposition, &V::decomposition}},
    {{.name = "ranks_grid",
      .variable = "SHARDFFT_RANKS_GRID",
      .flag = "--ranks-grid",
      .help = "process grid of the inner stages, such as 2x3",
      .type = grid,
      .least = 1,
      .most = any_number,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::ranks_grid, &V::ranks_grid}},
    {{.name = "threads",
      .variable = "SHARDFFT_THREADS",
      .flag = "--threads",
      .help = "threads of each rank (default: the node's cores shared among its ranks)",
      .most = 1 << 16,
      .same_on_all_ranks = false},
     VariedField{&O::threads, &V::threads}},
    {{.name = "chunks",
      .variable = "SHARDFFT_CHUNKS",
      .flag = "--chunks",
      .help = "parts of an exchange that overlap with computing",
      .most = 64,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::chunks, &V::chunks}},
    {{.name = "tile",
      .variable = "SHARDFFT_TILE",
      .flag = "--tile",
      .help = "pencils that are in cache together",
      .most = 256,
      .most_on_device = 1 << 24,
      .in_wisdom = InWisdom::chosen,
      .same_on_all_ranks = false},
     VariedField{&E::tile, &V::tile}},
    {{.name = "fuse",
      .variable = "SHARDFFT_FUSE",
      .flag = "--fuse",
      .help = "axes done in one sweep: 1 or 2, on a device also 3",
      .least = -1,
      .most = 2,
      .most_on_device = 3,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::fuse, &V::fuse}},
    {{.name = "streams",
      .variable = "SHARDFFT_STREAMS",
      .flag = "--streams",
      .help = "on a device: tiles that are under way at once, 1 to 8",
      .most = most_streams,
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::streams, &V::streams}},
    {{.name = "graphs",
      .variable = "SHARDFFT_GRAPHS",
      .flag = "--graphs",
      .help = "launches on a device are asked for together, as a graph: on (default) or off",
      .type = word,
      .words = words_of(Graphs()),
      .in_wisdom = InWisdom::chosen},
     OptionField{&E::graphs}},
    {{.name = "intermediate",
      .variable = "SHARDFFT_INTERMEDIATE",
      .flag = "--intermediate",
      .help = "between sweeps the array lies in: buffers, or output if it can",
      .type = word,
      .words = words_of(Intermediate()),
      .in_wisdom = InWisdom::chosen},
     VariedField{&E::intermediate, &V::intermediate}},
    {{.name = "non_temporal",
      .variable = "SHARDFFT_NON_TEMPORAL",
      .flag = "--non-temporal",
      .help = "stores that bypass the cache: none, all, or synthesis: only from the spectrum back",
      .type = word,
      .words = words_of(NonTemporal()),
      .least = -1,
      .most = 2,
      .in_wisdom = InWisdom::chosen,
      .same_on_all_ranks = false},
     VariedField{&E::non_temporal, &V::non_temporal}},
    {{.name = "huge_pages",
      .variable = "SHARDFFT_HUGE_PAGES",
      .flag = "--huge-pages",
      .help = "memory that ranks of a node share in huge pages: on (default) or off",
      .type = word,
      .words = words_of(HugePages()),
      .least = -1,
      .most = 1,
      .in_wisdom = InWisdom::chosen},
     OptionField{&E::huge_pages}},
    {{.name = "split",
      .variable = "SHARDFFT_SPLIT",
      .flag = "--split",
      .help = "one axis in two halves: never, or always if it has two factors (default: if it is the only one and "
              "long)",
      .type = word,
      .words = words_of(SplitAxis()),
      .least = -1,
      .most = 1,
      .in_wisdom = InWisdom::chosen},
     OptionField{&E::split}},
    {{.name = "axis_order",
      .help = "order of the axes forward, such as 2,0,1; backward it is the reverse",
      .type = axes,
      .least = -max_dims,
      .most = max_dims - 1,
      .in_wisdom = InWisdom::asked},
     OptionField{&E::axis_order}},
    {{.name = "effort",
      .variable = "SHARDFFT_EFFORT",
      .flag = "--effort",
      .help = "model (use wisdom, else the model), measure or exhaustive (measure what wisdom does not know)",
      .group = effort,
      .type = word,
      .words = efforts},
     OptionField{&O::effort}},
    {{.name = "tune_seconds",
      .variable = "SHARDFFT_TUNE_SECONDS",
      .flag = "--tune-seconds",
      .help = "what measuring may take (default: 10, exhaustive: 120)",
      .group = effort,
      .type = number,
      .most = 1e9,
      .same_on_all_ranks = false},
     OptionField{&O::tune_seconds}},
    {{.name = "wisdom", .help = "earlier measurements are looked up", .group = effort, .type = truth},
     OptionField{&O::wisdom}},
    {{.name = "tolerance",
      .flag = "--tolerance",
      .help = "relative L2 error that the result may have: exchanges between nodes send fewer bytes (default: 0, "
              "exact)",
      .group = exactness,
      .type = number,
      .most = any_number,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::tolerance}},
    {{.name = "tolerance_absolute",
      .flag = "--tolerance-absolute",
      .help = "the same as an L2 norm, not relative to the result's",
      .group = exactness,
      .type = number,
      .most = any_number,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::tolerance_absolute}},
    {{.name = "tolerance_linf",
      .flag = "--tolerance-linf",
      .help = "largest error of any element, relative to the root mean square of all",
      .group = exactness,
      .type = number,
      .most = any_number,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::tolerance_linf}},
    {{.name = "guarantee",
      .variable = "SHARDFFT_GUARANTEE",
      .flag = "--guarantee",
      .help = "certified (default), worst or statistical",
      .group = exactness,
      .type = word,
      .words = guarantees,
      .in_wisdom = InWisdom::asked},
     OptionField{&O::guarantee}},
    {{.name = "codec",
      .variable = "SHARDFFT_CODEC",
      .flag = "--codec",
      .help = "how exchanges are encoded; `shardfft info` lists them; without a tolerance it is used whatever it "
              "loses",
      .group = exactness,
      .type = word,
      .in_wisdom = InWisdom::asked},
     OptionField{&E::codec}},
    {{.name = "encode_near",
      .flag = "--encode-near",
      .help = "encode exchanges within a node, too (for studies; slower)",
      .group = exactness,
      .type = truth,
      .in_wisdom = InWisdom::asked},
     OptionField{&E::encode_near}},
};

[[noreturn]] void refuse(std::string_view caller, const std::string& rule) {
  throw Error(Status::invalid_argument, fmt::format("{} {}; {}", caller, rule, otherwise(caller)));
}

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class T>
bool read_numbers(const std::string& text, char separator, std::vector<T>& numbers) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (numbers.size() == std::size_t{max_dims} ||
        !read_number(std::string_view(text).substr(at, end - at), numbers.emplace_back()))
      return false;
    at = end + 1;
  }
  return true;
}

// The rule that a text breaks; empty if the value was read.
std::string read(const OptionRow&, const std::string& text, bool& value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0" ? "" : "must be true or false";
}
std::string read(const OptionRow&, const std::string& text, int& value) {
  return read_number(text, value) ? "" : "must be a whole number";
}
std::string read(const OptionRow&, const std::string& text, double& value) {
  return read_number(text, value) ? "" : "must be a number";
}
std::string read(const OptionRow&, const std::string& text, std::string& value) {
  value = text;
  return {};
}
std::string read(const OptionRow&, const std::string& text, Coord& value) {
  std::vector<Index> numbers;
  if (!read_numbers(text, 'x', numbers)) return "must be 1 to 8 whole numbers joined by x, such as 2x3";
  value = Coord(numbers);
  return {};
}
std::string read(const OptionRow&, const std::string& text, std::vector<int>& value) {
  value.clear();
  return read_numbers(text, ',', value) ? "" : "must be 1 to 8 whole numbers joined by commas, such as 2,0,1";
}
std::string one_of(const OptionRow& row) { return fmt::format("must be one of {}", fmt::join(row.words, ", ")); }
template <OptionWord Word>
std::string read(const OptionRow& row, const std::string& text, Word& value) {
  const auto place = place_of_word(row, text);
  value = static_cast<Word>(place.value_or(0));
  return place ? "" : one_of(row);
}

std::string range_text(const OptionRow& row, double most) {
  return most == any_number ? fmt::format("at least {}", row.least)
                            : fmt::format("from {:.10g} to {:.10g}", row.least, most);
}

// The rule that a value breaks, if it breaks one. `most`: of numbers.
std::string rule_on(const OptionRow&, double, bool) { return {}; }
std::string rule_on(const OptionRow& row, double most, double value) {
  const bool kept = value >= row.least && value <= most;
  return kept ? std::string() : fmt::format("must be a finite number {}", range_text(row, most));
}
std::string rule_on(const OptionRow& row, double most, int value) {
  return value >= row.least && value <= most ? std::string() : fmt::format("must be {}", range_text(row, most));
}
std::string rule_on(const OptionRow& row, double, const std::string& value) {
  if (value.empty() || row.words.empty() || std::ranges::count(row.words, value) > 0) return {};
  return one_of(row);
}
std::string rule_on(const OptionRow& row, double, OptionWord auto value) {
  return static_cast<std::size_t>(value) < row.words.size() ? std::string() : one_of(row);
}
template <std::ranges::range Numbers>
std::string rule_on(const OptionRow& row, double most, const Numbers& values) {
  const bool kept = std::all_of(values.begin(), values.end(), [&](Index n) {
    return static_cast<double>(n) >= row.least && static_cast<double>(n) <= most;
  });
  return kept ? std::string() : fmt::format("must have numbers that are {}", range_text(row, most));
}

std::string meant(const std::string& got, const OptionRow& row) {
  return did_you_mean(got, std::vector<std::string>(row.words.begin(), row.words.end()));
}

// With what was got.
template <class T>
std::optional<std::string> broken(const OptionRow& row, double most, const T& value) {
  const std::string rule = rule_on(row, most, value), got = option_word(value);
  if (rule.empty()) return {};
  return row.type == OptionType::word ? fmt::format("{}; got '{}'{}", rule, got, meant(got, row))
                                      : fmt::format("{}; got {}", rule, got);
}

}  // namespace

std::string option_word(bool value) { return value ? "true" : "false"; }
std::string option_word(int value) { return std::to_string(value); }
std::string option_word(double value) { return fmt::format("{}", value); }
std::string option_word(const std::string& value) { return value; }
std::string option_word(const Coord& value) { return fmt::format("{}", fmt::join(value, "x")); }
std::string option_word(const std::vector<int>& value) { return fmt::format("{}", fmt::join(value, ",")); }

bool OptionEntry::is_set(const Options& options) const {
  return std::visit([&](const auto& f) { return !(f.in(options) == f.unset()); }, field);
}

std::string OptionEntry::text(const Options& options) const {
  return std::visit([&](const auto& f) { return option_word(f.in(options)); }, field);
}

void OptionEntry::set(Options& options, std::string_view text, std::string_view caller) const {
  const std::string word = lower(text);
  std::visit(
      [&](const auto& f) {
        auto value = f.unset();
        const std::string unread = word.empty() ? "" : read(row, word, value);
        if (!unread.empty()) refuse(caller, fmt::format("{}; got '{}'{}", unread, text, meant(word, row)));
        if (const auto rule = broken(row, std::max(row.most, row.most_on_device), value)) refuse(caller, *rule);
        f.in(options) = std::move(value);
      },
      field);
}

std::optional<std::string> OptionEntry::broken_rule(const Options& options) const {
  const double most = options.device.empty() ? row.most : std::max(row.most, row.most_on_device);
  return std::visit([&](const auto& f) { return broken(row, most, f.in(options)); }, field);
}

std::optional<int> place_of_word(const OptionRow& row, const std::string& text) {
  if (const auto found = std::ranges::find(row.words, text); found != row.words.end())
    return static_cast<int>(found - row.words.begin());
  int number = 0;
  const bool stands = read_number(text, number) && row.least < row.most && number >= row.least && number <= row.most;
  return stands ? std::optional(number + 1) : std::nullopt;
}

std::string otherwise(std::string_view caller) {
  return fmt::format("{} for the default", caller.starts_with("SHARDFFT_") ? "unset it"
                                           : caller.starts_with("--")      ? "leave it out"
                                                                           : "leave it alone");
}

std::span<const OptionEntry> option_entries() { return entries; }

const OptionEntry& find_option(std::string_view name) {
  std::vector<std::string> names;
  for (const OptionEntry& entry : option_entries()) {
    if (!name.empty() && (name == entry.row.name || name == entry.row.variable || name == entry.row.flag)) return entry;
    names.emplace_back(entry.row.name);
  }
  throw Error(Status::invalid_argument, fmt::format("an option is one of {}; got '{}'{}; name one of these",
                                                    fmt::join(names, ", "), name, did_you_mean(name, names)));
}

std::span<const OptionRow> option_table() {
  static const auto rows = [] {
    std::vector<OptionRow> all;
    for (const OptionEntry& entry : option_entries()) all.push_back(entry.row);
    return all;
  }();
  return rows;
}

void set_option(Options& options, std::string_view name, std::string_view text) {
  find_option(name).set(options, text, name);
}

std::string option_text(const Options& options, std::string_view name) { return find_option(name).text(options); }

void check_option(const Options& options, std::string_view name) {
  if (const auto rule = find_option(name).broken_rule(options)) refuse(name, *rule);
}

}  // namespace shardfft
