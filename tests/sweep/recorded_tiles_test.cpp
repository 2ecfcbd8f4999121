// Sweeps that have written their tiles down against those that find them in every run: the same bits, wherever the
// buffers of a run are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "support/chosen.hpp"
#include "support/memory/buffer.hpp"
#include "support/problems/layouts.hpp"
#include "support/problems/random_problem.hpp"
#include "sweep/sweep.hpp"

namespace shardfft::testing {
namespace {

constexpr Index element = 16;

// Two arrays of a caller, and memory of somebody else: each patch lies in one of the two.
struct Memories {
  std::vector<double> input, output, others;
  explicit Memories(std::mt19937_64& random, Index elements) {
    for (auto* all : {&input, &output, &others})
      for (Index i = 0; i < 2 * elements; ++i) all->push_back(static_cast<double>(pick(random, -1000, 1000)) / 64);
  }
};

std::byte* bytes_of(std::vector<double>& memory) { return reinterpret_cast<std::byte*>(memory.data()); }

// Every element at its place in the whole array; the boxes of the patches cut it at random, also across pencils, as in
// plans between ranks that share memory.
std::vector<Patch> random_patches(std::mt19937_64& random, const Shape& shape, Base own, std::byte* others) {
  std::vector<Patch> patches;
  const Coord strides = packed_strides(shape, {0, 1, 2}, element, false);
  const int parts = static_cast<int>(pick(random, 1, 3));
  const Layout layout(
      pick(random, 0, 1) == 1 ? random_boxes(random, shape, parts) : slabs(static_cast<int>(pick(random, 0, 2))), shape,
      parts);
  const bool mixed = pick(random, 0, 1) == 1;
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Box& box : layout.boxes(rank)) {
      if (box.empty()) continue;
      Patch patch{.box = box, .base = own, .strides = strides};
      if (rank > 0 || (mixed && pick(random, 0, 1) == 1)) patch.base = Base::fixed, patch.address = others;
      for (int a = 0; a < shape.dims(); ++a) patch.offset += box.lo[a] * strides[a];
      patches.push_back(patch);
    }
  return patches;
}

TEST(RecordedTiles, GiveTheBitsOfThoseThatAreFoundInEveryRun) {
  for (int seed = 1; seed <= chosen_problems(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    // In every fourth, pencils longer than are moved at once in wide tiles; among them those that need no tile where
    // they are contiguous.
    const bool long_rows = seed % 4 == 0;
    const Shape shape{pick(random, 1, long_rows ? 4 : 20), pick(random, 1, 20),
                      long_rows ? 16 * pick(random, 2, 8) : pick(random, 1, 20)};
    Memories made_with(random, product(shape)), results = made_with;
    SweepSpec spec{.chunks = {{whole(shape)}}};
    const double scale = pick(random, 0, 1) ? 1 : 0.375;
    std::vector<int> axes{0, 1, 2};
    std::shuffle(axes.begin(), axes.end(), random);
    axes.resize(static_cast<std::size_t>(pick(random, 1, 3)));
    for (const int axis : axes)
      spec.axes.push_back(
          {{.axis = axis, .n = shape[axis]}, find_engine("native")->make({.n = shape[axis]}), {}, {}, scale});
    if (const int other = (axes.front() + 1) % 3; pick(random, 0, 1) == 1) {
      SweepAxis& first = spec.axes.front();
      first.other = other, first.whole = shape[first.axis] * shape[other], first.other_map = {shape[other], 1};
      first.twiddles = std::make_shared<Twiddles>(first.whole, shape[first.axis], Transform1d::forward);
    }
    spec.from = random_patches(random, shape, Base::input, bytes_of(made_with.others));
    spec.to = random_patches(random, shape, Base::output, bytes_of(results.others));
    spec.tuning.threads = static_cast<int>(pick(random, 1, 2));
    spec.tuning.tile = static_cast<int>(pick(random, 0, 1) * pick(random, 1, 40));
    SweepSpec found_each_time = spec;
    found_each_time.most_recorded = 0;
    const auto recorded = make_host_sweep(spec), found = make_host_sweep(found_each_time);
    ASSERT_EQ(recorded->scratch_bytes(), found->scratch_bytes());
    for (int run = 0; run < 2; ++run) {  // elsewhere in memory, and at another distance from a cache line
      Memories now(random, product(shape) + 1);
      const std::size_t displaced = static_cast<std::size_t>(run) * element;
      const auto result = [&](const Sweep& sweep) {
        const Memory scratch(allocate(sweep.scratch_bytes(), "tiles"));
        std::memset(scratch.get(), 0xff, sweep.scratch_bytes());  // NaN: nothing may depend on what was there
        std::vector<double> output(now.output.size());
        std::fill(results.others.begin(), results.others.end(), 0.0);
        sweep.run(0, {bytes_of(now.input) + displaced, bytes_of(output) + displaced}, scratch.get(), {});
        return std::pair(output, results.others);
      };
      ASSERT_EQ(result(*recorded), result(*found));
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
