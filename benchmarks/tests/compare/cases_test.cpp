// Words to cases, case files, turns.
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "compare/cases/case_file.hpp"
#include "compare/cases/case_words.hpp"
#include "compare/cases/variant.hpp"
#include "compare/launch/schedule.hpp"
#include "support/refusal.hpp"

namespace shardfft::compare {
namespace {

using testing::refusal;

TEST(Cases, AreAllCombinationsOfTheWordsEachOnce) {
  const CaseWords words{
      .shapes = {"8", "8x8x8", "4x6"}, .kinds = {"c2c", "r2c"}, .precisions = {"f32"}, .ranks = {"2x1", "1x2"}};
  const auto cases = expand(words);
  ASSERT_EQ(cases.size(), 8U);
  EXPECT_EQ(cases[0].text(), "8x8x8 c2c f32 natural 2x1");
  EXPECT_EQ(cases[3].text(), "8x8x8 r2c f32 natural 1x2");
  EXPECT_EQ(cases[7].text(), "4x6 r2c f32 natural 1x2");
}

TEST(Cases, OfAPowerHaveSoManyDimensionsAndOfAPlainNumberThree) {
  const auto cases = expand({.shapes = {"65536^1", "64^2", "8^4", "8", "16X4"}, .ranks = {"1x1"}});
  ASSERT_EQ(cases.size(), 5U);
  EXPECT_EQ(cases[0].shape, (Shape{65536}));
  EXPECT_EQ(cases[0].text(), "65536^1 c2c f64 natural 1x1");
  EXPECT_EQ(cases[1].shape, (Shape{64, 64}));
  EXPECT_EQ(cases[2].shape, (Shape{8, 8, 8, 8}));
  EXPECT_EQ(cases[3].shape, (Shape{8, 8, 8}));
  EXPECT_EQ(cases[4].shape, (Shape{16, 4}));
  for (const Case& c : cases)
    EXPECT_EQ(expand({.shapes = {extents_text(c.shape)}, .ranks = {"1x1"}})[0].shape, c.shape) << c.text();
}

TEST(Cases, TransformTheAxesThatAreNamedAndAllOfThemAreTheCaseWithoutWords) {
  const auto cases = expand({.shapes = {"4x6x8"}, .ranks = {"1x1"}, .axes = {"0", "-1,1", "0,1,2", ""}});
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].axes, std::vector<int>{0});
  EXPECT_EQ(cases[1].axes, (std::vector<int>{2, 1}));
  EXPECT_EQ(cases[1].text(), "4x6x8 c2c f64 natural 1x1 axes 2,1");
  EXPECT_EQ(cases[2].axes, std::vector<int>{});
  EXPECT_EQ(cases[2].transformed(), (std::vector<int>{0, 1, 2}));
}

TEST(Cases, AreReadBackFromJsonAsTheyWere) {
  const Case c{{4, 6, 8}, "r2c", "f32", "bricks", 6, 2, 3, 5, "2x3", "a study", {2, 0}, 9};
  EXPECT_EQ(case_from(Json::parse(to_json(c).dump())), c);
}

TEST(Cases, ThatNobodyCouldRunAreRefusedBeforeTheyAreCounted) {
  CaseWords words{.shapes = std::vector<std::string>(5000, "8"), .ranks = {"1x1", "2x1", "1x2"}};
  words.batches.assign(1000, 1);
  const std::string said = refusal([&] { (void)expand(words); });
  EXPECT_NE(said.find("at most 10000 cases; got '15000000'"), std::string::npos) << said;
}

TEST(Cases, OfWordsThatMeanNothingAreRefusedWithWhatIsRight) {
  const auto with = [](auto change) {
    CaseWords words{.shapes = {"8"}, .ranks = {"2x1"}};
    change(words);
    return refusal([&] { (void)expand(words); });
  };
  EXPECT_NE(with([](CaseWords& w) { w.shapes = {"8x"}; }).find("--shapes"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.kinds = {"c2r"}; }).find("c2c, r2c"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.ranks = {"2x1x3"}; }).find("ranks x threads"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.ranks = {"0x1"}; }).find("ranks x threads"), std::string::npos);
  for (const char* shape : {"64^", "^1", "64^0", "64^9", "64^1x2", "64**2", "-64^1", "1.5^2"})
    EXPECT_NE(with([&](CaseWords& w) { w.shapes = {shape}; }).find(std::string("joined by x; got '") + shape + "'"),
              std::string::npos)
        << shape;
  EXPECT_NE(with([](CaseWords& w) { w.axes = {"3"}; }).find("must be from -3 to 2; got '3'"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.axes = {"1,1"}; }).find("each axis once; got '1,1'"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.axes = {"x"}; }).find("--axes must be numbers"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.grids = {"2x2"}; }).find("multiply to the ranks, here 2"), std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.nodes = {3}; }).find("--nodes must be at most the ranks, here 2; got '3'"),
            std::string::npos);
  EXPECT_NE(with([](CaseWords& w) { w.layouts = {"sideways"}; }).find("sideways"), std::string::npos);
  EXPECT_NE(refusal([] { (void)split_list("--kinds", "a,,b"); }).find("--kinds"), std::string::npos);
}

