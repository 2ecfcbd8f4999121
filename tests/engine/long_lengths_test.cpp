// Long lengths against the definition at some outputs.
#include <cmath>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/sampled_error.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

/// Powers of two and others, lengths that are computed in place (196 to 294, 512), primes by both convolutions, primes
/// whose convolution has a large prime of its own (509; 719, which nearly fills half of it), and primes times
/// something.
constexpr Index long_lengths[] = {179,  196,  197,  210,  216,  233,  245,  256,   294,   360,
                                  394,  500,  509,  512,  699,  719,  1000, 1004,  1009,  1021,
                                  1024, 2039, 2048, 2310, 4078, 4096, 8192, 30030, 32768, 45901};

/// Root of the mean squared error of the sampled outputs, relative to what an output is on average, in units of
/// roundoff * log2 n.
constexpr double tight_rms = 1.0;

template <class T>
class LongTransforms : public ::testing::Test {};
TYPED_TEST_SUITE(LongTransforms, FloatAndDouble);

TYPED_TEST(LongTransforms, AgreeWithTheDefinitionAtRandomOutputsOnEveryInstructionSet) {
  std::mt19937_64 random(20240602);
  SCOPED_TRACE("seed 20240602");
  Sample sample;
  for (const Index n : long_lengths) {
    const Definition reference(n);
    on_every_target([&] {
      for (const Transform1d t : all_transforms) {
        if (!sample.takes()) continue;
        const auto kernel = native_engine().make({n, t, scalar_of<TypeParam>});
        const double allowed = tight_rms * roundoff<TypeParam> * std::log2(static_cast<double>(n));
        EXPECT_LE(sampled_error<TypeParam>(*kernel, t, n, random, reference), allowed)
            << "n " << n << ", " << kernel->describe() << ", transform " << static_cast<int>(t);
      }
    });
  }
}

}  // namespace
}  // namespace shardfft::testing
