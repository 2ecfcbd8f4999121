#include "report/data/merge.hpp"

#include <gtest/gtest.h>

#include <set>

#include "report/charts/charts.hpp"
#include "report/page/page.hpp"
#include "shardfft/error.hpp"
#include "small_results.hpp"

namespace shardfft::report {
namespace {

using testing::count;
using testing::Json;
using testing::one_case;

Results file(const std::string& path, const std::vector<Json>& cases) {
  return parse_results(testing::results(cases).dump(), path);
}

TEST(Merge, TheSameCaseOfTwoFilesStandsSideBySideAndNamesThem) {
  const Merged m = merge({file("runs/a.json", {one_case(64, 2), one_case(128, 2)}),
                          file("runs/b.json", {one_case(128, 2), one_case(64, 4)})});
  ASSERT_EQ(m.cases.size(), 3U);
  EXPECT_EQ(m.cases[0].entries.size(), 2U);
  ASSERT_EQ(m.cases[1].entries.size(), 4U);
  EXPECT_EQ(m.label(m.cases[0], m.cases[0].entries[1]), "fftw_mpi");
  EXPECT_EQ(m.label(m.cases[1], m.cases[1].entries[1]), "fftw_mpi · a");
  EXPECT_EQ(m.label(m.cases[1], m.cases[1].entries[3]), "fftw_mpi · b");
}

TEST(Merge, BatchesAndGridsAreCasesOfTheirOwn) {
  Json batch = one_case(64, 4), grid = one_case(64, 4), other = one_case(64, 4), more = one_case(64, 8);
  batch["batch"] = 3;
  grid["grid"] = "2x2";
  other["grid"] = "4x1";
  const Merged m = merge({file("a.json", {one_case(64, 4), batch, grid, other, more})});
  ASSERT_EQ(m.cases.size(), 5U);
  EXPECT_EQ(m.cases[1].elements(), 3.0 * 64 * 64 * 64);
  const auto strong = strong_scaling(m);
  ASSERT_EQ(strong.size(), 1U);
  EXPECT_EQ(strong[0].points.size(), 2U) << "grids that were asked for stay out of it";
}

TEST(Merge, FilesOfOneNameAreCalledByTheirPaths) {
  const Merged m = merge(
      {file("a/r.json", {one_case(64, 2)}), file("b/r.json", {one_case(64, 2)}), file("c.json", {one_case(64, 2)})});
  EXPECT_EQ(m.files[0].name, "a/r.json");
  EXPECT_EQ(m.files[1].name, "b/r.json");
  EXPECT_EQ(m.files[2].name, "c");
}

TEST(Merge, AFileThatIsNamedTwiceIsAMistake) {
  EXPECT_THROW((void)merge({file("r.json", {one_case(64, 2)}), file("r.json", {one_case(64, 2)})}), Error);
}

TEST(Merge, EachCallOfEachLibraryOnEachMachineLooksDifferent) {
  Json crowd = one_case(64, 2);
  for (int i = 0; i < 15; ++i) crowd["entries"].push_back(testing::right_entry("library" + std::to_string(i), 2, 2));
  crowd["entries"].push_back(crowd["entries"][1]);
  crowd["entries"].back()["call"] = "default";
  const Merged m = merge({file("a.json", {crowd})});
  std::set<std::tuple<int, int, bool>> looks_seen;
  for (const Entry& e : m.cases[0].entries) looks_seen.insert({m.mark(e).colour, m.mark(e).shape, m.mark(e).hollow});
  EXPECT_EQ(looks_seen.size(), 18U);
  EXPECT_EQ(m.mark(m.cases[0].entries[0]), (Mark{0, 0, false})) << "shardfft is always the first";
  EXPECT_TRUE(m.mark(m.cases[0].entries.back()).hollow);
}

TEST(Comparisons, TakeTheFastestPeerThatIsRight) {
  Json c = one_case(64, 2);
  c["entries"].push_back(testing::right_entry("quick", 0.5, 0.5));
  c["entries"].push_back(testing::right_entry("wrong", 0.1, 0.1));
  c["entries"].back()["status"] = "wrong";
  const Merged m = merge({file("a.json", {c})});
  const auto all = comparisons(m);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].ours->library, "shardfft");
  EXPECT_EQ(all[0].peer->library, "quick");
}

TEST(Comparisons, SetABestCallAgainstBestCallsOnly) {
  Json c = one_case(64, 2);
  c["entries"] = {testing::right_entry("shardfft", 8e-3, 1), testing::default_entry("shardfft", 20e-3, 1),
                  testing::right_entry("scipy", 12e-3, 1.5), testing::default_entry("scipy", 10e-3, 0.5)};
  const Merged m = merge({file("a.json", {c})});
  const auto all = comparisons(m);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].ours->call, "best");
  EXPECT_EQ(all[0].peer->call, "best");
  EXPECT_EQ(all[0].peer->ratio->median, 1.5) << "of the two that are named, not of both default calls";
  EXPECT_EQ(ratio_chart(all, m).find("0.50×"), std::string::npos);
  EXPECT_NE(summary_html(all, m).find("<strong>1 of 1</strong>"), std::string::npos);
  EXPECT_NE(summary_html(all, m).find("<strong>1.50×</strong>"), std::string::npos);
}

