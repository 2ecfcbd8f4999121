// What fuzzing does with the text of a file that others may have written: it is read, or refused with an Error.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shardfft::testing {

/// What such a file is called here, and what happens to one. `try_text` returns nothing, or what is wrong; in `found`
/// how many entries or cases were read: 0 where the text was refused.
struct FileReader {
  std::string_view name;  ///< wisdom, machine, results, cases
  std::string (*try_text)(const std::string& text, int& found);
};

/// All of them. In the text of a machine's file "@HERE@" stands for the name of this one, whose entry alone is read.
[[nodiscard]] std::span<const FileReader> file_readers();

}  // namespace shardfft::testing
