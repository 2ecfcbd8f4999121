// Commands and options as the rest of the program sees them. CLI11 is known to command_line.cpp alone: what its header
// defines costs every file that includes it four seconds of compiling, more under sanitizers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shardfft::cli {

/// What is said of an option or argument beside its help. Like a Command, a name for what the CommandLine owns.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required(bool yes = true) const;
  /// The heading of --help under which it stands.
  Option group(const std::string& heading) const;
  /// What --help calls its value.
  Option type_name(const std::string& name) const;
  /// --help shows what the variable holds now.
  Option shows_default() const;
  /// Letters in either case: the variable is given small ones.
  Option any_case() const;
  /// Refuses texts that are no number an int or a double holds; --help says so.
  Option whole_number() const;
  Option number() const;
  /// It may be given without a value; --help says that this stands for `meaning`.
  Option value_may_lack(const std::string& meaning) const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}
  Command add_command(const std::string& name, const std::string& help) const;
  /// `name` as "--shape"; without dashes an argument. T: one of those at the end of command_line.cpp.
  template <class T>
  Option add_option(const std::string& name, T& variable, const std::string& help) const;
  /// `names` as "-q,--quiet"
  Option add_flag(const std::string& names, bool& variable, const std::string& help) const;
  /// `text` becomes "true" if it is given.
  Option add_flag(const std::string& names, std::string& text, const std::string& help) const;
  /// Text below the options in --help.
  void footer(const std::string& text) const;
  /// One of its commands must be chosen.
  void require_command() const;
  /// Called when all words are read, where this command was chosen.
  void callback(std::function<void()> chosen) const;
  [[nodiscard]] bool given(const std::string& option) const;

 private:
  CLI::App* app_;
};

/// Words that are not what was asked for; what() says why.
struct BadWords : std::runtime_error {
  BadWords(const std::string& why, std::string chosen, std::vector<std::string> unknown, std::vector<std::string> known,
           std::vector<std::string> further)
      : runtime_error(why),
        command(std::move(chosen)),
        strange(std::move(unknown)),
        names(std::move(known)),
        commands(std::move(further)) {}
  std::string command;                ///< that was chosen, "wisdom merge"; empty where none was
  std::vector<std::string> strange;   ///< words that nothing was made of
  std::vector<std::string> names;     ///< options and commands that could have been meant there
  std::vector<std::string> commands;  ///< one of which comes next; empty where none does
  [[nodiscard]] bool lacks_command() const {
    return strange.empty() && std::string(what()).starts_with("A subcommand");
  }
};

/// What --help says of an option or argument.
struct OptionWords {
  std::string names;  ///< "-q,--quiet"; of an argument "IN"
  std::string value;  ///< "TEXT", "INT=10"; empty for flags
  std::string help, group;
  [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
};

/// What --help says of a command.
struct CommandWords {
  std::string name;  ///< without the program's: "wisdom merge"; of the program itself empty
  std::string help, footer;
  std::vector<OptionWords> options{};
  std::vector<CommandWords> commands{};
};

class CommandLine {
 public:
  CommandLine(const std::string& help, const std::string& name);
  ~CommandLine();
  [[nodiscard]] Command top() const { return Command(app_.get()); }
  /// --version prints this.
  void version(const std::string& text);
  /// Fills the variables and calls what was chosen. Returns a text where one was asked for by --help or --version: then
  /// nothing else is to be done. Throws BadWords.
  [[nodiscard]] std::optional<std::string> parse(const std::vector<std::string>& words);
  /// What --help says of the command of these words, such as {"wisdom", "merge"}; of the program if there are none.
  /// Throws BadWords.
  [[nodiscard]] std::string help_of(const std::vector<std::string>& words) const;
  [[nodiscard]] CommandWords table() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace shardfft::cli
