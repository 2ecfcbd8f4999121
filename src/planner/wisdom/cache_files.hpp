// Where measurements of this machine are kept between runs.
#pragma once

#include <filesystem>

namespace shardfft {

/// The folder of all files: $SHARDFFT_WISDOM (where that names a file, the folder it lies in), $XDG_CACHE_HOME/shardfft
/// or ~/.cache/shardfft. Empty when there is none, or SHARDFFT_WISDOM=off. It need not exist.
[[nodiscard]] std::filesystem::path cache_folder();
/// Whether nothing is to be kept, by SHARDFFT_WISDOM=off.
[[nodiscard]] bool wisdom_is_off();

/// $SHARDFFT_WISDOM where it ends in .json, else wisdom.json in the folder; empty as above.
[[nodiscard]] std::filesystem::path wisdom_file();

/// machine.json in the folder; empty as above.
[[nodiscard]] std::filesystem::path machine_file();

}  // namespace shardfft
