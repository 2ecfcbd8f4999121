#include "options/command_line.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "shardfft/text.hpp"

namespace shardfft::cli {

bool is_in_digits(const std::string& word) {
  const std::size_t sign = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
  return word.size() > sign && word.find_first_not_of("0123456789", sign) == std::string::npos;
}

/// CLI11 takes the nearest number for one beyond 64 bits.
template <class T>
bool fits(const std::string& word) {
  T value{};
  const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
  return std::from_chars(begin, word.data() + word.size(), value).ec == std::errc();
}

/// Empty where `word` is a number that a T holds; else the rule that it breaks, what it is, and the remedy. Which
/// numbers are allowed beyond that, commands say.
template <class T>
std::string why_no_number(const std::string& word) {
  constexpr const char* otherwise = "or leave the option out for what --help calls the default";
  if constexpr (std::is_integral_v<T>)
    if (is_in_digits(word) && !fits<T>(word))
      return fmt::format("must be a whole number from {} to {}; got '{}'; write one in that range, {}",
                         std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), word, otherwise);
  if (T value{}; CLI::detail::lexical_cast(word, value)) return {};
  if (std::is_integral_v<T>)
    return fmt::format("must be a whole number; got '{}'; write it in digits, such as 4, {}", word, otherwise);
  return fmt::format("must be a number; got '{}'; write it in digits, such as 0.5 or 1e-6, {}", word, otherwise);
}

Option Option::required(bool yes) const { return Option(option_->required(yes)); }
Option Option::group(const std::string& heading) const { return Option(option_->group(heading)); }
Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::shows_default() const { return Option(option_->capture_default_str()); }
Option Option::any_case() const {
  return Option(option_->transform([](const std::string& word) { return lower(word); }));
}
Option Option::value_may_lack(const std::string& meaning) const {
  return Option(option_->expected(0, 1)->default_str(meaning));
}

Option Option::whole_number() const { return Option(option_->check(why_no_number<int>, "")->type_name("INT")); }
Option Option::number() const { return Option(option_->check(why_no_number<double>, "")->type_name("FLOAT")); }

Command Command::add_command(const std::string& name, const std::string& help) const {
  return Command(app_->add_subcommand(name, help));
}

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

/// An empty word would stand for what is taken where the option is left out, without anyone having said so. Arguments
/// say themselves what they must be.
void require_value(CLI::Option* option, const std::string& name) {
  if (!name.starts_with('-')) return;
  option->check([](const std::string& word) {
    return word.empty()
               ? std::string(
                     "must have a value; got an empty one; leave the option out for what --help calls the default")
               : std::string();
  });
}

template <class T>
Option Command::add_option(const std::string& name, T& variable, const std::string& help) const {
  CLI::Option* option = app_->add_option(name, variable, help);
  using Value = typename Plain<T>::type;
  if constexpr (std::is_same_v<T, std::string>) require_value(option, name);
  if constexpr (std::is_arithmetic_v<Value>)
    option->check([](const std::string& word) { return why_no_number<Value>(word); });
  return Option(option);
}

Option Command::add_flag(const std::string& names, bool& variable, const std::string& help) const {
  return Option(app_->add_flag(names, variable, help));
}
Option Command::add_flag(const std::string& names, std::string& text, const std::string& help) const {
  return Option(app_->add_flag(names, text, help));
}
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::require_command() const { app_->require_subcommand(1); }
void Command::callback(std::function<void()> chosen) const { app_->callback(std::move(chosen)); }
bool Command::given(const std::string& option) const { return app_->count(option) > 0; }

CommandLine::CommandLine(const std::string& help, const std::string& name)
    : app_(std::make_unique<CLI::App>(help, name)) {}
CommandLine::~CommandLine() = default;

void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text); }

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names = commands_of(app);
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words{.names = option.get_name(option.get_positional(), true),
                    .value = option.get_expected_max() > 0 ? option.get_type_name() : "",
                    .help = option.get_description(),
                    .group = option.get_group()};
  if (!words.value.empty() && !option.get_default_str().empty()) words.value += "=" + option.get_default_str();
  return words;
}

CommandWords words_of(const CLI::App& app, const std::string& name) {
  CommandWords words{.name = name, .help = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) words.options.push_back(words_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.commands.push_back(words_of(*command, name + (name.empty() ? "" : " ") + command->get_name()));
  return words;
}

}  // namespace

std::string CommandLine::help_of(const std::vector<std::string>& words) const {
  const CLI::App* at = app_.get();
  std::string chosen, name = at->get_name();
  for (const std::string& word : words) {
    const CLI::App* next = nullptr;
    for (const CLI::App* command : at->get_subcommands([](const CLI::App*) { return true; }))
      if (command->get_name() == word) next = command;
    if (!next) throw BadWords("", chosen, {word}, commands_of(*at), commands_of(*at));
    at = next;
    chosen += (chosen.empty() ? "" : " ") + word;
    name += " " + word;
  }
  return at->get_formatter()->make_help(at, name, CLI::AppFormatMode::Normal);  // at->help() is of what was chosen
}

CommandWords CommandLine::table() const { return words_of(*app_, ""); }

std::optional<std::string> CommandLine::parse(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForVersion& e) { return e.what(); } catch (const CLI::Success&) {
    return app_->help();
  } catch (const CLI::ParseError& e) {
    const CLI::App* at = app_.get();
    std::string chosen;
    while (!at->get_subcommands().empty()) {
      at = at->get_subcommands()[0];
      chosen += (chosen.empty() ? "" : " ") + at->get_name();
    }
    throw BadWords(e.what(), chosen, app_->remaining(true), names_of(*at), commands_of(*at));
  }
  return std::nullopt;
}

// Types of variables.
#define SHARDFFT_VARIABLE(...) \
  template Option Command::add_option(const std::string&, __VA_ARGS__&, const std::string&) const
SHARDFFT_VARIABLE(std::string);
SHARDFFT_VARIABLE(std::vector<std::string>);
SHARDFFT_VARIABLE(int);
SHARDFFT_VARIABLE(std::int64_t);
SHARDFFT_VARIABLE(std::uint64_t);
SHARDFFT_VARIABLE(double);
SHARDFFT_VARIABLE(std::optional<int>);
SHARDFFT_VARIABLE(std::optional<std::int64_t>);
SHARDFFT_VARIABLE(std::optional<double>);
#undef SHARDFFT_VARIABLE

}  // namespace shardfft::cli
