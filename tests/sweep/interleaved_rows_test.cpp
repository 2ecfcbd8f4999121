// Fields whose components lie beside each other: kernels over whole rows, when they are taken, and sweeps with them
// against the transform by its definition.
#include "sweep/host/interleaved_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "support/memory/buffer.hpp"
#include "sweep/joined_axes.hpp"

namespace shardfft::testing {
namespace {

using Random = std::mt19937_64;

template <class T>
constexpr Scalar scalar_named = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;

Pencil component(const Pencil& row, Index copies, Index c) {
  Pencil one;
  for (Index k = c; k < static_cast<Index>(row.size()); k += copies) one.push_back(row[static_cast<std::size_t>(k)]);
  return one;
}

template <class T>
class InterleavedRows : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(InterleavedRows, Scalars);

TYPED_TEST(InterleavedRows, OfAKernelHaveTheBitsOfEachComponentByItself) {
  using T = TypeParam;
  Random random(5);
  for (const Transform1d transform : {Transform1d::forward, Transform1d::backward, Transform1d::r2c, Transform1d::c2r})
    for (const Index n : {1, 2, 7, 12, 64, 67, 509})
      for (const Index copies : {2, 3, 9}) {
        SCOPED_TRACE(std::string(name(transform)) + " " + std::to_string(n) + ", " + std::to_string(copies) +
                     " beside each other");
        const auto one = native_engine().make({.n = n, .transform = transform, .scalar = scalar_named<T>});
        if (one->in().order != TileFormat::Order::lanes) continue;
        const InterleavedKernel all(one, scalar_named<T>, copies);
        ASSERT_EQ(all.in().length, copies * one->in().length);
        ASSERT_EQ(all.out().length, copies * one->out().length);
        std::vector<Pencil> rows;
        for (int v = 0; v < all.in().pencils; ++v)
          rows.push_back(random_pencil<T>(random, all.in().length, is_real_in(transform)));
        const std::vector<Pencil> results = transformed<T>(all, rows);
        for (Index c = 0; c < copies; ++c) {
          std::vector<Pencil> given;
          for (const Pencil& row : rows) given.push_back(component(row, copies, c));
          const std::vector<Pencil> expected = transformed<T>(*one, given);
          for (std::size_t v = 0; v < rows.size(); ++v)
            ASSERT_EQ(component(results[v], copies, c), expected[v]) << "component " << c << " of pencil " << v;
        }
      }
}

/// One array in the order of its axes, with gaps behind its last two axes.
Patch patch_over(const Shape& shape, Base base, Index element, Index gap_in_row = 0, Index gap_of_rows = 0) {
  Patch patch{.box = whole(shape), .base = base, .strides = Coord::filled(shape.dims(), element)};
  for (int a = shape.dims() - 2; a >= 0; --a)
    patch.strides[a] = patch.strides[a + 1] * shape[a + 1] + element * (a == shape.dims() - 2   ? gap_in_row
                                                                        : a == shape.dims() - 3 ? gap_of_rows
                                                                                                : 0);
  return patch;
}

struct Field {
  Shape in{}, out{};
  std::vector<int> axes{};
  bool real = false;  // r2c along the first of the axes
  Index gap_in_row = 0;
};

template <class T>
SweepSpec spec_of(const Field& field) {
  SweepSpec s{.scalar = scalar_named<T>, .complex_in = !field.real};
  for (const int axis : field.axes) {
    const bool real = field.real && s.axes.empty();
    const Transform1d transform = real ? Transform1d::r2c : Transform1d::forward;
    s.axes.push_back({{.axis = axis, .n = field.in[axis], .transform = transform},
                      native_engine().make({.n = field.in[axis], .transform = transform, .scalar = s.scalar})});
  }
  s.chunks = {{whole(field.in)}};
  const auto bytes = static_cast<Index>(sizeof(T));
  s.from = {patch_over(field.in, Base::input, field.real ? bytes : 2 * bytes, field.gap_in_row, 3)};
  s.to = {patch_over(field.out, Base::output, 2 * bytes)};
  return s;
}

Field field_of(const Shape& shape, std::vector<int> axes, bool real = false, Index gap_in_row = 0) {
  Field field{shape, shape, std::move(axes), real, gap_in_row};
  if (real) field.out[field.axes.front()] = shape[field.axes.front()] / 2 + 1;
  return field;
}

TEST(InterleavedRowsOf, AFieldAreTakenWhereTheyFillATileAndGoOnInEachOther) {
  const Index lanes = native_engine().make({.n = 8})->in().pencils;
  const auto dims = [](const Field& field) {
    return with_interleaved_rows(spec_of<double>(field)).from.front().box.dims();
  };
  if (lanes == 1) return;  // one pencil at a time: there are no tiles to fill
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 3}, {1})), 2);
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 2 * lanes}, {1})), 3) << "rows of components fill tiles themselves";
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 1}, {1})), 3) << "nothing to take together";
  EXPECT_EQ(dims(field_of({lanes - 1, 8, 3}, {1})), 3) << "too few rows for a tile";
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 3}, {1}, false, 1)), 3) << "components with gaps behind them";
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 3}, {2})), 3) << "the components themselves";
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 3}, {0})), 3) << "not the axis before them";
  EXPECT_EQ(dims(field_of({2 * lanes, 8, 3}, {2, 1})), 3) << "components that are transformed in the same sweep";
  EXPECT_EQ(dims(field_of({2 * lanes, 1 << 20, 3}, {1})), 3) << "tiles that no cache holds";
}

