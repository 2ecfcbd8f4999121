#include "support/memory/copy_box.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shardfft {
namespace {

struct CopyLoop {
  Index n, from, to;
};

struct CopyLoops {
  std::array<CopyLoop, max_dims> axes{};
  int count = 0;
};

// Axes of extent 1 left out, outermost (largest step of the target) first, neighbours that lie behind each other in
// both places merged.
CopyLoops loops_of(const Coord& from, const Coord& to, const Shape& shape) {
  CopyLoops l;
  for (int a = 0; a < shape.dims(); ++a) {
    if (shape[a] <= 1) continue;
    int at = l.count++;  // sorted by insertion: nothing is allocated here
    for (; at > 0 && l.axes[static_cast<std::size_t>(at - 1)].to < to[a]; --at)
      l.axes[static_cast<std::size_t>(at)] = l.axes[static_cast<std::size_t>(at - 1)];
    l.axes[static_cast<std::size_t>(at)] = {shape[a], from[a], to[a]};
  }
  int kept = 0;
  for (int i = 1; i < l.count; ++i) {
    CopyLoop& outer = l.axes[static_cast<std::size_t>(kept)];
    const CopyLoop inner = l.axes[static_cast<std::size_t>(i)];
    if (outer.from == inner.from * inner.n && outer.to == inner.to * inner.n)
      outer = {outer.n * inner.n, inner.from, inner.to};
    else
      l.axes[static_cast<std::size_t>(++kept)] = inner;
  }
  l.count = l.count ? kept + 1 : 0;
  return l;
}

constexpr std::size_t line = 64;

// Whole lines, without reading those that are overwritten, nor keeping them.
inline void store_lines_non_temporal(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < bytes; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
  std::memcpy(to, from, bytes);
#endif
}

// memcpy, past the cache where lines are whole.
void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t head = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line),
                    whole = (bytes - head) / line * line;
  std::memcpy(to, from, head);
  store_lines_non_temporal(to + head, from + head, whole);
  std::memcpy(to + head + whole, from + head + whole, bytes - head - whole);
}

/// How one element is copied, as it is, conjugated, or added to what is there.
template <class T>
struct AsItIs {
  static constexpr Index bytes = sizeof(T);
  static constexpr bool plain = true;
  static void copy(const std::byte* from, std::byte* to) { std::memcpy(to, from, sizeof(T)); }
};
template <class T>
struct Conjugated {
  static constexpr Index bytes = 2 * sizeof(T);
  static constexpr bool plain = false;
  static void copy(const std::byte* from, std::byte* to) {
    T z[2];
    std::memcpy(z, from, sizeof z);
    z[1] = -z[1];
    std::memcpy(to, z, sizeof z);
  }
};

template <class T, int numbers>
struct Added {
  static constexpr Index bytes = numbers * sizeof(T);
  static constexpr bool plain = false;
  static void copy(const std::byte* from, std::byte* to) {
    T a[numbers], sum[numbers];
    std::memcpy(a, from, sizeof a);
    std::memcpy(sum, to, sizeof sum);
    for (int i = 0; i < numbers; ++i) sum[i] += a[i];
    std::memcpy(to, sum, sizeof sum);
  }
};

template <class Element>
void copy_line(const std::byte* from, std::byte* to, const CopyLoop& axis) {
  if (axis.from == Element::bytes && axis.to == Element::bytes)  // known to the compiler: whole vectors
    for (Index i = 0; i < axis.n; ++i) Element::copy(from + i * Element::bytes, to + i * Element::bytes);
  else
    for (Index i = 0; i < axis.n; ++i) Element::copy(from + i * axis.from, to + i * axis.to);
}

// Rows whose length the compiler knows: a line or two are copied in half the time that a call takes.
template <std::size_t bytes>
void copy_short_rows(const std::byte* from, std::byte* to, const CopyLoop& axis, bool non_temporal) {
  if (non_temporal && reinterpret_cast<std::uintptr_t>(to) % line == 0 && axis.to % static_cast<Index>(line) == 0)
    for (Index i = 0; i < axis.n; ++i) store_lines_non_temporal(to + i * axis.to, from + i * axis.from, bytes);
  else
    for (Index i = 0; i < axis.n; ++i) std::memcpy(to + i * axis.to, from + i * axis.from, bytes);
}

template <class Element>
struct Copier {
  static constexpr std::size_t worth_non_temporal = 512;  // bytes of a line
  const CopyLoops& loops;
  bool non_temporal;

