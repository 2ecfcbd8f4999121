// What is remembered, for whom, and who wins over it.
#include "planner/wisdom/wisdom.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "planner/decide/planner.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/wisdom_text.hpp"
#include "shardfft/error.hpp"
#include "support/problems/layouts.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

const Problem problem{.shape = {12, 10, 14}};

Tuning plain(const char* transport = "threads") {
  return {{.engine = "native",
           .transport = transport,
           .chunks = 1,
           .fuse = 2,
           .intermediate = Intermediate::buffers,
           .non_temporal = NonTemporal::none},
          /*threads=*/0};
}

/// Wisdom in a folder of the test's own, and no variable that steers plans. Keys are remembered in the process as well,
/// so every test has a problem of its own.
class Wisdom : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"ENGINE", "TRANSPORT", "DECOMPOSITION", "RANKS_GRID", "THREADS", "CHUNKS", "TILE", "FUSE",
                             "STREAM", "EFFORT"})
      ::unsetenv((std::string("SHARDFFT_") + name).c_str());
  }
  /// Writes an entry as another process would: only the file knows it.
  void put(const WisdomEntry& entry) const { ASSERT_EQ(merge(wisdom_file(), {entry}), 1); }

  Folder folder{};
  Variable place{"SHARDFFT_WISDOM", folder.path().string()};
};

WisdomEntry entry_for(const Comm& comm, const Problem& p, const Options& options, std::vector<Measured> measured,
                      int threads = 1) {
  return {.key = wisdom_key(comm, check(p), choose_from(options).options, threads),
          .date = "2026-11-20",
          .effort = "measure",
          .measured = std::move(measured),
          .model_seconds = 1};
}

TEST_F(Wisdom, OfFewerThreadsLeavesAllRanksWithThese) {
  const Problem p{.shape = {12, 10, 18}};
  const int all = make_recipe(local(), p, {.wisdom = false}).threads_of_first;
  if (all == 1) GTEST_SKIP() << "takes two cores";
  Tuning one_thread = plain();
  one_thread.threads = 1;
  put(entry_for(local(), p, {}, {{one_thread, 1}}, all));
  const Recipe r = make_recipe(local(), p, {});
  ASSERT_TRUE(r.wisdom);
  EXPECT_EQ(r.tuning.threads, 1);
  EXPECT_EQ(r.threads_of_first, 1);
}

TEST_F(Wisdom, ComesBackFromTheFileAsItWasKept) {
  const WisdomEntry kept{.key = "round trip",
                         .date = "2026-01-02",
                         .effort = "exhaustive",
                         .measured = {{{{.engine = "fftw",
                                         .transport = "mpi_p2p",
                                         .decomposition = "pencil",
                                         .ranks_grid = {2, 3},
                                         .chunks = 8,
                                         .tile = 32,
                                         .fuse = 1,
                                         .intermediate = Intermediate::buffers,
                                         .non_temporal = NonTemporal::all},
                                        /*threads=*/4},
                                       0.125},
                                      {plain(), 0.25}},
                         .model_seconds = 0.5,
                         .tried = 3,
                         .candidates = 40,
                         .complete = false,
                         .tune_seconds = 2.5};
  ASSERT_EQ(remember(kept), "");
  const auto all = all_entries(wisdom_file());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(to_text(all[0]), to_text(kept));
  EXPECT_EQ(all[0].measured[0].variant, kept.measured[0].variant);
  EXPECT_EQ(all[0].tried, 3);
  EXPECT_EQ(all[0].candidates, 40);
  EXPECT_FALSE(all[0].complete);
  EXPECT_EQ(all[0].tune_seconds, 2.5);
  EXPECT_EQ(to_text(*recall("round trip")), to_text(kept));
  EXPECT_FALSE(recall("another key"));
}

TEST_F(Wisdom, LivesWhereTheVariableSays) {
  EXPECT_EQ(wisdom_file(), folder / "wisdom.json");
  {
    const Variable file("SHARDFFT_WISDOM", (folder / "mine.json").string());
    EXPECT_EQ(wisdom_file(), folder / "mine.json");
    EXPECT_EQ(cache_folder(), folder.path());
  }
  {
    const Variable off("SHARDFFT_WISDOM", "off");
    EXPECT_TRUE(wisdom_file().empty() && machine_file().empty());
    EXPECT_EQ(remember({.key = "in memory", .date = "2026-01-02", .effort = "measure", .measured = {{plain(), 1}}}),
              "");
    EXPECT_TRUE(recall("in memory")) << "this process knows";
  }
  {
    const Variable none("SHARDFFT_WISDOM", ""), cache("XDG_CACHE_HOME", "/x"), home("HOME", "/h");
    EXPECT_EQ(wisdom_file(), "/x/shardfft/wisdom.json");
    const Variable no_cache("XDG_CACHE_HOME", "");
    EXPECT_EQ(wisdom_file(), "/h/.cache/shardfft/wisdom.json");
  }
}

