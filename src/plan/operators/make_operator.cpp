// A formula as an operator of Plan::apply.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "plan/impl.hpp"
#include "plan/operators/modes_formula.hpp"
#include "shardfft/error.hpp"
#include "shardfft/operators/modes.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

/// On the processor: a row of neighbours.
struct EvaluatedModes {
  std::shared_ptr<const OperatorFormula> formula;

  void operator()(const Modes& m) const {
    constexpr int along_row = RunFormula::axes - 1;
    RunFormula run = formula->run;
    run.extent[along_row] = static_cast<std::uint32_t>(m.count);
    run.strides[along_row] = m.step;
    for (int a = 0; a < run.arrays; ++a) {
      const OperatorArray& array = formula->array[a];
      run.array[a] = array.of == OperatorArray::Of::component ? formula->component(array, m.data, m.component_bytes, 0)
                     : array.of == OperatorArray::Of::beside
                         ? formula->beside(array, m.place, m.component_step, 0)
                         : formula->along(array, m.first[array.number], array.number == m.axis ? along_row : -1);
    }
    run_formula_here(run);
  }
};

/// A table of the caller's, wherever it is.
template <class T>
std::vector<double> table_from(const Plan& plan, const void* data, Index count) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  const View all(numbers);
  plan.copy(View(data, all.bytes), all);
  return {numbers.begin(), numbers.end()};
}

/// A rank without elements has none beside them.
void check_array(const FormulaArray& array, int dims, bool has_some) {
  if ((array.data || (array.axis < 0 && !has_some)) && array.axis < dims && array.step >= 0 &&
      array.step <= std::numeric_limits<std::int32_t>::max())
    return;
  refuse_argument(fmt::format(
      "an array of an operator's formula lies beside the elements, or along one of {} axes, in steps from 0 "
      "to 2^31 - 1; got {}, axis {}, step {}",
      dims, array.data, array.axis, array.step));
}

}  // namespace

Operator Plan::make_operator(const Formula& formula, std::span<const FormulaArray> arrays,
                             std::span<const double> parameters) const {
  const Impl& m = there(impl_);
  m.require_apply();
  m.require_here();
  const Precision precision = formula.precision();
  if (precision == f32 && m.recipe.problem.scalar == Scalar::f64)
    refuse_argument("a formula in f32 is of plans in f32; got one for a plan in f64; make it in f64");
  if (std::any_of(formula.steps().begin(), formula.steps().end(),
                  [](const Formula::Step& step) { return step.what == Formula::What::largest; }))
    refuse_argument("an operator gives nothing but elements; got a formula that finds the largest; leave that out");
  const auto [before, axis, in, out] = operated(m.recipe);
  const int dims = m.arrays.middle.layout.global().dims();
  ModesFormula seen(*this, precision);
  for (int c = 0; c < std::max(in, out); ++c)
    for (int part = 0; part < (m.arrays.middle.complex ? 2 : 1); ++part) (void)seen.element(c, part);
  for (int a = 0; a < dims; ++a) (void)seen.table_of(a, wave(a));
  for (const FormulaArray& array : arrays) {
    check_array(array, dims, m.arrays.middle.bytes > 0);
    const Index count = array.axis < 0 ? 0 : m.arrays.middle.layout.global()[array.axis];
    if (array.axis < 0)
      (void)seen.beside_of(array.data, static_cast<int>(array.step));
    else
      (void)seen.table_of(array.axis, precision == f32 ? table_from<float>(*this, array.data, count)
                                                       : table_from<double>(*this, array.data, count));
  }
  auto made = seen.made(formula, /*each=*/false, parameters);
  Operator f(EvaluatedModes{made});
  f.formula = std::move(made);
  f.components_in = axis < 0 ? 0 : static_cast<int>(in);
  f.components_out = axis < 0 ? 0 : static_cast<int>(out);
  return f;
}

}  // namespace shardfft
