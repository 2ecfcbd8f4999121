// Sweeps over patches in random places against the transform by its definition.
#include "sweep/sweep.hpp"
#include "support/chosen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "pipeline/bind/memory.hpp"
#include "support/memory/buffer.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/layouts.hpp"
#include "sweep_case.hpp"

namespace shardfft::testing {
namespace {

// Boxes that are whole along the transformed axes, in up to three chunks.
std::vector<std::vector<Box>> random_chunks(std::mt19937_64& random, const SweepCase& c) {
  Shape flat = c.in;
  for (const SweptAxisCase& a : c.axes) flat[a.axis] = 1;
  const int count = static_cast<int>(pick(random, 1, 3));
  std::vector<std::vector<Box>> chunks = random_boxes(random, flat, count).boxes;
  for (auto& boxes : chunks)
    for (Box& box : boxes)
      for (const SweptAxisCase& a : c.axes) box.hi[a.axis] = c.in[a.axis];
  return chunks;
}

template <class T>
class SweepRun {
 public:
  SweepRun(const SweepCase& c, std::uint64_t how) : case_(c), random_(how) {
    const Layout in(random_boxes(random_, c.in, 1), c.in, 1), out(random_boxes(random_, c.out, 1), c.out, 1);
    from_ = memory(in);
    to_ = memory(out);
    SweepSpec s{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64};
    s.complex_in = !c.real_in;
    s.complex_out = !c.real_out;
    for (const SweptAxisCase& a : c.axes)
      s.axes.push_back({{a.axis, a.n, a.transform},
                        find_engine("native")->make({.n = a.n, .transform = a.transform, .scalar = s.scalar})});
    s.chunks = random_chunks(random_, c);
    s.from =
        caller_patches(from_.boxes, from_.places, Base::input, static_cast<Index>(sizeof(T)) * (s.complex_in ? 2 : 1));
    s.to = caller_patches(to_.boxes, to_.places, Base::output, static_cast<Index>(sizeof(T)) * (s.complex_out ? 2 : 1));
    if (!s.axes.empty()) s.axes.back().scale = c.scale;
    s.tuning.threads = static_cast<int>(pick(random_, 1, 3));
    s.tuning.tile = pick(random_, 0, 1) ? static_cast<int>(pick(random_, 1, 70)) : 0;
    s.tuning.non_temporal = pick(random_, 0, 1) == 1 ? NonTemporal::all : NonTemporal::none;
    if (pick(random_, 0, 1) == 1) s.most_recorded = 0;
    spec_ = s;
  }

  [[nodiscard]] SweepSpec& spec() { return spec_; }
  [[nodiscard]] LocalData<T> input(const Whole& x) const {
    LocalData<T> data(from_, !case_.real_in);
    data.fill(x);
    return data;
  }
  [[nodiscard]] LocalData<T> output() const { return LocalData<T>(to_, !case_.real_out); }
  [[nodiscard]] const LocalMemory& output_memory() const { return to_; }

  void run(const LocalData<T>& in, LocalData<T>& out, const std::vector<int>& chunks) const {
    const auto sweep = make_host_sweep(spec_);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
    std::memset(scratch.get(), 0xff, sweep->scratch_bytes());  // NaN: nothing may depend on what was there
    const Buffers buffers{static_cast<const std::byte*>(in.view().data),
                          static_cast<std::byte*>(const_cast<void*>(out.view().data))};
    for (const int chunk : chunks) sweep->run(chunk, buffers, scratch.get(), {});
  }
  void run_all(const LocalData<T>& in, LocalData<T>& out) const {
    std::vector<int> chunks;
    for (std::size_t c = spec_.chunks.size(); c-- > 0;) chunks.push_back(static_cast<int>(c));  // in any order
    run(in, out, chunks);
  }

 private:
  LocalMemory memory(const Layout& layout) {
    return pick(random_, 0, 1) ? padded_memory(layout, 0, random_) : packed_memory(layout, 0);
  }

