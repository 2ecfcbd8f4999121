#include "options/task.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "options/words.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::cli {
namespace {

/// The axis along which ranks share the file: the slowest that is at least an eighth of the longest, so that every rank
/// gets some and reads long stretches.
int cut_axis(const Shape& shape, const std::vector<int>& order) {
  const Index longest = *std::max_element(shape.begin(), shape.end());
  return *std::ranges::find_if(order, [&](int axis) { return 8 * shape[axis] >= longest; });
}

LayoutSpec file_layout(const std::string& option, const std::string& text, const Shape& shape, std::vector<int> order) {
  if (text.empty()) return usual_file_layout(shape, order);
  const LayoutSpec spec = parse_layout(text, shape.dims());
  if (spec.kind == LayoutSpec::Kind::any) {
    throw Error(Status::invalid_layout, fmt::format("{} of a file must say who reads or writes what; got 'any'; leave "
                                                    "it out, or use slabs:0, pencils:A or bricks",
                                                    option));
  }
  return std::ranges::is_sorted(order) ? spec : spec.ordered(std::move(order));
}

/// NumPy's precision: float16, float32 and complex64 stay single, everything else is double.
Precision natural_precision(const files::Dtype& dtype) {
  const bool single = (dtype.kind == 'f' && dtype.size <= 4) || (dtype.kind == 'c' && dtype.size == 8);
  return single ? Precision::f32 : Precision::f64;
}

void require_dimension(const Shape& shape) {
  if (shape.dims() == 0)
    throw Error(Status::invalid_problem,
                "a transform needs at least 1 dimension; got a 0-dimensional array; store it with reshape(1)");
}

void require_points(const Shape& shape, const std::vector<int>& axes) {
  for (const int axis : axes)
    if (shape[axis] == 0)
      throw Error(Status::invalid_problem,
                  fmt::format("a transform needs at least 1 point along every axis that it transforms; got an array of "
                              "{}; leave axis {} out of --axes",
                              to_string(shape), axis));
}

/// How many modes `half` elements of a half spectrum are, of a transform with `all` points if that is said: all of
/// them, or an odd number, whose elements are all whole as in numpy.fft.irfft(half, all). An even number, whose last
/// element holds two frequencies, must be asked for.
Index real_extent(Index half, std::optional<Index> asked, std::optional<Index> all) {
  if (all && !asked && half <= *all / 2 + 1) return std::min(*all, 2 * half - 1);
  if (half == 1 && asked != 1) {
    throw Error(Status::invalid_problem, fmt::format("a half spectrum of 1 element stands for 0 or 1 real points, and "
                                                     "0 cannot be transformed; got {}; pass --real-length 1",
                                                     asked ? fmt::format("--real-length {}", *asked) : "1 element"));
  }
  const Index usual = all ? std::min(*all, 2 * half - 1) : 2 * (half - 1);
  const Index n = asked.value_or(2 * (half - 1));
  if (n < 0 || n / 2 + 1 != half) {
    throw Error(
        Status::invalid_problem,
        fmt::format("--real-length must be {} or {} for a half spectrum of {} elements; got {}; leave it out for {}",
                    2 * (half - 1), 2 * half - 1, half, n, usual));
  }
  return n;
}

void check_apply(const TransformWords& words, bool backward, bool fortran_order) {
  const auto refuse = [&](const char* rule, const std::string& got) {
    throw Error(Status::invalid_argument,
                fmt::format("{} {}; got {}", words.command == "transform" ? "--apply" : words.command, rule, got));
  };
  if (backward) refuse("goes forward and back, of --kind c2c or r2c; leave out --direction", "a transform backward");
  if (words.verify) refuse("has no exact answer to be compared with; leave it out", "--verify");
  if (!words.output.empty()) refuse("writes OUT as IN is read; leave it out", "--output");
  if (fortran_order) refuse("takes arrays in C order; store it with numpy.ascontiguousarray", "one in Fortran order");
}

Direction direction_of(const TransformWords& words, Kind kind) {
  if (words.direction.empty()) return kind == c2r ? Direction::backward : Direction::forward;
  return parse_direction(words.direction);
}

Shape all_or(const Coord& asked, Shape all) {
  for (int a = 0; a < asked.dims(); ++a)
    if (asked[a] > 0) all[a] = asked[a];
  return all;
}

// Logical extents, those of the file unless --shape says more; then the file has fewer points of them, or fewer modes.
void put_extents(Task& task, const TransformWords& words, const Shape& given) {
  const bool forward = task.direction == Direction::forward;
  Problem& problem = task.problem;
  problem.shape = words.shape.empty() ? given : parse_extents("--shape", words.shape);
  if (problem.shape.dims() != given.dims())
    throw Error(Status::invalid_argument,
                fmt::format("--shape must have the {} dimensions of '{}'; got {}; leave it out for the extents of the "
                            "file",
                            given.dims(), words.in, words.shape));
  for (int axis = 0; axis < given.dims(); ++axis)
    if (given[axis] > problem.shape[axis])
      throw Error(Status::invalid_argument,
                  fmt::format("--shape must be at least the extents of '{}', {}; got {} along axis {}; cut the array "
                              "before",
                              words.in, to_string(given), problem.shape[axis], axis));
  if (!(forward ? words.support : words.modes).empty())
    throw Error(Status::invalid_argument,
                fmt::format("{} says what OUT has, and IN has what it has; got it for {}; give --shape, the logical "
                            "extents{}, instead",
                            forward ? "--support" : "--modes", forward ? "points to modes" : "modes to points",
                            forward ? "" : ", and --real-length, the modes of a half spectrum"));
  if (given != problem.shape) (forward ? problem.support : problem.modes) = given;
  (forward ? problem.modes : problem.support) = parse_fewer(
      forward ? "--modes" : "--support", forward ? words.modes : words.support, problem.shape, problem.axes);
}

}  // namespace

