#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "codec/codec.hpp"

namespace shardfft::testing {
namespace {

TEST(Codecs, AreFoundByNameAndByNumber) {
  std::set<std::string_view> names;
  std::set<int> numbers;
  for (const Codec* codec : codecs()) {
    EXPECT_EQ(find_codec(codec->name()), codec);
    EXPECT_EQ(find_codec(codec->number()), codec);
    EXPECT_FALSE(codec->about().empty());
    names.insert(codec->name());
    numbers.insert(codec->number());
  }
  EXPECT_EQ(names.size(), codecs().size());
  EXPECT_EQ(numbers.size(), codecs().size());
  EXPECT_EQ(codecs().front()->name(), "none");
  EXPECT_EQ(find_codec("no such codec"), nullptr);
  EXPECT_EQ(find_codec(std::uint8_t{255}), nullptr);
}

TEST(Codecs, HaveTheNumbersThatMessagesOfOtherVersionsUse) {
  const std::pair<std::string_view, int> known[] = {{"none", 0},        {"f32", 1}, {"f16", 2},     {"mantissa", 4},
                                                    {"block_float", 5}, {"zfp", 7}, {"lossless", 8}};
  for (const auto& [name, number] : known)
    if (const Codec* codec = find_codec(name)) { EXPECT_EQ(codec->number(), number) << name; }
}

TEST(Codecs, HaveBlocksOfAPowerOfTwo) {
  for (const Codec* codec : codecs()) {
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(codec->block_values())));
    EXPECT_GE(codec->block_values(), 64);
    EXPECT_LE(codec->block_values(), 4096);
  }
}

TEST(Codecs, RefuseAnAllowanceThatMeansNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const Codec* codec : codecs()) {
    if (codec->name() == "none" || codec->name().starts_with("lossless")) continue;  // they need no parameter
    for (const GroupBudget& group_budget : {GroupBudget{.error = nan, .norm = 1, .values = 64},
                                            {.error = 1, .norm = nan, .values = 64},
                                            {.error = 1, .norm = inf, .values = 64}})
      EXPECT_TRUE(std::isnan(codec->parameter(Scalar::f64, group_budget))) << codec->name();
    if (codec->name() == "mantissa") continue;  // with all bits it loses nothing
    EXPECT_TRUE(std::isnan(codec->parameter(Scalar::f64, {.error = 1e-300, .norm = 1, .values = 64})))
        << codec->name() << ": nothing is that exact";
  }
}

}  // namespace
}  // namespace shardfft::testing