TEST(Schedule, GivesEveryContestantOneLaunchATurnAndEveryPlaceInTheOrder) {
  const int launches = 6;
  const auto slots = schedule(launches, 3);
  std::map<std::size_t, std::map<std::size_t, int>> places;  // contestant -> place in the turn -> how often
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(slots[i].turn, static_cast<int>(i / 3));
    ++places[slots[i].contestant][i % 3];
  }
  for (std::size_t contestant = 0; contestant < 3; ++contestant)
    for (std::size_t place = 0; place < 3; ++place) EXPECT_EQ(places[contestant][place], 2);
}

class CaseFiles : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "cases-" + std::to_string(::getpid()) + ".toml";
  ~CaseFiles() override { ::unlink(path_.c_str()); }
  CaseFile read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_case_file(path_);
  }
  std::string refused(const std::string& text) {
    return refusal([&] { (void)read(text); });
  }
};

TEST_F(CaseFiles, GiveCasesWithTheirLibrariesAndTheFilesSettings) {
  const CaseFile file = read(R"(
study = "a study"
launches = 9
with = ["fftw_mpi", "mkl"]
[[cases]]
shapes = [64, "4x6"]
ranks = "2x1"
[[cases]]
study = "another"
shapes = [8]
ranks = ["4x1", 3]
call = ["best", "default"]
with = "ducc0"
batches = [3]
axes = ["1", "0,2"]
iterations = 21
oversubscribe = true
)");
  ASSERT_EQ(file.requests.size(), 6U);
  EXPECT_EQ(file.launches, 9);
  EXPECT_FALSE(file.iterations);
  EXPECT_EQ(file.requests[0].work.text(), "64x64x64 c2c f64 natural 2x1");
  EXPECT_EQ(file.requests[0].work.study, "a study");
  EXPECT_EQ(file.requests[0].with, (std::vector<std::string>{"fftw_mpi", "mkl"}));
  EXPECT_FALSE(file.requests[1].oversubscribe);
  EXPECT_EQ(file.requests[1].work.iterations, 0);
  EXPECT_EQ(file.requests[3].work.text(), "8x8x8 c2c f64 natural 4x1 batch 3 axes 0,2");
  EXPECT_EQ(file.requests[3].work.iterations, 21);
  EXPECT_EQ(file.requests[3].work.study, "another");
  EXPECT_EQ(file.requests[3].with, std::vector<std::string>{"ducc0"});
  EXPECT_TRUE(file.requests[3].oversubscribe);
}

TEST_F(CaseFiles, SpreadRanksPerNodeOverTheNodes) {
  const CaseFile file = read("[[cases]]\nshapes = [64]\nranks_per_node = ['40x2']\nnodes = [1, 4]\n");
  ASSERT_EQ(file.requests.size(), 2U);
  EXPECT_EQ(file.requests[0].work.text(), "64x64x64 c2c f64 natural 40x2");
  EXPECT_EQ(file.requests[1].work.text(), "64x64x64 c2c f64 natural 160x2 on 4 nodes");
}

