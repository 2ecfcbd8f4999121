// Engines that stand on other libraries: whichever were built.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "engine/pencils.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

constexpr Index lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 30, 37, 64, 77, 100, 128, 131, 210, 256, 509};

std::vector<const Engine*> foreign_engines() {
  std::vector<const Engine*> found;
  for (const Engine* engine : engines())
    if (engine->name() != "native") found.push_back(engine);
  return found;
}

template <class T>
class ForeignEngines : public ::testing::Test {
 protected:
  void SetUp() override {
    if (foreign_engines().empty()) GTEST_SKIP() << "this build has only the native engine";
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ForeignEngines, Scalars);

/// Relative L2 error of the pencil in place v.
template <class T>
double error_of(const Engine& engine, Index n, Transform1d t, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto kernel = engine.make({n, t, scalar_of<T>});
  std::vector<Pencil> pencils;
  for (int v = 0; v < kernel->in().pencils; ++v)
    pencils.push_back(random_pencil<T>(random, input_length(t, n), is_real_in(t)));
  const std::vector<Pencil> results = transformed<T>(*kernel, pencils);
  const Definition reference(n);
  double worst = 0;
  for (std::size_t v = 0; v < pencils.size(); v += pencils.size() - 1) {
    const Pencil x = complex_inputs(pencils[v], t, n);
    Wide error = 0, norm = 0;
    for (std::size_t u = 0; u < results[v].size(); ++u) {
      const std::complex<Wide> exact = reference.output(x, static_cast<Index>(u), sign_of(t));
      error += std::norm(results[v][u] - exact);
      norm += std::norm(exact);
    }
    worst = std::max(worst, static_cast<double>(std::sqrt(error / norm)));
  }
  return worst;
}

TYPED_TEST(ForeignEngines, GiveTheTransformOfTheDefinition) {
  std::cout << "seeds: the lengths\n";
  for (const Engine* engine : foreign_engines())
    for (const Index n : lengths)
      for (const Transform1d t : all_transforms)
        EXPECT_LT(error_of<TypeParam>(*engine, n, t, static_cast<std::uint64_t>(n)),
                  8 * roundoff<TypeParam> * (1 + std::sqrt(std::log2(static_cast<double>(n)))))
            << engine->name() << " n " << n << ", transform " << static_cast<int>(t);
}

TYPED_TEST(ForeignEngines, GiveAPencilTheSameBitsInAnyPlaceAmongAnyNeighbours) {
  for (const Engine* engine : foreign_engines())
    for (const Index n : lengths)
      for (const Transform1d t : all_transforms) {
        std::mt19937_64 random(static_cast<std::uint64_t>(n));
        const auto kernel = engine->make({n, t, scalar_of<TypeParam>});
        const Pencil pencil = random_pencil<TypeParam>(random, input_length(t, n), is_real_in(t));
        const Pencil poison(pencil.size(), {std::numeric_limits<Wide>::quiet_NaN(), 1});
        const auto places = static_cast<std::size_t>(kernel->in().pencils);
        const Pencil expected = transformed<TypeParam>(*kernel, std::vector<Pencil>(places, pencil))[0];
        for (std::size_t place = 0; place < places; ++place) {
          std::vector<Pencil> tile(places, poison);
          tile[place] = pencil;
          EXPECT_EQ(transformed<TypeParam>(*kernel, tile)[place], expected)
              << engine->name() << " n " << n << " place " << place;
        }
      }
}

TYPED_TEST(ForeignEngines, IgnoreWhateverIsInTheImaginaryPartsThatAHermitianSpectrumDoesNotHave) {
  for (const Engine* engine : foreign_engines())
    for (const Index n : lengths) {
      std::mt19937_64 random(static_cast<std::uint64_t>(n));
      const auto kernel = engine->make({n, Transform1d::c2r, scalar_of<TypeParam>});
      const auto places = static_cast<std::size_t>(kernel->in().pencils);
      Pencil clean = random_pencil<TypeParam>(random, n / 2 + 1, false), odd = clean;
      clean[0].imag(0), odd[0].imag(std::numeric_limits<Wide>::quiet_NaN());
      if (n % 2 == 0) clean.back().imag(0), odd.back().imag(std::numeric_limits<Wide>::infinity());
      EXPECT_EQ(transformed<TypeParam>(*kernel, std::vector<Pencil>(places, odd)),
                transformed<TypeParam>(*kernel, std::vector<Pencil>(places, clean)))
          << engine->name() << " n " << n;
    }
}

TYPED_TEST(ForeignEngines, PutEveryPencilOnACacheLineOfItsOwn) {
  for (const Engine* engine : foreign_engines())
    for (const Index n : {1, 64, 100, 4096, 20000}) {
      const auto kernel = engine->make({n, Transform1d::r2c, scalar_of<TypeParam>});
      for (const TileFormat& f : {kernel->in(), kernel->out()}) {
        EXPECT_EQ(f.order, TileFormat::Order::rows);
        EXPECT_EQ(f.ld * static_cast<Index>(sizeof(TypeParam)) % 128, 64) << n;
        EXPECT_GE(f.ld, f.length * (f.complex ? 2 : 1));
        EXPECT_GE(kernel->buffer_bytes(), static_cast<std::size_t>(f.scalars()) * sizeof(TypeParam));
      }
    }
}

TEST(ForeignEnginesRefuse, LengthsBelowOneAndSayWhy) {
  for (const Engine* engine : foreign_engines()) {
    EXPECT_EQ(engine->refuses({64, Transform1d::forward, Scalar::f64}), "");
    EXPECT_NE(engine->refuses({0, Transform1d::forward, Scalar::f64}), "");
    EXPECT_THROW(static_cast<void>(engine->make({0, Transform1d::forward, Scalar::f64})), Error);
  }
}

TEST(ForeignEnginesWisdom, SurvivesTheWayThroughTextAndGivesTheSamePlan) {
  for (const Engine* engine : foreign_engines()) {
    if (!engine->measures()) continue;
    for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
      const auto before = engine->make({360, Transform1d::forward, scalar});
      const std::string wisdom = engine->wisdom();
      EXPECT_GT(wisdom.size(), 100U);
      engine->load_wisdom(wisdom);
      EXPECT_EQ(engine->make({360, Transform1d::forward, scalar})->describe(), before->describe());
    }
    std::string broken = engine->wisdom();
    broken.insert(5, "not wisdom");
    EXPECT_THROW(engine->load_wisdom(broken), Error);
  }
}

}  // namespace
}  // namespace shardfft::testing
