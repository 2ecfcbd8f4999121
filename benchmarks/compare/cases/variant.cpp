#include "variant.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "shardfft/options.hpp"
#include "shardfft/text.hpp"

namespace shardfft::compare {
namespace {

struct Option {
  std::string_view name, variable;
};

// How shardfft does it; threads are the comparison's. Then the two that only its program for comparisons knows.
std::vector<Option> all_options() {
  std::vector<Option> all;
  for (const OptionRow& row : option_table())
    if (row.group == OptionGroup::planner && !row.variable.empty() && row.name != "threads")
      all.emplace_back(row.name, row.variable);
  all.emplace_back("device", "SHARDFFT_PEER_DEVICE");
  all.emplace_back("arrays", "SHARDFFT_PEER_ARRAYS");
  return all;
}

[[noreturn]] void refuse(const std::string& name, const std::string& rule) {
  throw Error(Status::invalid_argument,
              fmt::format("{}; got '{}'; write for example shardfft_cuda+transport=peer_copy", rule, name));
}

// The name becomes a folder's, too.
bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:") == text.npos;
}

std::pair<std::string, std::string> setting(const std::string& name, const std::string& part) {
  const std::vector<Option> options = all_options();
  const auto equals = part.find('=');
  const std::string_view option = std::string_view(part).substr(0, equals);
  const auto known = std::ranges::find(options, option, &Option::name);
  if (known == options.end()) {
    std::vector<std::string> names;
    for (const Option& o : options) names.emplace_back(o.name);
    refuse(name, fmt::format("an option behind a + must be one of {}{}", fmt::join(names, ", "),
                             did_you_mean(option, names)));
  }
  if (equals == part.npos || !is_word(std::string_view(part).substr(equals + 1)))
    refuse(name, fmt::format("the option {} must have a value, one word", option));
  return {std::string(known->variable), part.substr(equals + 1)};
}

}  // namespace

bool is_shardfft(const std::string& name) {
  return name == "shardfft" || name.starts_with("shardfft_") || name.starts_with("shardfft+");
}

Variant variant_of(const std::string& name) {
  if (name.ends_with("+shardfft")) return {name, {}};
  if (name == shardfft_again) return {"shardfft", {}};
  std::size_t end = name.find('+');
  Variant variant{name.substr(0, end), {}};
  if (end != name.npos && !is_shardfft(variant.library))
    refuse(name, "options behind a + are those of shardfft; other libraries choose by themselves");
  while (end != name.npos) {
    const std::size_t begin = end + 1;
    end = name.find('+', begin);
    variant.environment.push_back(setting(name, name.substr(begin, end == name.npos ? end : end - begin)));
  }
  return variant;
}

}  // namespace shardfft::compare
