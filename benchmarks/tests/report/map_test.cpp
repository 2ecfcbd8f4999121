// The map of many cases.
#include <map>

#include <gtest/gtest.h>

#include "report/charts/charts.hpp"
#include "report/page/page.hpp"
#include "small_results.hpp"

namespace shardfft::report {
namespace {

using testing::count;
using testing::Json;

/// A case of `shape` in which mkl's time is `forward` and `backward` times shardfft's.
Json measured(const std::vector<int>& shape, double forward, double backward) {
  Json c = testing::one_case(8, 1, 2), ours = testing::right_entry("shardfft", 1.0, 1),
       mkl = testing::right_entry("mkl", forward, forward);
  ours["launches"].back()["plan"] = "plan of " + std::to_string(shape.front()) + "\nsweep <axes> 1\n";
  mkl["summary"]["backward_s"] = testing::interval(1.1 * backward);
  mkl["summary"]["ratio_backward_to_shardfft"] = testing::interval(backward);
  c["shape"] = shape;
  c["entries"] = {ours, mkl};
  return c;
}

Merged merged(const std::vector<Json>& cases) {
  Json all = testing::results(cases);
  all["machine"]["l1_bytes"] = 32768, all["machine"]["l2_bytes"] = 2097152, all["machine"]["l3_bytes"] = 0;
  return merge({parse_results(all.dump(), "some.json")});
}

/// So many squares that shardfft wins.
std::vector<Json> squares(int count) {
  std::vector<Json> cases;
  for (int i = 0; i < count; ++i) cases.push_back(measured({16 + 8 * i, 16 + 8 * i}, 1.3, 1.1));
  return cases;
}

std::string chart(std::vector<Json> cases) {
  const Merged all = merged(cases);
  return map_chart(comparisons(all), all).svg;
}

/// What follows `place`, up to the end of the rectangle: its shade and its numbers.
std::string cell(const std::string& svg, const std::string& place) {
  const std::size_t at = svg.find(place), begin = svg.rfind("<rect", at);
  return at == svg.npos ? "none" : svg.substr(begin, svg.find("</rect>", at) - begin);
}

TEST(Map, IsDrawnFromTwentyFourCasesOn) {
  EXPECT_EQ(chart(squares(23)), "");
  EXPECT_EQ(count(chart(squares(24)), "class=\"cell "), 48U) << "both directions of each";
  const Merged few = merged(squares(23));
  EXPECT_EQ(map_html(comparisons(few), few), "");
}

TEST(Map, ShadesEachDirectionByItsOwnRatioAndWritesTheNumber) {
  const std::pair<double, const char*> shades[] = {{0.3, "red4"},   {0.6, "red4"},   {0.7, "red3"},   {0.8, "red2"},
                                                   {0.94, "red1"},  {0.96, "even"},  {1.04, "even"},  {1.1, "green1"},
                                                   {1.3, "green2"}, {1.5, "green3"}, {1.7, "green4"}, {30, "green4"}};
  std::vector<Json> cases = squares(24);
  int extent = 3;
  for (const auto& [ratio, shade] : shades) cases.push_back(measured({extent++, 5, 7}, ratio, 1 / ratio));
  const std::string svg = chart(cases);
  extent = 3;
  for (const auto& [ratio, shade] : shades) {
    const std::string place = std::to_string(extent++) + " × 5 × 7 c2c f64 natural, 1 rank × 2 threads, ";
    EXPECT_NE(cell(svg, place + "forward").find("class=\"cell " + std::string(shade) + '"'), std::string::npos)
        << ratio;
    EXPECT_EQ(cell(svg, place + "backward").find("green") == std::string::npos, ratio > 1 / 1.05) << ratio;
  }
  EXPECT_NE(svg.find(">0.94<"), std::string::npos);
  EXPECT_NE(svg.find(">30.0<"), std::string::npos);
}

TEST(Map, HasALaneForEachKindOfProblem) {
  std::vector<Json> cases = squares(24);
  cases.push_back(measured({65536}, 1, 1));
  cases.push_back(measured({1024}, 1, 1));
  cases.back()["batch"] = 64;
  cases.push_back(measured({64, 64, 64}, 1, 1));
  cases.back()["precision"] = "f32";
  cases.push_back(measured({64, 64}, 1, 1));
  cases.back()["kind"] = "r2c", cases.back()["axes"] = {0};
  const std::string svg = chart(cases);
  for (const char* lane : {"1-D c2c f64, 1×2", "1-D batches c2c f64, 1×2", "2-D c2c f64, 1×2", "3-D c2c f32, 1×2",
                           "1-D in 2-D arrays r2c f64, 1×2"})
    EXPECT_EQ(count(svg, std::string(">") + lane + "<title>"), 1U) << lane;
}

TEST(Map, MarksTheCachesThatTheResultsKnow) {
  const std::string svg = chart(squares(30));
  EXPECT_NE(svg.find(">L1 32.0 KiB<"), std::string::npos);
  EXPECT_EQ(svg.find(">L3"), std::string::npos);
}

TEST(Map, GivesCellsOfOneSizeRowsOfTheirOwn) {
  std::vector<Json> apart = squares(24), together = squares(24);
  for (int i = 0; i < 3; ++i) {
    apart.push_back(measured({1 << (10 + 2 * i)}, 1, 1));
    together.push_back(measured({1024}, 1, 1));
    together.back()["layout"] = "natural", together.back()["study"] = std::to_string(i);
  }
  const auto height = [](const std::string& svg) {
    const std::size_t at = svg.find("viewBox=\"0 0 ") + 13;
    return std::stod(svg.substr(svg.find(' ', at)));
  };
  EXPECT_EQ(height(chart(together)) - height(chart(apart)), 2 * 30);
}

TEST(Map, ListsWhereAPeerIsFasterTheWorstFirstWithThePlanThatRan) {
  std::vector<Json> cases = squares(24);
  cases.push_back(measured({30, 30, 30}, 0.9, 1.2));
  cases.push_back(measured({40, 40, 40}, 1.2, 0.7));
  cases.push_back(measured({50, 50, 50}, 0.96, 0.96));
  const Merged all = merged(cases);
  const std::string html = map_html(comparisons(all), all);
  const std::size_t worst = html.find("<th scope=\"row\">40³"), second = html.find("<th scope=\"row\">30³");
  ASSERT_NE(second, html.npos);
  EXPECT_LT(worst, second);
  EXPECT_EQ(html.find("<th scope=\"row\">50³"), html.npos);
  EXPECT_NE(html.find("<td>backward</td>", worst), html.npos);
  EXPECT_NE(html.find("plan of 40\nsweep &lt;axes&gt; 1\n", worst), html.npos);
  EXPECT_EQ(count(html, "sweep &lt;axes&gt;"), 2U);
}

TEST(Map, SaysHowFarShardfftWasFromItself) {
  std::vector<Json> cases = squares(24);
  Json again = testing::right_entry("shardfft+again", 0.98, 0.98);
  again["summary"]["ratio_backward_to_shardfft"] = testing::interval(1.04);
  cases.front()["entries"].push_back(again);
  const Merged all = merged(cases);
  const std::string html = map_html(comparisons(all), all);
  EXPECT_NE(html.find("was 0.98× to 1.04× in 2 directions, half of them within 3.0 % of 1."), html.npos);
  EXPECT_NE(html.find("In no case is a peer more than 5 % faster."), html.npos);
}

TEST(Map, TakesTheFastestPeerOfEachDirection) {
  std::vector<Json> cases = squares(24);
  Json ducc = testing::right_entry("ducc0", 2.0, 2.0);
  ducc["summary"]["backward_s"] = testing::interval(0.55),
  ducc["summary"]["ratio_backward_to_shardfft"] = testing::interval(0.5);
  cases.front()["entries"].push_back(ducc);
  const std::string svg = chart(cases), place = "16² c2c f64 natural, 1 rank × 2 threads, ";
  EXPECT_NE(cell(svg, place + "forward").find("mkl"), std::string::npos);
  EXPECT_NE(cell(svg, place + "backward").find("ducc0"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::report
