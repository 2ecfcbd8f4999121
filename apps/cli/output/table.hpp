// Tables and figures for people.
#pragma once

#include <string>
#include <vector>

#include "shardfft/text.hpp"

namespace shardfft::cli {

/// Columns as wide as their widest cell; the first to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

using shardfft::bytes_text;
using shardfft::seconds_text;
[[nodiscard]] std::string hash_text(std::uint64_t hash);  ///< 16 hexadecimal digits

}  // namespace shardfft::cli
