// Tuning with real plans: right results, agreement, budgets, and what happens to candidates that fail.
#include "shardfft/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include <nlohmann/json.hpp>

#include "plan/tune/trial.hpp"
#include "planner/decide/planner.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/error.hpp"
#include "shardfft/plan.hpp"
#include "support/stand_ins/known_machine.hpp"
#include "support/variables.hpp"
#include "verify/noise.hpp"

namespace shardfft::testing {
namespace {

/// Wisdom in a folder of the test's own, with a machine that needs no measuring.
class Tune : public ::testing::Test {
 protected:
  Folder folder{};
  Variable place{"SHARDFFT_WISDOM", folder.path().string()};
  void SetUp() override { keep_known_machine(4); }
};

/// Hash of the forward result of noise.
std::uint64_t hash_of(const Comm& comm, const Problem& p, const Options& o) {
  Plan plan(comm, p, o);
  Array in = plan.make_input(), out = plan.make_output();
  fill_with_noise(plan.input(), comm.rank(), p.precision, p.kind != r2c, in, 1);
  plan.forward(in, out);
  return plan.hash_output(out);
}

nlohmann::json said(const Comm& comm, const Problem& p, const Options& o) {
  return nlohmann::json::parse(Plan(comm, p, o).describe_json());
}

/// Gives as many laps as wanted, whatever the clock says.
TuneHooks laps(int wanted) {
  return {.time_left = [left = wanted]() mutable { return --left > 0; }};
}

TEST_F(Tune, ChangesNoBitAndIsFoundByThePlansAfterIt) {
  for (const Problem& p :
       {Problem{.shape = {12, 10, 16}}, Problem{.shape = {9, 14, 10}, .kind = r2c, .precision = f32}}) {
    const Options options{.input = slabs(0), .output = slabs(1), .threads = 1, .expert = {.engine = "native"}};
    on_ranks(3, [&](Comm comm) {
      const std::uint64_t before = hash_of(comm, p, options);
      EXPECT_TRUE(said(comm, p, options)["wisdom"].is_null());
      const TuneReport report = tune(comm, p, options, laps(40));
      ASSERT_FALSE(report.rows.empty());
      EXPECT_TRUE(report.rows.front().dropped.empty()) << report.rows.front().dropped;
      const auto after = said(comm, p, options);
      EXPECT_EQ(after["wisdom"]["measured_s"], report.rows.front().seconds);
      EXPECT_EQ(after["origins"]["non_temporal"], "wisdom of " + today());
      EXPECT_EQ(after["origins"]["engine"], "option");
      EXPECT_EQ(hash_of(comm, p, options), before);
    });
  }
}

TEST_F(Tune, EndsWithTheSameRecipeOnEveryRank) {
  std::vector<std::string> chosen(4);
  on_ranks(4, [&](Comm comm) {
    const Problem p{.shape = {8, 12, 10}};
    const TuneReport report = tune(comm, p, {.threads = 1}, laps(30));
    chosen[static_cast<std::size_t>(comm.rank())] =
        report.rows.front().recipe + to_string(make_recipe(comm, p, {.threads = 1, .effort = "measure"}));
  });
  for (const std::string& c : chosen) EXPECT_EQ(c, chosen.front());
}

TEST_F(Tune, TellsAllRanksThatTheFirstOneCouldNotKeepWhatItFound) {
  const Folder other;
  const std::string file = (other.path() / "wisdom.json").string();
  std::filesystem::create_directory(file);  // in the file's place
  const Variable place("SHARDFFT_WISDOM", file);
  std::vector<std::string> notices(3);
  on_ranks(3, [&](Comm comm) {
    const TuneReport report = tune(comm, {.shape = {8, 12, 10}}, {.threads = 1}, laps(4));
    notices[static_cast<std::size_t>(comm.rank())] = report.notice;
    EXPECT_EQ(report.wisdom_file, file);
  });
  EXPECT_NE(notices.front(), "");
  for (const std::string& notice : notices) EXPECT_EQ(notice, notices.front());
}

TEST_F(Tune, KeepsToItsBudget) {
  for (const int allowed : {0, 1, 3}) {
    const TuneReport report = tune(local(), {.shape = {16, 16, 18}}, {.threads = 1}, laps(allowed));
    EXPECT_EQ(report.laps, std::max(allowed, 1));
    EXPECT_FALSE(report.finished);
    EXPECT_EQ(report.rows.size(), static_cast<std::size_t>(std::max(allowed, 1)));
    EXPECT_EQ(std::ranges::count(report.rows, true, &TuneRow::untuned), 1) << "the model's choice is always measured";
    EXPECT_TRUE(report.rows.front().untuned) << "and kept: without the last turns, what looks faster may be luck";
  }
}

TEST_F(Tune, DropsACandidateAndGoesOn) {
  on_ranks(2, [&](Comm comm) {
    std::string first;
    TuneHooks hooks = laps(25);
    hooks.before = [&](const TuneRow& row) {
      if (first.empty()) first = row.recipe;
      return row.recipe == first ? std::string("out of order") : std::string();
    };
    const TuneReport report = tune(comm, {.shape = {12, 10, 18}}, {.threads = 1}, hooks);
    EXPECT_TRUE(report.rows.front().dropped.empty());
    EXPECT_NE(report.rows.front().recipe, first);
    EXPECT_EQ(report.rows.back().recipe, first);
    EXPECT_EQ(report.rows.back().dropped, "out of order");
  });
}

TEST_F(Tune, DropsACandidateWhosePlanCannotBeMade) {
  on_ranks(2, [&](Comm comm) {
    const TuneReport report = tune(comm, {.shape = {12, 10, 20}}, {.input_memory = {{0, {1, 1}}}, .threads = 1},
                                   laps(5));  // two strides for three axes
    for (const TuneRow& row : report.rows) EXPECT_NE(row.dropped, "") << row.recipe;
    EXPECT_EQ(said(comm, {.shape = {12, 10, 20}}, {.threads = 1})["wisdom"], nullptr) << "nothing is remembered";
  });
}

TEST_F(Tune, VariesNothingThatWasGiven) {
  const TuneReport report =
      tune(local(), {.shape = {16, 12, 18}}, {.expert = {.engine = "native", .tile = 32, .fuse = 1}}, laps(20));
  for (const TuneRow& row : report.rows) {
    EXPECT_NE(row.recipe.find("native"), std::string::npos);
    EXPECT_NE(row.recipe.find("tile 32 fuse 1"), std::string::npos) << row.recipe;
  }
}

TEST_F(Tune, ByThePlanItselfHappensOnceAndServesLaterPlans) {
  const Folder empty;
  const Variable own("SHARDFFT_WISDOM", empty.path().string());  // the machine is measured, too
  const Problem p{.shape = {10, 12, 18}};
  const Options measured{.threads = 1, .effort = "measure", .tune_seconds = 0.2};
  on_ranks(2, [&](Comm comm) {
    const auto first = said(comm, p, measured);
    EXPECT_FALSE(first["wisdom"].is_null());
    EXPECT_TRUE(first["machine_measured"]);
    EXPECT_EQ(said(comm, p, measured)["wisdom"], first["wisdom"]) << "not measured again";
    EXPECT_TRUE(std::filesystem::exists(wisdom_file()));
    if (comm.rank() == 0) { EXPECT_EQ(all_entries(wisdom_file()).size(), 1u); }
  });
}

TEST_F(Tune, MeasuresWhatItHadTimeToListAndSaysSo) {
  const Problem p{.shape = {6, 8, 6, 8}};
  on_ranks(4, [&](Comm comm) {
    TuneHooks hooks = laps(400);
    hooks.time_to_list = [left = 12]() mutable { return left-- > 0; };
    const TuneReport report = tune(comm, p, {.threads = 1}, hooks);
    EXPECT_FALSE(report.listed);
    EXPECT_FALSE(report.finished);
    EXPECT_LE(report.candidates, 13);
    EXPECT_GT(report.candidates, 1);
    EXPECT_EQ(static_cast<int>(report.rows.size()), report.candidates);
  });
  const WisdomEntry entry = all_entries(wisdom_file()).at(0);
  EXPECT_EQ(entry.tried, entry.candidates);
  EXPECT_FALSE(entry.complete);
}

/// Few choices are left, so that few laps are enough.
Options few_choices() { return {.threads = 1, .expert = {.engine = "native", .tile = 16, .fuse = 1}}; }

TEST_F(Tune, ThatWasCutShortIsTakenUpWhereThereIsMoreTime) {
  Options o = few_choices();
  o.effort = "measure";
  for (const bool complete : {false, true}) {
    const Problem p{.shape = {14, 10, complete ? 20 : 18}};
    o.tune_seconds = 1e-6;
    TuneReport report = tune(local(), p, o, complete ? TuneHooks{.time_left = [] { return true; }} : laps(1));
    EXPECT_EQ(report.finished, complete);
    const auto kept = [&] { return recall(report.key).value(); };
    EXPECT_EQ(kept().tried, complete ? report.candidates : 1);
    EXPECT_EQ(kept().complete, complete);
    const auto seconds = kept().measured.front().seconds;
    (void)Plan(local(), p, o);
    EXPECT_EQ(kept().measured.front().seconds, seconds) << "no more time than before: not measured again";
    EXPECT_EQ(kept().tune_seconds, 1e-6);
    o.tune_seconds = 5;
    (void)Plan(local(), p, o);
    EXPECT_EQ(kept().tune_seconds, complete ? 1e-6 : 5);
    (void)Plan(
        local(), p,
        {.threads = 1, .effort = "model", .tune_seconds = 50, .expert = {.engine = "native", .tile = 16, .fuse = 1}});
    EXPECT_EQ(kept().tune_seconds, complete ? 1e-6 : 5) << "who measures nothing takes it as it is";
  }
}

TEST_F(Tune, WithoutAPlaceToKeepAnythingServesThisProcess) {
  const Variable off("SHARDFFT_WISDOM", "off");
  const Problem p{.shape = {10, 12, 22}};
  EXPECT_FALSE(said(local(), p, {.threads = 1, .effort = "measure", .tune_seconds = 0.1})["wisdom"].is_null());
}

/// The candidate that is wrong, and on which of its visits.
struct Spoiled {
  Direction direction = Direction::forward;
  int visit = 1;
  double by = 100;
};

/// What visits to the candidate say whose results are right until then.
std::string said_of(const Comm& comm, const Problem& p, const Options& given, const Spoiled& wrong) {
  int visits = 0;
  const Trials::Spoil spoil = [&](Direction d, Array& result) {
    visits += d == Direction::forward;
    if (d == wrong.direction && visits == wrong.visit) result.as<double>()[0] += wrong.by;
  };
  Trials trials(comm, p, given, spoil);
  const Tuning v = variant_of(make_recipe(comm, p, given));
  for (int i = 1; i < wrong.visit; ++i) EXPECT_EQ(trials.run(v, 1, 1e9).dropped, "");
  return trials.run(v, 1, 1e9).dropped;
}

TEST_F(Tune, DropsACandidateWhoseResultIsWrongInEitherDirectionAndOnAnyVisit) {
  Options usual{.threads = 1, .wisdom = false}, in_place = usual, destroyed = usual, lossy = usual;
  in_place.in_place = true;
  destroyed.destroy_input = true;
  destroyed.expert.intermediate = Intermediate::output;
  destroyed.expert.fuse = 1;
  lossy.tolerance = 1e-3;
  lossy.expert.codec = "block_float";
  lossy.expert.encode_near = true;
  on_ranks(2, [&](Comm comm) {
    for (const Options& given : {usual, in_place, destroyed, lossy})
      for (const Kind kind : {c2c, r2c}) {
        const Problem p{.shape = {12, 10, 16}, .kind = kind};
        for (const int visit : {1, 2, 3})
          for (const Direction d : {Direction::forward, Direction::backward}) {
            const std::string why = said_of(comm, p, given, {d, visit});
            EXPECT_NE(why.find(d == Direction::forward ? "result forward" : "result backward"), std::string::npos)
                << visit << ": " << why;
          }
        EXPECT_NE(said_of(comm, p, given, {Direction::forward, 4}), "");
        EXPECT_EQ(said_of(comm, p, given, {Direction::forward, 0}), "") << "nothing is wrong";
        for (const Direction d : {Direction::forward, Direction::backward})
          EXPECT_EQ(said_of(comm, p, given, {d, 2, 1e-9}).empty(), given.tolerance > 0)
              << "bits may differ only where their errors may";
      }
  });
}

TEST_F(Tune, WorksInPlaceAndWithTheCallersMemory) {
  const TuneReport in_place = tune(local(), {.shape = {12, 12, 26}}, {.threads = 1, .in_place = true}, laps(8));
  EXPECT_TRUE(in_place.rows.front().dropped.empty()) << in_place.rows.front().dropped;
  const TuneReport strided =
      tune(local(), {.shape = {6, 8, 10}},
           {.input = slabs(0), .output = slabs(0), .input_memory = {{3, {100, 12, 1}}}, .threads = 1}, laps(8));
  EXPECT_TRUE(strided.rows.front().dropped.empty()) << strided.rows.front().dropped;
}

TEST_F(Tune, TriesPlansOfEveryKind) {
  for (const Kind kind : {c2c, r2c, c2r, r2r}) {
    Problem p{.shape = {13, 9, 10}, .kind = kind};
    if (kind == r2r) p.kinds.assign(3, AxisKind::cosine1);
    const TuneReport report = tune(local(), p, {.threads = 1}, laps(8));
    EXPECT_TRUE(report.rows.front().dropped.empty()) << to_string(p) << ": " << report.rows.front().dropped;
  }
}

TEST_F(Tune, OfRanksThatDoNotExistIsRefused) {
  EXPECT_THROW((void)tune(dry_run(4), {.shape = {8, 8, 8}}), Error);
  EXPECT_NO_THROW(Plan(dry_run(4), {.shape = {8, 8, 8}}, {.effort = "measure"}))
      << "plans that are only looked at are never measured";
}

}  // namespace
}  // namespace shardfft::testing
