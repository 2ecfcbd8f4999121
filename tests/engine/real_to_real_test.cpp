// Cosine, sine and Hartley transforms against their definitions.
#include "support/oracles/real_to_real.hpp"

#include <algorithm>
#include <cmath>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

template <class T>
KernelRequest request(Transform1d t, Index n, bool complex = false, bool orthonormal = false) {
  return {.n = n, .transform = t, .scalar = scalar_of<T>, .complex = complex, .orthonormal = orthonormal};
}

bool has_meaning(Transform1d t, Index n) { return n > 1 || t != Transform1d::cosine1; }

std::string words(const Kernel& kernel, bool complex) {
  return kernel.describe() + (complex ? " of complex numbers" : "");
}

/// u (2 + 2 sqrt(log2 L)), the bound that docs/theory/real_to_real.md gives.
template <class T>
double bound(Transform1d t, Index n) {
  const double length = static_cast<double>(std::max<Index>(logical_length(t, n), 1));
  return roundoff<T> * (2 + 2 * std::sqrt(std::log2(length)));
}

template <class T>
std::vector<Pencil> random_pencils(const Kernel& kernel, std::mt19937_64& random) {
  std::vector<Pencil> pencils;
  for (int v = 0; v < kernel.in().pencils; ++v)
    pencils.push_back(random_pencil<T>(random, kernel.in().length, !kernel.in().complex));
  return pencils;
}

Wide norm(const Pencil& x) {
  Wide sum = 0;
  for (const auto& y : x) sum += std::norm(y);
  return std::sqrt(sum);
}
Wide distance(const Pencil& x, const Pencil& y) {
  Wide sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += std::norm(x[k] - y[k]);
  return std::sqrt(sum);
}

/// The matrix of one kind and length.
class Definition {
 public:
  Definition(Transform1d t, Index n, bool orthonormal) : n_(n) {
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n; ++j)
        entries_.push_back(orthonormal ? orthonormal_entry(t, n, k, j) : r2r_entry(t, n, k, j));
  }
  [[nodiscard]] Pencil of(const Pencil& x) const {
    Pencil y;
    for (Index k = 0; k < n_; ++k) {
      std::complex<Wide> sum = 0;
      for (Index j = 0; j < n_; ++j)
        sum += x[static_cast<std::size_t>(j)] * entries_[static_cast<std::size_t>(k * n_ + j)];
      y.push_back(sum);
    }
    return y;
  }

 private:
  Index n_;
  std::vector<Wide> entries_{};
};

template <class T>
void expect_definition(const Engine& engine, Transform1d t, Index n, bool complex, bool orthonormal,
                       const Definition& definition, std::mt19937_64& random) {
  const auto kernel = engine.make(request<T>(t, n, complex, orthonormal));
  const std::vector<Pencil> pencils = random_pencils<T>(*kernel, random);
  auto out = transformed<T>(*kernel, pencils);
  const Wide scale = orthonormal ? 1 / std::sqrt(static_cast<Wide>(logical_length(t, n))) : 1;
  for (std::size_t v = 0; v < out.size(); v += 3) {
    for (auto& y : out[v]) y *= scale;
    const Pencil want = definition.of(pencils[v]);
    const double allowed = bound<T>(t, n);
    EXPECT_LE(static_cast<double>(distance(out[v], want)), allowed * static_cast<double>(norm(want)))
        << words(*kernel, complex) << (orthonormal ? ", orthonormal" : "") << ", pencil " << v;
  }
}

std::vector<Index> lengths_up_to(Index last_of_all, Index last_prime) {
  std::vector<Index> lengths;
  for (Index n = 1; n <= last_prime; ++n) {
    bool prime = n > 1;
    for (Index d = 2; d * d <= n; ++d) prime &= n % d != 0;
    if (n <= last_of_all || prime) lengths.push_back(n);
  }
  return lengths;
}

template <class T>
class RealToReal : public ::testing::Test {};
TYPED_TEST_SUITE(RealToReal, FloatAndDouble);

