// Sweeps whose stores begin anywhere in cache lines: past the cache in whole lines, in tiles that end where lines do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/memory/buffer.hpp"
#include "sweep/joined_axes.hpp"
#include "sweep/sweep.hpp"
#include "sweep_case.hpp"

namespace shardfft::testing {
namespace {

template <class T>
class SweptLines : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SweptLines, Scalars);

// Rows of 15 complex numbers; a run that streams cuts them where cache lines end.
TEST(Sweep, StreamsTheSameBitsToRowsThatBeginAnywhereInALine) {
  const SweepCase c{.seed = 7, .in = {6, 4, 15}, .out = {6, 4, 15}, .axes = {{0, 6}}};
  const auto bytes = static_cast<std::size_t>(product(c.in)) * 16;
  const Whole x = random_array(c.in, true, c.seed);
  LocalData<double> data(packed_memory(Layout(slabs(0), c.in, 1), 0), true);
  data.fill(x);
  const auto result = [&](bool non_temporal, std::size_t begin) {
    SweepSpec s{.axes = {{{0, 6}, find_engine("native")->make({.n = 6})}},
                .chunks = {{whole(c.in)}},
                .tuning = {{.non_temporal = non_temporal ? NonTemporal::all : NonTemporal::none}}};
    const Coord strides = packed_strides(c.in, {0, 1, 2}, 16, false);
    s.from = {{.box = whole(c.in), .base = Base::input, .strides = strides}};
    s.to = {{.box = whole(c.in), .base = Base::output, .strides = strides}};
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles")), out(allocate(bytes + 128, "the output"));
    std::memset(out.get(), 0x55, bytes + 128);
    sweep->run(0, {static_cast<const std::byte*>(data.view().data), out.get() + 64 + begin}, scratch.get(), {});
    std::vector<std::byte> all(out.get() + 64 + begin - 8,
                               out.get() + 64 + begin + bytes + 8);  // and what lies next to it
    return all;
  };
  const auto expected = result(false, 0);
  for (const std::size_t begin : {0, 8, 16, 32, 48})
    EXPECT_EQ(result(true, begin), expected) << "output begins " << begin << " bytes after the start of a line";
}

// Rows that are long enough to be put together in a staging tile first: of pencils across them, of pencils along them,
// with a tile and without one, of reals, in one part and in two.
TYPED_TEST(SweptLines, StreamWholeLinesWithTheSameBitsWhereverRowsBegin) {
  using T = TypeParam;
  constexpr auto real = static_cast<Index>(sizeof(T));
  const SweepCase cases[] = {
      {.seed = 1, .in = {12, 3, 71}, .out = {12, 3, 71}, .axes = {{0, 12}}, .scale = 0.375},
      {.seed = 2, .in = {3, 7, 69}, .out = {3, 7, 69}, .axes = {{2, 69}}},
      {.seed = 3, .in = {19, 317}, .out = {19, 317}, .axes = {{1, 317, Transform1d::backward}}, .scale = 0.375},
      {.seed = 4, .in = {21, 75}, .out = {21, 149}, .axes = {{1, 149, Transform1d::c2r}}, .real_out = true},
      {.seed = 5, .in = {21, 150}, .out = {21, 76}, .axes = {{1, 150, Transform1d::r2c}}, .real_in = true},
      {.seed = 6, .in = {10, 9, 67}, .out = {10, 9, 67}, .axes = {{1, 9}, {2, 67}}},
      {.seed = 7, .in = {10, 9, 67}, .out = {10, 9, 67}, .axes = {{2, 67}, {1, 9}}, .scale = 0.375},
      {.seed = 8, .in = {19, 256}, .out = {19, 256}, .axes = {{1, 256, Transform1d::backward}}, .scale = 0.375},
      {.seed = 9, .in = {9, 257}, .out = {9, 512}, .axes = {{1, 512, Transform1d::c2r}}, .real_out = true},
      {.seed = 10,
       .in = {9, 512},
       .out = {9, 257},
       .axes = {{1, 512, Transform1d::r2c}},
       .real_in = true,
       .scale = 0.375},
      {.seed = 11, .in = {4, 9, 256}, .out = {4, 9, 256}, .axes = {{1, 9}, {2, 256}}},
  };
  for (const SweepCase& c : cases) {
    const Whole x = random_array(c.in, !c.real_in, c.seed);
    LocalData<T> data(packed_memory(Layout(slabs(0), c.in, 1), 0), !c.real_in);
    data.fill(x);
    const Index in_bytes = real * (c.real_in ? 1 : 2), out_bytes = real * (c.real_out ? 1 : 2);
    const auto room = static_cast<std::size_t>(3 * product(c.out) * out_bytes + 256);
    std::vector<int> order;
    for (int a = 0; a < c.in.dims(); ++a) order.push_back(a);
    const auto result = [&](bool non_temporal, Index begin, Index gap,
                            bool conjugated) {  // elements between rows, as if the array were part of a larger one
      SweepSpec s{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64,
                  .complex_in = !c.real_in,
                  .complex_out = !c.real_out,
                  .chunks = {{whole(c.in)}},
                  .tuning = {{.non_temporal = non_temporal ? NonTemporal::all : NonTemporal::none}}};
      for (const SweptAxisCase& a : c.axes)
        s.axes.push_back({{a.axis, a.n, a.transform},
                          find_engine("native")->make({.n = a.n, .transform = a.transform, .scalar = s.scalar})});
      s.axes.back().scale = c.scale;
      Shape larger = c.out;
      larger[c.out.dims() - 1] += gap;
      s.from = {{.box = whole(c.in), .base = Base::input, .strides = packed_strides(c.in, order, in_bytes, false)}};
      s.to = {{.box = whole(c.out),
               .base = Base::output,
               .strides = packed_strides(larger, order, out_bytes, false),
               .conjugated = conjugated}};
      const auto sweep = make_host_sweep(s);
      const Memory scratch(allocate(sweep->scratch_bytes(), "tiles")), out(allocate(room, "the output"));
      std::memset(out.get(), 0x55, room);
      sweep->run(0, {static_cast<const std::byte*>(data.view().data), out.get() + 64 + begin}, scratch.get(), {});
      return std::vector<std::byte>(out.get() + begin, out.get() + room - 64 + begin);  // and what lies around it
    };
    for (const Index gap : {0, 1, 3})
      for (const bool conjugated : {false, true}) {
        if (conjugated && c.real_out) continue;
        const std::vector<std::byte> expected = result(false, 0, gap, conjugated);
        for (Index begin = 0; begin < 64; begin += real)
          EXPECT_EQ(result(true, begin, gap, conjugated), expected)
              << c.text() << ", output begins " << begin << " bytes after the start of a line, gap " << gap;
      }
  }
}

// Rows that are read are apart, as those of windows and of padded reals are, and cut over several patches; those that
// are stored go on in each other, wherever they begin, in one patch or in several.
TYPED_TEST(SweptLines, EndTilesWhereLinesOfTheTargetDoThoughRowsThatAreReadAreApart) {
  using T = TypeParam;
  int joined = 0;
  for (std::uint64_t seed = 5001; seed <= 5120; ++seed) {
    std::mt19937_64 random(seed);
    SweepCase c{.seed = seed,
                .in = {pick(random, 1, 20), pick(random, 1, 6), pick(random, 16, 70)},
                .scale = pick(random, 0, 1) ? 1 : 0.375};
    if (pick(random, 0, 2) == 0) c.in = {c.in[0], pick(random, 1, 3), c.in[1], c.in[2]};
    const int last = c.in.dims() - 1;
    c.axes = {{static_cast<int>(pick(random, 0, last - 2)), 0,
               pick(random, 0, 1) ? Transform1d::forward : Transform1d::backward}};
    const int swept = c.axes.front().axis;
    c.axes.front().n = c.in[swept];
    c.out = c.in;
    const auto cut = [&](int axis) {  // in up to three
      Box a = whole(c.in), b = a, d = a;
      a.hi[axis] = b.lo[axis] = pick(random, 0, c.in[axis]);
      b.hi[axis] = d.lo[axis] = pick(random, b.lo[axis], c.in[axis]);
      return std::vector<Box>{a, b, d};
    };
    SweepSpec s{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64,
                .tuning = {{.non_temporal = pick(random, 0, 3) > 0 ? NonTemporal::all : NonTemporal::none},
                           static_cast<int>(pick(random, 1, 3))}};
    s.axes = {
        {{swept, c.in[swept], c.axes.front().transform},
         find_engine("native")->make({.n = c.in[swept], .transform = c.axes.front().transform, .scalar = s.scalar})}};
    s.axes.back().scale = c.scale;
    if (pick(random, 0, 3) == 0) s.tuning.tile = static_cast<int>(pick(random, 1, 70));
    constexpr auto element = static_cast<Index>(2 * sizeof(T));
    std::vector<int> order;
    for (int a = 0; a <= last; ++a) order.push_back(a);
    const auto fill = [&](std::vector<Patch>& patches, Base base, int axis, const Shape& memory,
                          Index begin) {  // of one array
      const Coord strides = packed_strides(memory, order, element, false);
      for (const Box& box : cut(axis)) {
        if (box.empty()) continue;
        patches.push_back({.box = box, .base = base, .offset = begin, .strides = strides});
        for (int a = 0; a <= last; ++a) patches.back().offset += box.lo[a] * strides[a];
      }
    };
    Shape apart = c.in;
    apart[last] += pick(random, 1, 9);
    fill(s.from, Base::input, static_cast<int>(pick(random, 0, last)), apart, 0);
    const Index begin = pick(random, 0, 64 / static_cast<Index>(sizeof(T)) - 1) * static_cast<Index>(sizeof(T));
    fill(s.to, Base::output, static_cast<int>(pick(random, 0, 2) == 0 ? pick(random, 0, last) : 0), c.out, begin);
    for (const Box& box : cut(pick(random, 0, 3) > 0 ? swept + 1 : last)) s.chunks.push_back({box});
    const Whole x = random_array(c.in, true, seed), expected = by_definition(c, x);
    const auto room = static_cast<std::size_t>(product(apart) * element),
               out_bytes = static_cast<std::size_t>(product(c.out) * element);
    const Memory in(allocate(room, "the input")), out(allocate(out_bytes + 192, "the output"));
    std::memset(in.get(), 0xff, room);  // NaN between the rows
    std::memset(out.get(), 0x55, out_bytes + 192);
    const Coord in_strides = packed_strides(apart, order, element, false),
                out_strides = packed_strides(c.out, order, element, false);
    const auto at_of = [](std::byte* start, const Coord& strides, const Coord& at) {
      for (int a = 0; a < at.dims(); ++a) start += at[a] * strides[a];
      return reinterpret_cast<T*>(start);
    };
    for_each(whole(c.in), [&](const Coord& at) {
      const auto& value = x.at(at);
      T* to = at_of(in.get(), in_strides, at);
      to[0] = static_cast<T>(value.real()), to[1] = static_cast<T>(value.imag());
    });
    joined += stored_with_joined_axes(s, s.axes.front().kernel->in().pencils).has_value();
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
    std::memset(scratch.get(), 0xff, sweep->scratch_bytes());
    for (std::size_t chunk = 0; chunk < s.chunks.size(); ++chunk)
      sweep->run(static_cast<int>(chunk), {in.get(), out.get() + 64}, scratch.get(), {});
    long double difference = 0, norm = 0;
    for_each(whole(c.out), [&](const Coord& at) {
      const auto value = expected.at(at) * static_cast<long double>(c.scale);
      const T* result = at_of(out.get() + 64 + begin, out_strides, at);
      difference += std::norm(std::complex<long double>(result[0], result[1]) - value), norm += std::norm(value);
    });
    EXPECT_LE(std::sqrt(difference), std::sqrt(norm) * (sizeof(T) == 4 ? 6e-7 : 1.2e-15))
        << c.text() << ", output begins " << begin << " bytes after the start of a line";
    const auto untouched = [&](std::size_t lo, std::size_t hi) {
      return std::all_of(out.get() + lo, out.get() + hi, [](std::byte b) { return b == std::byte{0x55}; });
    };
    EXPECT_TRUE(untouched(0, 64 + static_cast<std::size_t>(begin)) &&
                untouched(64 + static_cast<std::size_t>(begin) + out_bytes, out_bytes + 192))
        << c.text();
  }
  EXPECT_GT(joined, 40);
}

// Takes what a sweep leaves in its plane, as it lies there.
class Taker final : public Sink {
 public:
  Taker(const Box& box, std::byte* to, const Coord& to_strides) : box_(box), to_(to), to_strides_(to_strides) {}
  std::size_t scratch_bytes() const override { return 0; }
  bool wants_norm() const override { return false; }
  void take(const Box& unit, const std::byte* plane, const Coord& strides, double, std::byte*) override {
    const Box part = intersect(unit, box_);
    for_each(part, [&](const Coord& at) {
      const std::byte* from = plane;
      std::byte* to = to_;
      for (int a = 0; a < at.dims(); ++a) from += (at[a] - unit.lo[a]) * strides[a], to += at[a] * to_strides_[a];
      std::memcpy(to, from, 16);
    });
  }

