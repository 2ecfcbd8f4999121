#include "verify/noise.hpp"

#include <cstdint>

#include <omp.h>

namespace shardfft {
namespace {

/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64's finaliser).
std::uint64_t mix(std::uint64_t z) {
  z = (z + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

/// 24 bits are exact in both precisions, so f32 and f64 runs see the same data.
template <class T>
T noise(std::uint64_t number) {
  return static_cast<T>(static_cast<double>(mix(number) >> 40) * 0x1p-23 - 1.0);
}

/// Where an axis of a box moves the row-major number of the element, slowest axis of memory first.
struct Walk {
  Index first = 0;
  int dims = 0;
  Index extent[max_dims], stride[max_dims];

  Walk(const Box& box, const Layout& layout) : dims(box.dims()) {
    Coord strides = Coord::filled(dims, 1);
    for (int a = dims - 2; a >= 0; --a) strides[a] = strides[a + 1] * layout.global()[a + 1];
    for (int i = 0; i < dims; ++i) {
      const int axis = layout.order().empty() ? i : layout.order()[static_cast<std::size_t>(i)];
      extent[i] = box.extent(axis);
      stride[i] = strides[axis];
      first += box.lo[axis] * strides[axis];
    }
  }
  /// Row-major number of the first element of the `row`-th row of memory.
  [[nodiscard]] Index row_start(Index row) const {
    Index at = first;
    for (int i = dims - 2; i >= 0; --i) {
      at += row % extent[i] * stride[i];
      row /= extent[i];
    }
    return at;
  }
};

template <class T>
void fill_box(const Walk& walk, Index count, int parts, T* out, int threads) {
  const Index length = walk.extent[walk.dims - 1], step = walk.stride[walk.dims - 1];
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index row = 0; row < count / length; ++row) {
    const Index start = walk.row_start(row);
    T* const to = out + row * length * parts;
    for (Index i = 0; i < length; ++i) {
      const auto number = static_cast<std::uint64_t>(start + i * step) * static_cast<std::uint64_t>(parts);
      for (int p = 0; p < parts; ++p) to[i * parts + p] = noise<T>(number + static_cast<std::uint64_t>(p));
    }
  }
}

template <class T>
void fill(const Layout& layout, int rank, int parts, Array& memory, int threads) {
  T* out = memory.as<T>().data();
  for (const Box& box : layout.boxes(rank)) {
    fill_box(Walk(box, layout), box.count(), parts, out, threads);
    out += box.count() * parts;
  }
}

}  // namespace

void fill_with_noise(const Layout& layout, int rank, Precision precision, bool complex, Array& memory, int threads) {
  const int parts = complex ? 2 : 1;
  precision == Precision::f32 ? fill<float>(layout, rank, parts, memory, threads) : fill<double>(layout, rank, parts, memory, threads);
}

}  // namespace shardfft
