// Drawings as SVG text. Colours come from the page's style sheet by class, so that they follow its light and dark
// schemes.
#pragma once

#include <string>
#include <string_view>

#include "scale.hpp"

namespace shardfft::report {

/// Colours and shapes there are.
inline constexpr std::size_t looks = 8;

enum class Anchor { start, middle, end };

/// Size of text in a drawing, in its units.
inline constexpr double font = 12;

/// What a series looks like: one of eight colours and one of eight shapes, so that nobody needs to tell colours apart.
struct Mark {
  int colour = 0, shape = 0;
  bool hollow = false;
  friend bool operator==(const Mark&, const Mark&) = default;
};

class Svg {
 public:
  /// `title` and `description` are what those hear who do not see the drawing.
  Svg(double width, std::string title, std::string description);

  void rect(double x, double y, double width, double height, std::string_view classes, std::string_view hint = {});
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void path(const std::string& d, std::string_view classes);
  void text(double x, double y, Anchor anchor, std::string_view classes, std::string_view text,
            std::string_view hint = {});
  void mark(double x, double y, const Mark& mark, std::string_view hint = {});
  /// From low to high with a cap at both ends; left to right at height `y`, or upright at `x`.
  void interval_across(double low, double high, double y);
  void interval_upright(double x, double low, double high);

  /// The drawing, `height` high.
  [[nodiscard]] std::string finish(double height) const;

 private:
  double width_;
  std::string title_, description_, body_;
};

}  // namespace shardfft::report