TYPED_TEST(RealToReal, EveryKindOfEveryLengthAgreesWithItsDefinition) {
  std::mt19937_64 random(1);
  Sample sample;
  for (const Index n : lengths_up_to(64, 257))
    for (const Transform1d t : all_r2r) {
      if (!has_meaning(t, n)) continue;
      for (const bool orthonormal : {false, true}) {
        if (!sample.takes()) continue;
        const Definition definition(t, n, orthonormal);
        on_every_target([&] {
          for (const bool complex : {false, true})
            expect_definition<TypeParam>(native_engine(), t, n, complex, orthonormal, definition, random);
        });
      }
    }
}

TYPED_TEST(RealToReal, OtherEnginesAgreeWithItOrSayThatTheyCannot) {
  std::mt19937_64 random(2);
  for (const Engine* engine : engines())
    for (const Index n : {1, 2, 5, 16, 23})
      for (const Transform1d t : all_r2r)
        for (const bool orthonormal : {false, true})
          for (const bool complex : {false, true}) {
            const std::string reason = engine->refuses(request<TypeParam>(t, n, complex, orthonormal));
            if (!has_meaning(t, n) || engine->name() == "mkl")
              EXPECT_NE(reason, "");
            else
              expect_definition<TypeParam>(*engine, t, n, complex, orthonormal, Definition(t, n, orthonormal), random);
          }
}

TYPED_TEST(RealToReal, AKindAndItsInverseMultiplyByTheLogicalLength) {
  std::mt19937_64 random(3);
  for (const Index n : {1, 2, 3, 16, 60, 97, 131, 255, 257, 509, 4099, 8192})
    for (const Transform1d t : all_r2r) {
      if (!has_meaning(t, n)) continue;
      const auto there = native_engine().make(request<TypeParam>(t, n)),
                 back = native_engine().make(request<TypeParam>(inverse(t), n));
      const std::vector<Pencil> pencils = random_pencils<TypeParam>(*there, random);
      auto out = transformed<TypeParam>(*back, transformed<TypeParam>(*there, pencils));
      const auto length = static_cast<Wide>(logical_length(t, n));
      for (std::size_t v = 0; v < out.size(); ++v) {
        for (auto& y : out[v]) y /= length;
        EXPECT_LE(static_cast<double>(distance(out[v], pencils[v]) / norm(pencils[v])), 4 * bound<TypeParam>(t, n))
            << there->describe();
      }
    }
}

/// Comparison by bits, NaN included.
bool same(const Pencil& a, const Pencil& b) {
  const auto equal = [](Wide x, Wide y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!equal(a[k].real(), b[k].real()) || !equal(a[k].imag(), b[k].imag())) return false;
  return a.size() == b.size();
}

TYPED_TEST(RealToReal, APencilWithInfinityLeavesItsNeighboursAlone) {
  std::mt19937_64 random(4);
  for (const Index n : {1, 2, 7, 16, 30, 97, 131, 256, 1000, 4099})
    for (const Transform1d t : all_r2r)
      for (const bool complex : {false, true}) {
        if (!has_meaning(t, n)) continue;
        const auto kernel = native_engine().make(request<TypeParam>(t, n, complex));
        std::vector<Pencil> pencils = random_pencils<TypeParam>(*kernel, random);
        const auto clean = transformed<TypeParam>(*kernel, pencils);
        const std::size_t bad = random() % pencils.size(), at = random() % static_cast<std::size_t>(n);
        pencils[bad][at].real(std::numeric_limits<Wide>::infinity());
        const auto out = transformed<TypeParam>(*kernel, pencils);
        for (std::size_t v = 0; v < out.size(); ++v) {
          EXPECT_TRUE(v == bad || same(out[v], clean[v])) << words(*kernel, complex) << ", pencil " << v;
        }
        for (std::size_t k = 0; k < out[bad].size(); ++k)
          EXPECT_EQ(out[bad][k].imag(), clean[bad][k].imag()) << words(*kernel, complex) << ": the other part";
      }
}

TYPED_TEST(RealToReal, PartsOfComplexNumbersHaveTheBitsOfReals) {
  std::mt19937_64 random(5);
  for (const Index n : {2, 9, 16, 37, 100, 256})
    for (const Transform1d t : all_r2r) {
      const auto both = native_engine().make(request<TypeParam>(t, n, true)),
                 reals = native_engine().make(request<TypeParam>(t, n));
      std::vector<Pencil> pencils = random_pencils<TypeParam>(*both, random), parts = pencils;
      for (Pencil& pencil : parts)
        for (auto& x : pencil) x = x.imag();
      const auto of_both = transformed<TypeParam>(*both, pencils), of_part = transformed<TypeParam>(*reals, parts);
      for (std::size_t v = 0; v < parts.size(); ++v)
        for (std::size_t k = 0; k < parts[v].size(); ++k)
          EXPECT_EQ(of_both[v][k].imag(), of_part[v][k].real()) << both->describe();
    }
}

