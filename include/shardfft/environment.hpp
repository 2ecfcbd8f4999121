// What shardfft takes from its surroundings and says to them: environment variables, where it keeps files between runs,
// and notices.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace shardfft {

/// Names of variables that are set, begin with SHARDFFT_ and are none that shardfft, its programs or its tests read.
[[nodiscard]] std::vector<std::string> strange_variables();

/// A line for each of these on stderr, once in a process. Call it on one rank. Returns those that it told of now.
std::vector<std::string> warn_of_strange_variables();

/// Who hears notices from now on, in this process: what is said beside results and errors, as that a file cannot be
/// used, or that another transport serves. `say` gets each as one line, "shardfft: ...", without a line feed, in the
/// thread that found it; it must not throw, nor call shardfft. Empty: nobody. Without this call they go to standard
/// error.
void on_notice(std::function<void(const std::string& line)> say);

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
