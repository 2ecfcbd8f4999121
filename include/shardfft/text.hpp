// How shardfft and programs around it write for people: amounts and times, what a mistyped word probably was, and what
// errors repeat of what they were given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

/// The name that is closest to `word`, case, dashes and underscores aside; "" where none is close.
///   distance  letters inserted, left out, replaced, or two neighbours exchanged; at most a third of the word, and 3
///   else      the only name that begins with `word`
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

/// " (did you mean 'native'?)" to stand behind what was got; "" where no name is close.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

constexpr std::size_t longest_echo = 200;  ///< characters

/// Makes text that a terminal does not obey: control characters become \n, \t or \xNN, bytes that are no UTF-8 \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// Printable; the first `longest_echo` characters, then how many bytes there were.
[[nodiscard]] std::string echoed(std::string_view argument);

/// Shortens everything long in a message: quoted text and words. Line ends stay.
[[nodiscard]] std::string with_short_echoes(const std::string& message);

}  // namespace shardfft
