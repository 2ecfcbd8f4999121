#include "planner/decide/variant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardfft {
namespace {

// The one list of the free choices, threads aside: in a variant they are a part of those that the rank has.
// visit(name, value in the variant, value in the options, "nobody chose").
template <class V, class O, class Visit>
void for_each_choice(V& variant, O& options, Visit visit) {
  visit("engine", variant.engine, options.engine, std::string());
  visit("transport", variant.transport, options.transport, std::string());
  visit("decomposition", variant.decomposition, options.decomposition, std::string());
  visit("ranks_grid", variant.ranks_grid, options.ranks_grid, Coord());
  visit("chunks", variant.chunks, options.chunks, 0);
  visit("tile", variant.tile, options.tile, 0);
  visit("fuse", variant.fuse, options.fuse, -1);
  visit("intermediate", variant.intermediate, options.intermediate, std::string());
  visit("non_temporal", variant.non_temporal, options.non_temporal, -1);
}

std::string word(const std::string& value) { return value; }
std::string word(int value) { return std::to_string(value); }
std::string word(const Coord& value) { return fmt::format("{}", fmt::join(value, "x")); }

}  // namespace

std::string to_string(const Variant& v) {
  const std::string grid = word(v.ranks_grid);
  const std::string path = v.decomposition.empty() ? "free" : v.decomposition;
  return fmt::format("{} {} {}{}{} threads {} chunks {} tile {} fuse {} intermediate {} non_temporal {}", v.engine,
                     v.transport, path, grid.empty() ? "" : " ", grid, v.threads == 0 ? "default" : word(v.threads),
                     v.chunks, v.tile == 0 ? "least" : word(v.tile), v.fuse, v.intermediate, v.non_temporal);
}

bool agrees(const Variant& variant, const Options& given) {
  bool all = given.threads == 0 || variant.threads == 0;
  for_each_choice(variant, given, [&](const char*, const auto& mine, const auto& theirs, const auto& unset) {
    all = all && (theirs == unset || theirs == mine);
  });
  return all;
}

void fill_in(Choices& choices, const Variant& variant, const std::string& origin) {
  if (choices.options.threads == 0 && variant.threads != 0) {
    choices.options.threads = variant.threads;
    choices.made.push_back({"threads", word(variant.threads), origin});
  }
  for_each_choice(variant, choices.options, [&](const char* name, const auto& value, auto& field, const auto& unset) {
    if (!(field == unset) || value == unset) return;
    field = value;
    choices.made.push_back({name, word(value), origin});
  });
}

std::string given_text(const Options& given) {
  std::string text;
  const Variant nothing;
  for_each_choice(nothing, given, [&](const char* name, const auto&, const auto& theirs, const auto& unset) {
    if (!(theirs == unset)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, word(theirs));
  });
  if (given.huge_pages >= 0) text += fmt::format("{}huge_pages {}", text.empty() ? "" : ", ", given.huge_pages);
  if (given.split >= 0) text += fmt::format("{}split {}", text.empty() ? "" : ", ", given.split);
  return text;
}

}  // namespace shardfft