Task make_task(const TransformWords& words, const files::ArrayInfo& in) {
  files::about_file(words.in, [&] { require_dimension(in.shape); });
  const std::vector<int> axes = files::about_file(words.in, [&] { return parse_axes(words.axes, in.shape.dims()); });
  files::about_file(words.in, [&] { require_points(in.shape, axes); });
  const std::vector<AxisKind> kinds = parse_kinds(words.kinds, axes.size());
  const bool stays_real = !words.apply.empty() && !in.type.complex();  // OUT is as IN
  const Kind kind = parse_kind(words.kind, kinds, !in.type.complex(), stays_real ? r2c : c2c);
  const Norm norm = parse_norm(words.norm);
  const Direction asked = direction_of(words, kind);
  Task task{.in = in.shape, .out = in.shape};
  task.direction = kind == c2r ? Direction::backward : asked;
  task.kind = kind;
  task.problem.kind = kind == c2r ? r2c : kind;
  task.problem.kinds = kinds;
  task.problem.precision = words.precision.empty() ? natural_precision(in.type) : parse_precision(words.precision);
  task.problem.axes = axes;
  (task.direction == Direction::forward ? task.problem.forward : task.problem.backward) =
      asked == Direction::forward ? norm.forward : norm.backward;

  const bool halves = kind == r2c || kind == c2r, to_half = kind == r2c && asked == Direction::forward,
             from_half = halves && !to_half;
  const int half_axis = halves ? real_axis(task.problem) : -1;
  if (!words.apply.empty()) task.problem.backward = norm.backward;
  if (words.real_length && !from_half) {
    throw Error(
        Status::invalid_argument,
        fmt::format("--real-length is for transforms from a half spectrum to reals; got --kind {}; leave it out",
                    to_string(kind)));
  }
  if ((to_half || kind == r2r) && in.type.complex()) {
    throw Error(Status::invalid_argument, fmt::format("--kind {} needs real elements; '{}' has {}; use --kind c2c",
                                                      to_string(kind), words.in, to_string(in.type)));
  }
  if (!words.apply.empty())
    check_apply(words, from_half || asked == Direction::backward, !std::ranges::is_sorted(in.order));
  Shape given = in.shape;  // of the file: points, or modes
  if (from_half)
    given[half_axis] = files::about_file(words.in, [&] {
      const Shape all = words.shape.empty() ? Shape{} : parse_extents("--shape", words.shape);
      return real_extent(in.shape[half_axis], words.real_length,
                         all.dims() == given.dims() ? std::optional(all[half_axis]) : std::nullopt);
    });
  task.complex_in = !to_half && kind != r2r;
  task.complex_out = !from_half && kind != r2r && (words.apply.empty() || !to_half);
  put_extents(task, words, given);
  if (!words.apply.empty()) return task;  // OUT is as IN
  task.out = task.direction == Direction::forward ? all_or(task.problem.modes, task.problem.shape)
                                                  : all_or(task.problem.support, task.problem.shape);
  if (to_half) task.out[half_axis] = task.out[half_axis] / 2 + 1;
  return task;
}

LayoutSpec usual_file_layout(const Shape& shape, const std::vector<int>& order) {
  const LayoutSpec spec = slabs(cut_axis(shape, order));
  return std::ranges::is_sorted(order) ? spec : spec.ordered(order);
}

FileLayouts file_layouts(const TransformWords& words, const Task& task, const std::vector<int>& order_in) {
  std::vector<int> c_order = order_in;
  std::ranges::sort(c_order);
  return {file_layout("--input", words.input, task.in, order_in),
          file_layout("--output", words.apply.empty() ? words.output : words.input, task.out, c_order)};
}

}  // namespace shardfft::cli
