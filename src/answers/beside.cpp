#include "answers/beside.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/refuse.hpp"

namespace shardfft {

void require_answering(const Plan& plan, const char* call) {
  const Problem& problem = plan.problem();
  const auto is_fourier = [](AxisKind kind) { return kind == AxisKind::fourier; };
  if ((problem.kind != c2c && problem.kind != r2c) ||
      !std::all_of(problem.kinds.begin(), problem.kinds.end(), is_fourier) ||
      (!problem.axes.empty() && static_cast<int>(problem.axes.size()) != problem.shape.dims()))
    refuse_argument(
        fmt::format("{}() is of Fourier transforms c2c or r2c along all axes; got {}", call, to_string(problem)));
  if (!plan.middle_is_spectrum())
    refuse_argument(
        fmt::format("{}() acts on spectra; got a plan for apply_physical(); make it with options.apply = "
                    "to_outputs",
                    call));
  if (plan.space() != Space::host)
    refuse_argument(fmt::format("{}() is of arrays in the memory of the host; got a plan on a device", call));
}

void require_bytes(const View& view, Index bytes, const char* what) {
  if (view.bytes == View::refused) refuse_argument(static_cast<const char*>(view.data));
  if (bytes > 0 && (!view.data || static_cast<Index>(view.bytes) < bytes))
    refuse_argument(fmt::format("{} has {} bytes on this rank; got {}", what, bytes,
                                view.data ? fmt::format("{}", view.bytes) : "a null pointer"));
}

Array transformed_beside(const Plan& plan, View x, bool whole) {
  Problem problem = plan.problem();
  problem.forward = Scaling::none;
  if (whole) problem.support = {};
  Options options{.input = plan.input().spec(), .output = plan.middle().spec()};
  // The bits depend on this order, and must not depend on how many ranks there are.
  for (int axis = problem.shape.dims(); axis-- > 0;) options.expert.axis_order.push_back(axis);
  if (!problem.axes.empty()) options.expert.axis_order.assign(problem.axes.rbegin(), problem.axes.rend());
  Plan beside(plan.comm(), problem, options);
  Array spectrum = beside.make_output();
  beside.forward(x, spectrum);
  return spectrum;
}

}  // namespace shardfft