// X[k] = sum_j x[j] exp(-2 pi i j k / n) along one axis of an array in order.
std::vector<std::complex<long double>> swept_by_definition(const std::vector<std::complex<long double>>& x,
                                                           const Shape& in, const Shape& out, int axis) {
  Index inner = 1, outer = 1;
  for (int a = 0; a < in.dims(); ++a) (a < axis ? outer : inner) *= a == axis ? 1 : in[a];
  const Index n = in[axis], m = out[axis];
  std::vector<std::complex<long double>> roots, y(static_cast<std::size_t>(outer * m * inner));
  for (Index j = 0; j < n; ++j)
    roots.push_back(
        std::polar(1.0L, -2 * std::acos(-1.0L) * static_cast<long double>(j) / static_cast<long double>(n)));
  for (Index o = 0; o < outer; ++o)
    for (Index k = 0; k < m; ++k)
      for (Index i = 0; i < inner; ++i) {
        std::complex<long double> sum = 0;
        for (Index j = 0; j < n; ++j)
          sum += x[static_cast<std::size_t>((o * n + j) * inner + i)] * roots[static_cast<std::size_t>(j * k % n)];
        y[static_cast<std::size_t>((o * m + k) * inner + i)] = sum;
      }
  return y;
}

template <class T>
void expect_transformed(SweepSpec spec, const Field& field, Random& random) {
  const Patch& from = spec.from.front();
  const Index scalars = field.real ? 1 : 2, bytes = static_cast<Index>(sizeof(T));
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto all = static_cast<std::size_t>(product(field.in)), results = static_cast<std::size_t>(product(field.out));
  std::vector<T> x(static_cast<std::size_t>(packed_bytes(field.in, from.strides, scalars * bytes) / bytes));
  for (T& v : x) v = static_cast<T>(uniform(random));
  std::vector<std::complex<long double>> exact;
  for (std::size_t number = 0; number < all; ++number) {
    auto left = static_cast<Index>(number), offset = Index{0};
    for (int a = field.in.dims() - 1; a >= 0; left /= field.in[a--])
      offset += left % field.in[a] * from.strides[a] / bytes;
    const auto i = static_cast<std::size_t>(offset);
    exact.emplace_back(x[i], field.real ? T(0) : x[i + 1]);
  }
  Shape shape = field.in;
  for (const int axis : field.axes) {
    Shape next = shape;
    next[axis] = field.out[axis];
    exact = swept_by_definition(exact, shape, next, axis);
    shape = next;
  }
  const auto sweep = make_host_sweep(spec);
  const Memory scratch(allocate(sweep->scratch_bytes(), "tiles")), y(allocate(results * 2 * sizeof(T) + 64, "results"));
  std::memset(scratch.get(), 0xff, sweep->scratch_bytes());  // NaN: nothing may depend on what was there
  auto* out = reinterpret_cast<T*>(y.get());
  constexpr T behind = T(77);
  out[2 * results] = behind;
  sweep->run(0, {reinterpret_cast<const std::byte*>(x.data()), y.get()}, scratch.get(), {});
  long double error = 0, norm = 0;
  for (std::size_t i = 0; i < results; ++i) {
    const std::complex<long double> expected = exact[i] * static_cast<long double>(spec.scale());
    error += std::norm(std::complex<long double>(out[2 * i], out[2 * i + 1]) - expected);
    norm += std::norm(expected);
  }
  EXPECT_LE(std::sqrt(error), 20 * std::numeric_limits<T>::epsilon() * std::sqrt(norm));
  EXPECT_EQ(out[2 * results], behind);
}

