#include "help/help.hpp"

#include <memory>

#include "shardfft/error.hpp"

namespace shardfft::cli {

void add_help(const CommandLine& program, std::string& text) {
  const auto asked = std::make_shared<std::vector<std::string>>();
  const auto as_manual = std::make_shared<bool>(false);
  const Command help = program.top().add_command("help", "show the help of a command, or all as a manual page");
  help.add_option("COMMAND", *asked, "such as transform, or wisdom merge (default: the program)");
  help.add_flag("--man", *as_manual, "print the manual page, for man -l or a folder man1");
  help.callback([&program, &text, asked, as_manual] {
    if (*as_manual && !asked->empty())
      throw Error(Status::invalid_argument, "--man prints the page of all commands; got one; leave it out");
    text = *as_manual ? manual_page(program.table()) : program.help_of(*asked) + '\n';
  });

  const auto shell = std::make_shared<std::string>();
  const Command completion = program.top().add_command("completion", "print the completion of commands for a shell");
  completion.footer(R"text(Examples:
  eval "$(shardfft completion bash)"
  shardfft completion zsh > ~/.shardfft_completion)text");
  completion.add_option("SHELL", *shell, "bash or zsh").required();
  completion.callback([&program, &text, shell] {
    if (*shell != "bash" && *shell != "zsh")
      throw Error(Status::invalid_argument, "SHELL must be bash or zsh; got '" + *shell + "'; name one of the two");
    text = completion_script(program.table());
  });
}

}  // namespace shardfft::cli
