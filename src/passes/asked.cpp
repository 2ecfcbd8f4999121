#include "passes/asked.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "files/file_runs.hpp"
#include "planner/problem/problem.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"

namespace shardfft::files {

FileTransform asked_of(const Problem& problem, Direction direction, bool applies) {
  if (problem.kind == Kind::move)
    throw Error(Status::unsupported, "passes transform; got a problem of kind move; copy the file");
  FileTransform t{.problem = problem, .direction = direction, .applies = applies};
  const CheckedProblem checked = check(problem);
  t.problem.axes = checked.axes;
  t.real_axis = checked.real_axis;
  if (problem.kind == c2r) {
    t.problem.kind = r2c;
    std::swap(t.problem.forward, t.problem.backward);
    t.direction = direction == Direction::forward ? Direction::backward : Direction::forward;
  }
  if (applies && t.direction == Direction::backward)
    throw Error(Status::unsupported,
                "an operator in passes acts on the spectrum of c2c, r2c or r2r; got c2r; take r2c instead");
  const bool forward = t.direction == Direction::forward;
  t.in = forward ? checked.space : checked.spectrum;
  t.far = forward ? checked.spectrum : checked.space;
  t.out = applies ? t.in : t.far;
  t.result_order = c_order(t.out.dims());
  t.complex_in = forward ? checked.complex_space : checked.complex_spectrum;
  t.complex_out = forward != applies ? checked.complex_spectrum : checked.complex_space;
  return t;
}

void require_array(const FileTransform& asked, const File& in) {
  if (in.info().shape != asked.in)
    throw Error(Status::invalid_argument,
                fmt::format("the problem is of an array of {}; '{}' has {}; give the problem its extents",
                            to_string(asked.in), in.name(), to_string(in.info().shape)));
  if (in.info().type.complex() && !asked.complex_in)
    throw Error(Status::invalid_argument, fmt::format("the problem takes reals; '{}' has {}; take another kind",
                                                      in.name(), to_string(in.info().type)));
  if (asked.applies && !std::ranges::is_sorted(in.info().order))
    throw Error(Status::unsupported, fmt::format("an operator takes arrays in C order; '{}' has another; store it with "
                                                 "numpy.ascontiguousarray",
                                                 in.name()));
}

}  // namespace shardfft::files
