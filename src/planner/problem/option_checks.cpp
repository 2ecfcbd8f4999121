#include "planner/problem/option_checks.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grid/layout_checks.hpp"
#include "planner/options/choices.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

// Before anything is computed from them. Boxes are compared with each other when the layout is made.
void check_layouts(const CheckedProblem& p, const Options& o, int ranks) {
  const bool direct = p.analysis_is_forward();
  for (const auto& [spec, shape] :
       {std::pair(&o.input, direct ? &p.space : &p.spectrum), {&o.output, direct ? &p.spectrum : &p.space}}) {
    if (spec->kind == LayoutSpec::Kind::any && !spec->order.empty())
      throw Error(Status::invalid_layout, fmt::format("`any` leaves the layout and its memory order to the planner; "
                                                      "got the order {}; name a layout, such as slabs(0)",
                                                      fmt::join(spec->order, ",")));
    if (spec->kind != LayoutSpec::Kind::any && spec->kind != LayoutSpec::Kind::boxes)
      check_layout(*spec, *shape, ranks);
  }
}

void check_padding(const CheckedProblem& p, const Options& o) {
  if (!o.padded_reals) return;
  if (!p.real)
    throw Error(
        Status::invalid_argument,
        fmt::format("padded_reals belongs to r2c and c2r, whose rows of reals it lengthens; got {}; leave it out",
                    to_string(p.asked.kind)));
  const bool direct = p.analysis_is_forward();
  if (!(direct ? o.input_memory : o.output_memory).empty())
    throw Error(Status::invalid_argument,
                fmt::format("padded_reals says where the reals lie, and so does options.{}; got both; leave one out",
                            direct ? "input_memory" : "output_memory"));
}

// Checks the options that only apply() has.
void check_components(const CheckedProblem& p, const Options& o) {
  const auto refuse = [](const std::string& text) { throw Error(Status::invalid_argument, text); };
  if (o.apply == Apply::none) {
    if (o.components_in != 0 || o.components_out != 0)
      refuse(
          fmt::format("components are of plans with the option apply; got components_in {} and components_out {}; set "
                      "apply, or leave them 0",
                      o.components_in, o.components_out));
    return;
  }
  if (o.components_in == 0) {
    if (o.components_out > 0)
      refuse(fmt::format("components_out goes with components_in; got {} and 0; set both", o.components_out));
    return;
  }
  if (std::find(p.axes.begin(), p.axes.end(), 0) != p.axes.end())
    refuse(
        fmt::format("components lie along axis 0, which is not transformed; got components_in {} and axes {}; name the "
                    "other axes",
                    o.components_in, fmt::join(p.axes, ",")));
  if (const Index first = p.asked.shape[0]; o.components_in != first)
    refuse(fmt::format("components_in is the extent of axis 0, {}; got {}; make them equal", first, o.components_in));
}

// What operators can be between.
void check_apply(const CheckedProblem& p, const Options& o) {
  if (o.apply == Apply::none) return;
  const auto refuse = [](const char* text) { throw Error(Status::unsupported, text); };
  if (p.moves()) refuse("operators act between two transforms; got a plan that only moves; leave apply out");
  if (!o.device.empty() && o.arrays == "host")
    refuse(
        "apply takes arrays that are where its sweeps are; got arrays = host with a device; take arrays = device, or "
        "leave the device out");
  if (o.tolerance_absolute > 0 || o.tolerance_linf > 0)
    refuse(
        "apply keeps a tolerance relative to the largest factor of the operator and the norm of the input; got an "
        "absolute one, or one for elements; use tolerance");
  if (!has_tolerance(o) && !(o.expert.codec.empty() || o.expert.codec == "none"))
    refuse(
        "apply loses what a tolerance allows: an operator may enlarge what was lost before it; got a codec alone; "
        "give a tolerance beside it");
  if (o.expert.split == SplitAxis::always)
    refuse("plans with the option apply split no axis; got split always; leave it out");
}

// What only moves loses nothing, and has no axes.
void check_move(const CheckedProblem& p, const Options& o) {
  if (!p.moves()) return;
  const auto refuse = [](const std::string& text) {
    throw Error(Status::unsupported, "a plan that only moves " + text);
  };
  if (has_tolerance(o)) refuse("is exact; got a tolerance; leave it out");
  if (!(o.expert.codec.empty() || o.expert.codec == "none"))
    refuse(fmt::format("is exact; got codec {}; leave it out", o.expert.codec));
  if (!o.expert.axis_order.empty())
    refuse(fmt::format("transforms no axes; got axis_order {}; leave it out", fmt::join(o.expert.axis_order, ",")));
  if (!o.device.empty() && size_of(p.scalar) < 4)
    refuse(fmt::format("has elements of 4 bytes or more on a device; got {}; move them on the host, or 4 bytes at once",
                       size_of(p.scalar)));
}

}  // namespace

void check_options(const CheckedProblem& problem, const Options& options, int ranks) {
  check_layouts(problem, options, ranks);
  check_padding(problem, options);
  check_move(problem, options);
  check_apply(problem, options);
  check_components(problem, options);
}

}  // namespace shardfft
