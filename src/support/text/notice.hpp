// One line for people, beside the result.
#pragma once

#include <string>

namespace shardfft {

/// Tells whoever listens "shardfft: `text`". Throws nothing: a notice that cannot be told is lost.
void notice(const std::string& text) noexcept;

}  // namespace shardfft
