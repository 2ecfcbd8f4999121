#include "support/processor/startable_threads.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace shardfft {
namespace {

// The program tests threads that cannot be had, under a limit on memory: tests/cli/bad_input_test.py.
TEST(StartableThreads, AreAsManyAsWereWantedWhereNothingLimitsThem) {
  for (const int wanted : {1, 7, 40, 7}) {
    const StartableThreads there = startable_threads(wanted);
    EXPECT_EQ(there.count, wanted);
    EXPECT_EQ(there.why, "");
  }
}

TEST(StartableThreads, HaveStacksOfTheSizeThatOpenMpReads) {
  constexpr std::size_t k = 1024;
  const std::vector<std::pair<const char*, std::size_t>> sizes{{"16", 16 * k},
                                                               {" 20000 ", 20000 * k},
                                                               {"512B", 512},
                                                               {"4k", 4 * k},
                                                               {" 10 M ", 10 * k * k},
                                                               {"2G", 2 * k * k * k},
                                                               {"", 0},
                                                               {"-5", 0},
                                                               {"8T", 0},
                                                               {"5 M B", 0},
                                                               {"many", 0},
                                                               {"99999999999999999999", 0},
                                                               {"99999999999999999G", 0}};
  for (const auto& [text, bytes] : sizes) EXPECT_EQ(stack_size_of(text), bytes) << text;
  EXPECT_EQ(stack_size_of(nullptr), 0U);
}

}  // namespace
}  // namespace shardfft
