// What a layout must not be.
#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::testing {
namespace {

// The message with which a layout of 4 x 6 over 3 ranks is refused.
std::string refusal(const LayoutSpec& spec) {
  try {
    const Layout accepted(spec, {4, 6}, 3);
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_layout);
    return e.what();
  }
  return "accepted";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
}

const Box left{{0, 0}, {4, 3}}, right{{0, 3}, {4, 6}};

TEST(LayoutChecks, AcceptBoxesThatCoverTheArrayOnce) {
  EXPECT_EQ(refusal(custom({{left}, {right}, {}})), "accepted");
  EXPECT_EQ(refusal(custom({{}, {}, {right, left, {{1, 1}, {1, 5}}}})), "accepted");
}

TEST(LayoutChecks, NameTheTwoRanksWhoseBoxesOverlap) {
  expect_words(refusal(custom({{left}, {}, {{{3, 2}, {4, 6}}, {{0, 3}, {3, 6}}}})), {"rank 0", "rank 2", "[3,4)x[2,3)"});
  expect_words(refusal(custom({{left, left}, {right}, {}})), {"rank 0", "[0,4)x[0,3)"});
}

TEST(LayoutChecks, CountTheElementsThatNobodyOwns) {
  expect_words(refusal(custom({{left}, {{{0, 3}, {4, 5}}}, {}})), {"20", "24", "gaps"});
}

TEST(LayoutChecks, NameTheBoxThatSticksOut) {
  expect_words(refusal(custom({{left}, {{{0, 3}, {4, 7}}}, {}})), {"rank 1", "[0,4)x[3,7)"});
  expect_words(refusal(custom({{left}, {{{-1, 3}, {4, 6}}}, {}})), {"rank 1", "[-1,4)"});
}

TEST(LayoutChecks, WantAListOfBoxesForEveryRankAndARangeForEveryAxis) {
  expect_words(refusal(custom({{left}, {right}})), {"2 lists", "3 ranks"});
  expect_words(refusal(custom({{{{0, 0, 0}, {4, 6, 1}}}, {}, {}})), {"rank 0", "3"});
}

TEST(LayoutChecks, WantAProcessGridThatFitsTheRanksAndTheAxes) {
  EXPECT_EQ(refusal(process_grid({3, 1})), "accepted");
  expect_words(refusal(process_grid({2, 2})), {"3 ranks", "2 x 2", "4"});
  expect_words(refusal(process_grid({3})), {"one number per axis"});
  expect_words(refusal(process_grid({3, 0})), {"at least 1", "3 x 0"});
  expect_words(refusal(process_grid({-1, -2})), {"at least 1"});
}

TEST(LayoutChecks, WantAnAxisOfTheArray) {
  for (const LayoutSpec& spec : {slabs(2), pencils(-1), cyclic(2)}) expect_words(refusal(spec), {"0 to 1", "4 x 6"});
}

TEST(LayoutChecks, WantAMemoryOrderThatNamesEachAxisOnce) {
  EXPECT_EQ(refusal(bricks().ordered({1, 0})), "accepted");
  for (const std::vector<int>& order : {std::vector<int>{0}, {0, 0}, {0, 1, 2}, {1, 2}, {-1, 0}})
    expect_words(refusal(bricks().ordered(order)), {"order"});
}

TEST(LayoutChecks, DoNotTakeAnyForALayout) { expect_words(refusal(any), {"any"}); }

}  // namespace
}  // namespace shardfft::testing
