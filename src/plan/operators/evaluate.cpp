// Formulas on arrays, where these lie.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "plan/impl.hpp"
#include "shardfft/operators/formula.hpp"
#include "support/formula/formula_steps.hpp"

namespace shardfft {
namespace {

RunFormula run_of(const Formula& f, const Shape& extents, std::span<const FormulaArray> arrays,
                  std::span<const double> parameters) {
  RunFormula run = formula_steps(f, arrays.size(), parameters);
  if (extents.dims() > RunFormula::axes || product(extents) > RunFormula::most_elements)
    throw Error(
        Status::unsupported,
        fmt::format("a formula is evaluated for at most 2^31 - 1 elements along 1 to {} axes; got {}; evaluate it "
                    "for a part of them at a time",
                    RunFormula::axes, to_string(extents)));
  for (int a = 0; a < extents.dims(); ++a)
    run.extent[RunFormula::axes - extents.dims() + a] = static_cast<std::uint32_t>(extents[a]);
  int number = 0;
  for (const FormulaArray& array : arrays) {
    if (array.axis >= extents.dims() || array.step < 0 || array.step > std::numeric_limits<std::int32_t>::max())
      throw Error(
          Status::invalid_argument,
          fmt::format("an array of a formula goes along one of its {} axes, in steps from 0 to 2^31 - 1; got axis "
                      "{}, step {}",
                      extents.dims(), array.axis, array.step));
    run.array[number++] = {.data = static_cast<std::byte*>(
                               const_cast<void*>(array.data)),  // NOLINT: the caller's, who says what is written
                           .step = static_cast<std::int32_t>(array.step),
                           .axis = static_cast<std::int16_t>(
                               array.axis < 0 ? FormulaOperand::all : RunFormula::axes - extents.dims() + array.axis)};
  }
  return run;
}

// Imaginary parts begin behind real ones, which plans on a device have at multiples of both.
View begin_of(const FormulaArray& array, Precision precision) {
  const std::uintptr_t scalar = precision == f32 ? 4 : 8, at = reinterpret_cast<std::uintptr_t>(array.data);
  if (at == 0 || at % scalar != 0)
    throw Error(Status::invalid_argument,
                fmt::format("an array of a formula is memory of numbers of {} bytes, aligned to these; got {}", scalar,
                            array.data));
  return {reinterpret_cast<const void*>(at / 16 * 16), 1};
}

bool asks_for_largest(const Formula& f) {
  return std::any_of(f.steps().begin(), f.steps().end(),
                     [](const auto& step) { return step.what == Formula::What::largest; });
}

}  // namespace

double Plan::evaluate(const Formula& formula, const Shape& extents, std::span<const FormulaArray> arrays,
                      std::span<const double> parameters) const {
  const Impl& m = there(impl_);
  m.require_here();
  RunFormula run = run_of(formula, extents, arrays, parameters);
  const bool asks = asks_for_largest(formula);
  double largest = -std::numeric_limits<double>::infinity();
  if (run.elements() == 0) return largest;
  for (const FormulaArray& array : arrays) m.check_space(begin_of(array, formula.precision()), "a formula");
  for (const double one : m.home->run(run, asks, m.recipe.tuning.threads))
    largest = largest > one ? largest : one >= largest ? one : largest + one;
  return largest;
}

}  // namespace shardfft
