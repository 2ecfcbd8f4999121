#include "options/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "shardfft/text.hpp"

namespace shardfft::cli {
namespace {

[[noreturn]] void refuse(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got '{}'; {}", rule, got, remedy));
}

[[noreturn]] void refuse_word(const std::string& rule, const std::string& got, const std::vector<std::string>& words,
                              const char* remedy) {
  throw Error(Status::invalid_argument, fmt::format("{} one of {}; got '{}'{}; {}", rule, fmt::join(words, ", "), got,
                                                    did_you_mean(got, words), remedy));
}

/// The numbers between the separators, letters in either case; false when there is anything else.
bool split_numbers(std::string_view text, char separator, std::vector<Index>& numbers) {
  while (true) {
    Index value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc()) return false;
    numbers.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return true;
    if (lower(text.substr(0, 1)) != std::string(1, separator)) return false;
    text.remove_prefix(1);
  }
}

/// "256^3": the number so many times.
bool split_power(const std::string& text, std::vector<Index>& numbers) {
  std::vector<Index> two;
  if (!split_numbers(text, '^', two) || two.size() != 2 || two[1] < 1 || two[1] > max_dims) return false;
  numbers.assign(static_cast<std::size_t>(two[1]), two[0]);
  return true;
}

/// A word and what it means.
template <class T>
struct Meaning {
  const char* word;
  T value;
};

template <class T, std::size_t n>
T look_up(const char* option, const std::string& text, const Meaning<T> (&table)[n]) {
  std::vector<std::string> words;
  for (const Meaning<T>& m : table) {
    if (lower(text) == m.word) return m.value;
    words.emplace_back(m.word);
  }
  refuse_word(fmt::format("{} must be", option), text, words, "choose one of these");
}

}  // namespace

Index parse_bytes(const std::string& option, const std::string& text) {
  constexpr std::string_view units = "kmgt";
  const std::string word = lower(text);
  double bytes = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), bytes);
  std::string_view unit(end, static_cast<std::size_t>(word.data() + word.size() - end));
  if (status == std::errc() && !unit.empty() && units.find(unit[0]) != units.npos) {
    bytes *= std::ldexp(1, 10 * (static_cast<int>(units.find(unit[0])) + 1));
    unit.remove_prefix(unit.substr(1).starts_with('i') ? 2 : 1);
  }
  if (unit == "b") unit = {};
  if (status != std::errc() || !unit.empty() || !(bytes >= 1) || bytes > 0x1p60)
    refuse(fmt::format("{} must be a number of bytes, perhaps with K, M, G or T (powers of 1024)", option), text,
           fmt::format("write for example {} 4G", option));
  return static_cast<Index>(bytes);
}

Shape parse_extents(const std::string& option, const std::string& text) {
  std::vector<Index> numbers;
  const bool good = (split_power(text, numbers) || split_numbers(text, 'x', numbers)) &&
                    numbers.size() <= std::size_t{max_dims} &&
                    std::ranges::all_of(numbers, [](Index n) { return n >= 1; });
  if (!good)
    refuse(fmt::format("{} must be 1 to {} numbers of at least 1 joined by x", option, max_dims), text,
           fmt::format("write for example {} 256x256x200, or 256^3", option));
  return Shape(std::span<const Index>(numbers));
}

Coord parse_fewer(const std::string& option, const std::string& text, const Shape& shape,
                  const std::vector<int>& axes) {
  if (text.empty()) return {};
  std::vector<Index> numbers;
  const bool good = split_numbers(text, 'x', numbers) &&
                    (numbers.size() == 1 || numbers.size() == static_cast<std::size_t>(shape.dims())) &&
                    std::ranges::all_of(numbers, [](Index n) { return n >= 0; });
  if (!good)
    refuse(fmt::format("{} must be a number for all transformed axes, or {} joined by x", option, shape.dims()), text,
           fmt::format("write for example {} 171", option));
  if (numbers.size() > 1) return Coord(std::span<const Index>(numbers));
  Coord all = shape;
  Index longest = 0;
  for (const int axis : axes) longest = std::max(longest, shape[axis]);
  for (const int axis : axes)  // what is too much for all of them is not what was meant
    all[axis] = numbers.front() > longest ? numbers.front() : std::min(all[axis], numbers.front());
  return all;
}

