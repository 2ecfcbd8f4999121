// Formulas as they are run: which value of an element holds what.
#include "support/formula/formula_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

using What = Formula::What;

[[noreturn]] void too_long(const char* what, std::size_t got, int most) {
  throw Error(Status::unsupported,
              fmt::format("a formula has at most {} {}; got {}; evaluate it in two", most, what, got));
}
void require(const char* what, std::size_t got, int most) {
  if (got > static_cast<std::size_t>(most)) too_long(what, got, most);
}

bool makes_value(What what) { return what != What::write && what != What::largest; }
int operands(What what) {
  if (what < What::add) return what == What::write ? -1 : 0;  // of write the second one alone
  return what == What::largest ? 1 : 2;
}

constexpr FormulaOperation operation_of(What what) {
  constexpr FormulaOperation all[] = {FormulaOperation::read,     FormulaOperation::write,   FormulaOperation::number,
                                      FormulaOperation::number,   FormulaOperation::add,     FormulaOperation::subtract,
                                      FormulaOperation::multiply, FormulaOperation::divide,  FormulaOperation::root,
                                      FormulaOperation::replace,  FormulaOperation::at_most, FormulaOperation::largest};
  return all[static_cast<int>(what)];
}

/// Gives each step's number a place, which is free again behind its last use.
class Places {
 public:
  explicit Places(std::span<const Formula::Step> steps) : steps_(steps), last_use_(steps.size()), place_(steps.size()) {
    for (std::size_t s = 0; s < steps.size(); ++s)
      for_operands(steps[s], [&](int operand) { last_use_[static_cast<std::size_t>(operand)] = s; });
  }

  template <class Visit>
  static void for_operands(const Formula::Step& step, Visit visit) {
    const int count = operands(step.what);
    if (count > 0) visit(step.a);
    if (count == 2 || count < 0) visit(step.b);
  }
  [[nodiscard]] std::uint8_t of(int step) const { return place_[static_cast<std::size_t>(step)]; }
  /// What nobody needs behind step `s` goes, and what it makes comes.
  void pass(std::size_t s) {
    for_operands(steps_[s], [&](int operand) {
      if (last_use_[static_cast<std::size_t>(operand)] == s) taken_[of(operand)] = false;
    });
    if (!makes_value(steps_[s].what)) return;
    const auto free = std::find(std::begin(taken_), std::end(taken_), false);
    if (free == std::end(taken_))
      too_long("numbers that are still needed at a time", RunFormula::most_values + 1, RunFormula::most_values);
    *free = last_use_[s] > s;
    place_[s] = static_cast<std::uint8_t>(free - std::begin(taken_));
  }

 private:
  std::span<const Formula::Step> steps_;
  std::vector<std::size_t> last_use_;
  std::vector<std::uint8_t> place_;
  bool taken_[RunFormula::most_values] = {};
};

FormulaStep step_of(const Formula::Step& step, const Places& places, std::size_t parameters) {
  FormulaStep result{.operation = operation_of(step.what)};
  switch (step.what) {
    case What::read:
    case What::parameter:
      result.a = static_cast<std::uint8_t>(step.a);
      break;
    case What::constant:
      result.a = static_cast<std::uint8_t>(static_cast<std::size_t>(step.a) + parameters);
      break;
    case What::write:
      result.to = static_cast<std::uint8_t>(step.a), result.a = places.of(step.b);
      break;
    case What::largest:
      result.a = places.of(step.a);
      break;
    default:
      result.a = places.of(step.a), result.b = places.of(step.b);
  }
  return result;
}

void check_step(const Formula::Step& step, std::size_t arrays, std::size_t parameters) {
  const bool array = step.what == What::read || step.what == What::write;
  if (!array && step.what != What::parameter) return;
  const std::size_t there = array ? arrays : parameters;
  if (step.a < 0 || static_cast<std::size_t>(step.a) >= there)
    throw Error(Status::invalid_argument,
                fmt::format("a run gives all {} of its formula; it names number {}, got {} of them; give more",
                            array ? "arrays" : "parameters", step.a, there));
}

}  // namespace

RunFormula formula_steps(const Formula& f, std::size_t arrays, std::span<const double> parameters) {
  require("steps", f.steps().size(), RunFormula::most_steps);
  require("arrays", arrays, RunFormula::most_arrays);
  require("parameters and constants", parameters.size() + f.constants().size(), RunFormula::most_numbers);
  RunFormula run{.scalar = f.precision() == f32 ? Scalar::f32 : Scalar::f64, .arrays = static_cast<int>(arrays)};
  std::copy(parameters.begin(), parameters.end(), run.number);
  std::copy(f.constants().begin(), f.constants().end(), run.number + parameters.size());
  Places places(f.steps());
  for (std::size_t s = 0; s < f.steps().size(); ++s) {
    check_step(f.steps()[s], arrays, parameters.size());
    FormulaStep& step = run.step[run.steps++] = step_of(f.steps()[s], places, parameters.size());
    places.pass(s);
    if (makes_value(f.steps()[s].what)) step.to = places.of(static_cast<int>(s));
  }
  return run;
}

}  // namespace shardfft
