#include <fmt/format.h>

#include "peer.hpp"

namespace shardfft::peers {

Shape Task::spectrum() const {
  Shape s = shape;
  if (kind == r2c) s[s.dims() - 1] = s[s.dims() - 1] / 2 + 1;
  return s;
}

std::string name_of(const Task& task, int ranks) {
  std::string extents;
  for (const Index n : task.shape) extents += fmt::format("{}{}", extents.empty() ? "" : "x", n);
  return fmt::format("{}-{}-{}-{}-{}x{}", extents, to_string(task.kind), to_string(task.precision), task.layout, ranks, task.threads);
}

}  // namespace shardfft::peers
