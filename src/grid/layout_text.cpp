// Layouts as words: what users write on the command line and what hashes and messages show.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grid/rules/box_rule.hpp"
#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"
#include "support/text/did_you_mean.hpp"

namespace shardfft {

LayoutSpec LayoutSpec::ordered(std::vector<int> slowest_first) const {
  LayoutSpec spec = *this;
  spec.order = std::move(slowest_first);
  return spec;
}

LayoutSpec slabs(int axis, Index block) { return {.kind = LayoutSpec::Kind::slabs, .axis = axis, .block = block}; }
LayoutSpec pencils(int axis) { return {.kind = LayoutSpec::Kind::pencils, .axis = axis}; }
LayoutSpec bricks() { return {.kind = LayoutSpec::Kind::bricks}; }
LayoutSpec cyclic(int axis) { return {.kind = LayoutSpec::Kind::cyclic, .axis = axis}; }
LayoutSpec process_grid(Coord processes) { return {.kind = LayoutSpec::Kind::grid, .grid = processes}; }
LayoutSpec custom(std::vector<std::vector<Box>> per_rank) {
  return {.kind = LayoutSpec::Kind::boxes, .boxes = std::move(per_rank)};
}

namespace {

std::string boxes_text(const std::vector<std::vector<Box>>& boxes) {
  std::string text;
  for (const auto& of_rank : boxes) {
    text += text.empty() ? "" : " | ";
    for (const Box& box : of_rank) text += to_string(box) + " ";
  }
  return text;
}

// Letters in either case.
std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// "slab:0" probably meant "slabs:0".
[[noreturn]] void unknown(const std::string& text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  std::string meant = nearest(std::string_view(text).substr(0, end),
                              {"natural", "slabs", "pencils", "bricks", "cyclic", "grid", "any"});
  if (!meant.empty())
    meant = meant + text.substr(end) == text ? std::string()
                                             : fmt::format(" (did you mean '{}{}'?)", meant, text.substr(end));
  throw Error(
      Status::invalid_layout,
      fmt::format(
          "a layout is one of natural, slabs:A, slabs:A/B, pencils:A, bricks, cyclic:A, grid:PxQxR, any; got '{}'{}",
          text, meant));
}

Index number(std::string_view digits, const std::string& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) unknown(text);
  return value;
}

int axis_of(std::string_view digits, int dims, const std::string& text) {
  const Index axis = number(digits, text);
  if (axis < -dims || axis >= dims)
    throw Error(Status::invalid_layout,
                fmt::format("the layout '{}' names an axis from {} to {}; got {}", text, -dims, dims - 1, axis));
  return static_cast<int>(axis < 0 ? axis + dims : axis);
}

LayoutSpec slabs_of(std::string_view rest, int dims, const std::string& text) {
  const std::size_t slash = rest.find('/');
  const int axis = axis_of(rest.substr(0, slash), dims, text);
  if (slash == std::string_view::npos) return slabs(axis);
  const Index block = number(rest.substr(slash + 1), text);
  if (block < 1)
    throw Error(Status::invalid_layout,
                fmt::format("the layout '{}' has blocks of 1 plane or more; got {}", text, block));
  return slabs(axis, block);
}

Coord grid_of(std::string_view numbers, const std::string& text) {
  std::vector<Index> grid;
  while (true) {
    const std::size_t x = numbers.find('x');
    grid.push_back(number(numbers.substr(0, x), text));
    if (grid.size() > static_cast<std::size_t>(max_dims)) unknown(text);
    if (x == std::string_view::npos) return Coord(grid);
    numbers.remove_prefix(x + 1);
  }
}

}  // namespace

std::string to_string(const LayoutSpec& spec) {
  std::string text;
  switch (spec.kind) {
    case LayoutSpec::Kind::any:
      text = "any";
      break;
    case LayoutSpec::Kind::grid:
      text = fmt::format("grid:{}", fmt::join(spec.grid.begin(), spec.grid.end(), "x"));
      break;
    case LayoutSpec::Kind::slabs:
      text = fmt::format("slabs:{}", spec.axis);
      if (spec.block != 0) text += fmt::format("/{}", spec.block);
      break;
    case LayoutSpec::Kind::pencils:
      text = fmt::format("pencils:{}", spec.axis);
      break;
    case LayoutSpec::Kind::bricks:
      text = "bricks";
      break;
    case LayoutSpec::Kind::cyclic:
      text = fmt::format("cyclic:{}", spec.axis);
      break;
    case LayoutSpec::Kind::boxes:
      text = "custom ";
      text += spec.rule ? spec.rule->words() : boxes_text(spec.boxes);
      break;
  }
  if (!spec.order.empty()) text += fmt::format(" order {}", fmt::join(spec.order, ","));
  return text;
}

LayoutSpec parse_layout(const std::string& text, int dims) {
  const std::string small = lower(text);
  const std::string_view view = small;
  const std::size_t colon = text.find(':');
  const std::string_view word = view.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view{} : view.substr(colon + 1);
  if (colon == std::string_view::npos) {
    if (word == "any") return any;
    if (word == "natural") return slabs(0);
    if (word == "bricks") return bricks();
    unknown(text);
  }
  if (word == "slabs") return slabs_of(rest, dims, text);
  if (word == "pencils") return pencils(axis_of(rest, dims, text));
  if (word == "cyclic") return cyclic(axis_of(rest, dims, text));
  if (word == "grid") return process_grid(grid_of(rest, text));
  unknown(text);
}

}  // namespace shardfft
