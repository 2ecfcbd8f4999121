// What Python makes a plan from.
#pragma once

#include <cstdint>

#include "module.hpp"

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

[[nodiscard]] Problem problem_of(const Request& request);
[[nodiscard]] Options options_of(const Request& request);

}  // namespace shardfft::python
