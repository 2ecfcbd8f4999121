// Lengths and wave numbers as people write them: "10um", "k=0.3", "f=0.05".
#pragma once

#include <string>
#include <vector>

namespace shardfft::cli {

/// The spacing of points along each axis, in one unit: "2,0.5,0.5um". Without --spacing points are 1 apart.
class Spacing {
 public:
  /// Throws Error(invalid_argument), as all calls here.
  explicit Spacing(const std::string& text);

  [[nodiscard]] const std::string& unit() const { return unit_; }  ///< empty: none was named
  /// "2,0.5,0.5": the numbers without the unit.
  [[nodiscard]] const std::string& numbers() const { return numbers_; }
  [[nodiscard]] std::vector<double> along(int axes) const;
  /// "10um" or "10" as a number in this unit.
  [[nodiscard]] double length(const char* option, const std::string& text) const;
  /// "1,0.5um": one for each axis, or one for all.
  [[nodiscard]] std::vector<double> lengths(const char* option, const std::string& text, int axes) const;
  /// A wave number in radians per unit, from a length ("10um": 2 pi over it), "k=0.3" or "f=0.05" (cycles).
  [[nodiscard]] double wave_number(const char* option, const std::string& text) const;
  /// A width of shells, in these words; a number alone is in radians per unit.
  [[nodiscard]] double width(const char* option, const std::string& text) const;
  /// "length 10 um, k = 0.628319 rad/um, f = 0.1 cycles/um"
  [[nodiscard]] std::string told(double wave_number) const;

 private:
  std::string numbers_ = "1", unit_{};
};

}  // namespace shardfft::cli