TYPED_TEST(InterleavedRows, AreTransformedByTheirDefinition) {
  using T = TypeParam;
  Random random(7);
  const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); };
  int taken = 0;
  for (int i = 0; i < 120; ++i) {
    const bool plane = i % 3 == 0;
    Shape shape{1 + below(40), 1 + below(40), 2 + below(16)};
    if (below(3) == 0) shape = {1 + below(5), 1 + below(20), 1 + below(24), 2 + below(8)};
    const int swept = shape.dims() - 2;
    const Field field = field_of(shape, plane ? std::vector<int>{swept, swept - 1} : std::vector<int>{swept},
                                 below(2) == 0, below(4) == 0 ? 2 : 0);
    SweepSpec spec = spec_of<T>(field);
    spec.axes.back().scale = below(2) == 0 ? 1 : 0.375;
    spec.tuning.threads = static_cast<int>(1 + below(3));
    spec.tuning.tile = below(3) == 0 ? static_cast<int>(1 + below(40)) : 0;
    spec.tuning.non_temporal = below(2) == 0 ? NonTemporal::all : NonTemporal::none;
    if (below(2) == 0) spec.most_recorded = 0;
    SCOPED_TRACE("seed 7, case " + std::to_string(i) + ": " + to_string(shape) + (plane ? ", planes" : "") +
                 (field.real ? ", r2c" : ""));
    taken += with_interleaved_rows(spec).from.front().box.dims() < shape.dims();
    expect_transformed<T>(spec, field, random);
    if (this->HasFailure()) return;
  }
  EXPECT_GT(taken, 10);
}

// Last axes that are shorter than a vector are moved by one masked load or store for each pencil.
TYPED_TEST(InterleavedRows, ThatAreShortAreTransformedThemselvesAsWell) {
  using T = TypeParam;
  Random random(9);
  for (Index n = 1; n <= 17; ++n)
    for (const Index rows : {1, 3, 8, 16, 37, 150})
      for (const bool real : {false, true}) {
        const Field field = field_of({rows, n}, {1}, real, rows % 2);
        SweepSpec spec = spec_of<T>(field);
        spec.tuning.non_temporal = rows == 150 ? NonTemporal::all : NonTemporal::none;
        spec.tuning.tile = rows == 37 ? 40 : 0;
        SCOPED_TRACE(to_string(field.in) + (real ? ", r2c" : ""));
        expect_transformed<T>(spec, field, random);
      }
}

}  // namespace
}  // namespace shardfft::testing
