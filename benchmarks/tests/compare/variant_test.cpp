// A library's name with options behind it.
#include "compare/cases/variant.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"

namespace shardfft::compare {
namespace {

using testing::refusal;
using Environment = std::vector<std::pair<std::string, std::string>>;

TEST(Variants, AreALibraryAndTheEnvironmentOfItsOptions) {
  EXPECT_EQ(variant_of("fftw_mpi").library, "fftw_mpi");
  EXPECT_TRUE(variant_of("fftw_mpi").environment.empty());
  EXPECT_EQ(variant_of("fftw_mpi+shardfft").library, "fftw_mpi+shardfft");
  EXPECT_TRUE(variant_of("fftw_mpi+shardfft").environment.empty());
  EXPECT_EQ(variant_of("shardfft+again").library, "shardfft");
  EXPECT_TRUE(variant_of("shardfft+again").environment.empty());
  const Variant variant = variant_of("shardfft_cuda+transport=peer_copy+chunks=4+device=cuda:1");
  EXPECT_EQ(variant.library, "shardfft_cuda");
  EXPECT_EQ(
      variant.environment,
      (Environment{{"SHARDFFT_TRANSPORT", "peer_copy"}, {"SHARDFFT_CHUNKS", "4"}, {"SHARDFFT_PEER_DEVICE", "cuda:1"}}));
  EXPECT_EQ(variant_of("shardfft+arrays=host").environment, (Environment{{"SHARDFFT_PEER_ARRAYS", "host"}}));
}

TEST(Variants, WithMistakesAreRefusedWithWhatIsRight) {
  const auto refused = [](const std::string& name) { return refusal([&] { (void)variant_of(name); }); };
  EXPECT_NE(refused("cufft+chunks=2").find("other libraries choose by themselves; got 'cufft+chunks=2'"),
            std::string::npos);
  EXPECT_NE(refused("shardfft_cuda+colour=red").find("must be one of engine, transport"), std::string::npos);
  for (const char* name :
       {"shardfft_cuda+chunks", "shardfft_cuda+chunks=", "shardfft_cuda+transport=../x", "shardfft_cuda+chunks=a b"})
    EXPECT_NE(refused(name).find("must have a value, one word"), std::string::npos) << name;
  EXPECT_NE(refused("shardfft_cuda+").find("must be one of"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::compare