TEST_F(Wisdom, ThatIsDamagedIsOneLineAndNoEntry) {
  put(entry_for(local(), problem, {}, {{plain(), 1}}));
  std::ofstream(wisdom_file()) << "{\"format\": \"shardfft wisd";
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(recall("x"));
  EXPECT_FALSE(recall("y"));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(remember({.key = "damaged", .date = "2026-01-02", .effort = "measure", .measured = {{plain(), 1}}}), "");
}

TEST_F(Wisdom, WithAnEntryThatMakesNoSenseServesTheOthers) {
  const std::string good =
      R"({"date":"2026-01-02","effort":"measure","model_seconds":1,
    "measured":[{"seconds":1,"engine":"native","transport":"threads","decomposition":"",
    "ranks_grid":[],"threads":0,"chunks":1,"tile":0,"fuse":2,"intermediate":"buffers","non_temporal":0}]})";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::string> bad{with("\"seconds\":1,\"e", "\"seconds\":-1,\"e"),
                                     with("\"chunks\":1", "\"chunks\":100000"),
                                     with("\"fuse\":2", "\"fuse\":\"two\""),
                                     with("\"tile\":0,", ""),
                                     "{}",
                                     "[]",
                                     "3",
                                     with("[]", "[1,1,1,1,1,1,1,1,1]"),
                                     with("[]", "[0,2]"),
                                     with("[]", "[-2,-1]"),
                                     with("[]", "[1.5]"),
                                     with("[]", "{}"),
                                     with("\"decomposition\":\"\"", "\"decomposition\":\"foo\""),
                                     with("\"tile\":0", "\"tile\":16777216"),
                                     with("\"tile\":0", "\"tile\":4294967304"),
                                     with("\"tile\":0", "\"tile\":8.5"),
                                     with("\"fuse\":2", "\"fuse\":3"),
                                     with("\"non_temporal\":0", "\"non_temporal\":3"),
                                     with("\"non_temporal\":0", "\"non_temporal\":\"some\""),
                                     with("\"non_temporal\":0", "\"non_temporal\":\"automatic\""),
                                     with("\"intermediate\":\"buffers\"", "\"intermediate\":1"),
                                     with("\"fuse\":2", "\"fuse\":-1"),
                                     with("\"chunks\":1", "\"chunks\":0"),
                                     with("\"threads\":0", "\"threads\":-1"),
                                     with("\"engine\":\"native\"", "\"engine\":\"\""),
                                     with("2026-01-02", "zzz"),
                                     with("\"effort\":\"measure\"", "\"effort\":\"much\"")};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const std::string &entry = bad[i], key = "bad " + std::to_string(i);
    std::ofstream(wisdom_file()) << R"({"format":"shardfft wisdom 1","entries":{")" << key << R"(":)" << entry
                                 << R"(,"good":)" << good << "}}";
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(recall(key)) << entry;
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << entry << said;
    EXPECT_NE(said.find("shardfft wisdom forget " + id_of(key)), std::string::npos) << said;
    EXPECT_TRUE(recall("good")) << entry;
  }
}

TEST_F(Wisdom, OfDevicesMayHaveTheirTilesAndVolumes) {
  Tuning v = plain("staged");
  v.engine = "library", v.tile = 1 << 20, v.fuse = 3;
  put({.key = "device", .date = "2026-01-02", .effort = "measure", .measured = {{v, 1}}});
  EXPECT_TRUE(recall("device"));
  v.streams = 2;  // entries of earlier versions have none
  put({.key = "host", .date = "2026-01-02", .effort = "measure", .measured = {{v, 1}}});
  EXPECT_EQ(recall("host")->measured.front().variant.streams, 2);
}