TEST(Comparisons, WhereTheBestCallFailedDefaultCallsStandAgainstEachOtherAndSaySo) {
  Json c = one_case(64, 2);
  c["entries"].push_back(testing::default_entry("shardfft", 2, 1));
  c["entries"].push_back(testing::default_entry("fftw_mpi", 5, 2.5));
  c["entries"][0]["status"] = "failed";
  const Merged m = merge({file("a.json", {c})});
  const auto all = comparisons(m);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].peer->call, "default");
  EXPECT_EQ(all[0].peer->ratio->median, 2.5);
  EXPECT_NE(ratio_chart(all, m).find("default call"), std::string::npos);
}

TEST(Comparisons, NeverTakeShardfftWithOtherOptionsForAPeer) {
  Json c = one_case(64, 2);
  for (const char* name : {"shardfft+engine=native", "shardfft_cuda", "shardfft_hip+chunks=2"})
    c["entries"].push_back(testing::right_entry(name, 0.5, 0.5));
  const Merged m = merge({file("a.json", {c})});
  const auto all = comparisons(m);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].ours->library, "shardfft");
  EXPECT_EQ(all[0].peer->library, "fftw_mpi");
  EXPECT_EQ(m.libraries, (std::vector<std::string>{"shardfft", "shardfft+engine=native", "shardfft_cuda",
                                                   "shardfft_hip+chunks=2", "fftw_mpi"}));
  EXPECT_NE(summary_html(all, m).find("cases, 2 libraries"), std::string::npos);
}

TEST(Comparisons, OnGpusStandBesideThoseOnProcessors) {
  Json c = one_case(64, 1);
  c["entries"].push_back(testing::right_entry("shardfft_cuda", 0.1, 0.1));
  c["entries"].push_back(testing::right_entry("cufft", 0.2, 0.2));
  for (const int entry : {2, 3}) c["entries"][entry]["launches"] = testing::launches({entry == 2 ? 0.1 : 0.2});
  const Merged m = merge({file("a.json", {c})});
  const auto all = comparisons(m);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].ours->library, "shardfft");
  EXPECT_EQ(all[0].peer->library, "fftw_mpi") << "not cufft, which is faster but on a GPU";
  EXPECT_EQ(all[1].ours->library, "shardfft_cuda");
  EXPECT_EQ(all[1].peer->library, "cufft");
  EXPECT_EQ(all[1].peer->ratio->median, 2);
  EXPECT_NE(ratio_chart(all, m).find("· shardfft_cuda"), std::string::npos);
  EXPECT_NE(case_table_html(m, m.cases[0]).find("to shardfft_cuda"), std::string::npos);
}

TEST(Growth, TheSameProblemOnMoreRanksIsStrongScaling) {
  const Merged m = merge({file("a.json", {one_case(64, 4), one_case(64, 1), one_case(128, 2), one_case(64, 1, 2)})});
  const auto strong = strong_scaling(m);
  ASSERT_EQ(strong.size(), 2U);
  EXPECT_EQ(strong[0].unit, "ranks");
  ASSERT_EQ(strong[0].points.size(), 2U);
  EXPECT_EQ(strong[0].points[0].size, 1) << "in order of size";
  EXPECT_EQ(strong[0].points[1].size, 4);
  EXPECT_EQ(strong[1].unit, "threads");
  EXPECT_EQ(strong[1].points.size(), 2U);
  EXPECT_TRUE(weak_scaling(m).empty());
}

TEST(Growth, TheSameShareOfWorkPerRankIsWeakScaling) {
  Json larger = one_case(64, 2), off = one_case(64, 4);
  larger["shape"] = {128, 64, 64};
  off["shape"] = {200, 64, 64};
  const auto weak = weak_scaling(merge({file("a.json", {one_case(64, 1), larger, off})}));
  ASSERT_EQ(weak.size(), 1U);
  EXPECT_EQ(weak[0].points.size(), 2U);
}

TEST(Charts, ShowEveryLibraryAndSayWhatTheyAre) {
  Json c = one_case(64, 2);
  c["entries"].push_back({{"library", "gone"},
                          {"call", "best"},
                          {"status", "failed"},
                          {"reason", "<no> memory"},
                          {"launches", Json::array()},
                          {"summary", nullptr}});
  const Merged m = merge({file("a.json", {c})});
  for (const std::string& drawing :
       {time_chart(m, m.cases[0]), phase_chart(m, m.cases[0]), accuracy_chart(m, m.cases[0])}) {
    EXPECT_EQ(count(drawing, "<svg"), 1U);
    EXPECT_EQ(count(drawing, "<desc>"), 1U);
    EXPECT_NE(drawing.find("fftw_mpi"), drawing.npos);
    EXPECT_EQ(drawing.find("nan"), drawing.npos);
    EXPECT_EQ(drawing.find("inf"), drawing.npos);
  }
  EXPECT_NE(time_chart(m, m.cases[0]).find("✕ failed"), std::string::npos);
}

