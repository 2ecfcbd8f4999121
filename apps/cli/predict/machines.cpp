#include "predict/machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/text.hpp"

namespace shardfft::cli {
namespace {

constexpr const char* results = "published";
constexpr std::size_t most_bytes = 1 << 20;

const char* find_text(const std::string& name) {
  for (const SharedText& shared : shared_texts())
    if (shared.name == name) return shared.text;
  return nullptr;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SharedText& shared : shared_texts())
    if (shared.name != std::string(results)) all.emplace_back(shared.name);
  return all;
}

bool is_path(const std::string& word) { return word.find('/') != word.npos || word.ends_with(".json"); }

}  // namespace

Cluster find_machine(const std::string& word) {
  if (word.empty()) return this_cluster(local());
  if (is_path(word)) {
    try {
      return parse_cluster(read_named(word, most_bytes), word);
    } catch (const FileTrouble& trouble) {
      throw Error(Status::invalid_argument, fmt::format("--machine must name a file that can be read; '{}' {}; known "
                                                        "machines: {}",
                                                        word, trouble.what(), fmt::join(names(), ", ")));
    }
  }
  const std::string name = lower(word);
  const char* text = name == results ? nullptr : find_text(name);
  if (!text)
    throw Error(Status::invalid_argument,
                fmt::format("--machine must be one of {}, or a file that ends in .json; got '{}'{}",
                            fmt::join(names(), ", "), word, did_you_mean(name, names())));
  return parse_cluster(text, name);
}

std::string published_results() { return find_text(results); }

}  // namespace shardfft::cli
