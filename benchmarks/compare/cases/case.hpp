// One thing that all libraries are asked to do.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "shardfft/box.hpp"

namespace shardfft::compare {

using Json = nlohmann::ordered_json;

/// A transform of made-up data in the words of the command line; `batch` fields of that shape are one plan.
struct Case {
  Shape shape{};
  std::string kind = "c2c", precision = "f64", layout = "natural";
  int ranks = 1, threads = 1, nodes = 1;  ///< threads of each rank
  Index batch = 1;                        ///< fields transformed by one call
  std::string grid{};       ///< process grid such as "2x4" that the library is asked to use; empty: its own choice
  std::string study{};      ///< what this case belongs to; for people
  std::vector<int> axes{};  ///< of a field that are transformed, the real one of r2c last; empty: all
  int iterations = 0;       ///< timed runs of a launch; 0: those of the settings
  friend bool operator==(const Case&, const Case&) = default;

  [[nodiscard]] Index workers() const { return Index{ranks} * threads; }
  /// Those that are transformed, by number.
  [[nodiscard]] std::vector<int> transformed() const;
  /// "256x256x256 c2c f64 natural 2x1", and what else is not as usual
  [[nodiscard]] std::string text() const;
  /// Bytes of all fields together, on the side of the reals.
  [[nodiscard]] double array_bytes() const;
};

/// Whether two cases are the same work, in whatever study.
[[nodiscard]] bool same_work(const Case& a, const Case& b);

[[nodiscard]] Json to_json(const Case& c);
/// Throws nlohmann's exceptions and Error(invalid_problem) where it is no case.
[[nodiscard]] Case case_from(const Json& json);

/// "256x256x200", "65536^1"
[[nodiscard]] std::string extents_text(const Shape& shape);

}  // namespace shardfft::compare
