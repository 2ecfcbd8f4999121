// The name that a mistyped one stands for, and silence where nobody could know.
#include <gtest/gtest.h>

#include "support/text/did_you_mean.hpp"

namespace shardfft::testing {
namespace {

const std::vector<std::string> names{"native",        "fftw",       "mkl",     "mpi_alltoallv",
                                     "shared_memory", "transposed", "--shape", "--tolerance-linf",
                                     "f32",           "f64"};

TEST(Nearest, FindsWordsWithALetterTooManyTooFewWrongOrExchanged) {
  EXPECT_EQ(nearest("nativee", names), "native");
  EXPECT_EQ(nearest("natve", names), "native");
  EXPECT_EQ(nearest("nadive", names), "native");
  EXPECT_EQ(nearest("antive", names), "native");
  EXPECT_EQ(nearest("mpi_altoalv", names), "mpi_alltoallv");
}

TEST(Nearest, LooksPastCaseDashesAndUnderscores) {
  EXPECT_EQ(nearest("Native", names), "native");
  EXPECT_EQ(nearest("F64", names), "f64");
  EXPECT_EQ(nearest("shared-memory", names), "shared_memory");
  EXPECT_EQ(nearest("-shpae", names), "--shape");
  EXPECT_EQ(nearest("tolerance_linf", names), "--tolerance-linf");
}

TEST(Nearest, TakesABeginningThatOnlyOneNameHas) {
  EXPECT_EQ(nearest("trans", names), "transposed");
  EXPECT_EQ(nearest("mp", names), "");
}

TEST(Nearest, IsSilentWhereNothingIsClose) {
  for (const std::string& word : {std::string(), std::string("--"), std::string("x"), std::string("wavelet"),
                                  std::string("f"), std::string(100000, 'n')})
    EXPECT_EQ(nearest(word, names), "") << word.substr(0, 20);
  EXPECT_EQ(nearest("native", {}), "");
}

TEST(DidYouMean, StandsBehindWhatWasGot) {
  EXPECT_EQ(did_you_mean("fftv", names), " (did you mean 'fftw'?)");
  EXPECT_EQ(did_you_mean("wavelet", names), "");
}

}  // namespace
}  // namespace shardfft::testing
