#include "support/startable_threads.hpp"

#include <gtest/gtest.h>

namespace shardfft {
namespace {

// Where they cannot be had is tested with the program, under a limit on memory: tests/cli/bad_input_test.py.
TEST(StartableThreads, AreAsManyAsWereWantedWhereNothingLimitsThem) {
  for (const int wanted : {1, 7, 40, 7}) {
    const StartableThreads there = startable_threads(wanted);
    EXPECT_EQ(there.count, wanted);
    EXPECT_EQ(there.why, "");
  }
}

}  // namespace
}  // namespace shardfft
