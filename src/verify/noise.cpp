#include "verify/noise.hpp"

#include "shardfft/programs/team.hpp"
#include "verify/rows.hpp"

namespace shardfft {
namespace {

constexpr std::uint64_t odd_step = 0x9e3779b97f4a7c15U;

/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64's finaliser).
std::uint64_t split_mix(std::uint64_t z) {
  z = (z + odd_step) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

double value(std::uint64_t number) { return static_cast<double>(split_mix(number) >> 40) * 0x1p-23 - 1.0; }

/// The rows of a part with the numbers of their reals in the global array.
struct NumberedRows {
  Rows rows;
  Coord strides;  ///< row-major, in elements
  std::uint64_t start, parts;

  NumberedRows(const LocalPart& part, const Noise& noise)
      : rows(LocalBox{part.box, part.data, part.strides, part.steps}),
        strides(Coord::filled(noise.global.dims(), 1)),
        start((noise.seed - 1) * odd_step),
        parts(noise.complex ? 2 : 1) {
    for (int a = strides.dims() - 2; a >= 0; --a) strides[a] = strides[a + 1] * noise.global[a + 1];
  }
  /// Number of the first real of the row at `at`.
  [[nodiscard]] std::uint64_t first(const Coord& at) const {
    Index number = 0;
    for (int a = 0; a < at.dims(); ++a) number += at[a] * strides[a];
    return start + static_cast<std::uint64_t>(number) * parts;
  }
  [[nodiscard]] std::uint64_t step() const {
    return static_cast<std::uint64_t>(strides[rows.axis] * rows.steps[rows.axis]) * parts;
  }
};

template <class T>
void fill(const LocalPart& part, const Noise& noise, int threads) {
  const NumberedRows numbered(part, noise);
  const Rows& rows = numbered.rows;
  for_each_shared(threads, rows.count, [&](Index row) {
    const Coord at = rows.position(row);
    std::byte* to = part.data + (rows.address(at) - part.data);
    std::uint64_t number = numbered.first(at);
    for (Index i = 0; i < rows.length; ++i, to += rows.stride, number += numbered.step())
      for (std::uint64_t p = 0; p < numbered.parts; ++p)
        reinterpret_cast<T*>(to)[p] = static_cast<T>(value(number + p));
  });
}

template <class T>
Distance distance(const LocalPart& part, const Noise& noise, double factor, int threads) {
  const NumberedRows numbered(part, noise);
  const Rows& rows = numbered.rows;
  const auto add_row = [&](Index row, Distance& sum) {
    const Coord at = rows.position(row);
    const std::byte* from = rows.address(at);
    std::uint64_t number = numbered.first(at);
    for (Index i = 0; i < rows.length; ++i, from += rows.stride, number += numbered.step())
      for (std::uint64_t p = 0; p < numbered.parts; ++p) {
        const double wanted = value(number + p),
                     got = static_cast<double>(reinterpret_cast<const T*>(from)[p]) * factor;
        sum.difference2 += (got - wanted) * (got - wanted);
        sum.noise2 += wanted * wanted;
      }
  };
  std::vector<Distance> of_threads(static_cast<std::size_t>(std::max(threads, 1)));
  on_team(threads, [&](TeamMember me) {
    Distance own;
    for (Index row = me.begin(rows.count); row < me.end(rows.count); ++row) add_row(row, own);
    of_threads[static_cast<std::size_t>(me.thread)] = own;
  });
  Distance all;
  for (const Distance& own : of_threads) all.difference2 += own.difference2, all.noise2 += own.noise2;
  return all;
}

}  // namespace

void fill_with_noise(const LocalPart& part, const Noise& noise, int threads) {
  if (part.box.empty()) return;
  noise.precision == f32 ? fill<float>(part, noise, threads) : fill<double>(part, noise, threads);
}

std::vector<LocalPart> parts_in_a_row(const Layout& layout, int rank, std::byte* data, Index element_bytes,
                                      int padded) {
  std::vector<LocalPart> parts;
  const std::vector<int>& order = layout.order();
  const auto add = [&](const Box& box, const Coord& steps) {
    LocalPart part{box, data, Coord::filled(box.dims(), element_bytes), steps};
    Index stride = element_bytes;
    for (int i = box.dims() - 1; i >= 0; --i) {
      const int axis = order.empty() ? i : order[static_cast<std::size_t>(i)];
      part.strides[axis] = stride;
      stride *= axis == padded ? 2 * (box.extent(axis) / 2 + 1) : box.extent(axis);
    }
    data += stride;
    parts.push_back(part);
  };
  const int cyclic_axis = layout.spec().kind == LayoutSpec::Kind::cyclic ? layout.spec().axis : -1;
  if (cyclic_axis < 0) {
    for (const Box& box : layout.boxes(rank)) add(box, {});
  } else if (const Index n = layout.count(rank) / (product(layout.global()) / layout.global()[cyclic_axis]); n > 0) {
    Box box = whole(layout.global());
    Coord steps = Coord::filled(box.dims(), 1);
    box.lo[cyclic_axis] = rank, box.hi[cyclic_axis] = rank + n;
    steps[cyclic_axis] = layout.ranks();
    add(box, steps);
  }
  return parts;
}

void fill_with_noise(const Layout& layout, int rank, Precision precision, bool complex, Array& memory, int threads,
                     int padded) {
  const Index element = (precision == f32 ? 4 : 8) * (complex ? 2 : 1);
  for (const LocalPart& part : parts_in_a_row(layout, rank, memory.data(), element, padded))
    fill_with_noise(part, {.global = layout.global(), .precision = precision, .complex = complex}, threads);
}

Distance distance_from_noise(const LocalPart& part, const Noise& noise, double factor, int threads) {
  if (part.box.empty()) return {};
  return noise.precision == f32 ? distance<float>(part, noise, factor, threads)
                                : distance<double>(part, noise, factor, threads);
}

}  // namespace shardfft
