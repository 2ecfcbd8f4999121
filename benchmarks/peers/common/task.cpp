#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "peer.hpp"

namespace shardfft::peers {

std::vector<int> Task::transformed() const {
  if (!axes.empty()) return axes;
  std::vector<int> all(static_cast<std::size_t>(shape.dims()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> Task::transformed_of_array() const {
  std::vector<int> numbers = transformed();
  for (int& axis : numbers) axis += first_axis();
  return numbers;
}

Index Task::points() const {
  Index n = 1;
  for (const int axis : transformed()) n *= shape[axis];
  return n;
}

Shape Task::spectrum() const {
  Shape s = shape;
  if (kind == r2c) s[transformed().back()] = s[transformed().back()] / 2 + 1;
  return s;
}

double Task::unscaled_gain() const {
  double gain = 1;
  for (const int axis : transformed()) gain *= static_cast<double>(logical_length(axis_kind, shape[axis]));
  return gain;
}

Coord Task::behind_batch(const Coord& of_field, Index first) const {
  std::vector<Index> numbers(of_field.begin(), of_field.end());
  if (batch > 1) numbers.insert(numbers.begin(), first);
  return Coord(std::span<const Index>(numbers));
}

std::string name_of(const Task& task, int ranks) {
  std::string name = fmt::format("{}-{}-{}-{}-{}x{}", fmt::join(task.shape, "x"), task.kind_word(),
                                 to_string(task.precision), task.layout, ranks, task.threads);
  if (task.batch > 1) name += fmt::format("-batch{}", task.batch);
  if (!task.axes.empty()) name += fmt::format("-axes{}", fmt::join(task.axes, ","));
  if (task.grid.dims() > 0) name += fmt::format("-grid{}", fmt::join(task.grid, "x"));
  return name;
}

}  // namespace shardfft::peers