std::vector<int> parse_axes(const std::string& text, int dims) {
  if (text.empty()) {
    std::vector<int> all(static_cast<std::size_t>(dims));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<Index> numbers;
  if (!split_numbers(text, ',', numbers))
    refuse("--axes must be numbers joined by commas", text, "write for example --axes 0,1,2 or --axes=-1");
  std::vector<int> axes;
  for (const Index a : numbers) {
    if (a < -dims || a >= dims)
      refuse(fmt::format("--axes of an array of {} dimensions must be from {} to {}", dims, -dims, dims - 1), text,
             "leave out the others");
    const int axis = static_cast<int>(a < 0 ? a + dims : a);
    if (std::ranges::find(axes, axis) != axes.end())
      refuse("--axes must name each axis once", text,
             fmt::format("name axis {} once; run twice to transform it twice", axis));
    axes.push_back(axis);
  }
  return axes;
}

std::optional<AxisKind> real_kind(const std::string& word) {
  for (int kind = static_cast<int>(AxisKind::cosine1); kind <= static_cast<int>(AxisKind::hartley); ++kind)
    if (lower(word) == to_string(static_cast<AxisKind>(kind))) return static_cast<AxisKind>(kind);
  return std::nullopt;
}

std::vector<AxisKind> parse_kinds(const std::string& text, std::size_t axes) {
  std::vector<std::string> words;
  for (int kind = 0; kind <= static_cast<int>(AxisKind::hartley); ++kind)
    words.push_back(to_string(static_cast<AxisKind>(kind)));
  std::vector<AxisKind> kinds;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string word = lower(text.substr(from, to - from));
    const auto known = std::ranges::find(words, word);
    if (known == words.end()) refuse_word("--kinds must be", word, words, "name one for each axis, joined by commas");
    kinds.push_back(static_cast<AxisKind>(known - words.begin()));
    from = to + 1;
  }
  if (kinds.size() == 1) kinds.resize(axes, kinds.front());
  if (!kinds.empty() && kinds.size() != axes)
    refuse(fmt::format("--kinds must name one for each of {} transformed axes, or one for all", axes), text,
           "name as many as --axes");
  return kinds;
}

std::vector<std::string> kind_words(const Problem& problem) {
  std::vector<std::string> words;
  for (const AxisKind kind : problem.kinds) words.push_back(to_string(kind));
  return words;
}

Kind parse_kind(const std::string& text, const std::vector<AxisKind>& kinds, bool real, Kind otherwise) {
  static constexpr Meaning<Kind> table[] = {{"c2c", c2c}, {"r2c", r2c}, {"c2r", c2r}, {"r2r", r2r}};
  if (text.empty())
    return real && !kinds.empty() && std::ranges::count(kinds, AxisKind::fourier) == 0 ? Kind::r2r : otherwise;
  return look_up("--kind", text, table);
}

int real_axis(const Problem& problem) {
  for (std::size_t i = problem.axes.size(); i-- > 0;)
    if (problem.kinds.empty() || problem.kinds[i] == AxisKind::fourier) return problem.axes[i];
  throw Error(
      Status::invalid_problem,
      fmt::format("{} has a fourier axis, whose half spectrum it makes; got none; use r2r", to_string(problem.kind)));
}

Precision parse_precision(const std::string& text) {
  static constexpr Meaning<Precision> table[] = {{"f32", f32}, {"f64", f64}};
  return look_up("--precision", text, table);
}

Direction parse_direction(const std::string& text) {
  static constexpr Meaning<Direction> table[] = {{"forward", Direction::forward}, {"backward", Direction::backward}};
  return look_up("--direction", text, table);
}

Norm parse_norm(const std::string& text) {
  static constexpr Meaning<Norm> table[] = {{"backward", {Scaling::none, Scaling::by_n}},
                                            {"ortho", {Scaling::orthonormal, Scaling::orthonormal}},
                                            {"forward", {Scaling::by_n, Scaling::none}}};
  return look_up("--norm", text, table);
}

LayoutPair parse_layout_pair(const std::string& words, int dims) {
  const std::string text = lower(words);
  if (text == "natural") return {slabs(0), slabs(0)};
  if (text == "pencils") return {pencils(dims - 1), pencils(0)};
  if (text == "bricks") return {bricks(), bricks()};
  if (text != "transposed")
    refuse_word("--layout must be", words, {"natural", "transposed", "pencils", "bricks"},
                "choose one of these, or use --input and --output");
  if (dims < 2) refuse("--layout transposed needs 2 dimensions", fmt::format("{}", dims), "use --layout natural");
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  return {slabs(0), slabs(1).ordered(order)};
}

}  // namespace shardfft::cli