  SweepCase case_;
  std::mt19937_64 random_;
  LocalMemory from_{}, to_{};
  SweepSpec spec_{};
};

// The result by global position.
template <class T>
std::vector<T> by_position(const LocalData<T>& data, const LocalMemory& memory, const Shape& shape, bool complex) {
  const Whole frame{shape, {}};
  const std::size_t per = complex ? 2 : 1;
  std::vector<T> all(static_cast<std::size_t>(product(shape)) * per);
  for (std::size_t b = 0; b < memory.boxes.size(); ++b)
    for_each(memory.boxes[b], [&](const Coord& at) {
      for (std::size_t i = 0; i < per; ++i)
        all[static_cast<std::size_t>(frame.position(at)) * per + i] =
            data.raw()[static_cast<std::size_t>(memory.position(b, at)) * per + i];
    });
  return all;
}

template <class T>
class Sweeps : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Sweeps, Scalars);

template <class T>
void expect_definition(std::uint64_t seed, int max_axes) {
  const SweepCase c = random_case(seed, max_axes);
  SCOPED_TRACE(c.text());
  const Whole x = random_array(c.in, !c.real_in, seed), expected = by_definition(c, x);
  const SweepRun<T> run(c, seed + 1);
  LocalData<T> in = run.input(x), out = run.output();
  const auto before = in.raw();
  run.run_all(in, out);
  const auto [difference, norm] = out.compare(expected, static_cast<long double>(c.scale));
  EXPECT_LE(std::sqrt(difference), std::sqrt(norm) * (sizeof(T) == 4 ? 6e-7 : 1.2e-15));
  EXPECT_TRUE(out.gaps_untouched());
  EXPECT_TRUE(std::memcmp(before.data(), in.raw().data(), before.size() * sizeof(T)) == 0) << "the input was changed";
}

TYPED_TEST(Sweeps, AlongOneAxisAreTheTransformWhateverPatchesTilesChunksAndThreads) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) expect_definition<TypeParam>(seed, 1);
}

TYPED_TEST(Sweeps, AlongSeveralAxesAreTheTransformsOneAfterTheOther) {
  for (int i = 0; i < chosen_problems(250); ++i) expect_definition<TypeParam>(1001 + static_cast<unsigned>(i), 3);
}

TYPED_TEST(Sweeps, GiveTheSameBitsWhateverPatchesTilesChunksAndThreads) {
  using T = TypeParam;
  for (std::uint64_t seed = 2001; seed <= 2080; ++seed) {
    const SweepCase c = random_case(seed, 3);
    const Whole x = random_array(c.in, !c.real_in, seed);
    std::vector<T> first;
    for (std::uint64_t how = 1; how <= 4; ++how) {
      const SweepRun<T> run(c, how);
      LocalData<T> in = run.input(x), out = run.output();
      run.run_all(in, out);
      const std::vector<T> result = by_position(out, run.output_memory(), c.out, !c.real_out);
      if (first.empty()) first = result;
      EXPECT_TRUE(std::memcmp(first.data(), result.data(), result.size() * sizeof(T)) == 0)
          << c.text() << ", variant " << how;
    }
  }
}

TYPED_TEST(Sweeps, WriteNothingOutsideOfTheChunkThatIsRun) {
  using T = TypeParam;
  for (std::uint64_t seed = 3001; seed <= 3060; ++seed) {
    const SweepCase c = random_case(seed, 2);
    SweepRun<T> run(c, seed);
    const LocalData<T> in = run.input(random_array(c.in, !c.real_in, seed));
    for (std::size_t chunk = 0; chunk < run.spec().chunks.size(); ++chunk) {
      LocalData<T> out = run.output();
      const std::vector<T> fresh = by_position(out, run.output_memory(), c.out, !c.real_out);
      run.run(in, out, {static_cast<int>(chunk)});
      const std::vector<T> result = by_position(out, run.output_memory(), c.out, !c.real_out);
      const std::size_t per = c.real_out ? 1 : 2;
      const Whole frame{c.out, {}};
      for_each(whole(c.out), [&](const Coord& at) {
        bool inside = false;
        for (const Box& box : run.spec().chunks[chunk]) {
          Box after = box;
          for (const SweptAxisCase& a : c.axes) after.hi[a.axis] = c.out[a.axis];
          inside = inside || after.contains(at);
        }
        const auto p = static_cast<std::size_t>(frame.position(at)) * per;
        EXPECT_EQ(result[p] == fresh[p], !inside) << c.text() << ", chunk " << chunk;
      });
      EXPECT_TRUE(out.gaps_untouched());
    }
  }
}

