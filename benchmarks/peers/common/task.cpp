#include <fmt/format.h>
#include <fmt/ranges.h>

#include "peer.hpp"

namespace shardfft::peers {

Shape Task::spectrum() const {
  Shape s = shape;
  if (kind == r2c) s[s.dims() - 1] = s[s.dims() - 1] / 2 + 1;
  return s;
}

double Task::unscaled_gain() const {
  double gain = 1;
  for (const Index n : shape) gain *= static_cast<double>(logical_length(axis_kind, n));
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
  if (task.grid.dims() > 0) name += fmt::format("-grid{}", fmt::join(task.grid, "x"));
  return name;
}

}  // namespace shardfft::peers
