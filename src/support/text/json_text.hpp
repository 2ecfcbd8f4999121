// JSON from outside: files that people may have changed, and what other programs say.
#pragma once

#include <algorithm>
#include <string_view>

namespace shardfft {

/// How deep lists and objects lie in each other. Copies and prints of JSON call themselves for each level.
[[nodiscard]] inline int depth_of_json(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    else if (text[i] == '[' || text[i] == '{')
      deepest = std::max(deepest, ++depth);
    else if (text[i] == ']' || text[i] == '}')
      --depth;
  }
  return deepest;
}

constexpr int deepest_json = 64;  ///< what shardfft writes has a dozen levels

/// `Json::parse`; what is no JSON, or is nested deeper than that, is discarded.
template <class Json>
[[nodiscard]] Json parse_outside(std::string_view text) {
  return depth_of_json(text) > deepest_json ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace shardfft