TYPED_TEST(Sweeps, HandleRowsThatAreShorterThanATile) {
  using T = TypeParam;
  for (const Index lanes : {1, 2, 3, 5, 7, 9, 15, 17})
    for (const Index rows : {1, 4, 11}) {
      const SweepCase c{.seed = static_cast<std::uint64_t>(lanes * 100 + rows),
                        .in = {rows, 12, lanes},
                        .out = {rows, 12, lanes},
                        .axes = {{1, 12}}};
      for (std::uint64_t how = 1; how <= 3; ++how) {
        const Whole x = random_array(c.in, true, c.seed);
        const SweepRun<T> run(c, how);
        LocalData<T> in = run.input(x), out = run.output();
        run.run_all(in, out);
        const auto [difference, norm] = out.compare(by_definition(c, x), 1);
        EXPECT_LE(std::sqrt(difference), std::sqrt(norm) * (sizeof(T) == 4 ? 6e-7 : 1.2e-15)) << c.text();
      }
    }
}

TYPED_TEST(Sweeps, WithoutAxesMoveEveryBit) {
  using T = TypeParam;
  for (std::uint64_t seed = 4001; seed <= 4100; ++seed) {
    SweepCase c = random_case(seed, 1);
    c.axes.clear();
    c.real_in = c.real_out = seed % 2;
    c.out = c.in;
    c.scale = 1;
    const Whole x = random_array(c.in, !c.real_in, seed);
    const SweepRun<T> run(c, seed);
    LocalData<T> in = run.input(x), out = run.output();
    run.run_all(in, out);
    EXPECT_EQ(out.compare(x, 1).first, 0) << c.text();
    EXPECT_TRUE(out.gaps_untouched());
  }
}

TEST(Sweep, CanTransformPlacesInPlace) {
  for (const std::vector<SweptAxisCase>& axes : {std::vector<SweptAxisCase>{{1, 12}}, {{2, 20}, {0, 9}}}) {
    const SweepCase c{.seed = 5, .in = {9, 12, 20}, .out = {9, 12, 20}, .axes = axes};
    const Whole x = random_array(c.in, true, c.seed);
    SweepSpec s{};
    for (const SweptAxisCase& a : axes) s.axes.push_back({{a.axis, a.n}, find_engine("native")->make({.n = a.n})});
    const Coord strides = packed_strides(c.in, {0, 1, 2}, 16, false);
    s.chunks = {{whole(c.in)}};
    s.from = {{.box = whole(c.in), .base = Base::input, .strides = strides}};
    s.to = {{.box = whole(c.in), .base = Base::output, .strides = strides}};
    s.tuning.threads = 2;
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
    LocalData<double> data(packed_memory(Layout(slabs(0), c.in, 1), 0), true);
    data.fill(x);
    auto* memory = static_cast<std::byte*>(const_cast<void*>(data.view().data));
    sweep->run(0, {memory, memory}, scratch.get(), {});
    const auto [difference, norm] = data.compare(by_definition(c, x), 1);
    EXPECT_LE(std::sqrt(difference / norm), 1.2e-15);
  }
}

TEST(Sweep, CountsTheBytesItReadsAndWrites) {
  const SweepCase c{
      .seed = 1, .in = {6, 10, 5}, .out = {6, 6, 5}, .axes = {{1, 10, Transform1d::r2c}, {0, 6}}, .real_in = true};
  SweepRun<double> run(c, 3);
  const auto sweep = make_host_sweep(run.spec());
  EXPECT_EQ(bytes_read(sweep->spec()), 6 * 10 * 5 * 8);
  EXPECT_EQ(bytes_written(sweep->spec()), 6 * 6 * 5 * 16);
}

TEST(Sweep, CallsForHelpWhileItRuns) {
  for (const std::vector<SweptAxisCase>& axes : {std::vector<SweptAxisCase>{}, {{1, 12}}, {{1, 12}, {0, 9}}}) {
    const SweepCase c{.seed = 5, .in = {9, 12, 20}, .out = {9, 12, 20}, .axes = axes};
    SweepRun<double> run(c, 1);
    const auto sweep = make_host_sweep(run.spec());
    const Memory scratch(allocate(sweep->scratch_bytes() + 64, "tiles"));
    const LocalData<double> in = run.input(random_array(c.in, true, 1));
    LocalData<double> out = run.output();
    int calls = 0;
    for (std::size_t chunk = 0; chunk < run.spec().chunks.size(); ++chunk)
      sweep->run(
          static_cast<int>(chunk),
          {static_cast<const std::byte*>(in.view().data), static_cast<std::byte*>(const_cast<void*>(out.view().data))},
          scratch.get(), [&] { ++calls; });
    EXPECT_GT(calls, 0);
  }
}

}  // namespace
}  // namespace shardfft::testing
