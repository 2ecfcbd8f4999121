#include "analysis/filter_words.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/numbers.hpp"
#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

[[noreturn]] void refuse_filter(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got '{}'; {}", rule, got, remedy));
}

bool parse_whole(const std::string& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void parse_edge(const std::string& text, Filter& filter) {
  const std::vector<std::string> parts = split(text, ':');
  const bool counted = parts.size() == 2;
  if (parts[0] == "hard" && !counted)
    filter.edge = Edge::hard;
  else if (parts[0] == "cosine" && !counted)
    filter.edge = Edge::cosine;
  else if (parts[0] == "gaussian" && !counted)
    filter.edge = Edge::gaussian;
  else if (parts[0] == "butterworth" && parts.size() <= 2 && (!counted || parse_whole(parts[1], filter.order)))
    filter.edge = Edge::butterworth;
  else
    refuse_filter("--edge is hard, cosine, gaussian or butterworth:N", text, "write for example --edge butterworth:2");
}

// The axis as it counts from the front, and the order.
std::pair<int, int> parse_derivative(const std::string& text, int axes) {
  const std::vector<std::string> parts = split(text, ':');
  std::pair<int, int> found{0, 1};
  if (parts.size() > 2 || !parse_whole(parts[0], found.first) ||
      (parts.size() == 2 && !parse_whole(parts[1], found.second)))
    refuse_filter("--derivative is AXIS or AXIS:ORDER", text, "write for example --derivative 0:2");
  if (found.first < -axes || found.first >= axes)
    refuse_filter(fmt::format("--derivative is along an axis from {} to {}", -axes, axes - 1), text,
                  "name one that the array has");
  return found;
}

}  // namespace

void add_filter_words(const Command& command, FilterWords& words) {
  command.add_option(
      "--low-pass", words.low_pass,
      "drops structures smaller than this: a length, as 10um, or k=K in radians, f=F in cycles per unit; "
      "a number alone is in the unit of --spacing");
  command.add_option("--high-pass", words.high_pass, "drops structures larger than this, in the same words");
  command.add_option("--band", words.band, "LO,HI: both, as --high-pass and --low-pass; the order does not matter");
  command.add_option("--edge", words.edge, "of passes: hard, cosine (over 2 shells), gaussian or butterworth:N")
      .shows_default();
  command.add_option("--gaussian", words.gaussian,
                     "smooths with a Gaussian of this standard deviation, one length for "
                     "all axes or one for each");
  command.add_option("--derivative", words.derivative, "along an axis, of this order; several joined by commas")
      .type_name("AXIS[:ORDER]");
  command.add_flag("--laplacian", words.laplacian, "the sum of the second derivatives");
  command.add_option("--shift", words.shift, "moves the content by this length along each axis, as 1,0.5,0.5um");
  command.add_option("--spacing", words.spacing,
                     "of the points along each axis, slowest axis first, and its unit, as 2,0.5,0.5um (default: 1)");
}

Filter parse_filter(const FilterWords& words, const Spacing& spacing, int axes) {
  Filter filter;
  parse_edge(words.edge, filter);
  if (!words.band.empty() && (!words.low_pass.empty() || !words.high_pass.empty()))
    refuse_filter("--band is --low-pass and --high-pass together", words.band, "leave these out");
  if (!words.low_pass.empty()) filter.low_pass = spacing.wave_number("--low-pass", words.low_pass);
  if (!words.high_pass.empty()) filter.high_pass = spacing.wave_number("--high-pass", words.high_pass);
  if (!words.band.empty()) {
    const std::vector<std::string> ends = split(words.band, ',');
    if (ends.size() != 2)
      refuse_filter("--band has two cutoffs joined by a comma", words.band, "write for example --band 4um,40um");
    const double one = spacing.wave_number("--band", ends[0]), other = spacing.wave_number("--band", ends[1]);
    filter.high_pass = std::min(one, other), filter.low_pass = std::max(one, other);
  }
  if (!words.gaussian.empty()) filter.sigma = spacing.lengths("--gaussian", words.gaussian, axes);
  if (!words.derivative.empty())
    for (const std::string& text : split(words.derivative, ','))
      filter.derivatives.push_back(parse_derivative(text, axes));
  filter.laplacian = words.laplacian;
  if (!words.shift.empty()) filter.shift = spacing.lengths("--shift", words.shift, axes);
  return filter;
}

std::string cutoffs_text(const Filter& filter, const Spacing& spacing) {
  std::string text;
  if (filter.low_pass > 0) text += fmt::format("low pass: {}\n", spacing.told(filter.low_pass));
  if (filter.high_pass > 0) text += fmt::format("high pass: {}\n", spacing.told(filter.high_pass));
  return text;
}

Json cutoffs_json(const Filter& filter, const FilterWords& words, const Spacing& spacing) {
  Json record{{"unit", spacing.unit()}, {"edge", words.edge}};
  for (const auto& [name, k] : {std::pair{"low_pass", filter.low_pass}, {"high_pass", filter.high_pass}})
    if (k > 0) record[name] = {{"length", 2 * std::numbers::pi / k}, {"k", k}, {"f", k / (2 * std::numbers::pi)}};
  return record;
}

std::string filter_name(const FilterWords& words) {
  std::vector<std::string> parts;
  const auto say = [&](const char* name, const std::string& value) {
    if (!value.empty()) parts.push_back(fmt::format("{} {}", name, value));
  };
  say("low-pass", words.low_pass);
  say("high-pass", words.high_pass);
  say("band", words.band);
  say("gaussian", words.gaussian);
  say("derivative", words.derivative);
  if (words.laplacian) parts.emplace_back("laplacian");
  say("shift", words.shift);
  if (parts.empty())
    refuse_filter("a filter passes, smooths, derives or shifts", "none of these",
                  "give --low-pass, --high-pass, --band, --gaussian, --derivative, --laplacian or --shift");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace shardfft::cli
