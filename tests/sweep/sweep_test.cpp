// Sweeps over patches in random places against the transform by its definition.
#include "sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "pipeline/memory.hpp"
#include "support/buffer.hpp"
#include "support/layouts.hpp"
#include "support/local_data.hpp"
#include "support/openmp.hpp"
#include "sweep/joined_axes.hpp"

namespace shardfft::testing {
namespace {

struct AxisCase {
  int axis = 0;
  Index n = 1;
  Transform1d transform = Transform1d::forward;
};

// What is computed; how follows from a second seed.
struct Case {
  std::uint64_t seed = 0;
  Shape in{}, out{};
  std::vector<AxisCase> axes{};
  bool real_in = false, real_out = false;
  double scale = 1;

  [[nodiscard]] std::string text() const {
    std::string s = "seed " + std::to_string(seed) + ": " + to_string(in);
    for (const AxisCase& a : axes) s += ", axis " + std::to_string(a.axis) + " " + std::string(name(a.transform));
    return s;
  }
};

// Every fifth is large enough for several threads to be worth waking.
Case random_case(std::uint64_t seed, int max_axes) {
  std::mt19937_64 random(seed);
  Case c{.seed = seed, .in = small_shape(random, 4, 14)};
  const bool large = seed % 5 == 0;
  while (product(c.in) > (large ? 20000 : 2500) || product(c.in) < (large ? 9000 : 0)) c.in = small_shape(random, 4, large ? 40 : 14);
  if (pick(random, 0, 3) == 0) c.in[static_cast<int>(pick(random, 0, c.in.dims() - 1))] = 1;
  c.out = c.in;
  c.scale = pick(random, 0, 1) ? 1 : 0.375;
  std::set<int> left;
  for (int a = 0; a < c.in.dims(); ++a) left.insert(a);
  const auto wanted = pick(random, 1, std::min(max_axes, c.in.dims()));
  while (static_cast<Index>(c.axes.size()) < wanted) {
    const int axis = *std::next(left.begin(), pick(random, 0, static_cast<Index>(left.size()) - 1));
    left.erase(axis);
    c.axes.push_back({axis, c.in[axis], pick(random, 0, 1) ? Transform1d::forward : Transform1d::backward});
  }
  const Index real = pick(random, 0, 2);
  if (real == 1) {  // the real axis is the first
    c.real_in = true;
    c.axes.front().transform = Transform1d::r2c;
    c.out[c.axes.front().axis] = c.axes.front().n / 2 + 1;
  } else if (real == 2) {  // or the last
    c.real_out = true;
    c.axes.back().transform = Transform1d::c2r;
    c.in[c.axes.back().axis] = c.axes.back().n / 2 + 1;
  }
  return c;
}

Whole by_definition(const Case& c, Whole x) {
  for (const AxisCase& a : c.axes) {
    if (a.transform == Transform1d::r2c)
      x = half(dft(x, a.axis, -1), a.axis);
    else if (a.transform == Transform1d::c2r)
      x = dft(unfold(x, a.axis, a.n), a.axis, +1);
    else
      x = dft(x, a.axis, a.transform == Transform1d::forward ? -1 : +1);
  }
  return x;
}

// Boxes that are whole along the transformed axes, in up to three chunks.
std::vector<std::vector<Box>> random_chunks(std::mt19937_64& random, const Case& c) {
  Shape flat = c.in;
  for (const AxisCase& a : c.axes) flat[a.axis] = 1;
  const int count = static_cast<int>(pick(random, 1, 3));
  std::vector<std::vector<Box>> chunks = random_boxes(random, flat, count).boxes;
  for (auto& boxes : chunks)
    for (Box& box : boxes)
      for (const AxisCase& a : c.axes) box.hi[a.axis] = c.in[a.axis];
  return chunks;
}

template <class T>
class SweepRun {
 public:
  SweepRun(const Case& c, std::uint64_t how) : case_(c), random_(how) {
    const Layout in(random_boxes(random_, c.in, 1), c.in, 1), out(random_boxes(random_, c.out, 1), c.out, 1);
    from_ = memory(in);
    to_ = memory(out);
    SweepSpec s{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64};
    s.complex_in = !c.real_in;
    s.complex_out = !c.real_out;
    for (const AxisCase& a : c.axes)
      s.axes.push_back({a.axis, find_engine("native")->make({.n = a.n, .transform = a.transform, .scalar = s.scalar})});
    s.chunks = random_chunks(random_, c);
    s.from = caller_patches(from_.boxes, from_.places, Base::input, static_cast<Index>(sizeof(T)) * (s.complex_in ? 2 : 1));
    s.to = caller_patches(to_.boxes, to_.places, Base::output, static_cast<Index>(sizeof(T)) * (s.complex_out ? 2 : 1));
    s.scale = c.scale;
    s.threads = threads_of_a_rank(static_cast<int>(pick(random_, 1, 3)));
    s.tile = pick(random_, 0, 1) ? static_cast<int>(pick(random_, 1, 70)) : 0;
    s.stream = pick(random_, 0, 1) == 1;
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
    const Buffers buffers{static_cast<const std::byte*>(in.view().data), static_cast<std::byte*>(const_cast<void*>(out.view().data))};
    for (const int chunk : chunks) sweep->run(chunk, buffers, scratch.get(), {});
  }
  void run_all(const LocalData<T>& in, LocalData<T>& out) const {
    std::vector<int> chunks;
    for (std::size_t c = spec_.chunks.size(); c-- > 0;) chunks.push_back(static_cast<int>(c));  // in any order
    run(in, out, chunks);
  }

