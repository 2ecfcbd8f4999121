#include <gtest/gtest.h>

#include "report/data/results.hpp"
#include "small_results.hpp"

namespace shardfft::report {
namespace {

using testing::Json;

Json entry(const std::string& library, const std::vector<double>& seconds, const std::string& call = "best") {
  Json e = testing::right_entry(library, seconds.front(), 0.25);
  e["call"] = call;
  e["launches"] = testing::launches(seconds);
  return e;
}

/// The last of these entries, as it is read from a file that holds them in one case.
Entry last_of(std::vector<Json> entries) {
  Json c = testing::one_case(64, 1);
  c["entries"] = std::move(entries);
  return parse_results(testing::results({c}).dump(), "some.json").cases[0].entries.back();
}

TEST(Names, TellWhatIsOursAndWhatRunsOnADevice) {
  for (const char* ours : {"shardfft", "shardfft+engine=native", "shardfft_cuda", "shardfft_hip+transport=nccl"})
    EXPECT_TRUE(is_ours(ours)) << ours;
  for (const char* peer : {"fftw_mpi", "cufft", "shardfft2", "my_shardfft"}) EXPECT_FALSE(is_ours(peer)) << peer;
  for (const char* device :
       {"shardfft_cuda", "shardfft_hip+chunks=2", "shardfft+device=cuda", "cufft", "cufftxt", "cufftmp", "vkfft"})
    EXPECT_TRUE(Entry{.library = device}.on_device()) << device;
  for (const char* processor : {"shardfft", "shardfft+engine=native", "shardfft+device=emulated", "fftw_mpi", "heffte"})
    EXPECT_FALSE(Entry{.library = processor}.on_device()) << processor;
}

TEST(References, OfLibrariesOnGpusAreShardfftOnADeviceTurnByTurn) {
  const Entry cufft =
      last_of({entry("shardfft", {8, 8, 8}), entry("shardfft_cuda", {1, 2, 4}), entry("cufft", {2, 6, 16})});
  EXPECT_EQ(cufft.reference, "shardfft_cuda");
  EXPECT_EQ(cufft.ratio->median, 3);
  EXPECT_EQ(cufft.ratio->low, 2);
  EXPECT_EQ(cufft.ratio->high, 4);
  EXPECT_EQ(cufft.ratio->coverage, 0.75);
  EXPECT_EQ(cufft.ratio_backward->median, 9);
}

TEST(References, AreOfTheSameCallAndTunedOnesBeforeVariants) {
  EXPECT_EQ(
      last_of({entry("shardfft_cuda+transport=nccl", {1}), entry("shardfft_cuda", {2}), entry("vkfft", {4})}).reference,
      "shardfft_cuda");
  EXPECT_EQ(last_of({entry("shardfft_cuda+chunks=2", {3}), entry("shardfft_cuda+chunks=4", {2}), entry("vkfft", {4})})
                .reference,
            "shardfft_cuda+chunks=4")
      << "the fastest of variants";
  EXPECT_EQ(
      last_of({entry("shardfft_cuda", {2}), entry("shardfft_cuda", {8}, "default"), entry("vkfft", {4}, "default")})
          .ratio->median,
      0.5);
}

TEST(References, AreShardfftOnTheProcessorWhereNoneRanOnADeviceAndForAllOthers) {
  const Entry alone = last_of({entry("shardfft", {8}), entry("cufft", {2})});
  EXPECT_EQ(alone.reference, "shardfft");
  EXPECT_EQ(alone.ratio->median, 0.25) << "as compare has written it";
  Json failed = entry("shardfft_cuda", {1});
  failed["status"] = "failed";
  EXPECT_EQ(last_of({entry("shardfft", {8}), failed, entry("cufft", {2})}).reference, "shardfft");
  EXPECT_EQ(last_of({entry("shardfft", {8}), entry("shardfft_cuda", {1}), entry("fftw_threads", {2})}).ratio->median,
            0.25);
}

TEST(References, WithoutATurnThatBothHaveThereIsNoRatio) {
  Json later = entry("cufft", {2});
  later["launches"][0]["turn"] = 5;
  EXPECT_FALSE(last_of({entry("shardfft_cuda", {1}), later}).ratio.has_value());
}

TEST(References, TheLimitOfTheProcessorsIsNoneForADevice) {
  EXPECT_FALSE(last_of({entry("shardfft", {8}), entry("cufft", {2})}).share().has_value());
  EXPECT_TRUE(last_of({entry("shardfft", {8}), entry("mkl", {2})}).share().has_value());
}

}  // namespace
}  // namespace shardfft::report
