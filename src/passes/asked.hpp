// What is asked of passes: a problem and its arrays, spelled out.
#pragma once

#include <optional>
#include <vector>

#include "files/npy.hpp"
#include "grid/axis_split.hpp"
#include "shardfft/files.hpp"

namespace shardfft::files {

/// The transform of a file, as far as passes depend on it.
struct FileTransform {
  Problem problem{};   ///< c2c, r2c or r2r: c2r is r2c run the other way; axes are named and not negative
  int real_axis = -1;  ///< of r2c
  Direction direction = Direction::forward;
  bool applies = false;  ///< forward, an operator, backward
  bool reduces = false;  ///< the result is not written
  bool two = false;      ///< a second array meets the first one as spectra
  Shape in{}, out{};     ///< extents of the first array and of the result
  Shape far{};           ///< of the array of which all axes are transformed
  bool complex_in = true, complex_out = true;
  std::vector<int> order{};          ///< of the transformed axes, in the direction of the first pass
  std::vector<int> file_order{};     ///< of the axes in the file, slowest first
  Chunks chunks{};                   ///< of the file
  std::vector<int> result_order{};   ///< of those of the result
  std::optional<AxisSplit> split{};  ///< the array is the caller's with one axis in two factors (passes/four_steps.hpp)
  bool keeps_input = false;          ///< tiles are verified
};

/// Without the order of transformed axes. Throws Error(invalid_problem, invalid_argument or unsupported).
[[nodiscard]] FileTransform asked_of(const Problem& problem, Direction direction, bool applies);
/// Throws Error(invalid_argument) unless the array is the first one of the transform.
void require_array(const FileTransform& asked, const File& in);

}  // namespace shardfft::files
