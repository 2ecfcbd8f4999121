// Kernels with fewer points and modes give the bits of the whole transform, cut; of frequencies that share a place
// those of their sum, or of their halves.
#include <random>

#include "engine/pencils.hpp"
#include "engine/pruned_kernel.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

bool is_half(Transform1d t) { return is_real_in(t) || is_real_out(t); }

KernelRequest request_of(Transform1d t, Index n, Index support, Index modes, Scalar scalar) {
  const bool from_modes = t == Transform1d::backward || t == Transform1d::c2r;
  return {
      .n = n, .transform = t, .scalar = scalar, .kept = {.support = support, .modes = modes, .from_modes = from_modes}};
}

std::size_t at(Index k) { return static_cast<std::size_t>(k); }

/// What the whole spectrum has, or its half, of modes that are kept.
template <class T>
Pencil cut(const Pencil& whole, Index n, Index m, bool half) {
  Pencil kept(at(half ? m / 2 + 1 : m));
  for (Index f = -((m - 1) / 2); f <= (m - 1) / 2; ++f)
    if (f >= 0 || !half) kept[at((f + m) % m)] = whole[at((f + n) % n)];
  if (m % 2 == 1) return kept;
  const auto outer = whole[at(m / 2)];
  if (m == n)
    kept[at(m / 2)] = outer;
  else if (half)
    kept[at(m / 2)] = {static_cast<T>(2 * outer.real()), 0};
  else
    kept[at(m / 2)] = {static_cast<T>(static_cast<T>(outer.real()) + static_cast<T>(whole[at(n - m / 2)].real())),
                       static_cast<T>(static_cast<T>(outer.imag()) + static_cast<T>(whole[at(n - m / 2)].imag()))};
  return kept;
}

Pencil with_zeros(const Pencil& kept, Index n, Index m, bool half) {
  Pencil whole(at(half ? n / 2 + 1 : n));
  for (Index f = -((m - 1) / 2); f <= (m - 1) / 2; ++f)
    if (f >= 0 || !half) whole[at((f + n) % n)] = kept[at((f + m) % m)];
  if (m % 2 == 1) return whole;
  const auto outer = kept[at(m / 2)];
  if (m == n)
    whole[at(m / 2)] = outer;
  else if (half)
    whole[at(m / 2)] = outer.real() / 2;
  else
    whole[at(m / 2)] = whole[at(n - m / 2)] = outer / Wide(2);
  return whole;
}

template <class T>
Pencil run_contiguous(const Kernel& kernel, const Pencil& in) {
  AlignedBytes a(kernel.buffer_bytes()), from(2 * sizeof(T) * in.size()), to(2 * sizeof(T) * at(kernel.out().length));
  const auto parts = [](const TileFormat& f) { return std::size_t{f.complex ? 2U : 1U}; };
  T* x = reinterpret_cast<T*>(from.data());
  for (std::size_t k = 0; k < in.size(); ++k) {
    x[parts(kernel.in()) * k] = static_cast<T>(in[k].real());
    if (kernel.in().complex) x[2 * k + 1] = static_cast<T>(in[k].imag());
  }
  const ContiguousPencil pencil{.from = from.data(), .to = to.data()};
  kernel.run_contiguous({&pencil, 1}, a.data());
  Pencil out;
  const T* y = reinterpret_cast<const T*>(to.data());
  for (std::size_t k = 0; k < at(kernel.out().length); ++k)
    out.emplace_back(y[parts(kernel.out()) * k], kernel.out().complex ? y[2 * k + 1] : T(0));
  return out;
}

template <class T>
void check(const Engine& engine, const KernelRequest& r, std::mt19937_64& random) {
  KernelRequest all = r;
  all.kept = {};
  const auto whole = engine.make(all), pruned = make_kernel(engine, r);
  const bool half = is_half(r.transform);
  const Index s = r.kept.support, m = r.kept.modes;
  ASSERT_EQ(pruned->in().length, r.kept.from_modes ? (half ? m / 2 + 1 : m) : s);
  ASSERT_EQ(pruned->out().length, r.kept.from_modes ? s : (half ? m / 2 + 1 : m));
  std::vector<Pencil> in, lengthened, expected;
  for (int v = 0; v < whole->in().pencils; ++v) {
    in.push_back(random_pencil<T>(random, pruned->in().length, !pruned->in().complex));
    lengthened.push_back(in.back());
    lengthened.back().resize(at(whole->in().length));
    if (r.kept.from_modes) lengthened.back() = with_zeros(in.back(), r.n, m, half);
  }
  for (Pencil& out : transformed<T>(*whole, lengthened)) {
    expected.push_back(r.kept.from_modes ? out : cut<T>(out, r.n, m, half));
    expected.back().resize(at(pruned->out().length));
  }
  const std::string what = std::string(name(r.transform)) + " n " + std::to_string(r.n) + " s " + std::to_string(s) +
                           " m " + std::to_string(m);
  ASSERT_EQ(transformed<T>(*pruned, in), expected) << what;
  if (pruned->takes_contiguous()) {
    ASSERT_EQ(run_contiguous<T>(*pruned, in[0]), expected[0]) << what << " contiguous";
  }
}

TEST(PrunedKernel, HasTheBitsOfTheWholeTransformCutForEveryNumberOfPointsAndModes) {
  std::mt19937_64 random(7);
  Sample sample;
  for (const Engine* engine : engines())
    for (const Transform1d t : {Transform1d::forward, Transform1d::backward, Transform1d::r2c, Transform1d::c2r})
      for (Index n = 1; n <= (engine->measures() ? 6 : 18); ++n)
        for (Index m = 1; m <= n; ++m)
          for (Index s = 1; s <= n && !HasFatalFailure(); ++s) {
            if ((m == n && s == n) || !sample.takes()) continue;
            check<double>(*engine, request_of(t, n, s, m, Scalar::f64), random);
            check<float>(*engine, request_of(t, n, s, m, Scalar::f32), random);
          }
}

TEST(PrunedKernel, HasTheBitsOfTheWholeTransformCutForLongerLengths) {
  std::mt19937_64 random(8);
  Sample sample;
  for (const Engine* engine : engines())
    for (const Transform1d t : {Transform1d::forward, Transform1d::backward, Transform1d::r2c, Transform1d::c2r})
      for (const Index n : {64, 197, 256, 1000, 1 << 17}) {
        if (n > 256 && engine->measures()) continue;
        for (const Index m : {n / 2, n / 2 + 1, 2 * ((n - 1) / 3) + 1, n - 1, n})
          for (const Index s : {n / 3, n}) {
            const bool seldom = n > 1000 && m != n / 2 + 1;  // tables of long lengths take long
            if ((m == n && s == n) || seldom || !sample.takes() || HasFatalFailure()) continue;
            check<double>(*engine, request_of(t, n, s, m, Scalar::f64), random);
            check<float>(*engine, request_of(t, n, s, m, Scalar::f32), random);
          }
      }
}

TEST(PrunedKernel, IsTheEnginesOwnWhereAllIsKept) {
  const Engine& engine = *engines().front();
  const KernelRequest all = request_of(Transform1d::forward, 12, 12, 12, Scalar::f64);
  EXPECT_EQ(make_kernel(engine, all)->describe(), engine.make(all)->describe());
  EXPECT_NE(make_kernel(engine, request_of(Transform1d::forward, 12, 12, 11, Scalar::f64))->describe(),
            engine.make(all)->describe());
}

}  // namespace
}  // namespace shardfft::testing
