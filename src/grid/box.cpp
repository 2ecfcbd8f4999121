#include "shardfft/box.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {

void Coord::require_dims(std::size_t dims) {
  if (dims <= static_cast<std::size_t>(max_dims)) return;
  throw Error(Status::invalid_problem,
              fmt::format("an array has at most {} dimensions, got {}; merge batch dimensions", max_dims, dims));
}

void Coord::append(Index value, bool fits) {
  if (!fits)
    throw Error(Status::invalid_problem,
                fmt::format("a number of a shape is at most 2^63 - 1; got {}; use a smaller one",
                            static_cast<std::uint64_t>(value)));
  values_[static_cast<std::size_t>(dims_++)] = value;
}

Coord::Coord(std::span<const Index> values) {
  require_dims(values.size());
  dims_ = static_cast<int>(values.size());
  std::copy(values.begin(), values.end(), values_.begin());
}

Coord Coord::filled(int dims, Index value) {
  std::array<Index, max_dims> values{};
  values.fill(value);
  return Coord(std::span<const Index>(values.data(), static_cast<std::size_t>(dims)));
}

Index product(const Coord& c) {
  Index result = 1;
  for (const Index n : c)
    if (__builtin_mul_overflow(result, n, &result))
      throw Error(Status::invalid_problem,
                  fmt::format("an array has at most 2^63 - 1 = {} elements, got {}; use a smaller shape",
                              std::numeric_limits<Index>::max(), to_string(c)));
  return result;
}

std::string to_string(const Coord& c) { return fmt::format("{}", fmt::join(c.begin(), c.end(), " x ")); }

Shape Box::shape() const {
  Shape s = Coord::filled(dims(), 0);
  for (int a = 0; a < dims(); ++a) s[a] = extent(a);
  return s;
}

Index Box::count() const { return empty() ? 0 : product(shape()); }

bool Box::empty() const {
  for (int a = 0; a < dims(); ++a)
    if (lo[a] >= hi[a]) return true;
  return dims() == 0;
}

bool Box::contains(const Coord& at) const {
  for (int a = 0; a < dims(); ++a)
    if (at[a] < lo[a] || at[a] >= hi[a]) return false;
  return dims() > 0;
}

Box whole(const Shape& shape) { return {Coord::filled(shape.dims(), 0), shape}; }

Box intersect(const Box& a, const Box& b) {
  Box r = a;
  for (int d = 0; d < a.dims(); ++d) {
    r.lo[d] = std::max(a.lo[d], b.lo[d]);
    r.hi[d] = std::min(a.hi[d], b.hi[d]);
  }
  return r;
}

std::string to_string(const Box& box) {
  std::string text;
  for (int a = 0; a < box.dims(); ++a) text += fmt::format("{}[{},{})", a ? "x" : "", box.lo[a], box.hi[a]);
  return text;
}

}  // namespace shardfft
