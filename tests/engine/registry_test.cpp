#include "engine/registry.hpp"

#include <gtest/gtest.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

TEST(Engines, TheNativeOneIsTheDefault) {
  ASSERT_FALSE(engines().empty());
  EXPECT_EQ(engines().front()->name(), "native");
}

TEST(Engines, AreFoundByTheirNamesAndNoOthers) {
  for (const Engine* engine : engines()) EXPECT_EQ(find_engine(engine->name()), engine);
  EXPECT_EQ(find_engine("nativ"), nullptr);
  EXPECT_EQ(find_engine(""), nullptr);
}

TEST(Engines, KnowTheSizeOfFloatAndDouble) {
  EXPECT_EQ(size_of(Scalar::f32), sizeof(float));
  EXPECT_EQ(size_of(Scalar::f64), sizeof(double));
}

TEST(NativeEngine, RefusesLengthsBelowOneAndSaysSo) {
  for (const Index n : {Index{0}, Index{-3}}) {
    const KernelRequest request{.n = n};
    EXPECT_NE(native_engine().refuses(request).find(std::to_string(n)), std::string::npos);
    try {
      (void)native_engine().make(request);
      FAIL() << "no error for length " << n;
    } catch (const Error& error) { EXPECT_EQ(error.status(), Status::unsupported); }
  }
}

TEST(NativeEngine, DescribesHowALengthIsComputed) {
  EXPECT_EQ(native_engine().make({.n = 1})->describe(), "1");
  EXPECT_EQ(native_engine().make({.n = 7})->describe(), "7");
  EXPECT_NE(native_engine().make({.n = 2039})->describe().find("bluestein"), std::string::npos);
}

TEST(NativeEngine, SaysThatALongPencilIsComputedInHalves) {
  if (native_engine().make({.n = 8})->in().pencils == 1) GTEST_SKIP() << "no vectors here, and so no halves";
  EXPECT_NE(native_engine()
                .make({.n = 65536, .transform = Transform1d::r2c, .few_pencils = true})
                ->describe()
                .find("in halves"),
            std::string::npos);
  EXPECT_NE(native_engine().make({.n = 100003})->describe().find("by bluestein"), std::string::npos);
}

TEST(NativeEngine, CountsNominalOperationsOfAFullTile) {
  const auto complex = native_engine().make({.n = 64}),
             real = native_engine().make({.n = 64, .transform = Transform1d::r2c});
  EXPECT_DOUBLE_EQ(complex->nominal_flops(), 5.0 * 64 * 6 * complex->in().pencils);
  EXPECT_DOUBLE_EQ(real->nominal_flops(), complex->nominal_flops() / 2);
}

}  // namespace
}  // namespace shardfft
