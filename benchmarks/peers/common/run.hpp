// One launch of a peer, from its words to its exit status.
#pragma once

#include <string>
#include <vector>

#include "peer.hpp"

namespace shardfft::peers {

/// 0: what was asked was done, the result file included (also when it says "wrong", "unsupported" or "failed"); 2: bad
/// arguments, one line on stderr; 1: anything else, one line on stderr.
[[nodiscard]] int run(Library& library, const std::string& program, const std::vector<std::string>& words);

}  // namespace shardfft::peers
