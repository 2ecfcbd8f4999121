// Whole arrays of files in memory, for commands that need several of them.
#pragma once

#include <string>
#include <vector>

#include "options/task.hpp"
#include "output/progress.hpp"
#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"
#include "transform/in_memory.hpp"

namespace shardfft::cli {

/// The numbers in which a command computes.
struct Numbers {
  Precision precision = f64;
  bool complex = false;
  [[nodiscard]] int bytes() const { return files::plan_dtype(precision, complex).size; }
};
/// Single only if all files are; complex if one is.
[[nodiscard]] Numbers common_numbers(const std::vector<const files::File*>& inputs);

/// Throws Error(invalid_argument) for arrays without elements, and for those in Fortran order. `name`: "KERNEL".
void require_c_order(const files::File& input, const std::string& path, const char* name);

/// Collective. Whether some rank lacks room for so many bytes.
[[nodiscard]] bool beyond(const Comm& comm, const Room& room, Index bytes);
/// How passes are made for a command.
[[nodiscard]] files::OutOfCore passes_of(const TransformWords& words, const Room& room, Progress& progress);

/// Collective. This rank's boxes of a file, in the layout's order.
void read_into(const Comm& comm, const files::File& input, const Layout& layout, const Numbers& numbers, Array& array,
               Progress& progress);
/// Collective. All of a file, in C order, on every rank.
[[nodiscard]] Array read_whole(const Comm& comm, const files::File& input, const Numbers& numbers, Progress& progress);

/// Collective. A new file, which appears when it is committed.
[[nodiscard]] files::File new_file(const Comm& comm, const std::string& path, const Shape& shape,
                                   const Numbers& numbers);
/// Collective. Writes this rank's boxes, and commits.
void write_from(const Comm& comm, files::File& result, const Layout& layout, const Numbers& numbers, const Array& array,
                Progress& progress);

}  // namespace shardfft::cli
