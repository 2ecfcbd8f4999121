#include "support/text/did_you_mean.hpp"

#include <algorithm>
#include <cctype>

namespace shardfft {
namespace {

constexpr std::size_t longest = 64;  // beyond that nobody meant a name

// The word as people remember it: without case and leading dashes.
std::string plain(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string text(word);
  for (char& c : text) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Optimal string alignment: row by row, with the two rows above.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> above(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], above[j - 2] + 1);
    }
    above.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string only_one_that_begins_with(const std::string& start, const std::vector<std::string>& names) {
  const auto begins = [&](const std::string& name) { return plain(name).starts_with(start); };
  const auto found = std::ranges::find_if(names, begins);
  return start.size() >= 3 && found != names.end() && std::ranges::count_if(names, begins) == 1 ? *found
                                                                                                : std::string();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  const std::string got = plain(word);
  if (got.empty() || got.size() > longest) return {};
  const std::size_t allowed = std::clamp<std::size_t>(got.size() / 3, 1, 3);
  const std::string* best = nullptr;
  std::size_t least = std::min(allowed, got.size() - 1) + 1;  // of a word, one letter at least is right
  for (const std::string& name : names)
    if (const std::size_t d = distance(got, plain(name)); d < least) best = &name, least = d;
  return best ? *best : only_one_that_begins_with(got, names);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string name = nearest(word, names);
  return name.empty() ? name : " (did you mean '" + name + "'?)";
}

}  // namespace shardfft
