// What Python makes a plan from.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "module.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::python {

using Numbers = std::vector<Index>;

struct Request {
  Numbers shape{};
  std::string kind{"c2c"}, precision{"f64"};
  std::vector<int> axes{};
  std::vector<std::string> kinds{};
  Numbers modes{}, support{};
  std::string forward_scaling{"none"}, backward_scaling{"by_n"};
  int element_bytes = 0;
  std::optional<LayoutSpec> input{}, output{};
  std::vector<std::pair<Index, Numbers>> input_memory{}, output_memory{};  // offset, strides
  std::vector<std::pair<std::string, std::string>> options{};
  std::uintptr_t queue = 0;
};

/// What a word of Python stands for. `what`, for errors: "a scaling".
template <class Word, std::size_t count>
[[nodiscard]] Word word_of(const char* what, const std::string& text,
                           const std::pair<const char*, Word> (&words)[count]) {
  std::string all;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw Error(Status::invalid_argument, std::string(what) + " is one of " + all + "; got '" + text + "'");
}
[[nodiscard]] Boundary end_of(const std::string& text);
[[nodiscard]] Points points_of(const std::string& text);
[[nodiscard]] Problem problem_of(const Request& request);
[[nodiscard]] Options options_of(const Request& request);

/// Collective. What `read` gives; where it throws on one rank, on all.
template <class Work>
[[nodiscard]] auto agreed_by(const Comm& comm, const Work& read) {
  std::optional<decltype(read())> found;
  const nb::gil_scoped_release free;
  collectively(comm, [&] { found.emplace(read()); });
  return std::move(*found);
}

struct Asked {
  Problem problem{};
  Options options{};
};
[[nodiscard]] inline Asked agreed(const Comm& comm, const Request& request) {
  return agreed_by(comm, [&] { return Asked{problem_of(request), options_of(request)}; });
}

}  // namespace shardfft::python
