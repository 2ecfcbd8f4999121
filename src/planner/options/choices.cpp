#include "planner/options/choices.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "planner/options/option_table.hpp"
#include "shardfft/error.hpp"
#include "support/comm/stall.hpp"

namespace shardfft {
namespace {

/// Rules on several choices at once.
std::optional<Refusal> broken_together(const Options& o) {
  const int tolerances = (o.tolerance > 0) + (o.tolerance_absolute > 0) + (o.tolerance_linf > 0);
  if (tolerances > 1)
    return Refusal{"one of tolerance, tolerance_absolute and tolerance_linf", "is given; got several",
                   "leave the others 0"};
  if (o.tolerance >= 1)
    return Refusal{"tolerance",
                   fmt::format("is a relative error and less than 1, where nothing of the result would be left; got {}",
                               o.tolerance),
                   "take a smaller one, such as 1e-6"};
  if (o.expert.fuse == 0)
    return Refusal{"fuse", "is 1 or 2 axes in one sweep (on a device also 3), got 0", "-1 leaves it to the planner"};
  if (o.device.empty() && (!o.arrays.empty() || o.queue))
    return Refusal{"arrays and queue", "belong to a device; got none", "name it with the option device, or leave them"};
  return {};
}

}  // namespace

std::optional<Refusal> broken_rule(const Options& o) {
  for (const OptionEntry& entry : option_entries())
    if (const auto rule = entry.broken_rule(o)) return Refusal{std::string(entry.row.name), *rule, {}};
  return broken_together(o);
}

Choices choose_from(const Options& options) {
  Choices c{.options = options};
  for (const OptionEntry& entry : option_entries()) {
    const std::string name(entry.row.name), variable(entry.row.variable);
    const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
    const bool given = entry.is_set(options);
    if (!given && !(value && *value)) continue;
    if (given && entry.row.type == OptionType::word)
      entry.set(c.options, entry.text(options), name);  // in small letters
    if (!given) entry.set(c.options, value, variable);
    c.made.push_back({name, entry.text(c.options), given ? "option" : variable});
  }
  (void)stall_limit();  // here a bad value is one error on all ranks
  if (const auto broken = broken_rule(c.options)) {
    const std::string origin = c.origin(broken->option),
                      who = origin.starts_with("SHARDFFT_") ? origin : broken->option;
    throw Error(Status::invalid_argument,
                fmt::format("{} {}; {}", who, broken->rule, broken->remedy.empty() ? otherwise(who) : broken->remedy));
  }
  return c;
}

std::string Choices::origin(const std::string& name) const {
  const auto found = std::ranges::find(made, name, &Choice::name);
  return found == made.end() ? "model" : found->origin;
}

namespace {

// What may be empty in quotes.
std::string shown(const OptionEntry& entry, const Options& o) {
  const std::string text = entry.text(o);
  return entry.row.type < OptionType::word ? text : fmt::format("'{}'", text);
}

}  // namespace

std::string shared_text(const Options& options) {
  Options o = options;
  o.device = o.device.substr(0, o.device.find(':'));  // which of them may differ
  std::string text = fmt::format("input {}\noutput {}", to_string(o.input), to_string(o.output));
  for (const OptionEntry& entry : option_entries())
    if (entry.row.same_on_all_ranks) text += fmt::format("\n{} {}", entry.row.name, shown(entry, o));
  return text;
}

}  // namespace shardfft