  void contiguous(const std::byte* from, std::byte* to, std::size_t bytes) const {
    if (non_temporal && bytes >= worth_non_temporal)
      copy_past_cache(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
  }

  // The axis that is contiguous in `from` and the one that is contiguous in `to` are walked in small squares, so that
  // both sides use whole cache lines.
  void squares(const std::byte* from, std::byte* to, const CopyLoop& a, const CopyLoop& b) const {
    constexpr Index side = 16;
    for (Index i = 0; i < a.n; i += side)
      for (Index j = 0; j < b.n; j += side)
        for (Index k = i; k < std::min(a.n, i + side); ++k)
          copy_line<Element>(from + k * a.from + j * b.from, to + k * a.to + j * b.to,
                             {std::min(b.n - j, side), b.from, b.to});
  }

  [[nodiscard]] static bool is_contiguous(const CopyLoop& axis) {
    return Element::plain && axis.from == Element::bytes && axis.to == Element::bytes;
  }

  void run(int level, const std::byte* from, std::byte* to) const {
    const CopyLoop& axis = loops.axes[static_cast<std::size_t>(level)];
    const bool last = level + 1 == loops.count;
    const CopyLoop& innermost = loops.axes[static_cast<std::size_t>(loops.count - 1)];
    const Index row = level + 2 == loops.count && is_contiguous(innermost) ? innermost.n * Element::bytes : 0;
    if (last && is_contiguous(axis)) {
      contiguous(from, to, static_cast<std::size_t>(axis.n * Element::bytes));
    } else if (last) {
      copy_line<Element>(from, to, axis);
    } else if (row == 64) {
      copy_short_rows<64>(from, to, axis, non_temporal);
    } else if (row == 128) {
      copy_short_rows<128>(from, to, axis, non_temporal);
    } else if (level + 2 == loops.count &&
               std::abs(loops.axes[static_cast<std::size_t>(level + 1)].from) > std::abs(axis.from)) {
      squares(from, to, axis, loops.axes[static_cast<std::size_t>(level + 1)]);
    } else {
      for (Index i = 0; i < axis.n; ++i) run(level + 1, from + i * axis.from, to + i * axis.to);
    }
  }
};

template <class Element>
void copy(const CopyLoops& loops, const std::byte* from, std::byte* to, bool non_temporal) {
  if (loops.count == 0)
    Element::copy(from, to);
  else
    Copier<Element>{loops, non_temporal}.run(0, from, to);
}

}  // namespace

void copy_box(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides,
              const Shape& shape, Index element_bytes, bool non_temporal) {
  for (const Index n : shape)
    if (n == 0) return;
  const CopyLoops loops = loops_of(from_strides, to_strides, shape);
  if (element_bytes == 1)
    copy<AsItIs<std::uint8_t>>(loops, from, to, non_temporal);
  else if (element_bytes == 2)
    copy<AsItIs<std::uint16_t>>(loops, from, to, non_temporal);
  else if (element_bytes == sizeof(float))
    copy<AsItIs<float>>(loops, from, to, non_temporal);
  else if (element_bytes == sizeof(double))
    copy<AsItIs<double>>(loops, from, to, non_temporal);
  else
    copy<AsItIs<std::complex<double>>>(loops, from, to, non_temporal);
}

void copy_conjugates(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides,
                     const Shape& shape, Index number_bytes) {
  for (const Index n : shape)
    if (n == 0) return;
  // Upwards in the target, so that axes that go on in each other are found there.
  Coord up_from = from_strides, up_to = to_strides;
  for (int a = 0; a < shape.dims(); ++a)
    if (to_strides[a] < 0) {
      from += (shape[a] - 1) * from_strides[a];
      to += (shape[a] - 1) * to_strides[a];
      up_from[a] = -from_strides[a];
      up_to[a] = -to_strides[a];
    }
  const CopyLoops loops = loops_of(up_from, up_to, shape);
  if (number_bytes == sizeof(float))
    copy<Conjugated<float>>(loops, from, to, false);
  else
    copy<Conjugated<double>>(loops, from, to, false);
}

void add_box(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides,
             const Shape& shape, Index element_bytes, Index number_bytes) {
  for (const Index n : shape)
    if (n == 0) return;
  const CopyLoops loops = loops_of(from_strides, to_strides, shape);
  const bool complex = element_bytes != number_bytes;
  if (number_bytes == sizeof(float))
    complex ? copy<Added<float, 2>>(loops, from, to, false) : copy<Added<float, 1>>(loops, from, to, false);
  else
    complex ? copy<Added<double, 2>>(loops, from, to, false) : copy<Added<double, 1>>(loops, from, to, false);
}

}  // namespace shardfft
