// What a task asks of a library, counted by hand.
#include <gtest/gtest.h>

#include "peers/common/arguments.hpp"

namespace shardfft::peers {
namespace {

Task task_of(std::vector<std::string> words) {
  for (const char* word : {"--result", "r.json"}) words.emplace_back(word);
  return parse("peer_test", words).task;
}

TEST(Tasks, OfSomeAxesHalveTheLastOneThatIsNamed) {
  const Task task = task_of({"--shape", "4x6x8", "--kind", "r2c", "--axes", "2,0", "--batch", "3"});
  EXPECT_EQ(task.transformed(), (std::vector<int>{2, 0}));
  EXPECT_EQ(task.transformed_of_array(), (std::vector<int>{3, 1}));
  EXPECT_EQ(task.points(), 8 * 4);
  EXPECT_EQ(task.input_array(), (Shape{3, 4, 6, 8}));
  EXPECT_EQ(task.spectrum_array(), (Shape{3, 3, 6, 8}));
  EXPECT_FALSE(task.can_be_in_place());
  EXPECT_EQ(name_of(task, 1), "4x6x8-r2c-f64-natural-1x1-batch3-axes2,0");
}

TEST(Tasks, WithoutAxesTransformAllOfThem) {
  const Task task = task_of({"--shape", "4x6x8", "--kind", "r2c"});
  EXPECT_EQ(task.transformed_of_array(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(task.points(), 4 * 6 * 8);
  EXPECT_EQ(task.spectrum_array(), (Shape{4, 6, 5}));
  EXPECT_TRUE(task.can_be_in_place());
  EXPECT_EQ(name_of(task, 1), "4x6x8-r2c-f64-natural-1x1");
}

TEST(Tasks, OfRealsGrowByTheLengthsOfTheirAxesAlone) {
  EXPECT_EQ(task_of({"--shape", "4x6", "--kind", "cosine2", "--axes", "1"}).unscaled_gain(), 12);
  EXPECT_EQ(task_of({"--shape", "4x6", "--kind", "cosine2"}).unscaled_gain(), 8 * 12);
}

}  // namespace
}  // namespace shardfft::peers
