#include "merge.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::report {
namespace {

/// By any names or links: counted twice, a measurement would stand beside itself as if it had been repeated.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

void name_files(std::vector<Results>& files) {
  std::multiset<std::string> stems;
  for (auto f = files.begin(); f != files.end(); ++f) {
    if (const auto first = std::find_if(files.begin(), f, [&](const Results& other) { return same_file(other.name, f->name); }); first != f)
      throw Error(Status::invalid_argument, fmt::format("{}: each results file is named once; it came twice, first as {}; leave one out", f->name, first->name));
    stems.insert(std::filesystem::path(f->name).stem().string());
  }
  for (Results& f : files)
    if (const std::string stem = std::filesystem::path(f.name).stem().string(); stems.count(stem) == 1) f.name = stem;
}

void take_cases(Merged& merged, std::size_t file) {
  for (Case& c : merged.files[file].cases) {
    for (Entry& e : c.entries) e.file = file;
    const auto same = std::ranges::find_if(merged.cases, [&](const Case& other) { return c.same_problem(other); });
    if (same == merged.cases.end())
      merged.cases.push_back(std::move(c));
    else
      std::ranges::move(c.entries, std::back_inserter(same->entries));
  }
  merged.files[file].cases.clear();
}

void list_libraries(Merged& merged) {
  std::set<std::string> names;
  for (const Case& c : merged.cases)
    for (const Entry& e : c.entries) names.insert(e.library);
  if (names.erase("shardfft") > 0) merged.libraries.emplace_back("shardfft");
  merged.libraries.insert(merged.libraries.end(), names.begin(), names.end());
}

/// Ours: the best call before any other; peers: the fastest.
void consider(Comparison& c, const Entry& e) {
  if (e.ours()) {
    if (!c.ours || (c.ours->call != "best" && e.call == "best")) c.ours = &e;
  } else if (!c.peer || e.forward->median < c.peer->forward->median) {
    c.peer = &e;
  }
}

}  // namespace

Mark Merged::mark(const Entry& entry) const {
  const auto place = static_cast<std::size_t>(std::ranges::find(libraries, entry.library) - libraries.begin());
  const std::size_t number = place + (libraries.front() == "shardfft" ? 0 : 1);  // the first colour is shardfft's alone
  const std::size_t colour = number == 0 ? 0 : 1 + (number - 1) % (looks - 1), shape = number + 3 * entry.file;
  return {static_cast<int>(colour), static_cast<int>(shape % looks), entry.call != "best"};
}

std::string Merged::file_label(const Case& c, const Entry& entry) const {
  const bool several = std::ranges::any_of(c.entries, [&](const Entry& e) { return e.file != entry.file; });
  return several ? files[entry.file].name : "";
}

std::string Merged::label(const Case& c, const Entry& entry) const {
  const std::string file = file_label(c, entry);
  return fmt::format("{}{}{}{}{}", entry.library, entry.call == "best" ? "" : " ", entry.call == "best" ? "" : entry.call, file.empty() ? "" : " · ", file);
}

Merged merge(std::vector<Results> files) {
  Merged merged{.files = std::move(files)};
  name_files(merged.files);
  for (std::size_t f = 0; f < merged.files.size(); ++f) take_cases(merged, f);
  list_libraries(merged);
  return merged;
}

std::vector<Comparison> comparisons(const Merged& merged) {
  std::vector<Comparison> all;
  for (const Case& c : merged.cases)
    for (std::size_t f = 0; f < merged.files.size(); ++f) {
      Comparison one{.question = &c};
      for (const Entry& e : c.entries)
        if (e.file == f && e.ok()) consider(one, e);
      if (one.ours || one.peer) all.push_back(one);
    }
  return all;
}

}  // namespace shardfft::report
