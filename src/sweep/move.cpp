#include "sweep/move.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>

namespace shardfft {
namespace {

struct Axis {
  Index n, from, to;
};

struct Loops {
  std::array<Axis, max_dims> axes{};
  int count = 0;
};

// Axes of extent 1 left out, outermost (largest step of the target) first, neighbours that lie behind each other in both places merged.
Loops loops_of(const Coord& from, const Coord& to, const Shape& shape) {
  Loops l;
  for (int a = 0; a < shape.dims(); ++a) {
    if (shape[a] <= 1) continue;
    int at = l.count++;  // sorted by insertion: nothing is allocated here
    for (; at > 0 && l.axes[static_cast<std::size_t>(at - 1)].to < to[a]; --at) l.axes[static_cast<std::size_t>(at)] = l.axes[static_cast<std::size_t>(at - 1)];
    l.axes[static_cast<std::size_t>(at)] = {shape[a], from[a], to[a]};
  }
  int kept = 0;
  for (int i = 1; i < l.count; ++i) {
    Axis& outer = l.axes[static_cast<std::size_t>(kept)];
    const Axis inner = l.axes[static_cast<std::size_t>(i)];
    if (outer.from == inner.from * inner.n && outer.to == inner.to * inner.n)
      outer = {outer.n * inner.n, inner.from, inner.to};
    else
      l.axes[static_cast<std::size_t>(++kept)] = inner;
  }
  l.count = l.count ? kept + 1 : 0;
  return l;
}

template <class Element>
void copy_line(const std::byte* from, std::byte* to, const Axis& axis) {
  for (Index i = 0; i < axis.n; ++i) std::memcpy(to + i * axis.to, from + i * axis.from, sizeof(Element));
}

template <class Element>
struct Copier {
  const Loops& loops;

  // The axis that is contiguous in `from` and the one that is contiguous in `to` are walked in small squares, so that both sides use whole cache lines.
  void squares(const std::byte* from, std::byte* to, const Axis& a, const Axis& b) const {
    constexpr Index side = 16;
    for (Index i = 0; i < a.n; i += side)
      for (Index j = 0; j < b.n; j += side)
        for (Index k = i; k < std::min(a.n, i + side); ++k)
          copy_line<Element>(from + k * a.from + j * b.from, to + k * a.to + j * b.to, {std::min(b.n - j, side), b.from, b.to});
  }

  void run(int level, const std::byte* from, std::byte* to) const {
    const Axis& axis = loops.axes[static_cast<std::size_t>(level)];
    const bool last = level + 1 == loops.count;
    if (last && axis.from == sizeof(Element) && axis.to == sizeof(Element)) {
      std::memcpy(to, from, static_cast<std::size_t>(axis.n) * sizeof(Element));
    } else if (last) {
      copy_line<Element>(from, to, axis);
    } else if (level + 2 == loops.count && loops.axes[static_cast<std::size_t>(level + 1)].from > axis.from) {
      squares(from, to, axis, loops.axes[static_cast<std::size_t>(level + 1)]);
    } else {
      for (Index i = 0; i < axis.n; ++i) run(level + 1, from + i * axis.from, to + i * axis.to);
    }
  }
};

template <class Element>
void copy(const Loops& loops, const std::byte* from, std::byte* to) {
  if (loops.count == 0)
    std::memcpy(to, from, sizeof(Element));
  else
    Copier<Element>{loops}.run(0, from, to);
}

}  // namespace

void copy_box(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides, const Shape& shape, Index element_bytes) {
  for (const Index n : shape)
    if (n == 0) return;
  const Loops loops = loops_of(from_strides, to_strides, shape);
  if (element_bytes == sizeof(float))
    copy<float>(loops, from, to);
  else if (element_bytes == sizeof(double))
    copy<double>(loops, from, to);
  else
    copy<std::complex<double>>(loops, from, to);
}

}  // namespace shardfft