TEST(Charts, AreLeftOutWhereNothingWasMeasured) {
  Json c = one_case(64, 2);
  for (Json& e : c["entries"]) e["status"] = "failed";
  const Merged m = merge({file("a.json", {c})});
  EXPECT_EQ(time_chart(m, m.cases[0]), "");
  EXPECT_EQ(phase_chart(m, m.cases[0]), "");
  EXPECT_EQ(accuracy_chart(m, m.cases[0]), "");
  EXPECT_EQ(ratio_chart(comparisons(m), m), "");
  EXPECT_EQ(share_chart(comparisons(m), m), "");
  EXPECT_NE(page(m).find("fftw_mpi"), std::string::npos) << "the page is there all the same";
}

TEST(Page, OfFewLaunchesSaysWhatItsIntervalsAreAndTellsNothingApart) {
  const auto shown = [](double coverage) {
    Json c = one_case(64, 2);
    for (Json& e : c["entries"]) {
      for (const char* times : {"forward_s", "backward_s"}) e["summary"][times]["coverage"] = coverage;
      if (!e["summary"]["ratio_to_shardfft"].is_null()) e["summary"]["ratio_to_shardfft"]["coverage"] = coverage;
    }
    const Merged m = merge({file("a.json", {c})});
    return summary_html(comparisons(m), m) + case_table_html(m, m.cases[0]) + ratio_chart(comparisons(m), m) +
           time_chart(m, m.cases[0]);
  };
  const std::string six = shown(0.96875), five = shown(0.9375), three = shown(0.75);
  EXPECT_EQ(count(six, "The intervals of this case"), 0U);
  EXPECT_EQ(count(six, "<strong>1 of 1</strong>"), 1U);
  EXPECT_EQ(count(five, "The intervals of this case: 94 % interval.</p>"), 1U);
  EXPECT_EQ(count(five, "<strong>1 of 1</strong>"), 1U);
  EXPECT_EQ(count(three,
                  "The intervals of this case: least and largest of 3 launches. Launches were too few to tell "
                  "libraries apart.</p>"),
            1U);
  EXPECT_EQ(count(three, "<strong>0 of 1</strong>"), 1U);
  EXPECT_EQ(count(three, "1 not told apart"), 1U);
  EXPECT_EQ(count(three, "faster\""), 0U) << "no mark and no figure has its colour";
  for (const std::string& page : {five, three}) EXPECT_EQ(count(page, "95 %"), 0U);
}

TEST(Page, ShowsTheMinimumBelowTheMedianAndItsInterval) {
  const Merged m = merge({file("a.json", {one_case(64, 2)})});
  EXPECT_NE(case_table_html(m, m.cases[0]).find("3.00 s<small>2.85 s – 3.15 s</small><small>min 2.70 s</small>"),
            std::string::npos)
      << case_table_html(m, m.cases[0]);
}

TEST(Page, SaysOfMediansAndOfMessagesWhatCompareMeasures) {
  const std::string html = page(merge({file("a.json", {one_case(64, 2)})}));
  EXPECT_NE(html.find("A launch is one sample: the median of its iterations"), html.npos);
  EXPECT_EQ(html.find("median over all iterations"), html.npos);
  EXPECT_NE(html.find(">sent in messages</th>"), html.npos);
  EXPECT_NE(html.find("by messages of MPI, within a node as between nodes"), html.npos);
  EXPECT_EQ(html.find("through the network"), html.npos);
}

TEST(Page, EscapesWhateverAFileSays) {
  Json json = testing::results({one_case(64, 2)});
  const std::string evil = "</style><script>alert(1)</script>";
  for (const char* key : {"created", "version", "command"}) json[key] = evil;
  json["machine"][evil] = evil;
  Json& c = json["cases"][0];
  for (const char* key : {"kind", "precision", "layout", "study"}) c[key] = evil;
  for (const char* key : {"library", "version", "call", "configuration"}) c["entries"][1][key] = evil;
  c["entries"][0]["launches"][0]["phases_s"][evil] = 1.0;
  c["entries"].push_back({{"library", evil}, {"call", evil}, {"status", "failed"}, {"reason", evil}});
  const std::string html = page(merge({parse_results(json.dump(), evil)}));
  EXPECT_EQ(count(html, "<script"), 1U);
  EXPECT_EQ(count(html, "</style>"), 1U);
  EXPECT_GT(count(html, "&lt;script&gt;alert(1)"), 12U);
}

}  // namespace
}  // namespace shardfft::report
