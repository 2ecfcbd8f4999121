// Kernels that are only looked at: the same formats, sizes and words as those that run, of any length in no time.
#include <gtest/gtest.h>

#include <tuple>

#include "engine/registry.hpp"

namespace shardfft {
namespace {

TEST(KernelsThatAreOnlyLookedAt, SayWhatThoseThatRunSay) {
  const Engine& engine = *find_engine("native");
  for (const Index n : {1, 60, 97, 4096, 4099, 10007, 65536, 65537, 131071, 262144, 1 << 20, 1000003, (1 << 20) + 1})
    for (const Transform1d transform :
         {Transform1d::forward, Transform1d::backward, Transform1d::r2c, Transform1d::c2r})
      for (const Scalar scalar : {Scalar::f32, Scalar::f64})
        for (const bool few_pencils : {false, true}) {
          const KernelRequest request{.n = n, .transform = transform, .scalar = scalar, .few_pencils = few_pencils};
          KernelRequest look = request;
          look.looks_only = true;
          const auto runs = engine.make(request), looked_at = engine.make(look);
          for (const auto format : {&Kernel::in, &Kernel::out}) {
            const TileFormat a = (*runs.*format)(), b = (*looked_at.*format)();
            EXPECT_EQ(std::tuple(a.order, a.complex, a.pencils, a.length, a.ld),
                      std::tuple(b.order, b.complex, b.pencils, b.length, b.ld))
                << n;
          }
          EXPECT_EQ(runs->buffer_bytes(), looked_at->buffer_bytes()) << n << " " << name(transform);
          EXPECT_EQ(runs->describe(), looked_at->describe());
        }
}

// With their tables these would take hundreds of gigabytes.
TEST(KernelsThatAreOnlyLookedAt, MayBeAsLongAsAnyLength) {
  const Engine& engine = *find_engine("native");
  constexpr Index prime = 1099511627689;  // below 2^40
  for (const Index n : {prime, Index{1} << 40})
    for (const Transform1d transform : {Transform1d::forward, Transform1d::r2c}) {
      const auto kernel = engine.make({.n = n, .transform = transform, .looks_only = true});
      EXPECT_GE(kernel->buffer_bytes(), static_cast<std::size_t>(8 * n));
    }
}

}  // namespace
}  // namespace shardfft
