// Places of a plan's arrays: the caller's, and those that apply() never stores.
#include <algorithm>

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

}  // namespace

CallerArray Plan::Impl::placed(const Layout& layout, const std::vector<Placement>& given, const char* name, Base base,
                               bool complex, std::size_t& bytes) const {
  const Coord one = Coord::filled(layout.global().dims(), 1);
  CallerArray array{.layout = layout, .complex = complex, .owners = owners_of(layout)};
  const bool padded = !complex && options().padded_reals;
  const OwnPart part =
      padded
          ? OwnPart{layout.boxes(comm.rank()), padded_placements(layout, comm.rank(), recipe.problem.real_axis, name)}
      : array.owners == one ? OwnPart{layout.boxes(comm.rank()), placements(layout, comm.rank(), given, name)}
                            : own_part(layout, comm.rank(), given, name);
  array.patches = caller_patches(part.boxes, part.placements, base, array.element_bytes(recipe.problem.scalar));
  bytes = static_cast<std::size_t>(extent_of(part.boxes, part.placements) * array.element_bytes(recipe.problem.scalar));
  return array;
}

void Plan::Impl::place_callers_arrays() {
  const bool direct = recipe.problem.analysis_is_forward();
  const CheckedProblem& p = recipe.problem;
  input = placed(direct ? recipe.space : recipe.spectrum, options().input_memory, "input_memory", Base::input,
                 direct ? p.complex_space : p.complex_spectrum, input_bytes);
  output = placed(direct ? recipe.spectrum : recipe.space, options().output_memory, "output_memory", Base::output,
                  direct ? p.complex_spectrum : p.complex_space, output_bytes);
  if (recipe.applied) place_applied();
}

// The result lies as its input does. What is in the middle is never stored: its places are those of arrays beside it.
void Plan::Impl::place_applied() {
  const bool to_outputs = options().apply == Apply::to_outputs;
  const CallerArray& own = to_outputs ? input : output;
  const Stage::Operated& operated = this->operated();
  Layout layout = own.layout;
  if (operated.in != operated.out) {
    if (!layout.is_whole_along(0))
      throw Error(Status::invalid_layout,
                  fmt::format("components that an operator changes in number lie on one rank; got axis 0 cut over {}; "
                              "take a layout that cuts other axes",
                              layout.describe()));
    layout = with_extent(layout, 0, operated.out);
    layout = Layout(layout.spec().ordered(own.layout.order()), layout.global(), layout.ranks());
  }
  applied = placed(layout, to_outputs ? options().input_memory : options().output_memory,
                   to_outputs ? "input_memory" : "output_memory", Base::output, own.complex, applied_bytes);
  std::size_t bytes = 0;
  middle = placed(recipe.applied->middle, {}, "", Base::fixed, (to_outputs ? output : input).complex, bytes);
  middle_bytes = bytes;
}

std::shared_ptr<const MiddleArray> Plan::Impl::middle_array() const {
  const CheckedProblem& p = recipe.problem;
  auto array = std::make_shared<MiddleArray>(MiddleArray{
      .precision = p.asked.precision, .complex = middle.complex, .owners = middle.owners, .places = middle.patches});
  const Shape& global = middle.layout.global();
  for (int a = 0; a < global.dims(); ++a) array->wave.push_back(wave_along(p, a, global[a], sees_spectrum()));
  for (Patch& patch : array->places) {
    patch.offset /= middle.element_bytes(p.scalar);
    for (int a = 0; a < global.dims(); ++a) patch.strides[a] /= middle.element_bytes(p.scalar);
  }
  return array;
}

// Tiles, which are whole along the real axis, then find what they read where they write it.
bool Plan::Impl::have_same_places() const {
  const CheckedProblem& p = recipe.problem;
  const auto& a = input.complex ? output.patches : input.patches;  // reals, where there are any
  const auto& b = input.complex ? input.patches : output.patches;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Patch& x, const Patch& y) {
    return p.real ? same_row(x, y, p.real_axis, static_cast<Index>(size_of(p.scalar))) : same_place(x, y);
  });
}

}  // namespace shardfft
