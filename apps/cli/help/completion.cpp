#include <fmt/format.h>
#include <fmt/ranges.h>

#include "help/help.hpp"

namespace shardfft::cli {
namespace {

/// Names of options, commands and known arguments that may come after this command.
std::vector<std::string> further_words(const CommandWords& command, const CommandWords& program) {
  std::vector<std::string> words;
  for (const CommandWords& further : (command.name == "help" ? program : command).commands)
    words.push_back(further.name.substr(further.name.rfind(' ') + 1));
  if (command.name == "completion") words.insert(words.end(), {"bash", "zsh"});
  for (const OptionWords& option : command.options)
    if (const auto place = option.names.find("--"); place != std::string::npos)
      words.push_back(option.names.substr(place));
  return words;
}

/// Patterns and branches of the script's two case statements.
struct Branches {
  std::string names{}, cases{};
};
void add_branches(const CommandWords& command, const CommandWords& program, Branches& to) {
  if (!command.name.empty()) to.names += (to.names.empty() ? "'" : " | '") + command.name + "'";
  to.cases += fmt::format("    '{}') words='{}' ;;\n", command.name, fmt::join(further_words(command, program), " "));
  for (const CommandWords& further : command.commands) add_branches(further, program, to);
}

}  // namespace

std::string completion_script(const CommandWords& program) {
  Branches branches;
  add_branches(program, program, branches);
  return fmt::format(R"(# Completion of shardfft's commands and options, for bash and zsh.
if [ -n "${{ZSH_VERSION-}}" ]; then
  autoload -Uz compinit bashcompinit
  (( $+functions[compdef] )) || compinit
  bashcompinit
fi
_shardfft() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" chosen='' words='' i next
  for ((i = 1; i < COMP_CWORD; ++i)); do
    next="${{chosen:+$chosen }}${{COMP_WORDS[i]}}"
    case "$next" in
    {}) chosen="$next" ;;
    esac
  done
  case "$chosen" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _shardfft shardfft
)",
                     branches.names, branches.cases);
}

}  // namespace shardfft::cli
