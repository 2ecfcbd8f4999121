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
    if (const auto first =
            std::find_if(files.begin(), f, [&](const Results& other) { return same_file(other.name, f->name); });
        first != f)
      throw Error(Status::invalid_argument,
                  fmt::format("{}: each results file is named once; it came twice, first as {}; leave one out", f->name,
                              first->name));
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
  merged.libraries.assign(names.begin(), names.end());
  std::ranges::stable_partition(merged.libraries, is_ours);  // of these "shardfft" is the first by name
}

/// Those of one file that gave a right result.
std::vector<const Entry*> right_ones(const Case& c, std::size_t file) {
  std::vector<const Entry*> list;
  for (const Entry& e : c.entries)
    if (e.file == file && e.ok()) list.push_back(&e);
  return list;
}

/// What libraries are set against: shardfft before what stands for it on devices.
std::vector<std::string> references(const std::vector<const Entry*>& right) {
  std::vector<std::string> names{"shardfft"};
  for (const Entry* e : right)
    if (std::ranges::find(names, e->reference) == names.end()) names.push_back(e->reference);
  return names;
}

/// The best call of `library` before any other.
const Entry* shown(const std::vector<const Entry*>& right, const std::string& library) {
  const Entry* found = nullptr;
  for (const Entry* e : right)
    if (e->library == library && (!found || (found->call != "best" && e->call == "best"))) found = e;
  return found;
}

/// The fastest. A faster call of another kind is left to the table: its ratio is to another call of shardfft.
const Entry* best_peer(const std::vector<const Entry*>& right, const Entry& ours,
                       std::optional<Times> Entry::* direction) {
  const Entry* found = nullptr;
  for (const Entry* e : right)
    if (!e->ours() && e->reference == ours.library && e->call == ours.call &&
        (!found || (e->*direction)->median < (found->*direction)->median))
      found = e;
  return found;
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
  return fmt::format("{}{}{}{}{}", entry.library, entry.call == "best" ? "" : " ",
                     entry.call == "best" ? "" : entry.call, file.empty() ? "" : " · ", file);
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
      const auto right = right_ones(c, f);
      for (const std::string& reference : references(right)) {
        const Entry* ours = shown(right, reference);
        const Entry* peer = ours ? best_peer(right, *ours, &Entry::forward) : nullptr;
        if (ours && (peer || reference == "shardfft"))
          all.push_back({&c, ours, peer, best_peer(right, *ours, &Entry::backward)});
      }
    }
  return all;
}

}  // namespace shardfft::report
