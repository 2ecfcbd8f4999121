// What shardfft says beside its results and errors: that a file cannot be used, that another transport serves.
#pragma once

#include <functional>
#include <string>

namespace shardfft {

/// Who hears notices from now on, in this process: `say` gets each as one line, "shardfft: ...", without a line feed,
/// in the thread that found it; it must not throw, nor call shardfft. Empty: nobody. Without this call they go to
/// standard error.
void on_notice(std::function<void(const std::string& line)> say);

}  // namespace shardfft
