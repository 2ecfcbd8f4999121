#include "report/data/results.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "shardfft/error.hpp"
#include "small_results.hpp"
#include "support/chosen.hpp"
#include "support/problems/damaged_text.hpp"

namespace shardfft::report {
namespace {

using testing::Json;

Json good() { return testing::results({testing::one_case(64, 2)}); }

/// The complaint about a good file in which `spoil` has changed something.
std::string complaint(const std::function<void(Json&)>& spoil) {
  Json json = good();
  spoil(json);
  try {
    (void)parse_results(json.dump(), "some.json");
  } catch (const Error& e) { return e.what(); }
  return "none";
}

TEST(Results, AreReadAsTheyWereWritten) {
  const Results r = parse_results(good().dump(), "some.json");
  EXPECT_EQ(r.created, "2026-11-20T14:03:11Z");
  ASSERT_EQ(r.cases.size(), 1U);
  const Case& c = r.cases[0];
  EXPECT_EQ(c.shape, (std::vector<std::int64_t>{64, 64, 64}));
  EXPECT_EQ(c.ranks, 2);
  EXPECT_EQ(c.elements(), 64.0 * 64 * 64);
  ASSERT_EQ(c.entries.size(), 2U);
  const Entry& peer = c.entries[1];
  EXPECT_EQ(peer.library, "fftw_mpi");
  EXPECT_EQ(peer.forward->median, 3.0);
  EXPECT_DOUBLE_EQ(peer.forward->low, 2.85);
  EXPECT_DOUBLE_EQ(peer.forward->min, 2.7);
  EXPECT_EQ(peer.forward->coverage, 0.96875);
  EXPECT_EQ(peer.ratio->median, 3.0);
  EXPECT_EQ(peer.ratio->coverage, 0.96875);
  EXPECT_FALSE(c.entries[0].ratio.has_value());
  EXPECT_DOUBLE_EQ(*peer.share(), 0.5 / 3);
  EXPECT_EQ(peer.bound, 2e-15);
  EXPECT_FALSE(peer.energy_j.has_value());
  EXPECT_EQ(peer.launches, 2U);
}

TEST(Ratios, TellTwoTimesApartWhereTheIntervalLeavesOneOutAndLaunchesWereEnough) {
  EXPECT_EQ(outcome({1.5, 1.4, 1.6, 0.96875}), Outcome::faster);
  EXPECT_EQ(outcome({0.5, 0.4, 0.6, 0.96875}), Outcome::slower);
  EXPECT_EQ(outcome({1.1, 0.9, 1.2, 0.96875}), Outcome::equal);
  EXPECT_EQ(outcome({1.5, 1.4, 1.6, 0.9375}), Outcome::faster) << "5 launches";
  EXPECT_EQ(outcome({1.5, 1.4, 1.6, 0.875}), Outcome::equal) << "4 launches";
  EXPECT_EQ(outcome({0.5, 0.5, 0.5, 0}), Outcome::equal) << "one launch";
}

TEST(Results, PhasesAreMediansInTheOrderOfTheRun) {
  const Results r = parse_results(good().dump(), "some.json");
  const auto& phases = r.cases[0].entries[0].phases;
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].label, "sweep");
  EXPECT_EQ(phases[0].seconds, 4.0);
  EXPECT_EQ(phases[1].seconds, 1.25);
}

TEST(Results, KnownFactsGetUnitsAndUnknownOnesAreKept) {
  Json json = good();
  json["machine"]["cooling_water"] = "cold";
  const auto facts = parse_results(json.dump(), "some.json").machine;
  ASSERT_EQ(facts.size(), 4U);
  EXPECT_EQ(facts[1].value, "2.00 GiB");
  EXPECT_EQ(facts[2].value, "12.50 GB/s");
  EXPECT_EQ(facts[3].name, "cooling water");
}

TEST(Results, AWrongEntryHasNoTimes) {
  Json json = good();
  json["cases"][0]["entries"][1]["status"] = "wrong";
  json["cases"][0]["entries"][1]["launches"][0]["error_rel_l2"] = 0.5;
  const Results r = parse_results(json.dump(), "some.json");
  EXPECT_FALSE(r.cases[0].entries[1].forward.has_value());
  EXPECT_EQ(r.cases[0].entries[1].error, 0.5);
}

TEST(Results, AnEntryThatCompareDidNotComeToIsNotRun) {
  Json json = good();
  json["cases"][0]["entries"][1]["launches"] = Json::array();
  json["cases"][0]["entries"][1]["summary"] = nullptr;
  const Results r = parse_results(json.dump(), "some.json");
  EXPECT_EQ(r.cases[0].entries[1].status, "not run");
  EXPECT_FALSE(r.cases[0].entries[1].ok());
}

