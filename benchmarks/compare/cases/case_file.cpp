#include "case_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "case_words.hpp"
#include "settings.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/text.hpp"

namespace shardfft::compare {
namespace {

using Words = std::vector<std::string>;

constexpr std::array file_keys{"study",        "about",        "launches", "iterations", "warmup",
                               "plan_seconds", "time_limit_s", "with",     "call",       "cases"};
constexpr std::array case_keys{"study", "shapes",  "kinds", "precisions", "layouts", "ranks",        "ranks_per_node",
                               "nodes", "batches", "grids", "with",       "call",    "oversubscribe"};

[[noreturn]] void refuse(const std::string& path, const toml::node* where, const std::string& rule) {
  const std::string line = where == nullptr ? "" : fmt::format(", line {}", where->source().begin.line);
  throw Error(Status::invalid_argument, fmt::format("{}{}: {}; see docs/guide/benchmarking.md", path, line, rule));
}

/// A table of the file, with its path for messages.
struct Reader {
  const std::string& path;
  const toml::table& table;

  template <class Keys>
  void only(const Keys& keys) const {
    for (const auto& [key, node] : table)
      if (std::ranges::find(keys, key.str()) == keys.end())
        refuse(path, &node,
               fmt::format("the key must be one of {}; got '{}'{}", fmt::join(keys, ", "), key.str(),
                           did_you_mean(key.str(), {keys.begin(), keys.end()})));
  }
  template <class Value>
  std::optional<Value> maybe(const char* key, const char* what) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<Value>();
    if (!value) refuse(path, node, fmt::format("{} must be {}", key, what));
    return value;
  }
  std::optional<int> maybe_count(const char* key, int least) const {
    const auto value = maybe<std::int64_t>(key, "a whole number");
    if (!value) return std::nullopt;
    if (*value < least || *value > 1'000'000)
      refuse(path, table.get(key), fmt::format("{} must be from {} to 1000000; got {}", key, least, *value));
    return static_cast<int>(*value);
  }
  /// Texts and whole numbers in brackets, or one of them alone.
  void words(const char* key, Words& to) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    to.clear();
    const auto add = [&](const toml::node& one) {
      if (const auto text = one.value_exact<std::string>())
        to.push_back(*text);
      else if (const auto number = one.value_exact<std::int64_t>())
        to.push_back(fmt::format("{}", *number));
      else
        refuse(path, &one, fmt::format("{} must be texts or whole numbers", key));
    };
    if (const toml::array* list = node->as_array())
      list->for_each([&](const auto& one) { add(one); });
    else
      add(*node);
    if (to.empty()) refuse(path, node, fmt::format("{} must name at least one", key));
  }
};

/// Whole numbers of at least 1, in brackets or alone; as they were where the key is absent.
template <class Number>
void read_numbers(const Reader& in, const char* key, std::vector<Number>& numbers) {
  Words words;
  in.words(key, words);
  if (!words.empty()) numbers.clear();
  for (const std::string& word : words) {
    const bool number = word.size() < 8 && word.find_first_not_of("0123456789") == word.npos && word != "0";
    if (!number) refuse(in.path, in.table.get(key), fmt::format("{} must be whole numbers from 1 to 9999999", key));
    numbers.push_back(static_cast<Number>(std::stoll(word)));
  }
}

CaseWords words_of(const Reader& in, const std::string& study) {
  CaseWords words;
  words.mark = "";
  words.study = in.maybe<std::string>("study", "a text").value_or(study);
  in.words("shapes", words.shapes);
  in.words("kinds", words.kinds);
  in.words("precisions", words.precisions);
  in.words("layouts", words.layouts);
  words.ranks_per_node = in.table.get("ranks_per_node") != nullptr;
  in.words(words.ranks_per_node ? "ranks_per_node" : "ranks", words.ranks);
  in.words("grids", words.grids);
  read_numbers(in, "batches", words.batches);
  read_numbers(in, "nodes", words.nodes);
  if (words.shapes.empty()) refuse(in.path, &in.table, "a case needs shapes");
  if (words.ranks.empty() || (words.ranks_per_node && in.table.get("ranks") != nullptr))
    refuse(in.path, &in.table, "a case needs either ranks or ranks_per_node");
  return words;
}

void add_cases(const Reader& in, const CaseRequest& usual, CaseFile& file) {
  in.only(case_keys);
  CaseRequest request = usual;
  in.words("with", request.with);
  in.words("call", request.calls);
  for (const std::string& call : request.calls) check_call("call", call);
  request.oversubscribe = in.maybe<bool>("oversubscribe", "true or false").value_or(false);
  try {
    for (const Case& c : expand(words_of(in, usual.work.study))) {
      request.work = c;
      file.requests.push_back(request);
    }
  } catch (const Error& e) {
    if (std::string(e.what()).starts_with(in.path)) throw;
    refuse(in.path, &in.table, e.what());
  }
}

std::string text_of(const std::string& path) {
  constexpr std::size_t most_bytes = 1 << 20;
  try {
    return read_named(path, most_bytes);
  } catch (const FileTrouble& trouble) {
    throw Error(Status::io_failed, fmt::format("--cases must name a file that can be read; '{}': {}; check the name",
                                               path, trouble.code == 0 ? trouble.what() : std::strerror(trouble.code)));
  }
}

/// A name of many parts, a.b.c, is as many tables in each other, which are taken apart by calls in each other.
void check_lines(const std::string& path, const std::string& text) {
  constexpr std::size_t longest = 4096;
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    if (line.size() > longest)
      throw Error(
          Status::invalid_argument,
          fmt::format("--cases must name a file with lines of at most {} bytes; {}, line {}: {} bytes; divide it",
                      longest, path, number, line.size()));
}

toml::table parsed(const std::string& path) {
  const std::string text = text_of(path);
  check_lines(path, text);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& e) {
    throw Error(Status::invalid_argument, fmt::format("--cases must name a TOML file; {}, line {}: {}; correct it",
                                                      path, e.source().begin.line, e.description()));
  }
}

}  // namespace

CaseFile read_case_file(const std::string& path) {
  const toml::table table = parsed(path);
  const Reader in{path, table};
  in.only(file_keys);
  CaseFile file;
  file.launches = in.maybe_count("launches", 1), file.iterations = in.maybe_count("iterations", 1),
  file.warmup = in.maybe_count("warmup", 0);
  file.plan_seconds = in.maybe_count("plan_seconds", 0),
  file.time_limit_s = in.maybe<double>("time_limit_s", "a number of seconds");
  if (file.time_limit_s && !is_time_limit(*file.time_limit_s))
    refuse(path, table.get("time_limit_s"),
           fmt::format("time_limit_s must be seconds above 0, at most 1000000; got {:g}", *file.time_limit_s));
  CaseRequest usual;
  usual.work.study = in.maybe<std::string>("study", "a text").value_or("");
  in.words("with", usual.with);
  in.words("call", usual.calls);
  for (const std::string& call : usual.calls) check_call("call", call);
  const toml::array* cases = table["cases"].as_array();
  if (cases == nullptr || cases->empty()) refuse(path, nullptr, "there must be at least one [[cases]]");
  for (const toml::node& one : *cases) {
    if (!one.is_table()) refuse(path, &one, "cases must be tables: [[cases]]");
    add_cases({path, *one.as_table()}, usual, file);
  }
  return file;
}

}  // namespace shardfft::compare
