// What this build of shardfft consists of.
#pragma once

#include <string>
#include <vector>

namespace shardfft {

/// Names of the engines, transports, codecs and kinds of devices that this build has. Loads no vendor's library;
/// inventory() says what of them can be used here.
[[nodiscard]] std::vector<std::string> parts_of_build();

}  // namespace shardfft