TEST_F(CaseFiles, WithMistakesAreRefusedWithFileAndLine) {
  EXPECT_NE(refused("[[cases]\n").find("line 1"), std::string::npos);
  EXPECT_NE(refused("\nfoo = 1\n[[cases]]\nshapes=[8]\nranks=[1]\n").find("line 2: the key must be one of"),
            std::string::npos);
  EXPECT_NE(refused("[[cases]]\nshapes=[8]\nranks=[1]\nrank=[1]\n").find("line 4"), std::string::npos);
  EXPECT_NE(refused("launches = 'many'\n[[cases]]\nshapes=[8]\nranks=[1]\n").find("launches must be a whole number"),
            std::string::npos);
  EXPECT_NE(refused("time_limit_s = 0\n[[cases]]\nshapes=[8]\nranks=[1]\n")
                .find(", line 1: time_limit_s must be seconds above 0"),
            std::string::npos);
  EXPECT_NE(refused("\nlaunches = 0\n[[cases]]\nshapes=[8]\nranks=[1]\n")
                .find(", line 2: launches must be from 1 to 1000000; got 0"),
            std::string::npos);
  EXPECT_NE(refused("[[cases]]\nshapes=[8]\n").find("needs either ranks or ranks_per_node"), std::string::npos);
  EXPECT_NE(refused("[[cases]]\nshapes=[8]\nranks=[1]\nkinds=['c2r']\n").find("kinds must be of c2c, r2c"),
            std::string::npos);
  EXPECT_NE(refused("[[cases]]\nshapes=[1.5]\nranks=[1]\n").find("shapes must be texts or whole numbers"),
            std::string::npos);
  EXPECT_NE(refused("[[cases]]\nshapes=[8]\nranks=[1]\nnodes=[1, 0]\n").find("nodes must be whole numbers"),
            std::string::npos);
  EXPECT_NE(refused("[[cases]]\nshapes=[8]\nranks=[1]\nranks_per_node=[1]\n").find("either ranks or"),
            std::string::npos);
  EXPECT_NE(refused("launches = 2\n").find("[[cases]]"), std::string::npos);
  EXPECT_NE(refusal([] { (void)read_case_file("/nowhere.toml"); }).find("No such file"), std::string::npos);
}

TEST_F(CaseFiles, OfTheProjectCanBeRead) {
  for (const char* name : {"one_node", "nightly", "icl_ut_21_03", "navier_stokes", "every_shape", "one_gpu",
                           "many_gpus", "transports", "long_axes"}) {
    const CaseFile file = read_case_file(fmt::format(SHARDFFT_CASES "/{}.toml", name));
    EXPECT_FALSE(file.requests.empty()) << name;
    for (const CaseRequest& request : file.requests)
      for (const std::string& library : request.with) EXPECT_NO_THROW((void)variant_of(library)) << name;
  }
}

TEST_F(CaseFiles, OfMoreRanksThanCanBeCountedAreRefused) {
  EXPECT_NE(refused("[[cases]]\nshapes = [8]\nranks_per_node = [1048576]\nnodes = [4096]\n")
                .find("ranks_per_node x nodes must be at most 2147483647; got '1048576x4096'"),
            std::string::npos);
}

TEST(Fitting, CountsMoreCoresThanAnIntHolds) {
  const auto reason = [](int ranks, int threads, int nodes) {
    return too_large_for({2, 1e9}, {.work = {.shape = {8, 8, 8}, .ranks = ranks, .threads = threads, .nodes = nodes}});
  };
  EXPECT_NE(reason(4096, 1048576, 1).find("needs 4294967296 cores, there are 2;"), std::string::npos)
      << reason(4096, 1048576, 1);
  EXPECT_NE(reason(1000000, 1000000, 1).find("needs 1000000000000 cores, there are 2;"), std::string::npos);
  EXPECT_NE(reason(1 << 30, 8, 1 << 30).find("needs 8589934592 cores, there are 2147483648;"), std::string::npos);
}

TEST(Fitting, NamesMissingNodes) {
  const CaseRequest request{.work = {.shape = {64, 64, 64}, .ranks = 4, .nodes = 4}};
  EXPECT_EQ(too_large_for({1, 1e9, 4}, request), "");
  EXPECT_NE(too_large_for({1, 1e9, 1}, request).find("needs 4 nodes, there is 1; "), std::string::npos);
  EXPECT_NE(too_large_for({1, 1e9, 2}, request).find("needs 4 nodes, there are 2; "), std::string::npos);
}

TEST(Fitting, NamesWhatIsMissing) {
  CaseRequest request{.work = {.shape = {64, 64, 64}, .ranks = 2, .threads = 2}};
  EXPECT_EQ(too_large_for({4, 1e9}, request), "");
  EXPECT_NE(too_large_for({2, 1e9}, request).find("needs 4 cores, there are 2"), std::string::npos);
  EXPECT_NE(too_large_for({4, 1e7}, request).find("memory"), std::string::npos);
  request.oversubscribe = true;
  EXPECT_EQ(too_large_for({2, 1e9}, request), "");
  EXPECT_NE(too_large_for({2, 1e7}, request).find("memory"), std::string::npos);
  request.work.nodes = 3;
  EXPECT_EQ(too_large_for({2, 1e7}, request), "");
  request.work.shape = {1048576, 1048576, 1048576};
  EXPECT_NE(too_large_for({2, 1e7}, request).find("needs about "), std::string::npos);
  EXPECT_EQ(too_large_for({2, 1e7}, request).find("about -"), std::string::npos) << too_large_for({2, 1e7}, request);
}

}  // namespace
}  // namespace shardfft::compare
