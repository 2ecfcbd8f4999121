// Pieces of HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardfft::report {

/// A table in a box of its own that scrolls when it is wider than the page.
class HtmlTable {
 public:
  /// Heads with "#" in front are numbers, to the right.
  HtmlTable(std::string_view caption, const std::vector<std::string>& heads);
  void begin_row(std::string_view classes = {});
  void head_cell(const std::string& html);  ///< names its row
  void cell(const std::string& html);
  /// `value` is what the script sorts by; `classes` for the style sheet.
  void number(const std::string& html, double value, std::string_view classes = {});
  void missing(std::string_view text = "n/a");
  void wide(const std::string& html, std::size_t columns);  ///< a cell over several columns
  [[nodiscard]] std::string finish() const;

 private:
  std::string caption_, heads_, rows_;
};

}  // namespace shardfft::report
