// shardfft report results.json... --output report.html
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "output/side_files.hpp"
#include "program.hpp"
#include "report/data/merge.hpp"
#include "report/page/page.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::cli {
namespace {

struct ReportWords {
  std::vector<std::string> files{};
  std::string output{};
};

/// What was measured for hours is not replaced by a page, whatever name or link leads to it.
void keep_inputs(const ReportWords& words) {
  for (const std::string& file : words.files)
    if (std::error_code ignored; std::filesystem::equivalent(file, words.output, ignored))
      throw Error(Status::invalid_argument,
                  fmt::format("the page must not replace what it is made of; --output '{}' is the results file '{}'; "
                              "name another file, report.html for example",
                              words.output, file));
}

std::string make_page(const ReportWords& words) {
  keep_inputs(words);
  probe_output(local(), words.output, "a file");  // before anything is read
  std::vector<report::Results> results;
  for (const std::string& file : words.files) results.push_back(report::read_results(file));
  return report::page(report::merge(std::move(results)));
}

int write_report(const Comm& comm, const ReportWords& words) {
  std::string html;
  collectively(comm, [&] {
    if (comm.rank() == 0) html = make_page(words);
  });
  files::write_whole(comm, words.output, html);
  return 0;
}

constexpr const char* examples =
    R"(One page with everything in it: tables, plots, machines, versions. It needs no network and no other file; FILE
appears whole or not at all. A case that several files hold is shown side by side.

Examples:
  shardfft report results.json --output report.html
  shardfft report laptop.json cluster.json --output both.html)";

}  // namespace

void add_report(const Command& program, Action& chosen) {
  const auto words = std::make_shared<ReportWords>();
  const Command command = program.add_command("report", "make one HTML page of what compare has measured");
  command.footer(examples);
  command.add_option("RESULTS", words->files, "files that shardfft compare --json wrote").required();
  command.add_option("--output", words->output, "HTML file to write; replaced when it exists")
      .required()
      .type_name("FILE");
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return write_report(comm, *words); }; });
}

}  // namespace shardfft::cli
