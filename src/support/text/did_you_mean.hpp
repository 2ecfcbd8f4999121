// The word that a mistyped one probably stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardfft {

/// The name that is closest to `word`, case, dashes and underscores aside; "" where none is close.
///   distance  letters inserted, left out, replaced, or two neighbours exchanged; at most a third of the word, and 3
///   else      the only name that begins with `word`
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

/// " (did you mean 'native'?)" to stand behind what was got; "" where no name is close.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace shardfft
