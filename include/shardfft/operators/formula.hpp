// Arithmetic for every element of arrays, done where a plan's arrays lie: by Plan::evaluate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

class Formula;

/// A number of each element, while a formula is written: +, -, * and / of terms and numbers are terms. Belongs to its
/// formula, which stays where it is meanwhile.
class Term {
 public:
  Term operator-() const;
  Term& operator+=(const Term& other) { return *this = *this + other; }
  Term& operator-=(const Term& other) { return *this = *this - other; }
  friend Term operator+(const Term& a, const Term& b);
  friend Term operator-(const Term& a, const Term& b);
  friend Term operator*(const Term& a, const Term& b);
  friend Term operator/(const Term& a, const Term& b);
  friend Term operator+(const Term& a, double b);
  friend Term operator-(const Term& a, double b);
  friend Term operator*(const Term& a, double b);
  friend Term operator/(const Term& a, double b);
  friend Term operator+(double a, const Term& b);
  friend Term operator-(double a, const Term& b);
  friend Term operator*(double a, const Term& b);
  friend Term operator/(double a, const Term& b);
  friend Term sqrt(const Term& a);
  /// a, but b where a is 0.
  friend Term replace_zero(const Term& a, double b);
  /// 1 where a <= b, else 0.
  friend Term is_at_most(const Term& a, const Term& b);

 private:
  friend class Formula;
  Term(Formula* formula, int step) : formula_(formula), step_(step) {}
  Formula* formula_;
  int step_;
};

/// Arithmetic of real numbers, written once and evaluated many times. Each operation is rounded by itself: the same
/// bits on the processor and on every device.
///
///     Formula axpy;
///     axpy.write(1, axpy.read(1) + axpy.parameter(0) * axpy.read(0));
///     plan.evaluate(axpy, {count}, std::array{FormulaArray{x.data()}, FormulaArray{y.data()}}, std::array{0.5});
///
/// Throws Error(invalid_argument) for terms of another formula, Error(unsupported) where it is too long for a device:
/// 320 steps, 24 numbers that are still needed at a time, 48 arrays, 24 parameters and constants.
class Formula {
 public:
  explicit Formula(Precision precision = f64) : precision_(precision) {}
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;

  /// This element's number in an array of the run; what was written before is read.
  [[nodiscard]] Term read(int array);
  void write(int array, const Term& term);
  [[nodiscard]] Term parameter(int number);  ///< of the run
  [[nodiscard]] Term number(double value);
  /// Plan::evaluate returns the largest of these of all elements; NaN where one is.
  void find_largest(const Term& term);
  [[nodiscard]] Precision precision() const { return precision_; }

  /// The operation of a step. Operands are steps. For reads, writes, parameters and constants `a` is their number.
  enum class What : std::uint8_t {
    read,
    write,
    parameter,
    constant,
    add,
    subtract,
    multiply,
    divide,
    root,
    replace,
    at_most,
    largest
  };
  struct Step {
    What what{};
    int a = 0, b = 0;
    friend bool operator==(const Step&, const Step&) = default;
  };
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  [[nodiscard]] std::span<const double> constants() const { return constants_; }

 private:
  friend class Term;
  friend Term operator+(const Term&, const Term&);
  friend Term operator-(const Term&, const Term&);
  friend Term operator*(const Term&, const Term&);
  friend Term operator/(const Term&, const Term&);
  friend Term sqrt(const Term&);
  friend Term replace_zero(const Term&, double);
  friend Term is_at_most(const Term&, const Term&);
  static Term of(What what, const Term& a, const Term& b);
  Term add(const Step& step);
  void require_mine(const Term& term) const;

  Precision precision_;
  std::vector<Step> steps_{};
  std::vector<double> constants_{};
};

/// An array of real numbers of a formula's precision. Element (i, j, k) of a run has number i, j or k times `step`
/// along `axis`; without one its place among all elements in C order, times `step`. Complex arrays are two: both of
/// step 2, the second one a number on.
struct FormulaArray {
  const void* data = nullptr;  ///< written, too, where the formula does
  Index step = 1;
  int axis = -1;
};

}  // namespace shardfft