TEST_F(Wisdom, WithADamagedEntryIsReadForgottenAndMergedAroundIt) {
  const WisdomEntry good{.key = "good", .date = "2026-01-02", .effort = "measure", .measured = {{plain(), 1}}};
  const auto file = wisdom_file();
  put(good);
  nlohmann::json all = nlohmann::json::parse(std::ifstream(file));
  all["entries"]["bad"] = {{"date", 3}};
  std::ofstream(file) << all;
  std::vector<DamagedEntry> damaged;
  EXPECT_EQ(all_entries(file, &damaged).size(), 1u);
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_EQ(damaged[0].key, "bad");
  EXPECT_NE(damaged[0].why.find("date"), std::string::npos);
  EXPECT_EQ(merge(file, {{.key = "bad", .date = "2026-01-02", .effort = "measure", .measured = {{plain(), 1}}}}), 1)
      << "a good one takes its place";
  EXPECT_EQ(all_entries(file).size(), 2u);
  std::ofstream(file) << all;
  EXPECT_EQ(forget(file, {"bad"}), 1);
  EXPECT_EQ(all_entries(file).size(), 1u);
}

// Rank 0 reads, and every rank plans without.
TEST_F(Wisdom, WithWhichNoPlanCanBeMadeIsOneLineAndNoHarm) {
  for (const Coord& grid : {Coord{7, 7}, Coord{Index{1} << 62, Index{1} << 62}}) {
    const Problem p{.shape = {12, 11, grid[0] == 7 ? 15 : 16}};
    const Options options{.input = slabs(0), .output = slabs(0), .threads = 1};
    Tuning misfit = plain();
    misfit.ranks_grid = grid;
    misfit.tile = 16;
    std::string key;
    ::testing::internal::CaptureStderr();
    on_ranks(2, [&](Comm comm) {
      const WisdomEntry entry = entry_for(comm, p, options, {{misfit, 0.5}, {plain(), 0.75}});
      if (comm.rank() == 0) put(entry), key = entry.key;
      comm.barrier();
      for (int twice = 0; twice < 2; ++twice) {
        const Recipe r = make_recipe(comm, p, options);
        EXPECT_FALSE(r.wisdom);
        EXPECT_EQ(r.tuning.tile, 0) << "nothing of it is left";
        EXPECT_EQ(r.choices.origin("tile"), "model");
      }
    });
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    for (const std::string& part : {wisdom_file().string(), key, "shardfft wisdom forget " + id_of(key)})
      EXPECT_NE(said.find(part), std::string::npos) << said;
    WisdomEntry shorter{.key = key, .date = "2026-11-21", .effort = "measure", .measured = {{plain(), 0.75}}};
    EXPECT_EQ(remember(shorter), "");
    EXPECT_EQ(all_entries(wisdom_file()).size(), grid[0] == 7 ? 1u : 2u);
    EXPECT_EQ(recall(key)->measured.size(), 1u) << "what cannot be used gives way to any other";
  }
}

TEST_F(Wisdom, DoesNotHideThatOptionsAreWrong) {
  const Problem p{.shape = {12, 11, 17}};
  put(entry_for(local(), p, {.threads = 1, .expert = {.axis_order = {0, 0, 1}}}, {{plain(), 1}}));
  ::testing::internal::CaptureStderr();
  EXPECT_THROW((void)make_recipe(local(), p, {.threads = 1, .expert = {.axis_order = {0, 0, 1}}}), Error);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Wisdom, OfATransportThatMovesNothingIsPassedOver) {
  const WisdomEntry entry{.measured = {{plain("dry_run"), 1}, {plain(), 2}}};
  EXPECT_EQ(fastest_allowed(entry, local(), {})->seconds, 2);
}

TEST_F(Wisdom, OfAMoreThoroughTuningStays) {
  struct Tuned {
    const char* effort;
    int rows;
    bool complete;
  };
  int n = 0;
  const auto stays = [&](const Tuned& known, const Tuned& now) {
    const std::string key = "thorough " + std::to_string(++n);
    const auto entry = [&](const Tuned& t, double seconds) {
      return WisdomEntry{.key = key,
                         .date = "2026-01-02",
                         .effort = t.effort,
                         .measured = std::vector<Measured>(static_cast<std::size_t>(t.rows), {plain(), seconds}),
                         .complete = t.complete};
    };
    EXPECT_EQ(remember(entry(known, 1)), "");
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(remember(entry(now, 2)), "");
    const std::string said = ::testing::internal::GetCapturedStderr();
    double in_file = 0;
    for (const WisdomEntry& e : all_entries(wisdom_file()))
      if (e.key == key) in_file = e.measured[0].seconds;
    EXPECT_EQ(recall(key)->measured[0].seconds, in_file) << "this process and the next one agree";
    EXPECT_EQ(said.empty(), in_file == 2) << said;
    return in_file == 1;
  };
  EXPECT_TRUE(stays({"measure", 8, false}, {"measure", 1, false})) << "time ran out";
  EXPECT_TRUE(stays({"measure", 8, true}, {"measure", 8, false}));
  EXPECT_TRUE(stays({"exhaustive", 8, false}, {"measure", 8, true}));
  EXPECT_TRUE(stays({"measure", 8, false}, {"exhaustive", 1, false}));
  EXPECT_FALSE(stays({"measure", 8, false}, {"measure", 8, false})) << "of equals the later one";
  EXPECT_FALSE(stays({"measure", 8, true}, {"measure", 7, true})) << "a candidate works no longer";
  EXPECT_FALSE(stays({"measure", 8, true}, {"exhaustive", 8, false}));
  EXPECT_FALSE(stays({"exhaustive", 1, false}, {"measure", 8, true}));
}