TEST(BadResults, AreNamedWithPlaceRuleAndRemedyInOneLine) {
  const std::string said =
      complaint([](Json& j) { j["cases"][0]["entries"][1]["summary"]["forward_s"]["low"] = "fast"; });
  EXPECT_EQ(said,
            "some.json: cases[0].entries[1].summary.forward_s.low must be a number; got \"fast\"; write the file again "
            "with shardfft compare --json");
}

TEST(BadResults, EachMistakeIsFound) {
  const auto says = [](const std::function<void(Json&)>& spoil, const std::string& words) {
    const std::string said = complaint(spoil);
    EXPECT_NE(said.find(words), said.npos) << said;
    EXPECT_EQ(said.find('\n'), said.npos) << said;
    EXPECT_TRUE(said.starts_with("some.json: ")) << said;
  };
  says([](Json& j) { j = Json::array(); }, "format 'shardfft-results'");
  says([](Json& j) { j["format"] = "other"; }, "format 'shardfft-results'");
  says([](Json& j) { j["format_version"] = 2; }, "format_version must be 1");
  says([](Json& j) { j.erase("format_version"); }, "'format_version'");
  says([](Json& j) { j.erase("machine"); }, "'machine'");
  says([](Json& j) { j["settings"] = 1; }, "settings must be an object");
  says([](Json& j) { j.erase("cases"); }, "'cases'");
  says([](Json& j) { j["cases"] = Json::array(); }, "at least one case");
  says([](Json& j) { j["cases"] = Json::object(); }, "cases must be a list");
  says([](Json& j) { j["cases"][0]["shape"] = Json::array(); }, "at least one extent");
  says([](Json& j) { j["cases"][0]["shape"][1] = -3; },
       "cases[0].shape[1] must be a whole number of at least 1; got -3");
  says([](Json& j) { j["cases"][0]["ranks"] = 1.5; }, "cases[0].ranks");
  says([](Json& j) { j["cases"][0].erase("kind"); }, "cases[0] must have the field 'kind'");
  says([](Json& j) { j["cases"][0]["entries"][0]["status"] = "fine"; },
       "one of ok, wrong, unsupported, failed, timeout");
  says([](Json& j) { j["cases"][0]["entries"][0].erase("summary"); }, "'summary'");
  says([](Json& j) { j["cases"][0]["entries"][0]["summary"] = nullptr; }, "must be an object");
  says([](Json& j) { j["cases"][0]["entries"][0]["summary"]["forward_s"]["low"] = 2.0; }, "low <= median <= high");
  says([](Json& j) { j["cases"][0]["entries"][0]["summary"]["forward_s"]["low"] = 0; }, "above zero");
  says([](Json& j) { j["cases"][0]["entries"][0]["summary"]["forward_s"]["min"] = 2.0; }, "min <= low");
  says([](Json& j) { j["cases"][0]["entries"][0]["summary"]["forward_s"]["coverage"] = 95; },
       "coverage must be a probability; got 95");
  says([](Json& j) { j["cases"][0]["entries"][1]["summary"]["ratio_to_shardfft"].erase("coverage"); },
       "ratio_to_shardfft must have the field 'coverage'");
  says([](Json& j) { j["cases"][0]["entries"][0]["summary"]["plan_s"] = -1; }, "not negative");
  says([](Json& j) { j["cases"][0]["entries"][0]["launches"][0]["phases_s"] = 3; }, "phases_s must be an object");
  says([](Json& j) { j["cases"][0]["entries"] = "none"; }, "cases[0].entries must be a list; got \"none\"");
}

TEST(BadResults, EmptyAndBrokenTextsAreToldApart) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      (void)parse_results(text, "some.json");
    } catch (const Error& e) { return e.what(); }
    return "none";
  };
  EXPECT_NE(said("").find("it is empty"), std::string::npos);
  EXPECT_NE(said(" \n").find("it is empty"), std::string::npos);
  EXPECT_NE(said("{\"format\": ").find("holds JSON"), std::string::npos);
  EXPECT_NE(said(std::string(100000, '[')).find("holds JSON"), std::string::npos);
  EXPECT_NE(said("\xFF\xFE").find("holds JSON"), std::string::npos);
}

TEST(Results, ThatAreNestedTooDeepAreNoResults) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  for (const std::string& text :
       {deep, "{\"format\":\"shardfft-results\",\"format_version\":1,\"cases\":" + deep + "}"})
    EXPECT_THROW((void)parse_results(text, "some.json"), Error);
}

TEST(Results, ThatSomebodyChangedAreReadOrRefused) {
  const std::string text = good().dump(1);
  const std::uint64_t seed = testing::chosen_seed(20261127);
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  int read = 0;
  const int texts = testing::chosen_problems(2000);
  for (int i = 0; i < texts; ++i) try {
      (void)parse_results(testing::damaged(text, random), "some.json");
      ++read;
    } catch (const Error& e) { EXPECT_EQ(e.status(), Status::invalid_argument) << e.what(); }
  EXPECT_TRUE(read > 0 && read < texts) << read;
}

}  // namespace
}  // namespace shardfft::report