 private:
  Box box_;
  std::byte* to_;
  Coord to_strides_;
};

// One part of each row goes to memory, past the cache, the other one to a plane; what is to be taken from there may not
// wait for a later tile.
TEST(Sweep, ThatStreamsLeavesAllOfAUnitInItsPlaneBeforeItIsTaken) {
  const SweepCase c{.seed = 8, .in = {8, 6, 118}, .out = {8, 6, 118}, .axes = {{1, 6}}};
  const Whole x = random_array(c.in, true, c.seed);
  LocalData<double> data(packed_memory(Layout(slabs(0), c.in, 1), 0), true);
  data.fill(x);
  const Coord strides = packed_strides(c.in, {0, 1, 2}, 16, false);
  const auto bytes = static_cast<std::size_t>(product(c.in)) * 16;
  const auto result = [&](bool non_temporal) {
    Box left = whole(c.in), right = left;
    left.hi[2] = right.lo[2] = 71;
    const Memory out(allocate(bytes + 64, "the output"));
    Taker taker(right, out.get() + 16, strides);
    SweepSpec s{.axes = {{{1, 6}, find_engine("native")->make({.n = 6})}},
                .chunks = {{whole(c.in)}},
                .tuning = {{.non_temporal = non_temporal ? NonTemporal::all : NonTemporal::none}}};
    s.from = {{.box = whole(c.in), .base = Base::input, .strides = strides}};
    s.to = {{.box = left, .base = Base::output, .strides = strides}};
    s.sink = &taker, s.sink_boxes = {right}, s.steps = Coord{2, 6, 118}, s.tuning.tile = 64;
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
    std::memset(scratch.get(), 0xff, sweep->scratch_bytes());
    sweep->run(0, {static_cast<const std::byte*>(data.view().data), out.get() + 16}, scratch.get(), {});
    return std::vector<std::byte>(out.get() + 16, out.get() + 16 + bytes);
  };
  EXPECT_EQ(result(true), result(false));
}

// Looks at how large the results are, and takes nothing.
class Looker final : public Sink {
 public:
  std::size_t scratch_bytes() const override { return 0; }
  bool wants_norm() const override { return true; }
  void take(const Box&, const std::byte*, const Coord&, double norm2, std::byte*) override { norm2_ += norm2; }
  [[nodiscard]] double norm2() const { return norm2_; }

