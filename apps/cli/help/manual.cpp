#include <algorithm>

#include <fmt/format.h>

#include "help/help.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

/// Text that roff prints as it is.
std::string plain(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    line_begins = c == '\n';
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return text.empty() ? "" : "\\fI" + plain(text) + "\\fR"; }

std::string option_entry(const OptionWords& option) {
  const std::string name = option.is_argument() ? italic(option.names) : bold(option.names);
  return fmt::format(".TP\n{}{}{}\n{}\n", name, option.value.empty() || option.is_argument() ? "" : " ",
                     option.is_argument() ? "" : italic(option.value), plain(option.help));
}

/// Groups in the order in which they come.
std::string options_of(const CommandWords& command) {
  std::vector<std::string> groups;
  for (const OptionWords& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  std::string text;
  for (const std::string& group : groups) {
    if (groups.size() > 1) text += fmt::format(".PP\n{}\n", italic(group));
    for (const OptionWords& option : command.options)
      if (option.group == group && option.names != "-h,--help") text += option_entry(option);
  }
  return text;
}

std::string synopsis(const CommandWords& command) {
  std::string text = bold("shardfft " + command.name) + " [" + italic("OPTIONS") + "]";
  for (const OptionWords& option : command.options)
    if (option.is_argument()) text += " " + italic(option.names);
  return text;
}

std::string section_of(const CommandWords& command) {
  std::string text;
  if (command.commands.empty()) {
    text = fmt::format(".SS {}\n{}\n.PP\n{}.\n{}", command.name, synopsis(command), plain(command.help),
                       options_of(command));
    if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", plain(command.footer));
  }
  for (const CommandWords& further : command.commands) text += section_of(further);
  return text;
}

}  // namespace

std::string manual_page(const CommandWords& program) {
  return fmt::format(
             ".TH SHARDFFT 1 \"\" \"shardfft {}\" \"User Commands\"\n.SH NAME\nshardfft \\- distributed Fourier "
             "transforms\n.SH SYNOPSIS\n{} {} [{}]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
             SHARDFFT_VERSION, bold("shardfft"), italic("COMMAND"), italic("OPTIONS"), plain(program.help)) +
         section_of(program) +
         ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\na wrong answer, or a defect of the program\n.TP\n2\nbad input: "
         "one line on standard error says the rule, what was given and the remedy\n";
}

}  // namespace shardfft::cli
