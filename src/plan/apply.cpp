// Plan::apply: forward, an operator and backward as one run.
#include <algorithm>

#include <fmt/format.h>

#include "plan/hermitian_check.hpp"
#include "plan/impl.hpp"
#include "planner/options/choices.hpp"
#include "shardfft/error.hpp"
#include "shardfft/operators/modes.hpp"
#include "support/formula/operator_formula.hpp"

namespace shardfft {

void Plan::Impl::require_apply() const {
  if (!recipe.applied)
    throw Error(
        Status::invalid_argument,
        "apply() has sweeps of its own, which this plan was made without; make it with options.apply = to_outputs, "
        "or to_inputs for apply_physical()");
}

namespace {

// What a device can run, and what its memory holds.
void check_formula(const Operator& f, const RankDevice* holder, Scalar scalar, bool complex) {
  const auto refuse = [](const std::string& text) { throw Error(Status::invalid_argument, text); };
  if (holder && !f.formula)
    refuse(
        fmt::format("an operator on a device is a ready one of this plan, or a formula; got a function of the host "
                    "for device {}; write it as a Formula, and make the operator with Plan::make_operator",
                    holder->space()));
  if (!f.formula) return;
  const std::string_view here = holder ? holder->space() : "host";
  if (f.formula->scalar != scalar || f.formula->complex != complex || name(f.formula->space) != here)
    refuse(
        fmt::format("an operator is made for the plan that runs it; got one for {} {} numbers on {}, and a plan of "
                    "{} {} numbers on {}; make another one",
                    f.formula->complex ? "complex" : "real", f.formula->scalar == Scalar::f32 ? "f32" : "f64",
                    name(f.formula->space), complex ? "complex" : "real", scalar == Scalar::f32 ? "f32" : "f64", here));
}

}  // namespace

// Operators of any number of components suit all plans.
void RunGate::require_operator(const Operator& f) const {
  const Stage::Operated& of_plan = operated(plan_.recipe);
  if (!f.run) throw Error(Status::invalid_argument, "an operator has a function; got none; make it of a callable");
  if (f.components_out < 0 && of_plan.in != of_plan.out)
    throw Error(
        Status::invalid_argument,
        fmt::format("the operator leaves as many components as it takes; got a plan of {} and {}; set its option "
                    "components_out to 0",
                    of_plan.in, of_plan.out));
  if ((f.components_in > 0 && f.components_in != of_plan.in) ||
      (f.components_out > 0 && f.components_out != of_plan.out))
    throw Error(Status::invalid_argument,
                fmt::format("the operator takes {} components and leaves {}; got a plan of {} and {}; set its options "
                            "components_in and components_out",
                            f.components_in, f.components_out, of_plan.in, of_plan.out));
  check_formula(f, plan_.recipe.holder(), plan_.recipe.problem.scalar, plan_.arrays.middle.complex);
}

void Plan::Impl::apply(Apply asked, View in, View out, const Operator& f) {
  require_apply();
  if (options().apply != asked)
    throw Error(
        Status::invalid_argument,
        fmt::format("apply() is of plans with options.apply = to_outputs, apply_physical() of to_inputs; got {}; "
                    "call the other one, or make another plan",
                    asked == Apply::to_outputs ? "to_inputs" : "to_outputs"));
  if (recipe.holder()) {
    home->keep(f.formula);
    run(applying_direction(), in, out, Variation(), &f);
    return home->kept();
  }
  // With a tolerance even what reaches the operator is a spectrum of reals to that tolerance alone.
  if (!checks_operators || !recipe.problem.real || !sees_spectrum(recipe) || has_tolerance(options()))
    return run(applying_direction(), in, out, Variation(), &f);
  std::vector<int> fourier;
  for (const int axis : recipe.problem.axes)
    if (recipe.problem.kind(axis) == AxisKind::fourier) fourier.push_back(axis);
  HermitianCheck check(recipe.problem.modes, std::move(fourier));
  const Operator looked = f.run ? check.around(f) : f;
  run(applying_direction(), in, out, Variation(), &looked);
  check.require(comm);
}

void Plan::apply(View in, View out, const Operator& f) { callable(impl_).apply(Apply::to_outputs, in, out, f); }
void Plan::apply_physical(View in, View out, const Operator& f) { callable(impl_).apply(Apply::to_inputs, in, out, f); }

namespace {

const auto& with_apply(const auto& impl) {
  const auto& m = there(impl);
  m.require_apply();
  return m;
}

}  // namespace

const Layout& Plan::middle() const { return with_apply(impl_).arrays.middle.layout; }
std::size_t Plan::middle_bytes() const { return with_apply(impl_).arrays.middle.bytes; }
Array Plan::make_middle() const { return with_apply(impl_).make_array(impl_->arrays.middle.bytes, false); }
bool Plan::middle_is_complex() const { return with_apply(impl_).arrays.middle.complex; }
bool Plan::middle_is_spectrum() const { return sees_spectrum(with_apply(impl_).recipe); }
const Layout& Plan::applied() const { return with_apply(impl_).arrays.applied.layout; }
std::size_t Plan::applied_bytes() const { return with_apply(impl_).arrays.applied.bytes; }
Array Plan::make_applied() const {
  const Impl& m = with_apply(impl_);  // in place it is long enough for what apply() reads
  return m.make_array(std::max(m.arrays.applied.bytes,
                               m.options().in_place ? m.arrays.ends(m.applying_direction(), true).from.bytes : 0),
                      m.pipelines.both->access() != by_copies);
}

std::span<const double> Plan::wave(int axis) const {
  const auto& wave = with_apply(impl_).pipelines.both->spec().middle->wave;
  const int dims = static_cast<int>(wave.size());
  if (axis < -dims || axis >= dims)
    throw Error(Status::invalid_argument,
                fmt::format("an axis lies between {} and {} for {} dimensions, got {}", -dims, dims - 1, dims, axis));
  return wave[static_cast<std::size_t>(axis < 0 ? axis + dims : axis)];
}

}  // namespace shardfft