TEST_F(Wisdom, IsAboutOneProblemLayoutsRanksAndThreads) {
  const auto key = [](const Problem& p, const Options& o = {}, int ranks = 2, int per_node = 2, int threads = 1) {
    return wisdom_key(dry_run(ranks, 0, per_node), check(p), o, threads);
  };
  const std::string base = key({.shape = {8, 8, 8}});
  EXPECT_EQ(key({.shape = {8, 8, 8}, .axes = {0, 1, 2}}), base);
  EXPECT_EQ(key({.shape = {8, 8, 8}, .forward = Scaling::by_n}), base) << "a factor takes no time";
  for (const std::string& other :
       {key({.shape = {8, 8, 9}}), key({.shape = {8, 8, 8}, .kind = r2c}), key({.shape = {8, 8, 8}, .precision = f32}),
        key({.shape = {8, 8, 8}, .axes = {0, 1}}), key({.shape = {8, 8, 8}}, {.input = slabs(0)}),
        key({.shape = {8, 8, 8}}, {.output = slabs(0)}), key({.shape = {8, 8, 8}}, {.in_place = true}),
        key({.shape = {8, 8, 8}}, {.output = custom({{Box{{0, 0, 0}, {8, 8, 8}}}, {}})}),
        key({.shape = {8, 8, 8}}, {.output = custom({{}, {Box{{0, 0, 0}, {8, 8, 8}}}})}),
        key({.shape = {8, 8, 8}, .kind = r2c}, {.padded_reals = true}),
        key({.shape = {8, 8, 8}, .kind = c2r}, {.destroy_input = true}), key({.shape = {8, 8, 8}, .kind = c2r}),
        key({.shape = {8, 8, 8}}, {.input_memory = {{0, {64, 8, 1}}}}),
        key({.shape = {8, 8, 8}}, {.expert = {.transport = "mpi_p2p"}}),
        key({.shape = {8, 8, 8}}, {.expert = {.huge_pages = HugePages::off}}),
        key({.shape = {8, 8, 8}}, {.expert = {.huge_pages = HugePages::on}}), key({.shape = {8, 8, 8}}, {}, 3, 3),
        key({.shape = {8, 8, 8}}, {}, 2, 1), key({.shape = {8, 8, 8}}, {}, 2, 2, 2)})
    EXPECT_NE(other, base);
  EXPECT_NE(key({.shape = {8, 8, 8}}, {.expert = {.huge_pages = HugePages::off}}),
            key({.shape = {8, 8, 8}}, {.expert = {.huge_pages = HugePages::on}}));
}

TEST_F(Wisdom, NamesTheNextInItsOrderAsTheRunnerUpThoughItWasFasterByChance) {
  const Problem p{.shape = {12, 10, 21}};
  const Options options{.threads = 1};
  Tuning wide = plain(), narrow = plain();
  wide.tile = 16, narrow.tile = 32;
  put(entry_for(local(), p, options, {{plain(), 0.5}, {wide, 0.49}, {narrow, 0.75}}));
  const Recipe r = make_recipe(local(), p, options);
  ASSERT_TRUE(r.wisdom);
  EXPECT_EQ(r.wisdom->seconds, 0.5);
  EXPECT_EQ(r.wisdom->runner_up_seconds, 0.49);
  EXPECT_EQ(r.wisdom->runner_up, to_string(wide));
  EXPECT_EQ(r.wisdom->runner_up_changes, "tile 16");
  narrow.fuse = 1;
  EXPECT_EQ(changes(narrow, wide), "tile 32, fuse 1");
  EXPECT_EQ(changes(plain(), wide), "tile least");
  EXPECT_EQ(changes(wide, wide), "");
}

