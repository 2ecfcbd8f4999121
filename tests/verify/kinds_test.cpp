// Cosine, sine and Hartley axes: matrices, probes and samples against the definitions.
#include <gtest/gtest.h>

#include "support/oracles/naive.hpp"
#include "support/oracles/real_to_real.hpp"
#include "verify/judged.hpp"
#include "verify/kinds/kind_matrix.hpp"
#include "verify/spec.hpp"

namespace shardfft::testing {
namespace {

constexpr AxisKind all_kinds[] = {AxisKind::cosine1, AxisKind::cosine2, AxisKind::cosine3,
                                  AxisKind::cosine4, AxisKind::sine1,   AxisKind::sine2,
                                  AxisKind::sine3,   AxisKind::sine4,   AxisKind::hartley};

long double entry(AxisKind kind, Index n, Index k, Index j, bool orthonormal) {
  const Transform1d t = transform_of(kind);
  return orthonormal ? orthonormal_entry(t, n, k, j) * std::sqrt(static_cast<long double>(logical_length(kind, n)))
                     : r2r_entry(t, n, k, j);
}

long double wide(DoubleDouble x) { return static_cast<long double>(x.hi) + x.lo; }

TEST(KindMatrix, HasTheEntriesOfTheDefinition) {
  for (const AxisKind kind : all_kinds)
    for (const Index n : {1, 2, 3, 8, 13})
      for (const bool orthonormal : {false, true}) {
        if (kind == AxisKind::cosine1 && n == 1) continue;
        const KindMatrix matrix(kind, n, orthonormal);
        for (Index k = 0; k < n; ++k)
          for (Index j = 0; j < n; ++j)
            EXPECT_NEAR(static_cast<double>(wide(matrix.entry(k, j)) - entry(kind, n, k, j, orthonormal)), 0, 1e-18)
                << to_string(kind) << " " << n << " at " << k << ", " << j;
      }
}

Quads random_quads(Index count, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Quads quads(count, 8);
  for (Index i = 0; i < count; ++i)
    for (int l = 0; l < 8; ++l) quads.set(i, l, {{uniform(random)}, {uniform(random)}});
  return quads;
}

TEST(KindMatrix, IsTransposedTheSameInATableAndInDigits) {
  std::mt19937_64 random(11);
  for (const AxisKind kind : all_kinds)
    for (const Index n : {Index{2}, Index{12}, Index{37}, Index{100}})
      for (const bool orthonormal : {false, true}) {
        const Index base = std::min<Index>(7, n);
        const DigitTables digits{random_quads(base, random), random_quads((n + base - 1) / base, random)};
        Quads r(n, 8);
        for (Index k = 0; k < n; ++k)
          for (int l = 0; l < 8; ++l) r.set(k, l, digits.low.get(k % base, l) * digits.high.get(k / base, l));
        const KindMatrix matrix(kind, n, orthonormal);
        const Quads table = matrix.transposed(r);
        const auto made = transposed_weights(matrix, digits);
        Workspace workspace;
        Quads in_digits(n, 8);
        std::copy_n(made->quads(0, n, workspace), in_digits.values.size(), in_digits.values.begin());
        for (Index j = 0; j < n; ++j) {
          ComplexDD want{};
          for (Index k = 0; k < n; ++k) want = want + r.get(k, 3) * matrix.entry(k, j);
          for (const Quads* got : std::initializer_list<const Quads*>{&table, &in_digits}) {
            const ComplexDD difference = got->get(j, 3) - want;
            EXPECT_LE(std::abs(difference.re.rounded()) + std::abs(difference.im.rounded()), 1e-22)
                << to_string(kind) << " " << n << " at " << j << (got == &table ? "" : " in digits");
          }
        }
      }
}

/// The exact result along every axis.
Global transformed_by_kinds(Global x, const TransformSpec& spec) {
  TransformSpec fourier = spec;
  fourier.axes.clear();
  for (const int axis : spec.axes)
    if (kind_of(spec, axis) == AxisKind::fourier) fourier.axes.push_back(axis);
  const bool complex = x.complex && !(spec.real && x.complex);
  const auto along_kinds = [&] {
    for (const int axis : spec.axes) {
      const AxisKind kind = kind_of(spec, axis);
      if (kind == AxisKind::fourier) continue;
      const Index n = x.shape[axis];
      std::vector<long double> matrix;
      for (Index k = 0; k < n; ++k)
        for (Index j = 0; j < n; ++j) matrix.push_back(entry(kind, n, k, j, spec.orthonormal));
      const Global before = x;
      for_each(whole(x.shape), [&](const Coord& at) {
        Wide sum = 0;
        Coord from = at;
        for (from[axis] = 0; from[axis] < n; ++from[axis])
          sum += before[from] * matrix[static_cast<std::size_t>(at[axis] * n + from[axis])];
        x[at] = sum;
      });
    }
  };
  along_kinds();
  if (!fourier.axes.empty()) return transformed(x, fourier);
  for (Wide& z : x.values) z *= static_cast<long double>(spec.scale);
  x.complex = complex;
  return x;
}

std::vector<Verified> cases() {
  using enum AxisKind;
  return {
      {{.shape = {5, 6, 7}, .axes = {0, 1, 2}, .scale = 1, .kinds = {cosine2, sine3, hartley}}, false, f64},
      {{.shape = {5, 6, 7}, .axes = {0, 2}, .scale = 0.5, .kinds = {cosine1, sine1}}, false, f32},
      {{.shape = {4, 9, 6}, .axes = {0, 1, 2}, .kinds = {sine4, fourier, cosine4}}, true, f64},
      {{.shape = {6, 5, 8}, .axes = {0, 1, 2}, .real = true, .kinds = {sine2, cosine3, fourier}}, false, f64},
      {{.shape = {6, 5, 8}, .axes = {0, 2, 1}, .real = true, .kinds = {cosine1, fourier, cosine3}}, false, f64},
      {{.shape = {6, 8, 5}, .axes = {1, 0, 2}, .sign = 1, .real = true, .kinds = {fourier, sine3, cosine2}}, true, f64},
      {{.shape = {7, 6}, .axes = {0, 1}, .kinds = {cosine1, cosine3}, .orthonormal = true}, false, f64},
      {{.shape = {7, 6}, .axes = {0, 1}, .kinds = {sine2, sine3}, .orthonormal = true}, true, f64}};
}

Shape shape_of(const Verified& c) {
  if (!(c.spec.real && c.complex_in)) return c.spec.shape;
  for (const int axis : c.spec.axes)
    if (is_real_axis(c.spec, axis)) return half_spectrum(c.spec.shape, axis);
  return c.spec.shape;
}

TEST(VerifyOfKinds, FindsRoundingInExactResultsAndWrongNumbersInOthers) {
  std::mt19937_64 random(12);
  for (const Verified& c : cases()) {
    const Global in = random_array(shape_of(c), c.complex_in, c.precision, random);
    Global out = rounded(transformed_by_kinds(in, c.spec), c.precision);
    for (const int ranks : {1, 3}) {
      const Verdict v = judged(c, in, out, ranks, 5, 64);
      EXPECT_LE(v.error_rel_l2, c.precision == f32 ? 0x1p-24 : 0x1p-53) << c;
      EXPECT_GT(v.error_rel_l2, 0) << c;
    }
    out.values[random() % out.values.size()] += static_cast<long double>(norm(out)) * 1e-3L;
    const Verdict wrong = judged(c, in, out, 2, 5, 64);
    EXPECT_NEAR(wrong.error_rel_l2, 1e-3, 3e-4) << c;
    EXPECT_FALSE(wrong.ok()) << c;
  }
}

TEST(SamplesOfKinds, AreTheOutputsByTheDefinition) {
  std::mt19937_64 random(13);
  for (const Verified& c : cases()) {
    const Global in = random_array(shape_of(c), c.complex_in, f64, random), out = transformed_by_kinds(in, c.spec);
    std::vector<Coord> positions;
    for_each(whole(out.shape), [&](const Coord& at) {
      if (random() % 8 == 0) positions.push_back(at);
    });
    on_ranks(2, [&](const Comm& comm) {
      std::mt19937_64 mine(static_cast<std::uint64_t>(comm.rank()));
      std::mt19937_64 same(7);
      const auto boxes = random_boxes(in.shape, 2, 5, same);
      const LocalPart x = local_part(in, boxes[static_cast<std::size_t>(comm.rank())], f64, mine);
      const std::vector<double> got = exact_samples(comm, x.array, c.spec, positions);
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const Wide want = out[positions[i]];
        EXPECT_NEAR(got[2 * i], static_cast<double>(want.real()), 1e-13) << c;
        EXPECT_NEAR(got[2 * i + 1], static_cast<double>(want.imag()), 1e-13) << c;
      }
    });
  }
}

TEST(BoundOfKinds, IsThatOfTheLogicalLength) {
  const TransformSpec cosine{.shape = {512}, .axes = {0}, .kinds = {AxisKind::cosine2}},
      fourier{.shape = {1024}, .axes = {0}};
  EXPECT_EQ(exact_bound(cosine, f64), exact_bound(fourier, f64));
}

}  // namespace
}  // namespace shardfft::testing
