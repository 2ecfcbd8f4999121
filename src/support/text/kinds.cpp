// Words of the kinds of problems and axes.
#include "shardfft/problem.hpp"

namespace shardfft {

std::string to_string(Kind kind) {
  constexpr const char* words[] = {"c2c", "r2c", "c2r", "move", "r2r"};
  return words[static_cast<int>(kind)];
}

std::string to_string(AxisKind kind) {
  constexpr const char* words[] = {"fourier", "cosine1", "cosine2", "cosine3", "cosine4",
                                   "sine1",   "sine2",   "sine3",   "sine4",   "hartley"};
  return words[static_cast<int>(kind)];
}

std::string to_string(Precision precision) { return precision == Precision::f32 ? "f32" : "f64"; }

}  // namespace shardfft
