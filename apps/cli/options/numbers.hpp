// Real numbers on the command line: one for each axis, or one for all.
#pragma once

#include <string>
#include <vector>

namespace shardfft::cli {

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
/// Returns false unless all of the text is one finite number.
[[nodiscard]] bool parse_number(const std::string& text, double& value);
/// "1,1,2.5": a text for each axis; one stands for all. Throws Error(invalid_argument).
[[nodiscard]] std::vector<std::string> for_axes(const char* option, const std::string& text, int axes);
/// The numbers in these texts; none in an empty text.
[[nodiscard]] std::vector<double> numbers_along(const char* option, const std::string& text, int axes);

}  // namespace shardfft::cli