 private:
  LocalMemory memory(const Layout& layout) { return pick(random_, 0, 1) ? padded_memory(layout, 0, random_) : packed_memory(layout, 0); }

  Case case_;
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
  const Case c = random_case(seed, max_axes);
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
  for (std::uint64_t seed = 1001; seed <= 1250; ++seed) expect_definition<TypeParam>(seed, 3);
}

TYPED_TEST(Sweeps, GiveTheSameBitsWhateverPatchesTilesChunksAndThreads) {
  using T = TypeParam;
  for (std::uint64_t seed = 2001; seed <= 2080; ++seed) {
    const Case c = random_case(seed, 3);
    const Whole x = random_array(c.in, !c.real_in, seed);
    std::vector<T> first;
    for (std::uint64_t how = 1; how <= 4; ++how) {
      const SweepRun<T> run(c, how);
      LocalData<T> in = run.input(x), out = run.output();
      run.run_all(in, out);
      const std::vector<T> result = by_position(out, run.output_memory(), c.out, !c.real_out);
      if (first.empty()) first = result;
      EXPECT_TRUE(std::memcmp(first.data(), result.data(), result.size() * sizeof(T)) == 0) << c.text() << ", variant " << how;
    }
  }
}

TYPED_TEST(Sweeps, WriteNothingOutsideOfTheChunkThatIsRun) {
  using T = TypeParam;
  for (std::uint64_t seed = 3001; seed <= 3060; ++seed) {
    const Case c = random_case(seed, 2);
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
          for (const AxisCase& a : c.axes) after.hi[a.axis] = c.out[a.axis];
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
      const Case c{
          .seed = static_cast<std::uint64_t>(lanes * 100 + rows), .in = {rows, 12, lanes}, .out = {rows, 12, lanes}, .axes = {{1, 12}}};
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
    Case c = random_case(seed, 1);
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
  for (const std::vector<AxisCase>& axes : {std::vector<AxisCase>{{1, 12}}, {{2, 20}, {0, 9}}}) {
    const Case c{.seed = 5, .in = {9, 12, 20}, .out = {9, 12, 20}, .axes = axes};
    const Whole x = random_array(c.in, true, c.seed);
    SweepSpec s{};
    for (const AxisCase& a : axes) s.axes.push_back({a.axis, find_engine("native")->make({.n = a.n})});
    const Coord strides = packed_strides(c.in, {0, 1, 2}, 16, false);
    s.chunks = {{whole(c.in)}};
    s.from = {{.box = whole(c.in), .base = Base::input, .strides = strides}};
    s.to = {{.box = whole(c.in), .base = Base::output, .strides = strides}};
    s.threads = threads_of_a_rank(2);
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

// Rows of 15 complex numbers; a run that streams cuts them where cache lines end.
TEST(Sweep, StreamsTheSameBitsToRowsThatBeginAnywhereInALine) {
  const Case c{.seed = 7, .in = {6, 4, 15}, .out = {6, 4, 15}, .axes = {{0, 6}}};
  const auto bytes = static_cast<std::size_t>(product(c.in)) * 16;
  const Whole x = random_array(c.in, true, c.seed);
  LocalData<double> data(packed_memory(Layout(slabs(0), c.in, 1), 0), true);
  data.fill(x);
  const auto result = [&](bool stream, std::size_t begin) {
    SweepSpec s{.axes = {{0, find_engine("native")->make({.n = 6})}}, .chunks = {{whole(c.in)}}, .stream = stream};
    const Coord strides = packed_strides(c.in, {0, 1, 2}, 16, false);
    s.from = {{.box = whole(c.in), .base = Base::input, .strides = strides}};
    s.to = {{.box = whole(c.in), .base = Base::output, .strides = strides}};
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles")), out(allocate(bytes + 128, "the output"));
    std::memset(out.get(), 0x55, bytes + 128);
    sweep->run(0, {static_cast<const std::byte*>(data.view().data), out.get() + 64 + begin}, scratch.get(), {});
    std::vector<std::byte> all(out.get() + 64 + begin - 8, out.get() + 64 + begin + bytes + 8);  // and what lies next to it
    return all;
  };
  const auto expected = result(false, 0);
  for (const std::size_t begin : {0, 8, 16, 32, 48}) EXPECT_EQ(result(true, begin), expected) << "output begins " << begin << " bytes after the start of a line";
}

// Rows that are long enough to be put together in a picture first: of pencils across them, of pencils along them, of reals, in one part and in two.
TYPED_TEST(Sweeps, StreamWholeLinesWithTheSameBitsWhereverRowsBegin) {
  using T = TypeParam;
  constexpr auto real = static_cast<Index>(sizeof(T));
  const Case cases[] = {
      {.seed = 1, .in = {12, 3, 71}, .out = {12, 3, 71}, .axes = {{0, 12}}, .scale = 0.375},
      {.seed = 2, .in = {3, 7, 69}, .out = {3, 7, 69}, .axes = {{2, 69}}},
      {.seed = 3, .in = {19, 317}, .out = {19, 317}, .axes = {{1, 317, Transform1d::backward}}, .scale = 0.375},
      {.seed = 4, .in = {21, 75}, .out = {21, 149}, .axes = {{1, 149, Transform1d::c2r}}, .real_out = true},
      {.seed = 5, .in = {21, 150}, .out = {21, 76}, .axes = {{1, 150, Transform1d::r2c}}, .real_in = true},
      {.seed = 6, .in = {10, 9, 67}, .out = {10, 9, 67}, .axes = {{1, 9}, {2, 67}}},
      {.seed = 7, .in = {10, 9, 67}, .out = {10, 9, 67}, .axes = {{2, 67}, {1, 9}}, .scale = 0.375},
  };
  for (const Case& c : cases) {
    const Whole x = random_array(c.in, !c.real_in, c.seed);
    LocalData<T> data(packed_memory(Layout(slabs(0), c.in, 1), 0), !c.real_in);
    data.fill(x);
    const Index in_bytes = real * (c.real_in ? 1 : 2), out_bytes = real * (c.real_out ? 1 : 2);
    const auto room = static_cast<std::size_t>(3 * product(c.out) * out_bytes + 256);
    std::vector<int> order;
    for (int a = 0; a < c.in.dims(); ++a) order.push_back(a);
    const auto result = [&](bool stream, Index begin, Index gap, bool conjugated) {  // elements between rows, as if the array were part of a larger one
      SweepSpec s{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .complex_in = !c.real_in, .complex_out = !c.real_out, .chunks = {{whole(c.in)}}, .scale = c.scale, .stream = stream};
      for (const AxisCase& a : c.axes) s.axes.push_back({a.axis, find_engine("native")->make({.n = a.n, .transform = a.transform, .scalar = s.scalar}), a.n, a.transform});
      Shape larger = c.out;
      larger[c.out.dims() - 1] += gap;
      s.from = {{.box = whole(c.in), .base = Base::input, .strides = packed_strides(c.in, order, in_bytes, false)}};
      s.to = {{.box = whole(c.out), .base = Base::output, .strides = packed_strides(larger, order, out_bytes, false), .conjugated = conjugated}};
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
        for (Index begin = 0; begin < 64; begin += real) EXPECT_EQ(result(true, begin, gap, conjugated), expected) << c.text() << ", output begins " << begin << " bytes after the start of a line, gap " << gap;
      }
  }
}

// Rows that are read are apart, as those of windows and of padded reals are, and cut over several patches; those that are stored go on in each other, wherever they begin, in one patch or in several.
TYPED_TEST(Sweeps, EndTilesWhereLinesOfTheTargetDoThoughRowsThatAreReadAreApart) {
  using T = TypeParam;
  int joined = 0;
  for (std::uint64_t seed = 5001; seed <= 5120; ++seed) {
    std::mt19937_64 random(seed);
    Case c{.seed = seed, .in = {pick(random, 1, 20), pick(random, 1, 6), pick(random, 16, 70)}, .scale = pick(random, 0, 1) ? 1 : 0.375};
    if (pick(random, 0, 2) == 0) c.in = {c.in[0], pick(random, 1, 3), c.in[1], c.in[2]};
    const int last = c.in.dims() - 1;
    c.axes = {{static_cast<int>(pick(random, 0, last - 2)), 0, pick(random, 0, 1) ? Transform1d::forward : Transform1d::backward}};
    const int swept = c.axes.front().axis;
    c.axes.front().n = c.in[swept];
    c.out = c.in;
    const auto cut = [&](int axis) {  // in up to three
      Box a = whole(c.in), b = a, d = a;
      a.hi[axis] = b.lo[axis] = pick(random, 0, c.in[axis]);
      b.hi[axis] = d.lo[axis] = pick(random, b.lo[axis], c.in[axis]);
      return std::vector<Box>{a, b, d};
    };
    SweepSpec s{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .scale = c.scale, .threads = threads_of_a_rank(static_cast<int>(pick(random, 1, 3))), .stream = pick(random, 0, 3) > 0};
    s.axes = {{swept, find_engine("native")->make({.n = c.in[swept], .transform = c.axes.front().transform, .scalar = s.scalar}), c.in[swept], c.axes.front().transform}};
    if (pick(random, 0, 3) == 0) s.tile = static_cast<int>(pick(random, 1, 70));
    constexpr auto element = static_cast<Index>(2 * sizeof(T));
    std::vector<int> order;
    for (int a = 0; a <= last; ++a) order.push_back(a);
    const auto fill = [&](std::vector<Patch>& patches, Base base, int axis, const Shape& memory, Index begin) {  // of one array
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
    const auto room = static_cast<std::size_t>(product(apart) * element), out_bytes = static_cast<std::size_t>(product(c.out) * element);
    const Memory in(allocate(room, "the input")), out(allocate(out_bytes + 192, "the output"));
    std::memset(in.get(), 0xff, room);  // NaN between the rows
    std::memset(out.get(), 0x55, out_bytes + 192);
    const Coord in_strides = packed_strides(apart, order, element, false), out_strides = packed_strides(c.out, order, element, false);
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
    for (std::size_t chunk = 0; chunk < s.chunks.size(); ++chunk) sweep->run(static_cast<int>(chunk), {in.get(), out.get() + 64}, scratch.get(), {});
    long double difference = 0, norm = 0;
    for_each(whole(c.out), [&](const Coord& at) {
      const auto value = expected.at(at) * static_cast<long double>(c.scale);
      const T* result = at_of(out.get() + 64 + begin, out_strides, at);
      difference += std::norm(std::complex<long double>(result[0], result[1]) - value), norm += std::norm(value);
    });
    EXPECT_LE(std::sqrt(difference), std::sqrt(norm) * (sizeof(T) == 4 ? 6e-7 : 1.2e-15)) << c.text() << ", output begins " << begin << " bytes after the start of a line";
    const auto untouched = [&](std::size_t lo, std::size_t hi) { return std::all_of(out.get() + lo, out.get() + hi, [](std::byte b) { return b == std::byte{0x55}; }); };
    EXPECT_TRUE(untouched(0, 64 + static_cast<std::size_t>(begin)) && untouched(64 + static_cast<std::size_t>(begin) + out_bytes, out_bytes + 192)) << c.text();
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

// One part of each row goes to memory, past the cache, the other one to a plane; what is to be taken from there may not wait for a later tile.
TEST(Sweep, ThatStreamsLeavesAllOfAUnitInItsPlaneBeforeItIsTaken) {
  const Case c{.seed = 8, .in = {8, 6, 118}, .out = {8, 6, 118}, .axes = {{1, 6}}};
  const Whole x = random_array(c.in, true, c.seed);
  LocalData<double> data(packed_memory(Layout(slabs(0), c.in, 1), 0), true);
  data.fill(x);
  const Coord strides = packed_strides(c.in, {0, 1, 2}, 16, false);
  const auto bytes = static_cast<std::size_t>(product(c.in)) * 16;
  const auto result = [&](bool stream) {
    Box left = whole(c.in), right = left;
    left.hi[2] = right.lo[2] = 71;
    const Memory out(allocate(bytes + 64, "the output"));
    Taker taker(right, out.get() + 16, strides);
    SweepSpec s{.axes = {{1, find_engine("native")->make({.n = 6})}}, .chunks = {{whole(c.in)}}, .stream = stream};
    s.from = {{.box = whole(c.in), .base = Base::input, .strides = strides}};
    s.to = {{.box = left, .base = Base::output, .strides = strides}};
    s.sink = &taker, s.sink_boxes = {right}, s.steps = Coord{2, 6, 118}, s.tile = 64;
    const auto sweep = make_host_sweep(s);
    const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
    std::memset(scratch.get(), 0xff, sweep->scratch_bytes());
    sweep->run(0, {static_cast<const std::byte*>(data.view().data), out.get() + 16}, scratch.get(), {});
    return std::vector<std::byte>(out.get() + 16, out.get() + 16 + bytes);
  };
  EXPECT_EQ(result(true), result(false));
}

TEST(Sweep, CountsTheBytesItReadsAndWrites) {
  const Case c{.seed = 1, .in = {6, 10, 5}, .out = {6, 6, 5}, .axes = {{1, 10, Transform1d::r2c}, {0, 6}}, .real_in = true};
  SweepRun<double> run(c, 3);
  const auto sweep = make_host_sweep(run.spec());
  EXPECT_EQ(bytes_read(sweep->spec()), 6 * 10 * 5 * 8);
  EXPECT_EQ(bytes_written(sweep->spec()), 6 * 6 * 5 * 16);
}

TEST(Sweep, CallsForHelpWhileItRuns) {
  for (const std::vector<AxisCase>& axes : {std::vector<AxisCase>{}, {{1, 12}}, {{1, 12}, {0, 9}}}) {
    const Case c{.seed = 5, .in = {9, 12, 20}, .out = {9, 12, 20}, .axes = axes};
    SweepRun<double> run(c, 1);
    const auto sweep = make_host_sweep(run.spec());
    const Memory scratch(allocate(sweep->scratch_bytes() + 64, "tiles"));
    const LocalData<double> in = run.input(random_array(c.in, true, 1));
    LocalData<double> out = run.output();
    int calls = 0;
    for (std::size_t chunk = 0; chunk < run.spec().chunks.size(); ++chunk)
      sweep->run(static_cast<int>(chunk),
                {static_cast<const std::byte*>(in.view().data), static_cast<std::byte*>(const_cast<void*>(out.view().data))}, scratch.get(),
                [&] { ++calls; });
    EXPECT_GT(calls, 0);
  }
}

}  // namespace
}  // namespace shardfft::testing