 private:
  double norm2_ = 0;
};

// Pencils that are rows of memory, read and stored without a tile, and others; the sum of their squares is that of what
// is stored, before it was scaled.
void expect_to_say_how_large(int axis, Index n, Transform1d transform) {
  const bool real_in = transform == Transform1d::r2c, real_out = transform == Transform1d::c2r;
  Shape in{3, 9, 10}, out{3, 9, 10};
  in[axis] = real_out ? n / 2 + 1 : n;
  out[axis] = real_in ? n / 2 + 1 : n;
  const Index element_in = real_in ? 8 : 16, element_out = real_out ? 8 : 16;
  LocalData<double> data(packed_memory(Layout(slabs(0), in, 1), 0), !real_in);
  data.fill(random_array(in, !real_in, 9));
  const auto bytes = static_cast<std::size_t>(product(out) * element_out);
  double norm2 = 0;
  const auto result = [&](bool measures_norm, bool non_temporal) {
    const Memory memory(allocate(bytes, "the output"));
    Looker looker;
    SweepSpec s{.axes = {{{axis, n, transform}, find_engine("native")->make({.n = n, .transform = transform})}},
                .chunks = {{whole(in)}},
                .tuning = {{.non_temporal = non_temporal ? NonTemporal::all : NonTemporal::none}}};
    s.axes.back().scale = 0.5;
    s.complex_in = !real_in, s.complex_out = !real_out;
    s.from = {{.box = whole(in), .base = Base::input, .strides = packed_strides(in, {0, 1, 2}, element_in, false)}};
    s.to = {{.box = whole(out), .base = Base::output, .strides = packed_strides(out, {0, 1, 2}, element_out, false)}};
    s.steps = Coord{2, 3, 10}, s.steps[axis] = std::max(in[axis], out[axis]);
    if (measures_norm) s.sink = &looker;
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
    sweep->run(0, {static_cast<const std::byte*>(data.view().data), memory.get()}, scratch.get(), {});
    norm2 = looker.norm2();
    const auto* numbers = reinterpret_cast<const double*>(memory.get());
    return std::vector<double>(numbers, numbers + bytes / sizeof(double));
  };
  const std::vector<double> expected = result(false, false);
  long double squares = 0;
  for (const double x : expected) squares += static_cast<long double>(x) * x;
  for (const bool non_temporal : {false, true}) {
    EXPECT_EQ(result(true, non_temporal), expected) << "axis " << axis << ", non_temporal " << non_temporal;
    EXPECT_NEAR(norm2, static_cast<double>(squares), 1e-13 * norm2)
        << "axis " << axis << ", non_temporal " << non_temporal;
  }
}

TEST(Sweep, ThatIsLookedAtStoresTheSameAndSaysHowLargeItIs) {
  for (const auto& [axis, n] : {std::pair{2, Index{256}}, {2, Index{24}}, {1, Index{64}}})
    for (const Transform1d transform : {Transform1d::forward, Transform1d::r2c, Transform1d::c2r}) {
      SCOPED_TRACE(static_cast<int>(transform));
      expect_to_say_how_large(axis, n, transform);
    }
}

}  // namespace
}  // namespace shardfft::testing
