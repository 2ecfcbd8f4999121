// Options, environment variables, and who wins.
#include "planner/options/choices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <regex>
#include <utility>

#include "shardfft/error.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

class ChoicesOf : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"ENGINE", "TRANSPORT", "DECOMPOSITION", "RANKS_GRID", "THREADS", "CHUNKS", "TILE", "FUSE",
                             "STREAM", "EFFORT", "TUNE_SECONDS"})
      ::unsetenv((std::string("SHARDFFT_") + name).c_str());
  }
};

std::string choice_refusal(const Options& options) {
  try {
    (void)choose_from(options);
  } catch (const Error& e) {
    EXPECT_TRUE(e.status() == Status::invalid_argument || e.status() == Status::unsupported);
    return e.what();
  }
  return "accepted";
}

TEST_F(ChoicesOf, NobodyAreLeftToTheModel) {
  const Choices c = choose_from({});
  EXPECT_TRUE(c.made.empty());
  EXPECT_EQ(c.origin("engine"), "model");
  EXPECT_EQ(c.options.expert.fuse, -1);
  EXPECT_EQ(c.options.threads, 0);
}

TEST_F(ChoicesOf, TheEnvironmentFillInWhatNoOptionSays) {
  const Variable engine("SHARDFFT_ENGINE", "fftw"), transport("SHARDFFT_TRANSPORT", "mixed"),
      decomposition("SHARDFFT_DECOMPOSITION", "slab"), grid("SHARDFFT_RANKS_GRID", "2x3"),
      threads("SHARDFFT_THREADS", "5"), chunks("SHARDFFT_CHUNKS", "3"), tile("SHARDFFT_TILE", "24"),
      fuse("SHARDFFT_FUSE", "1"), intermediate("SHARDFFT_INTERMEDIATE", "output"),
      non_temporal("SHARDFFT_NON_TEMPORAL", "0"), huge("SHARDFFT_HUGE_PAGES", "1"),
      effort("SHARDFFT_EFFORT", "measure"), seconds("SHARDFFT_TUNE_SECONDS", "2.5");
  const Choices c = choose_from({});
  EXPECT_EQ(c.options.expert.engine, "fftw");
  EXPECT_EQ(c.options.expert.transport, "mixed");
  EXPECT_EQ(c.options.expert.decomposition, "slab");
  EXPECT_EQ(c.options.expert.ranks_grid, (Coord{2, 3}));
  EXPECT_EQ(c.options.threads, 5);
  EXPECT_EQ(c.options.expert.chunks, 3);
  EXPECT_EQ(c.options.expert.tile, 24);
  EXPECT_EQ(c.options.expert.fuse, 1);
  EXPECT_EQ(c.options.expert.intermediate, Intermediate::output);
  EXPECT_EQ(c.options.expert.non_temporal, NonTemporal::none);
  EXPECT_EQ(c.options.expert.huge_pages, HugePages::on);
  EXPECT_EQ(c.origin("engine"), "SHARDFFT_ENGINE");
  EXPECT_EQ(c.origin("ranks_grid"), "SHARDFFT_RANKS_GRID");
  EXPECT_EQ(c.origin("non_temporal"), "SHARDFFT_NON_TEMPORAL");
  EXPECT_EQ(c.options.effort, "measure");
  EXPECT_EQ(c.options.tune_seconds, 2.5);
  EXPECT_EQ(c.origin("effort"), "SHARDFFT_EFFORT");
  EXPECT_EQ(c.made.size(), 13u);
}

TEST_F(ChoicesOf, AnOptionWinOverTheEnvironment) {
  const Variable engine("SHARDFFT_ENGINE", "fftw"), grid("SHARDFFT_RANKS_GRID", "2x3"),
      threads("SHARDFFT_THREADS", "5"), non_temporal("SHARDFFT_NON_TEMPORAL", "1");
  const Choices c = choose_from(
      {.threads = 2, .expert = {.engine = "native", .ranks_grid = {6, 1}, .non_temporal = NonTemporal::none}});
  EXPECT_EQ(c.options.expert.engine, "native");
  EXPECT_EQ(c.options.expert.ranks_grid, (Coord{6, 1}));
  EXPECT_EQ(c.options.threads, 2);
  EXPECT_EQ(c.options.expert.non_temporal, NonTemporal::none);
  for (const char* name : {"engine", "ranks_grid", "threads", "non_temporal"}) EXPECT_EQ(c.origin(name), "option");
}

TEST_F(ChoicesOf, AnEmptyVariableAreNone) {
  const Variable engine("SHARDFFT_ENGINE", ""), grid("SHARDFFT_RANKS_GRID", ""), threads("SHARDFFT_THREADS", "");
  EXPECT_TRUE(choose_from({}).made.empty());
}

TEST_F(ChoicesOf, AVariableThatIsNoNumberAreRefusedByItsName) {
  for (const auto& [name, value] : {std::pair{"SHARDFFT_THREADS", "two"},
                                    {"SHARDFFT_CHUNKS", "2.5"},
                                    {"SHARDFFT_TILE", "8 "},
                                    {"SHARDFFT_FUSE", "99999999999"},
                                    {"SHARDFFT_TUNE_SECONDS", "long"},
                                    {"SHARDFFT_STALL_SECONDS", "soon"},
                                    {"SHARDFFT_RANKS_GRID", "2x"},
                                    {"SHARDFFT_RANKS_GRID", "1x1x1x1x1x1x1x1x1"},
                                    {"SHARDFFT_RANKS_GRID", "axb"},
                                    {"SHARDFFT_RANKS_GRID", "2,3"}}) {
    const Variable variable(name, value);
    EXPECT_NE(choice_refusal({}).find(name), std::string::npos) << choice_refusal({});
  }
}

