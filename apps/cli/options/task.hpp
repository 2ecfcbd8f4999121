// What `transform` is asked, in NumPy's words, as a problem for a plan.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "options/operator_words.hpp"
#include "options/plan_options.hpp"
#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::cli {

struct TransformWords {
  std::string in, out, axes, kind, kinds, direction, precision, norm = "backward", input, output, apply, json, trace;
  std::string shape, modes, support, memory, scratch;
  std::string command = "transform";
  BoxWords box{};                                        ///< in which `apply` acts
  std::function<Operator(const Plan&)> make_operator{};  ///< of `apply`
  /// What the command says of its operator, for an array of so many axes: lines for people, and for --json.
  std::function<std::pair<std::string, Json>(int axes)> notes{};
  std::optional<Index> real_length{};  ///< left out: twice the last extent of the half spectrum, less two
  bool verify = false, quiet = false, resume = false;
  ChoiceWords choices{};
};

/// The plan's problem is c2c, r2c or r2r; c2r is r2c run backward. With an operator, OUT is as IN.
struct Task {
  Problem problem{};
  Kind kind = c2c;  ///< as asked
  Direction direction = Direction::forward;
  Shape in{}, out{};  ///< extents of the arrays in the files
  bool complex_in = true, complex_out = true;
};
/// Throws Error(invalid_argument or invalid_problem) where NumPy would complain, and for axes named twice.
[[nodiscard]] Task make_task(const TransformWords& words, const files::ArrayInfo& in);

/// Whether an array has no elements.
[[nodiscard]] inline bool is_empty(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// Slabs in the file's order of axes, cut along the slowest one that is long enough.
[[nodiscard]] LayoutSpec usual_file_layout(const Shape& shape, const std::vector<int>& order);

/// Layouts of the two files: memory order as in the file, the usual one unless --input or --output say how. Depends on
/// the shapes only, so that any number of ranks computes the same bits.
struct FileLayouts {
  LayoutSpec in, out;
};
[[nodiscard]] FileLayouts file_layouts(const TransformWords& words, const Task& task, const std::vector<int>& order_in);

}  // namespace shardfft::cli