TEST_F(Wisdom, IsTakenByAnUntunedPlanOnEveryRankAlike) {
  const Problem p{.shape = {12, 10, 15}};
  const Options options{.input = slabs(0), .output = slabs(0), .threads = 1};
  Tuning wide = plain();
  wide.decomposition = "slab";
  wide.tile = 16;
  wide.fuse = 1;
  wide.non_temporal = NonTemporal::all;
  on_ranks(3, [&](Comm comm) {
    if (comm.rank() == 0) put(entry_for(comm, p, options, {{wide, 0.5}, {plain(), 0.75}}));
    comm.barrier();
    const Recipe r = make_recipe(comm, p, options);
    EXPECT_EQ(r.tuning.tile, 16);
    EXPECT_EQ(r.tuning.non_temporal, NonTemporal::all);
    EXPECT_EQ(r.choices.origin("tile"), "wisdom of 2026-11-20");
    ASSERT_TRUE(r.wisdom);
    EXPECT_EQ(r.wisdom->seconds, 0.5);
    EXPECT_EQ(r.wisdom->runner_up_seconds, 0.75);
    Options alone = options;
    alone.wisdom = false;
    EXPECT_FALSE(make_recipe(comm, p, alone).wisdom);
    EXPECT_FALSE(make_recipe(comm, {.shape = {12, 10, 16}}, options).wisdom) << "another problem";
  });
}

TEST_F(Wisdom, GivesWayToOptionsAndVariablesWithWhatWasMeasuredWithThem) {
  const Problem p{.shape = {12, 10, 17}};
  Tuning fast = plain(), slow = plain();
  fast.tile = 16;
  fast.fuse = 1;
  slow.tile = 32;
  put(entry_for(local(), p, {}, {{fast, 1}, {slow, 2}}));
  const Options one_thread{.threads = 1};
  EXPECT_EQ(make_recipe(local(), p, one_thread).tuning.tile, 16);
  const Recipe forced = make_recipe(local(), p, {.threads = 1, .expert = {.tile = 32}});
  EXPECT_EQ(forced.tuning.tile, 32);
  EXPECT_EQ(forced.choices.origin("tile"), "option");
  EXPECT_EQ(forced.choices.options.expert.fuse, 2)
      << "of the recipe that was measured with this tile, not of the fastest one";
  EXPECT_FALSE(make_recipe(local(), p, {.threads = 1, .expert = {.tile = 64}}).wisdom)
      << "nothing was measured with it";
  const Variable tile("SHARDFFT_TILE", "32");
  const Recipe by_variable = make_recipe(local(), p, one_thread);
  EXPECT_EQ(by_variable.tuning.tile, 32);
  EXPECT_EQ(by_variable.choices.origin("tile"), "SHARDFFT_TILE");
}

TEST_F(Wisdom, LeavesTheEngineAloneUnlessItIsAskedForOrToMeasure) {
  const Comm comm = local();
  Tuning of_another_engine = plain();
  of_another_engine.engine = engines().back()->name();
  const WisdomEntry entry{.measured = {{plain("x"), 1}, {of_another_engine, 2}, {plain(), 3}}};
  const auto first = [&](const Options& o) { return fastest_allowed(entry, comm, o); };
  const double own = engines().size() > 1 ? 3 : 2;  // where native is the only engine, the last one is no other
  ASSERT_NE(first({}), nullptr);
  EXPECT_EQ(first({})->seconds, own) << "a transport that does not exist is passed over, another engine, too";
  EXPECT_EQ(first({.expert = {.engine = "native"}})->seconds, own);
  EXPECT_EQ(first({.effort = "measure"})->seconds, 2);
  EXPECT_EQ(first({.effort = "model"})->seconds, own);
  EXPECT_EQ(first({.expert = {.engine = "abacus"}}), nullptr);
}

TEST_F(Wisdom, KeepsTheLaterOfTwoAndForgetsWhatItIsTold) {
  const auto entry = [](const char* key, const char* date, double seconds) {
    return WisdomEntry{.key = key, .date = date, .effort = "measure", .measured = {{plain(), seconds}}};
  };
  const auto file = wisdom_file();
  EXPECT_EQ(merge(file, {entry("a", "2026-01-02", 5), entry("b", "2026-01-02", 5)}), 2);
  EXPECT_EQ(merge(file, {entry("a", "2026-01-01", 1), entry("b", "2026-01-03", 9), entry("c", "2026-01-01", 1)}), 2);
  EXPECT_EQ(merge(file, {entry("c", "2026-01-01", 2)}), 0) << "of the same day the faster one stays";
  const auto all = all_entries(file);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].date, "2026-01-02");
  EXPECT_EQ(all[1].measured[0].seconds, 9);
  EXPECT_EQ(forget(file, {"a", "nothing"}), 1);
  EXPECT_EQ(all_entries(file).size(), 2u);
}

}  // namespace
}  // namespace shardfft::testing
