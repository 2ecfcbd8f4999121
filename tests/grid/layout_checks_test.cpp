// What a layout must not be.
#include <gtest/gtest.h>

#include "grid/layout_checks.hpp"
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
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
}

// What `work` is refused with, whatever the status.
template <class Work>
std::string said(Work work) {
  try {
    work();
  } catch (const Error& e) { return std::string(name(e.status())) + ": " + e.what(); }
  return "accepted";
}

const Box left{{0, 0}, {4, 3}}, right{{0, 3}, {4, 6}};

TEST(LayoutChecks, AcceptBoxesThatCoverTheArrayOnce) {
  EXPECT_EQ(refusal(custom({{left}, {right}, {}})), "accepted");
  EXPECT_EQ(refusal(custom({{}, {}, {right, left, {{1, 1}, {1, 5}}}})), "accepted");
}

TEST(LayoutChecks, NameTheTwoRanksWhoseBoxesOverlap) {
  expect_words(refusal(custom({{left}, {}, {{{3, 2}, {4, 6}}, {{0, 3}, {3, 6}}}})),
               {"rank 0", "rank 2", "[3,4)x[2,3)"});
  expect_words(refusal(custom({{left, left}, {right}, {}})), {"rank 0", "[0,4)x[0,3)"});
}

TEST(LayoutChecks, CompareABoxWithFewOthersWhicheverAxisIsCut) {
  constexpr Index n = 1000;
  for (const int axis : {0, 1, 2}) {
    Shape shape{4, 5, 6};
    shape[axis] = n;
    std::vector<Owned> all;
    for (Index i = 0; i < n; ++i) {
      Box box = whole(shape);
      box.lo[axis] = i;
      box.hi[axis] = i + 1;
      all.push_back({box, 0});
    }
    EXPECT_LE(check_overlaps(all, shape), n) << "axis " << axis;
    all.push_back({{{1, 2, 3}, {2, 3, 4}}, 1});
    expect_words(said([&] { (void)check_overlaps(all, shape); }),
                 {"invalid_layout", "rank 0", "rank 1", "[1,2)x[2,3)x[3,4)"});
  }
}

TEST(LayoutChecks, NeedRanksAndAnArrayWithElements) {
  for (const int ranks : {0, -1})
    expect_words(said([&] { const Layout layout(slabs(0), {4, 6}, ranks); }),
                 {"invalid_layout", "1 rank or more", std::to_string(ranks)});
  expect_words(said([] { const Layout layout(bricks(), {}, 2); }), {"invalid_layout", "1 to 8 dimensions"});
  for (const Shape& shape : {Shape{0, 4}, Shape{4, -4}})
    expect_words(said([&] { const Layout layout(bricks(), shape, 2); }),
                 {"invalid_layout", "at least 1", to_string(shape)});
}

TEST(LayoutChecks, BoxesAreThoseOfARankThatThereIs) {
  for (const LayoutSpec& spec : {slabs(0), cyclic(0), custom({{left}, {right}})})
    for (const int rank : {-1, 2, 9})
      expect_words(said([&] { (void)Layout(spec, {4, 6}, 2).boxes(rank); }),
                   {"invalid_argument", "from 0 to 1", std::to_string(rank)});
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
  expect_words(refusal(process_grid({2, 2})), {"3 ranks", "got 2 x 2"});
  expect_words(refusal(process_grid({Index{1} << 40, Index{1} << 40})),
               {"3 ranks", "got 1099511627776 x 1099511627776"});
  expect_words(refusal(process_grid({3})), {"one number per axis"});
  expect_words(refusal(process_grid({3, 0})), {"at least 1", "3 x 0"});
  expect_words(refusal(process_grid({-1, -2})), {"at least 1"});
}

TEST(LayoutChecks, WantAnAxisOfTheArray) {
  for (const LayoutSpec& spec : {slabs(2), pencils(-3), cyclic(2)}) expect_words(refusal(spec), {"-2 to 1", "4 x 6"});
}

TEST(LayoutChecks, CountNegativeAxesFromTheEndAsWordsDo) {
  for (const LayoutSpec& first : {slabs(0), slabs(0, 4), pencils(0), cyclic(0)})
    for (const int axis : {-1, -2}) {
      LayoutSpec counted = first, from_end = first;
      counted.axis = axis + 2, from_end.axis = axis;
      const Layout negative(from_end, {4, 6}, 3), positive(counted, {4, 6}, 3);
      EXPECT_EQ(to_string(negative.spec()), to_string(positive.spec()));
      for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(negative.boxes(rank), positive.boxes(rank));
    }
}

TEST(LayoutChecks, WantBlocksThatCoverTheAxisAndOfSlabsOnly) {
  EXPECT_EQ(refusal(slabs(1, 2)), "accepted");
  expect_words(refusal(slabs(1, 1)), {"3 ranks with 1 planes", "cover 6", "2 or more"});
  expect_words(refusal(slabs(0, -1)), {"1 plane or more", "got -1"});
  LayoutSpec spec = pencils(0);
  spec.block = 2;
  expect_words(refusal(spec), {"only slabs have a block", "got one of 2"});
}

TEST(LayoutChecks, WantAMemoryOrderThatNamesEachAxisOnce) {
  EXPECT_EQ(refusal(bricks().ordered({1, 0})), "accepted");
  for (const std::vector<int>& order : {std::vector<int>{0}, {0, 0}, {0, 1, 2}, {1, 2}, {-1, 0}})
    expect_words(refusal(bricks().ordered(order)), {"order"});
}

TEST(LayoutChecks, DoNotTakeAnyForALayout) { expect_words(refusal(any), {"any"}); }

}  // namespace
}  // namespace shardfft::testing
