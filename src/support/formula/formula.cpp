// Formulas as they are written: each operation is a step, and the same operation of the same steps is done once.
#include "shardfft/operators/formula.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {

using What = Formula::What;

// What is read depends on what was written before.
Term Formula::add(const Step& step) {
  if (step.what != What::read)
    if (const auto known = std::find(steps_.begin(), steps_.end(), step); known != steps_.end())
      return {this, static_cast<int>(known - steps_.begin())};
  steps_.push_back(step);
  return {this, static_cast<int>(steps_.size()) - 1};
}

Term Formula::of(What what, const Term& a, const Term& b) {
  a.formula_->require_mine(b);
  return a.formula_->add({what, a.step_, b.step_});
}

void Formula::require_mine(const Term& term) const {
  if (term.formula_ != this)
    throw Error(
        Status::invalid_argument,
        "terms are combined and written in the formula that made them; got one of another formula; read what it "
        "needs in each");
}

Term Formula::read(int array) { return add({What::read, array, 0}); }
void Formula::write(int array, const Term& term) {
  require_mine(term);
  steps_.push_back({What::write, array, term.step_});
}
void Formula::find_largest(const Term& term) {
  require_mine(term);
  steps_.push_back({What::largest, term.step_, 0});
}
Term Formula::parameter(int number) { return add({What::parameter, number, 0}); }
Term Formula::number(double value) {
  const auto same = [value](double x) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(value);
  };
  const auto known = std::find_if(constants_.begin(), constants_.end(), same);
  const int number = static_cast<int>(known - constants_.begin());
  if (known == constants_.end()) constants_.push_back(value);
  return add({What::constant, number, 0});
}

Term operator+(const Term& a, const Term& b) { return Formula::of(What::add, a, b); }
Term operator-(const Term& a, const Term& b) { return Formula::of(What::subtract, a, b); }
Term operator*(const Term& a, const Term& b) { return Formula::of(What::multiply, a, b); }
Term operator/(const Term& a, const Term& b) { return Formula::of(What::divide, a, b); }
Term operator+(const Term& a, double b) { return a + a.formula_->number(b); }
Term operator-(const Term& a, double b) { return a - a.formula_->number(b); }
Term operator*(const Term& a, double b) { return a * a.formula_->number(b); }
Term operator/(const Term& a, double b) { return a / a.formula_->number(b); }
Term operator+(double a, const Term& b) { return b.formula_->number(a) + b; }
Term operator-(double a, const Term& b) { return b.formula_->number(a) - b; }
Term operator*(double a, const Term& b) { return b.formula_->number(a) * b; }
Term operator/(double a, const Term& b) { return b.formula_->number(a) / b; }
Term Term::operator-() const { return -1.0 * *this; }
Term sqrt(const Term& a) { return Formula::of(What::root, a, a); }
Term is_at_most(const Term& a, const Term& b) { return Formula::of(What::at_most, a, b); }
Term replace_zero(const Term& a, double b) { return Formula::of(What::replace, a, a.formula_->number(b)); }

}  // namespace shardfft
