// Who made this processor: for choices that only measuring can find, and that must not change from run to run.
#pragma once

namespace shardfft {

[[nodiscard]] bool made_by_amd();

}  // namespace shardfft
