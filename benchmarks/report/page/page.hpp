// The whole page: one HTML file that needs nothing else.
#pragma once

#include <string>

#include "report/data/merge.hpp"

namespace shardfft::report {

/// HTML with its style, drawings and few lines of script inside; it asks for nothing from outside and forbids it to
/// itself. Complete without script.
[[nodiscard]] std::string page(const Merged& merged);

// Its parts.
[[nodiscard]] std::string origin_text(const Results& file);   ///< processor, host, time: one line, not escaped
[[nodiscard]] std::string origin_html(const Merged& merged);  ///< what was run where
[[nodiscard]] std::string case_table_html(const Merged& merged, const Case& c);
[[nodiscard]] std::string summary_html(const std::vector<Comparison>& all, const Merged& merged);
[[nodiscard]] std::string map_html(const std::vector<Comparison>& all, const Merged& merged);
extern const char* const style_sheet;
extern const char* const script;

}  // namespace shardfft::report
