// Texts of the page: escaped, with units, short.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/data/results.hpp"

namespace shardfft::report {

/// For HTML and SVG, in elements and in attributes. Bytes that are no UTF-8 and control characters become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);
/// A text of several lines, which stay lines.
[[nodiscard]] std::string escaped_lines(std::string_view text);

[[nodiscard]] std::string seconds_text(double seconds);  ///< "12.3 ms": three digits
[[nodiscard]] std::string bytes_text(double bytes);      ///< "1.5 GiB"
[[nodiscard]] std::string ratio_text(double ratio);      ///< "2.31×"
[[nodiscard]] std::string percent_text(double share);    ///< "64 %"
/// What an interval is: "95 % interval", "94 % interval" of 5 launches, "least and largest of 3 launches" of fewer.
[[nodiscard]] std::string interval_text(const Interval& i);
[[nodiscard]] const char* outcome_class(
    Outcome outcome);  ///< "faster", "equal", "slower": as the style sheet calls them
/// A whole number with its thousands apart: "2 097 152".
[[nodiscard]] std::string count_text(double value);
/// Unit that suits numbers up to `largest` seconds.
struct TimeUnit {
  const char* name;
  double seconds;
};
[[nodiscard]] TimeUnit time_unit(double largest);
/// A number without needless zeros: "0.5", "12", "2e-16".
[[nodiscard]] std::string short_number(double value);

[[nodiscard]] std::string shape_text(const Case& c);  ///< "256³" or "197 × 233 × 189"
[[nodiscard]] std::string ranks_text(
    const Case& c);  ///< "2 ranks × 1 thread", behind it where said "as 1x2" and "on 4 nodes"
[[nodiscard]] std::string problem_text(const Case& c);  ///< "256³ c2c f64 natural"
[[nodiscard]] std::string case_text(const Case& c);     ///< both

/// Estimated width of `text` in units of the font's size `size`; rather too much.
[[nodiscard]] double text_width(std::string_view text, double size);
/// `text` cut with "…" so that it is at most `width` wide.
[[nodiscard]] std::string fitted(const std::string& text, double width, double size);

}  // namespace shardfft::report
