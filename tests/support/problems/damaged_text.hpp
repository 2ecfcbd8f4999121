// Texts that somebody changed: a byte, a part that is missing or there twice, a number or a word that means something
// else.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>

namespace shardfft::testing {

inline std::string damaged(std::string text, std::mt19937_64& random) {
  constexpr std::array instead{"-1",
                               "0",
                               "1e308",
                               "1e999",
                               "-1e-320",
                               "99999999999999999999",
                               "-9223372036854775808",
                               "4294967296",
                               "null",
                               "true",
                               "[]",
                               "{}",
                               "[[[]]]",
                               "\"\"",
                               "\"x\\u0000y\"",
                               "NaN",
                               "\xff"};
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const int times = 1 + static_cast<int>(below(3));
  for (int i = 0; i < times && !text.empty(); ++i) {
    const std::size_t at = below(text.size()), size = below(std::min<std::size_t>(text.size() - at, 40)) + 1;
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(at, size));
        break;
      default:  // a value takes the place of another one
        const std::size_t begin = text.find(':', at);
        if (begin == text.npos) break;
        const std::size_t end = text.find_first_of(",}]\n", begin);
        text.replace(begin + 1, std::min(end, text.size()) - begin - 1, instead[below(instead.size())]);
    }
  }
  return text;
}

}  // namespace shardfft::testing
