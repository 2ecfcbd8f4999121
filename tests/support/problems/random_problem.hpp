// Random problems: shapes, kinds, axes, layouts, memory orders, paddings, options. Everything follows from one seed.
#pragma once

#include <random>
#include <string>

#include "shardfft/shardfft.hpp"
#include "support/oracles/naive.hpp"

namespace shardfft::testing {

struct Case {
  std::uint64_t seed = 0;
  int ranks = 1;
  Problem problem{};
  Options options{};  ///< without placements: those differ by rank
  bool padded_in = false, padded_out = false;
  Shape in{}, out{};  ///< extents of forward's two arrays
};

/// At most `max_elements` elements, 1 to `max_ranks` ranks.
[[nodiscard]] Case random_case(std::uint64_t seed, Index max_elements, int max_ranks);
/// A case of `least` to `most` elements, in rows that fill tiles, fill them nearly, or go a little beyond them.
[[nodiscard]] Case random_case_of_long_rows(std::uint64_t seed, Index least, Index most, int max_ranks);
/// A case with kinds of axes: a real transform has one fourier axis at least.
[[nodiscard]] Case random_case_of_kinds(std::uint64_t seed, Index max_elements, int max_ranks);
/// A case with one real axis, r2c or c2r, whose length has two factors.
void take_one_real_axis(Case& c, bool to_reals, std::mt19937_64& random);
/// Fewer modes, or points, or both, along some of its axes; layouts are others.
void take_fewer(Case& c, std::mt19937_64& random);
/// Random boxes by bisection, cyclic over random ranks: several per rank, none for some.
[[nodiscard]] LayoutSpec random_boxes(std::mt19937_64& random, const Shape& shape, int ranks);
/// A block of slabs over n elements: blocks of all ranks cover them.
[[nodiscard]] Index random_block(std::mt19937_64& random, Index n, int ranks);
/// Any layout of an array of this shape, with a random memory order; never `any`.
[[nodiscard]] LayoutSpec random_layout(std::mt19937_64& random, const Shape& shape, int ranks);
[[nodiscard]] std::string to_string(const Case& c);

/// The axis with a half spectrum; -1: none.
[[nodiscard]] int real_axis(const Problem& problem);
/// Whether forward's two arrays are complex.
[[nodiscard]] inline bool complex_in(const Problem& p) { return p.kind != r2c && p.kind != r2r; }
[[nodiscard]] inline bool complex_out(const Problem& p) { return p.kind != c2r && p.kind != r2r; }

/// What forward (or backward) makes of `x`, by the definition, unscaled.
[[nodiscard]] Whole transformed(const Problem& problem, const Whole& x, Direction direction);

/// Place of a rank's boxes in memory, counted in elements; computed here, not by the library.
struct LocalMemory {
  std::vector<Box> boxes{};
  std::vector<Placement> places{};
  Index elements = 0;
  [[nodiscard]] Index position(std::size_t box, const Coord& at) const;
};
/// The default: box after box in the layout's order; a cyclic layout is one local array.
[[nodiscard]] LocalMemory packed_memory(const Layout& layout, int rank);
/// Random gaps before boxes and between rows and planes.
[[nodiscard]] LocalMemory padded_memory(const Layout& layout, int rank, std::mt19937_64& random);

}  // namespace shardfft::testing
