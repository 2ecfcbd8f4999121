#include "report/page/text.hpp"

#include <gtest/gtest.h>

#include "report/charts/svg.hpp"
#include "report/page/html.hpp"

namespace shardfft::report {
namespace {

TEST(Escaped, LeavesNothingThatHtmlCouldTakeForItsOwn) {
  EXPECT_EQ(escaped(R"(<b a='1' c="2">&amp;</b>)"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;&lt;/b&gt;");
}

TEST(Escaped, KeepsEveryLanguage) {
  const std::string text = "é 漢字 🚀 µs ×";
  EXPECT_EQ(escaped(text), text);
}

TEST(Escaped, ReplacesWhatIsNoUtf8AndControlCharacters) {
  const std::string bad = "\uFFFD";
  EXPECT_EQ(escaped("a\xFFz"), "a" + bad + "z");
  EXPECT_EQ(escaped("\xC3"), bad) << "cut off";
  EXPECT_EQ(escaped("\xC0\xBC"), bad + bad) << "an overlong '<'";
  EXPECT_EQ(escaped("\xED\xA0\x80"), bad + bad + bad) << "half of a pair";
  EXPECT_EQ(escaped(std::string("a\0b\x07", 4)), "a" + bad + "b" + bad);
  EXPECT_EQ(escaped("a\nb\tc"), "a b c");
}

TEST(Figures, HaveThreeDigitsAndAUnit) {
  EXPECT_EQ(seconds_text(0), "0.00 µs");
  EXPECT_EQ(seconds_text(1.2345e-6), "1.23 µs");
  EXPECT_EQ(seconds_text(0.012345), "12.3 ms");
  EXPECT_EQ(seconds_text(0.9996), "1.00 s");
  EXPECT_EQ(seconds_text(123.4), "123 s");
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(1024.0 * 1024 * 1024 - 1), "1.00 GiB");
  EXPECT_EQ(ratio_text(2.345), "2.35×");
  EXPECT_EQ(percent_text(0.649), "65 %");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(2e-16), "2e-16");
  EXPECT_EQ(short_number(1e-16), "1e-16");
  EXPECT_EQ(count_text(2097152), "2\u202F097\u202F152");
  EXPECT_EQ(count_text(512), "512");
}

TEST(Intervals, AreCalledWhatTheLaunchesMakeThem) {
  const auto text = [](double coverage) { return interval_text({1, 1, 1, coverage}); };
  EXPECT_EQ(text(0.978), "95 % interval");
  EXPECT_EQ(text(0.96875), "95 % interval") << "6 launches";
  EXPECT_EQ(text(0.9375), "94 % interval") << "5 launches";
  EXPECT_EQ(text(0.875), "least and largest of 4 launches");
  EXPECT_EQ(text(0.75), "least and largest of 3 launches");
  EXPECT_EQ(text(0.5), "least and largest of 2 launches");
  EXPECT_EQ(text(0), "one launch");
}

TEST(Cases, AreCalledAsPeopleSayThem) {
  const Case cube{
      .shape = {256, 256, 256}, .kind = "c2c", .precision = "f64", .layout = "natural", .ranks = 2, .threads = 1};
  EXPECT_EQ(case_text(cube), "256³ c2c f64 natural, 2 ranks × 1 thread");
  const Case grid{
      .shape = {64, 64}, .kind = "c2c", .precision = "f64", .layout = "pencils", .grid = "2x4", .ranks = 8, .batch = 3};
  EXPECT_EQ(case_text(grid), "64² c2c f64 pencils × 3 arrays, 8 ranks × 1 thread as 2x4");
  const Case box{.shape = {197, 233, 189},
                 .kind = "r2c",
                 .precision = "f32",
                 .layout = "bricks",
                 .ranks = 1,
                 .threads = 2,
                 .nodes = 4};
  EXPECT_EQ(case_text(box), "197 × 233 × 189 r2c f32 bricks, 1 rank × 2 threads on 4 nodes");
}

TEST(Fitted, CutsBetweenCharactersAndOnlyWhereItMust) {
  EXPECT_EQ(fitted("mkl", 100, 12), "mkl");
  const std::string cut = fitted("ééééééééééééééééééééé", 50, 12);
  EXPECT_TRUE(cut.ends_with("é…")) << cut;
  EXPECT_LE(text_width(cut, 12), 50);
}

TEST(Drawings, EscapeEveryTextTheyAreGiven) {
  Svg svg(100, "<t>", "<d>");
  svg.text(0, 0, Anchor::start, "label", "<x>", "<h>");
  svg.mark(0, 0, {}, "<m>");
  svg.rect(0, 0, 1, 1, "ours", "<r>");
  const std::string all = svg.finish(10);
  for (const char* word : {"<t>", "<d>", "<x>", "<h>", "<m>", "<r>"}) EXPECT_EQ(all.find(word), all.npos) << word;
  for (const char* word : {"&lt;t&gt;", "&lt;d&gt;", "&lt;x&gt;", "&lt;h&gt;", "&lt;m&gt;", "&lt;r&gt;"})
    EXPECT_NE(all.find(word), all.npos) << word;
}

TEST(Tables, NameTheirColumnsAndRowsForThoseWhoListen) {
  HtmlTable table("of <this>", {"library", "#time"});
  table.begin_row();
  table.head_cell("mkl");
  table.number("1 s", 1.0);
  const std::string html = table.finish();
  EXPECT_NE(html.find("<caption>of &lt;this&gt;</caption>"), html.npos);
  EXPECT_NE(html.find("<th scope=\"col\" class=\"n\">time</th>"), html.npos);
  EXPECT_NE(html.find("<th scope=\"row\">mkl</th>"), html.npos);
  EXPECT_NE(html.find("<td class=\"n\" data-v=\"1\">1 s</td></tr>"), html.npos);
}

}  // namespace
}  // namespace shardfft::report
