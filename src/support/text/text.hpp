// How amounts, times and long lines are written for people: one way in every command.
#pragma once

#include <string>
#include <string_view>

#include "shardfft/box.hpp"

namespace shardfft {

inline constexpr std::size_t text_columns = 100;  ///< of a line for people

/// Amounts of bytes, in powers of 1024: "0 B", "1.5 GiB". Rates are in powers of 1000 (GB/s), as memory and links are
/// sold.
[[nodiscard]] std::string bytes_text(double bytes);
/// "0 s", "1.0 ns", "12.3 us", "12.34 ms", "1.234 s"
[[nodiscard]] std::string seconds_text(double seconds);

/// `head` and `text` in lines of at most `columns`, each with a line feed; what follows the first line stands below the
/// beginning of `text`. Broken between words, and inside of one only where it fits in no line.
[[nodiscard]] std::string paragraph(std::string_view head, std::string_view text, std::size_t columns = text_columns);

/// "1 rank", "2 ranks"
[[nodiscard]] std::string counted(Index count, std::string_view noun);

/// ASCII letters as small ones: words are understood in either case.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace shardfft