TEST_F(ChoicesOf, AGridThatIsNoneAreShownWhole) {
  const Variable grid("SHARDFFT_RANKS_GRID", "2xx");
  EXPECT_NE(choice_refusal({}).find("got '2xx'; unset it"), std::string::npos) << choice_refusal({});
}

TEST_F(ChoicesOf, AVariableOutOfItsRangeAreRefusedByItsName) {
  for (const auto& [name, value] : {std::pair{"SHARDFFT_TILE", "-1"},
                                    {"SHARDFFT_FUSE", "0"},
                                    {"SHARDFFT_DECOMPOSITION", "cubes"},
                                    {"SHARDFFT_EFFORT", "much"},
                                    {"SHARDFFT_RANKS_GRID", "2x0"},
                                    {"SHARDFFT_TUNE_SECONDS", "-1"}}) {
    const Variable variable(name, value);
    EXPECT_EQ(choice_refusal({}).find(name), 0u) << choice_refusal({});
  }
}

TEST_F(ChoicesOf, NoSenseAreRefusedWithTheRemedy) {
  for (const Options& o :
       {Options{.expert = {.decomposition = "x"}}, Options{.expert = {.fuse = 0}}, Options{.effort = "x"},
        Options{.expert = {.ranks_grid = {0}}}, Options{.tolerance = -1}, Options{.tolerance = 2},
        Options{.guarantee = "x"}, Options{.tune_seconds = -1}, Options{.expert = {.tile = -1}}})
    EXPECT_TRUE(std::regex_search(choice_refusal(o), std::regex("; (leave|take|0 |-1 )[^;]*$"))) << choice_refusal(o);
}

TEST_F(ChoicesOf, NoSenseAreRefusedWithTheValue) {
  EXPECT_NE(choice_refusal({.expert = {.decomposition = "cubes"}}).find("'cubes'"), std::string::npos);
  EXPECT_NE(choice_refusal({.threads = -1}).find("threads"), std::string::npos);
  EXPECT_NE(choice_refusal({.expert = {.chunks = 65}}).find("65"), std::string::npos);
  EXPECT_NE(choice_refusal({.expert = {.tile = 257}}).find("tile"), std::string::npos);
  EXPECT_NE(choice_refusal({.expert = {.fuse = 3}}).find("fuse"), std::string::npos);
  EXPECT_NE(choice_refusal({.expert = {.fuse = -2}}).find("fuse"), std::string::npos);
  EXPECT_NE(choice_refusal({.effort = "much"}).find("'much'"), std::string::npos);
  EXPECT_NE(choice_refusal({.tune_seconds = -1}).find("tune_seconds"), std::string::npos);
  EXPECT_NE(choice_refusal({.tune_seconds = std::nan("")}), "accepted");
  EXPECT_NE(choice_refusal({.expert = {.non_temporal = static_cast<NonTemporal>(9)}}).find("non_temporal"),
            std::string::npos);
  EXPECT_NE(choice_refusal({.expert = {.ranks_grid = {2, 0}}}).find("2x0"), std::string::npos);
  EXPECT_EQ(choice_refusal({.tolerance = 1e-3}), "accepted");
  EXPECT_NE(choice_refusal({.tolerance = 1}).find("less than 1"), std::string::npos);
  EXPECT_NE(choice_refusal({.tolerance = 1e-3, .tolerance_absolute = 1}).find("one of"), std::string::npos);
  EXPECT_NE(choice_refusal({.guarantee = "perhaps"}).find("'perhaps'"), std::string::npos);
  EXPECT_NE(choice_refusal({.tolerance = -1}).find("-1"), std::string::npos);
  EXPECT_NE(choice_refusal({.tolerance = std::nan("")}), "accepted");
}

TEST_F(ChoicesOf, RanksAreComparedByEverythingThatMustBeTheSame) {
  const std::string plain = shared_text({});
  for (const Options& other : {Options{.input = slabs(1)},
                               Options{.output = bricks()},
                               Options{.expert = {.engine = "x"}},
                               Options{.expert = {.transport = "x"}},
                               Options{.expert = {.decomposition = "slab"}},
                               Options{.expert = {.ranks_grid = {2}}},
                               Options{.expert = {.chunks = 2}},
                               Options{.expert = {.axis_order = {0}}},
                               Options{.in_place = true},
                               Options{.destroy_input = true},
                               Options{.padded_reals = true},
                               Options{.expert = {.fuse = 1}},
                               Options{.effort = "measure"},
                               Options{.wisdom = false},
                               Options{.tolerance = 1e-3},
                               Options{.tolerance_absolute = 1},
                               Options{.tolerance_linf = 1},
                               Options{.guarantee = "worst"},
                               Options{.expert = {.codec = "f32"}},
                               Options{.expert = {.encode_near = true}},
                               Options{.expert = {.huge_pages = HugePages::on}}})
    EXPECT_NE(shared_text(other), plain);
  EXPECT_EQ(shared_text({.threads = 7}), plain) << "ranks may have different numbers of threads";
}

}  // namespace
}  // namespace shardfft::testing
