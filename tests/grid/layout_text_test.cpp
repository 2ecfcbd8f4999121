// Layouts as words.
#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::testing {
namespace {

TEST(LayoutText, ComesBackFromWhatItWasWrittenAs) {
  for (const char* text : {"any", "bricks", "slabs:0", "slabs:2", "pencils:1", "cyclic:2", "grid:2x3x1", "grid:100000"})
    EXPECT_EQ(to_string(parse_layout(text, 3)), text);
}

TEST(LayoutText, NaturalMeansSlabsAlongAxisZero) { EXPECT_EQ(to_string(parse_layout("natural", 3)), "slabs:0"); }

TEST(LayoutText, MayBeInCapitals) {
  for (const char* text : {"BRICKS", "Slabs:0", "PENCILS:1", "grid:2X3x1", "Any"})
    EXPECT_NO_THROW((void)parse_layout(text, 3)) << text;
  EXPECT_EQ(to_string(parse_layout("GRID:2X3X1", 3)), "grid:2x3x1");
}

TEST(LayoutText, NegativeAxesCountFromTheEnd) {
  EXPECT_EQ(to_string(parse_layout("slabs:-1", 4)), "slabs:3");
  EXPECT_EQ(to_string(parse_layout("pencils:-4", 4)), "pencils:0");
}

TEST(LayoutText, NamesMemoryOrderAndBoxes) {
  EXPECT_EQ(to_string(slabs(1).ordered({1, 0, 2})), "slabs:1 order 1,0,2");
  EXPECT_NE(to_string(custom({{{{0}, {2}}}, {{{2}, {4}}}})), to_string(custom({{{{2}, {4}}}, {{{0}, {2}}}})));
  EXPECT_NE(to_string(custom({{}, {{{0}, {2}}}})), to_string(custom({{{{0}, {2}}}, {}})));
}

TEST(LayoutText, RefusesWhatItDoesNotKnowAndSaysWhatItGot) {
  for (const char* text : {"",
                           "slab:0",
                           "slabs",
                           "slabs:",
                           "slabs:x",
                           "slabs:1x",
                           "slabs:+1",
                           "slabs:3",
                           "slabs:-4",
                           "slabs:99999999999999999999",
                           "slabs:4294967296",
                           "bricks:1",
                           "any:0",
                           "natural:",
                           "cyclic: 1",
                           "grid:",
                           "grid:2x",
                           "grid:x2",
                           "grid:1x1x1x1x1x1x1x1x1",
                           "BRICKS:1",
                           "Grid:2X",
                           " bricks"}) {
    try {
      (void)parse_layout(text, 3);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::invalid_layout) << text;
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
