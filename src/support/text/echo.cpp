#include "support/text/echo.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shardfft {
namespace {

bool is_continued(unsigned char c) { return (c & 0xC0) == 0x80; }

/// Bytes of the UTF-8 character that `text` begins with; 0 when it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0x80                      ? 1
                           : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                           : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                           : byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                                                               : 0;
  if (size == 0 || size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if (!is_continued(byte(i))) return 0;
  const bool too_long = size > 2 && ((byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90));
  const bool no_character = size > 2 && ((byte(0) == 0xED && byte(1) >= 0xA0) || (byte(0) == 0xF4 && byte(1) >= 0x90));
  return too_long || no_character ? 0 : size;
}

// C1 controls (U+0080 to U+009F) steer terminals, too.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 2) return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  return first < ' ' || first == 0x7F;
}

/// One character of `text` as it is shown, which is taken off its front.
std::string next_shown(std::string_view& text) {
  const std::size_t bytes = character_bytes(text);
  const std::string_view taken = text.substr(0, std::max<std::size_t>(1, bytes));
  text.remove_prefix(taken.size());
  if (bytes > 0 && !is_control(taken)) return std::string(taken);
  if (taken == "\n") return "\\n";
  if (taken == "\t") return "\\t";
  std::string escaped;
  for (const char c : taken) escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return escaped;
}

bool is_word(char c) { return static_cast<unsigned char>(c) > ' '; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool opens(std::string_view text, std::size_t i) { return text[i] == '\'' && (i == 0 || !is_letter(text[i - 1])); }
bool closes(std::string_view text, std::size_t i) {
  return text[i] == '\'' &&
         (i + 1 == text.size() || std::string_view(" ;,.:)\n").find(text[i + 1]) != std::string_view::npos);
}

/// The end of what begins at `i`: a quotation without its closing quote, or a word, or the blanks between words.
std::size_t end_of_part(std::string_view text, std::size_t i) {
  const bool word = is_word(text[i]);
  while (++i < text.size() && is_word(text[i]) == word && !opens(text, i)) {}
  return i;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) shown += next_shown(text);
  return shown;
}

std::string echoed(std::string_view argument) {
  const std::string_view all = argument;
  std::string shown;
  std::size_t characters = 0;
  while (!argument.empty()) {
    const std::string next = next_shown(argument);
    characters += next.size() > 1 && next[0] == '\\' ? next.size() : 1;
    if (characters > longest_echo) return fmt::format("{}... ({} bytes)", shown, all.size());
    shown += next;
  }
  return shown;
}

std::string with_short_echoes(const std::string& message) {
  const std::string_view text = message;
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    if (opens(text, i)) {
      std::size_t end = i + 1;
      while (end < text.size() && !closes(text, end)) ++end;
      if (end < text.size()) {
        shown += fmt::format("'{}'", echoed(text.substr(i + 1, end - i - 1)));
        i = end + 1;
        continue;
      }
    }
    const std::size_t end = end_of_part(text, i);
    const std::string_view part = text.substr(i, end - i);
    for (std::size_t at = 0; at < part.size();) {  // line ends are the message's own
      const std::size_t line = std::min(part.find('\n', at), part.size());
      const std::string_view words = part.substr(at, line - at);
      const std::size_t sign = words.size() > 1 && std::string_view(":;,.").find(words.back()) != words.npos ? 1 : 0;
      shown += echoed(words.substr(0, words.size() - sign));
      shown += words.substr(words.size() - sign);
      if (line < part.size()) shown += '\n';
      at = line + 1;
    }
    i = end;
  }
  return shown;
}

}  // namespace shardfft
