// Places of a plan's arrays: the caller's, and those that apply() never stores.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "pipeline/bind/memory.hpp"
#include "plan/impl.hpp"
#include "shardfft/error.hpp"
#include "support/waves.hpp"

namespace shardfft {
namespace {

std::vector<double> wave_along(const CheckedProblem& p, int axis, Index extent, bool of_spectrum) {
  if (std::find(p.axes.begin(), p.axes.end(), axis) == p.axes.end())
    return std::vector<double>(static_cast<std::size_t>(extent), 0.0);
  return of_spectrum ? frequencies(p.kind(axis), extent, axis == p.real_axis)
                     : places(p.kind(axis), p.points[axis], extent);
}

bool same_place(const Patch& a, const Patch& b) {
  return a.box == b.box && a.offset == b.offset && a.strides == b.strides;
}

// Each row of reals begins where its half spectrum does, and lies in its memory.
bool same_row(const Patch& reals, const Patch& half, int axis, Index real_bytes) {
  if (reals.offset != half.offset) return false;
  for (int a = 0; a < reals.box.dims(); ++a)
    if (a == axis ? reals.strides[a] != real_bytes || half.strides[a] != 2 * real_bytes ||
                        reals.box.extent(a) / 2 + 1 != half.box.extent(a)
                  : reals.strides[a] != half.strides[a] || reals.box.lo[a] != half.box.lo[a] ||
                        reals.box.hi[a] != half.box.hi[a])
      return false;
  return true;
}

PlanArray placed_array(const Recipe& recipe, int rank, const Layout& layout, const std::vector<Placement>& given,
                       const char* name, Base base, bool complex) {
  const Coord one = Coord::filled(layout.global().dims(), 1);
  PlanArray array{{.layout = layout, .complex = complex, .owners = owners_of(layout)}};
  const bool padded = !complex && recipe.choices.options.padded_reals;
  const OwnPart part =
      padded ? OwnPart{layout.boxes(rank), padded_placements(layout, rank, recipe.problem.real_axis, name)}
      : array.owners == one ? OwnPart{layout.boxes(rank), placements(layout, rank, given, name)}
                            : own_part(layout, rank, given, name);
  const Index element_bytes = array.element_bytes(recipe.problem.scalar);
  array.patches = caller_patches(part.boxes, part.placements, base, element_bytes);
  array.bytes = static_cast<std::size_t>(extent_of(part.boxes, part.placements) * element_bytes);
  return array;
}

// The layout of apply()'s input, `own`, with as many components as operators leave.
Layout applied_layout(const Layout& own, const Stage::Operated& operated) {
  if (operated.in == operated.out) return own;
  if (!own.is_whole_along(0))
    throw Error(Status::invalid_layout,
                fmt::format("components that an operator changes in number lie on one rank; got axis 0 cut over {}; "
                            "take a layout that cuts other axes",
                            own.describe()));
  const Layout layout = with_extent(own, 0, operated.out);
  return {layout.spec().ordered(own.order()), layout.global(), layout.ranks()};
}

}  // namespace

// The result of apply() lies as its input does. What is in the middle is never stored: its places are those of arrays
// beside it.
PlanArrays place_arrays(const Recipe& recipe, const Comm& comm) {
  const CheckedProblem& p = recipe.problem;
  const Options& o = recipe.choices.options;
  const bool direct = p.analysis_is_forward(), to_outputs = o.apply == Apply::to_outputs;
  PlanArrays all{.input = placed_array(recipe, comm.rank(), direct ? recipe.space : recipe.spectrum, o.input_memory,
                                       "input_memory", Base::input, direct ? p.complex_space : p.complex_spectrum),
                 .output = placed_array(recipe, comm.rank(), direct ? recipe.spectrum : recipe.space, o.output_memory,
                                        "output_memory", Base::output, direct ? p.complex_spectrum : p.complex_space)};
  if (!recipe.applied) return all;
  const auto& [own, other] = to_outputs ? std::tie(all.input, all.output) : std::tie(all.output, all.input);
  all.applied = placed_array(recipe, comm.rank(), applied_layout(own.layout, operated(recipe)),
                             to_outputs ? o.input_memory : o.output_memory,
                             to_outputs ? "input_memory" : "output_memory", Base::output, own.complex);
  all.middle = placed_array(recipe, comm.rank(), recipe.applied->middle, {}, "", Base::fixed, other.complex);
  return all;
}

PlanArrays::EndsOfRun PlanArrays::ends(Direction direction, bool applies) const {
  const bool fwd = direction == Direction::forward;
  if (applies) return {fwd ? input : output, applied, fwd ? "apply" : "apply_physical"};
  return {fwd ? input : output, fwd ? output : input, fwd ? "forward" : "backward"};
}

bool PlanArrays::have_same_places(const CheckedProblem& p) const {
  const auto& a = input.complex ? output.patches : input.patches;  // reals, where there are any
  const auto& b = input.complex ? input.patches : output.patches;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Patch& x, const Patch& y) {
    return p.real ? same_row(x, y, p.real_axis, static_cast<Index>(size_of(p.scalar))) : same_place(x, y);
  });
}

std::shared_ptr<const MiddleArray> middle_array(const Recipe& recipe, const PlanArray& middle) {
  const CheckedProblem& p = recipe.problem;
  auto array = std::make_shared<MiddleArray>(MiddleArray{
      .precision = p.asked.precision, .complex = middle.complex, .owners = middle.owners, .places = middle.patches});
  const Shape& global = middle.layout.global();
  for (int a = 0; a < global.dims(); ++a) array->wave.push_back(wave_along(p, a, global[a], sees_spectrum(recipe)));
  for (Patch& patch : array->places) {
    patch.offset /= middle.element_bytes(p.scalar);
    for (int a = 0; a < global.dims(); ++a) patch.strides[a] /= middle.element_bytes(p.scalar);
  }
  return array;
}

bool sees_spectrum(const Recipe& recipe) {
  return (recipe.choices.options.apply == Apply::to_outputs) == recipe.problem.analysis_is_forward();
}

const Stage::Operated& operated(const Recipe& recipe) {
  return *std::find_if(recipe.applied->stages.begin(), recipe.applied->stages.end(), [](const Stage& stage) {
            return stage.operates.has_value();
          })->operates;
}

}  // namespace shardfft
