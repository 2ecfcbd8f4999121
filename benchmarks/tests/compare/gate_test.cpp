// Results: what is kept, what is summed up, what the gate finds.
#include "compare/statistics/gate.hpp"

#include <fstream>
#include <tuple>

#include <gtest/gtest.h>
#include <unistd.h>

#include "compare/launch/comparison.hpp"
#include "compare/results/comparison_table.hpp"
#include "compare/results/results_file.hpp"
#include "compare/statistics/summary.hpp"
#include "shardfft/error.hpp"
#include "support/refusal.hpp"

namespace shardfft::compare {
namespace {

using testing::refusal;

LaunchRecord launch(int turn, double seconds) {
  LaunchRecord record{
      .turn = turn, .status = "ok", .forward_s = {seconds, seconds}, .backward_s = {2 * seconds, 2 * seconds}};
  record.told = {{"version", "1"},
                 {"configuration", "c"},
                 {"forward_s", record.forward_s},
                 {"backward_s", record.backward_s},
                 {"plan_s", turn == 0 ? 9.0 : 0.1},
                 {"first_call_s", 0.1},
                 {"error_rel_l2", 1e-16 * (turn + 1)},
                 {"memory_peak_bytes", 1000 + turn}};
  return record;
}

Entry entry(const std::string& library, const std::vector<double>& seconds) {
  Entry e{.library = library, .call = "best", .status = "ok"};
  for (std::size_t turn = 0; turn < seconds.size(); ++turn) e.add(launch(static_cast<int>(turn), seconds[turn]));
  return e;
}

Results results(const std::vector<double>& ours, const std::vector<double>& theirs) {
  Results r;
  r.machine = {{"processor", "fast"}, {"cores", 2}};
  r.version = "0.1.0";
  r.settings.launches = static_cast<int>(ours.size());
  r.cases.push_back({{.shape = {8, 8, 8}, .ranks = 2}, {1, 2, 3, 4}, {entry("shardfft", ours), entry("peer", theirs)}});
  return r;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& v : values) v *= factor;
  return values;
}

const std::vector<double> ours{1.00, 1.02, 1.01, 0.99, 1.03, 0.98}, theirs{3.0, 3.1, 3.05, 2.95, 3.0, 3.0};

TEST(Comparison, GoesOnWithoutALimitThatCannotBeMeasuredAndKeepsTheReason) {
  Results r, shown;
  Surroundings around{.limit = [](const Case&, int) -> Limit { throw Error(Status::unsupported, "cores are busy"); }};
  Comparison(
      around, r, [] {}, [&](const CaseResult& c) { shown.cases.push_back(c); })
      .run({CaseRequest{.work = {.shape = {8, 8, 8}, .ranks = 2}}});
  ASSERT_EQ(shown.cases.size(), 1u);
  EXPECT_NE(table_of(shown.cases[0]).find("\nlimit not measured: cores are busy\n"), std::string::npos);
  const Json json = to_json(shown);
  EXPECT_TRUE(json["cases"][0]["limit"].is_null());
  const Results again = results_from(json);
  EXPECT_EQ(again.cases[0].no_limit, "cores are busy");
  EXPECT_EQ(again.cases[0].limit.seconds(), 0);
}

TEST(Summary, FormsRatiosTurnByTurn) {
  const Results r = results({1, 2, 1, 2, 1, 2}, {3, 6, 3, 6, 3, 6});
  const auto s = summary_of(r.cases[0].entries[1], r.cases[0]);
  ASSERT_TRUE(s && s->ratio);
  EXPECT_DOUBLE_EQ(s->ratio->median, 3);
  EXPECT_DOUBLE_EQ(s->ratio->interval.low, 3);
  EXPECT_DOUBLE_EQ(s->ratio->interval.high, 3);
  EXPECT_DOUBLE_EQ(s->forward.median, 4.5);
}

TEST(Summary, TellsTheFirstPlanApartAndWhatNobodyKnows) {
  const Results r = results(ours, theirs);
  const Json json = summary_json(r.cases[0].entries[1], r.cases[0]);
  EXPECT_EQ(json["plan_s"], 0.1);
  EXPECT_EQ(json["plan_first_s"], 9.0);
  EXPECT_EQ(json["memory_peak_bytes"], 1005);
  EXPECT_DOUBLE_EQ(json["error_rel_l2"].get<double>(), 6e-16);
  EXPECT_TRUE(json["bytes_sent_network"].is_null());
  EXPECT_TRUE(json["energy_j"].is_null());
}

TEST(Summary, IsNullWhenALaunchWasNotGood) {
  Results r = results(ours, theirs);
  LaunchRecord bad{.turn = 6, .status = "wrong", .reason = "off"};
  r.cases[0].entries[1].add(bad);
  EXPECT_TRUE(summary_json(r.cases[0].entries[1], r.cases[0]).is_null());
  EXPECT_FALSE(summary_json(r.cases[0].entries[0], r.cases[0]).is_null());
}

TEST(ResultsFile, IsReadBackAsItWas) {
  const std::string path = ::testing::TempDir() + "results-" + std::to_string(::getpid()) + ".json";
  const Results r = results(ours, theirs);
  write_results(path, r);
  EXPECT_EQ(to_json(read_results("--json", path)).dump(), to_json(r).dump());
  ::unlink(path.c_str());
}

TEST(ResultsFile, HoldsReasonsThatAreNoText) {
  const std::string path = ::testing::TempDir() + "bytes-" + std::to_string(::getpid()) + ".json";
  Results r = results(ours, theirs);
  r.cases[0].entries[1].reason = "\xff\xfe no UTF-8";
  write_results(path, r);
  EXPECT_NE(read_results("--json", path).cases[0].entries[1].reason.find("no UTF-8"), std::string::npos);
  ::unlink(path.c_str());
}

TEST(ResultsFile, OfAnotherFormatIsRefused) {
  const std::string path = ::testing::TempDir() + "other-" + std::to_string(::getpid()) + ".json";
  const auto refused = [&](const std::string& text) {
    std::ofstream(path) << text;
    return refusal([&] { (void)read_results("--gate", path); });
  };
  for (const char* text : {"", "hello", "[1]", "{}", R"({"format": "other"})", R"({"format": 3})"})
    EXPECT_NE(refused(text).find("is not one"), std::string::npos) << text;
  EXPECT_NE(refused(R"({"format": "shardfft-results", "format_version": 2})").find("format 2"), std::string::npos);
  EXPECT_NE(refused(R"({"format": "shardfft-results", "format_version": 1, "cases": 3})").find("damaged"),
            std::string::npos);
  Json json = to_json(results(ours, theirs));
  json["cases"][0]["entries"][0]["launches"][0].erase("turn");
  EXPECT_NE(refused(json.dump()).find("damaged"), std::string::npos);
  ::unlink(path.c_str());
  EXPECT_NE(refusal([] { (void)read_results("--gate", "/tmp"); }).find("'/tmp': Is a directory"), std::string::npos);
}

TEST(ResultsFile, WithNumbersThatMeanNothingIsDamaged) {
  const std::string path = ::testing::TempDir() + "numbers-" + std::to_string(::getpid()) + ".json";
  const auto refused = [&](const char* at, const Json& value) {
    Json json = to_json(results(ours, theirs));
    json[Json::json_pointer(at)] = value;
    std::ofstream(path) << json.dump();
    return refusal([&] { (void)read_results("--gate", path); });
  };
  for (const auto& [at, value, says] :
       {std::tuple<const char*, Json, const char*>{"/machine", 3, "machine must be an object"},
        {"/settings/launches", -5, "at least 1 of launches"},
        {"/settings/time_limit_s", 0, "time_limit_s must be above 0"},
        {"/seed", 18446744073709551615U, "seed must be from 1"},
        {"/cases/0/entries/0/launches/2/turn", 1, "one launch in a turn"},
        {"/cases/0/shape", Json::array(), "the shape of a case"},
        {"/cases/0/ranks", 0, "must be at least 1"},
        {"/cases/0/entries/0/launches/2/forward_s", Json::array(), "times above 0"},
        {"/cases/0/entries/0/launches/2/backward_s", {0, 0}, "times above 0"}}) {
    const std::string told = refused(at, value);
    EXPECT_NE(told.find("damaged"), std::string::npos) << at << ": " << told;
    EXPECT_NE(told.find(says), std::string::npos) << at << ": " << told;
  }
  ::unlink(path.c_str());
}

TEST(Resume, NeedsTheSettingsAndTheMachineOfBefore) {
  const Results before = results(ours, theirs);
  const auto refused = [&](auto change) {
    Results now = before;
    change(now);
    return refusal([&] { require_resumable(before, now); });
  };
  EXPECT_EQ(refused([](Results& r) { r.settings.launches += 4; }), "nothing was refused");
  EXPECT_NE(refused([](Results& r) { r.settings.launches -= 1; }).find("--launches"), std::string::npos);
  EXPECT_NE(refused([](Results& r) {
              r.settings.iterations = 3;
            }).find("--iterations that the file was begun with, 7; got 3"),
            std::string::npos);
  EXPECT_NE(refused([](Results& r) { r.settings.seed = 3; }).find("--seed"), std::string::npos);
  EXPECT_NE(refused([](Results& r) { r.version = "9"; }).find("version"), std::string::npos);
  EXPECT_NE(refused([](Results& r) { r.machine["processor"] = "slow"; }).find("processor"), std::string::npos);
}

TEST(Resume, RunsATurnAgainOfWhichOnlyAPartIsThere) {
  CaseResult result = results({1, 1, 1}, {1, 1}).cases[0];
  result.entries.push_back(entry("other", {1, 1, 1}));
  result.entries.push_back(Entry{.library = "broken", .call = "best", .status = "failed"});
  drop_partial_turns(result);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(result.entries[static_cast<std::size_t>(i)].launches.size(), 2U);
}

TEST(Resume, TriesAgainWhatFailedWhenItIsAskedTo) {
  Results r = results(ours, theirs);
  r.cases[0].entries[1].add({.turn = 6, .status = "timeout", .reason = "slow"});
  EXPECT_FALSE(is_running(r.cases[0].entries[1]));
  forget_failures(r);
  EXPECT_TRUE(is_running(r.cases[0].entries[1]));
  EXPECT_EQ(r.cases[0].entries[1].launches.size(), 6U);
  EXPECT_EQ(r.cases[0].entries[1].failed_before, 1);
  EXPECT_EQ(results_from(to_json(r)).cases[0].entries[1].failed_before, 1);
}

std::string verdict(const Results& before, const Results& now, GateBy by = GateBy::automatic) {
  return gate(before, now, by).rows[0].verdict;
}

TEST(Gate, FindsWhatIsSlowerAndNotWhatIsChanceOrTooLittle) {
  const Results before = results(ours, theirs);
  EXPECT_EQ(verdict(before, before), "same");
  EXPECT_EQ(verdict(before, results(scaled(ours, 1.10), theirs)), "slower");
  EXPECT_EQ(verdict(before, results(scaled(ours, 0.90), theirs)), "faster");
  EXPECT_EQ(verdict(before, results({1.0, 2.0, 1.0, 2.0, 0.9, 2.0}, theirs)), "same");  // 48 % more, but not sure
  EXPECT_EQ(verdict(results({1, 1, 1, 1, 1, 1}, theirs), results({1.02, 1.02, 1.02, 1.02, 1.02, 1.02}, theirs)),
            "same");  // sure, but 2 %
  EXPECT_EQ(verdict(results({1, 1, 1, 1, 1, 1}, theirs), results({1.04, 1.04, 1.04, 1.04, 1.04, 1.04}, theirs)),
            "slower");
  EXPECT_FALSE(gate(before, results(scaled(ours, 1.10), theirs), GateBy::automatic).passed());
}

TEST(Gate, ComparesRatiosToAPeerWhenTheMachineDiffersAndSaysSo) {
  const Results before = results(ours, theirs);
  Results now = results(scaled(ours, 2), scaled(theirs, 2));
  now.machine["processor"] = "slow";
  const GateReport half_as_fast = gate(before, now, GateBy::automatic);
  EXPECT_TRUE(half_as_fast.passed());
  EXPECT_EQ(half_as_fast.rows[0].note, "shardfft / peer");
  EXPECT_NE(half_as_fast.text().find("the machine differs: processor was \"fast\", is \"slow\""), std::string::npos);
  EXPECT_FALSE(gate(before, now, GateBy::times).passed());
  now = results(scaled(ours, 2.4), scaled(theirs, 2));
  now.machine["processor"] = "slow";
  EXPECT_FALSE(gate(before, now, GateBy::automatic).passed());
  now.cases[0].entries.pop_back();
  EXPECT_NE(refusal([&] { (void)gate(before, now, GateBy::automatic); }).find("there are none"), std::string::npos);
}

TEST(Gate, NamesWhatIsMissingAndFailsWhereShardfftHasNoTimeAnyMore) {
  Results before = results(ours, theirs), now = before;
  before.cases.push_back(before.cases[0]);
  before.cases[1].work.shape = {9, 9, 9};
  const GateReport missing = gate(before, now, GateBy::automatic);
  EXPECT_EQ(missing.rows[2].verdict, "missing");
  EXPECT_FALSE(missing.passed());
  EXPECT_TRUE(gate(before, now, GateBy::automatic, true).passed());
  EXPECT_NE(gate(before, now, GateBy::automatic, true).text().find("2 missing (--gate-missing-ok): passed"),
            std::string::npos);
  EXPECT_NE(missing.text().find("9x9x9 c2c f64 natural 2x1"), std::string::npos);
  now.cases[0].entries[0].add({.turn = 6, .status = "wrong", .reason = "off"});
  EXPECT_FALSE(gate(before, now, GateBy::automatic).passed());
  now.cases.clear();
  EXPECT_NE(refusal([&] { (void)gate(before, now, GateBy::automatic); }).find("there are none"), std::string::npos);
}

TEST(Gate, DoesNotPassWhereThereAreTooFewLaunchesToFindAnything) {
  const auto judged = [](std::size_t before, std::size_t now) {
    return gate(results(std::vector(before, 1.0), {}), results(std::vector(now, 10.0), {}), GateBy::automatic);
  };
  for (const auto& [before, now, needed] : {std::tuple{3U, 3U, "measure 7 or more now"},
                                            {6U, 2U, "measure 4 or more now"},
                                            {1U, 6U, "measure 100 or more now"}}) {
    const GateReport report = judged(before, now);
    EXPECT_EQ(report.rows[0].verdict, "undecided") << before << ' ' << now;
    EXPECT_FALSE(report.passed());
    EXPECT_NE(report.text().find(needed), std::string::npos) << report.text();
  }
  for (const auto& [before, now] : {std::pair{3U, 7U}, {6U, 4U}, {1U, 100U}, {5U, 5U}})
    EXPECT_EQ(judged(before, now).rows[0].verdict, "slower") << before << ' ' << now;
}

TEST(Gate, CountsTheLaunchesThatAreThereNotThoseThatWereWanted) {
  Results now = results(scaled(ours, 10), theirs);
  now.cases[0].entries[0].launches.resize(2);
  EXPECT_EQ(verdict(results(ours, theirs), now), "undecided");
}

TEST(Gate, JudgesShardfftWithOptionsLikeShardfft) {
  Results before = results(ours, theirs), now = before;
  before.cases[0].entries.push_back(entry("shardfft+engine=native", ours));
  now.cases[0].entries.push_back(entry("shardfft+engine=native", scaled(ours, 2)));
  const GateReport report = gate(before, now, GateBy::automatic);
  ASSERT_EQ(report.rows.size(), 4U);
  EXPECT_EQ(report.rows[0].verdict, "same");
  EXPECT_EQ(report.rows[2].library, "shardfft+engine=native");
  EXPECT_EQ(report.rows[2].verdict, "slower");
  now.cases[0].entries.pop_back();
  EXPECT_EQ(gate(before, now, GateBy::automatic).rows[2].verdict, "missing");
}

TEST(Gate, RefusesResultsOfOtherSettings) {
  const Results before = results(ours, theirs);
  const auto refused = [&](auto change) {
    Results now = before;
    change(now);
    return refusal([&] { (void)gate(before, now, GateBy::automatic); });
  };
  EXPECT_NE(refused([](Results& r) {
              r.settings.iterations = 77;
            }).find("--gate needs the --iterations of the baseline, 7; got 77"),
            std::string::npos);
  EXPECT_NE(refused([](Results& r) { r.settings.warmup = 5; }).find("--warmup"), std::string::npos);
  EXPECT_NE(refused([](Results& r) { r.settings.plan_seconds = 0; }).find("--plan-seconds"), std::string::npos);
  EXPECT_NE(refused([](Results& r) { r.settings.seed = 3; }).find("--seed of the baseline, 1; got 3"),
            std::string::npos);
  EXPECT_NE(refused([](Results& r) {
              r.cases[0].entries[0].call = "default";
            }).find("--call of the baseline, best; got default"),
            std::string::npos);
  EXPECT_EQ(refused([](Results& r) { r.settings.launches = 9; }), "nothing was refused");
}

TEST(Gate, DoesNotPassWhereARatioHasNoPeer) {
  Results before = results(ours, theirs);
  before.cases.push_back(before.cases[0]);
  before.cases[1].work.shape = {9, 9, 9};
  before.cases[1].entries.pop_back();
  const GateReport report = gate(before, before, GateBy::ratios);
  EXPECT_EQ(report.rows[2].verdict, "undecided");
  EXPECT_EQ(report.rows[2].note, "no library has times in both files");
  EXPECT_FALSE(report.passed());
}

}  // namespace
}  // namespace shardfft::compare