TYPED_TEST(RealToReal, SinesAreCosinesOfAlternatedElementsReversed) {
  std::mt19937_64 random(6);
  for (const Index n : {1, 2, 5, 16, 37, 100, 256, 4099}) {
    const auto sine = native_engine().make(request<TypeParam>(Transform1d::sine2, n)),
               cosine = native_engine().make(request<TypeParam>(Transform1d::cosine2, n));
    std::vector<Pencil> pencils = random_pencils<TypeParam>(*sine, random);
    auto of_sine = transformed<TypeParam>(*sine, pencils);
    for (Pencil& pencil : pencils)
      for (std::size_t j = 1; j < pencil.size(); j += 2) pencil[j] = -pencil[j];
    const auto of_cosine = transformed<TypeParam>(*cosine, pencils);
    for (std::size_t v = 0; v < of_sine.size(); ++v) {
      std::reverse(of_sine[v].begin(), of_sine[v].end());
      EXPECT_EQ(of_sine[v], of_cosine[v]) << n;
    }
  }
}

/// Some outputs of a pencil by the definition.
void expect_samples(const Pencil& got, const Pencil& in, Transform1d t, Index n, std::mt19937_64& random) {
  for (int i = 0; i < 6; ++i) {
    const auto k = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
    Wide want = 0;
    for (Index j = 0; j < n; ++j) want += in[static_cast<std::size_t>(j)].real() * r2r_entry(t, n, k, j);
    EXPECT_LE(std::abs(static_cast<double>(got[static_cast<std::size_t>(k)].real() - want)),
              20 * bound<double>(t, n) * static_cast<double>(norm(got) / std::sqrt(static_cast<Wide>(n))))
        << name(t) << " of " << n << " at " << k;
  }
}

/// Others go through convolutions.
bool has_short_factors(Index n) {
  for (const Index p : {2, 3, 5, 7, 11, 13})
    while (n % p == 0) n /= p;
  return n == 1;
}

/// In units of roundoff, beside doubles, which some outputs by the definition say are right.
TEST(RealToReal, FloatsOfLongPencilsAreAsExactAsShortOnes) {
  std::mt19937_64 random(7);
  Sample sample;
  for (const Transform1d t : all_r2r)
    for (const Index n : {64, 256, 1024, 4096, 16384, 65536, 65535, 65537}) {
      if (!sample.takes()) continue;
      const auto kernel = native_engine().make(request<float>(t, n)),
                 wide = native_engine().make(request<double>(t, n));
      const auto pencils = static_cast<std::size_t>(kernel->in().pencils);
      std::vector<Pencil> in = random_pencils<float>(*kernel, random), in_wide = in;
      in_wide.resize(static_cast<std::size_t>(wide->in().pencils), in.front());
      const auto out = transformed<float>(*kernel, in), want = transformed<double>(*wide, in_wide);
      expect_samples(want[0], in[0], t, n, random);
      Wide error = 0;
      for (std::size_t v = 0; v < std::min(pencils, want.size()); ++v)
        error = std::max(error, distance(out[v], want[v]) / norm(want[v]));
      const double units = static_cast<double>(error) / roundoff<float>;
      RecordProperty(std::string(name(t)) + "_" + std::to_string(n), std::to_string(units));
      EXPECT_LE(units, has_short_factors(logical_length(t, n)) ? 3 : 5) << kernel->describe();
    }
}

TEST(RealToReal, Cosine1OfOnePointIsRefusedWithTheRemedy) {
  for (const Engine* engine : engines())
    if (engine->name() != "mkl") {
      const std::string reason = engine->refuses(request<double>(Transform1d::cosine1, 1));
      EXPECT_NE(reason.find("2 points at least; got 1; use cosine2"), std::string::npos) << reason;
    }
}

}  // namespace
}  // namespace shardfft::testing
