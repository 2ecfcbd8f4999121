// The table of choices: every row is read, written, compared and documented as it says.
#include "shardfft/options.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/options/choices.hpp"
#include "planner/problem/problem.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/error.hpp"
#include "support/text/text.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

// Another text than the default's.
std::string text_for(const OptionRow& row) {
  switch (row.type) {
    case OptionType::truth:
      return option_text({}, row.name) == "true" ? "false" : "true";
    case OptionType::whole:
      return "1";
    case OptionType::number:
      return "0.25";
    case OptionType::word:
      return std::string(row.words.empty() ? "other" : row.words.back());
    case OptionType::grid:
      return "2x3";
    case OptionType::axes:
      return "1,-3,0";
  }
  return {};
}

std::string refusal(std::string_view name, std::string_view text) {
  Options options;
  try {
    set_option(options, name, text);
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_argument);
    EXPECT_EQ(option_text(options, "chunks"), "0") << "nothing has changed";
    return e.what();
  }
  return "accepted";
}

TEST(OptionRows, AreReadAndWrittenByNameVariableAndFlag) {
  for (const OptionRow& row : option_table())
    for (const std::string_view name : {row.name, row.variable, row.flag}) {
      if (name.empty()) continue;
      Options options;
      const std::string unset = option_text(options, name);
      set_option(options, name, unset);
      EXPECT_EQ(option_text(options, row.name), unset) << name;
      set_option(options, name, text_for(row));
      EXPECT_EQ(option_text(options, row.name), text_for(row)) << name;
      EXPECT_NE(text_for(row), unset) << name;
      check_option(options, name);
      set_option(options, name, "");
      EXPECT_EQ(option_text(options, row.name), unset) << name << " is left open by an empty text";
    }
}

TEST(OptionRows, HaveNamesOfTheirOwnFromWhichVariableAndFlagFollow) {
  std::set<std::string_view> names;
  for (const OptionRow& row : option_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    std::string capitals = "SHARDFFT_", dashes = "--";
    for (const char c : row.name) capitals += static_cast<char>(std::toupper(c)), dashes += c == '_' ? '-' : c;
    EXPECT_TRUE(row.variable.empty() || row.variable == capitals) << row.name;
    EXPECT_TRUE(row.flag.empty() || row.flag == dashes) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
}

TEST(OptionRows, TakeWordsInLettersOfEitherCase) {
  Options options;
  set_option(options, "effort", "Measure");
  set_option(options, "ranks_grid", "2X3");
  set_option(options, "wisdom", "0");
  EXPECT_EQ(options.effort, "measure");
  EXPECT_EQ(options.expert.ranks_grid, (Coord{2, 3}));
  EXPECT_FALSE(options.wisdom);
}

TEST(OptionRows, OfWordsTakeTheNumbersThatStoodForThem) {
  Options options;
  for (const auto& [name, text, word] : {std::tuple{"split", "0", "never"},
                                         {"split", "1", "always"},
                                         {"split", "-1", "automatic"},
                                         {"non_temporal", "0", "none"},
                                         {"non_temporal", "1", "all"},
                                         {"non_temporal", "2", "synthesis"},
                                         {"huge_pages", "0", "off"},
                                         {"huge_pages", "1", "on"}}) {
    set_option(options, name, text);
    EXPECT_EQ(option_text(options, name), word);
  }
  EXPECT_EQ(options.expert.non_temporal, NonTemporal::synthesis);
  for (const auto& [name, text] : {std::pair{"intermediate", "0"}, {"huge_pages", "2"}, {"split", "-2"}})
    EXPECT_NE(refusal(name, text).find("must be one of automatic"), std::string::npos) << refusal(name, text);
}

TEST(OptionRows, RefuseWhatTheyCannotReadWithRuleGotAndRemedy) {
  EXPECT_EQ(refusal("chunks", "two"), "chunks must be a whole number; got 'two'; leave it alone for the default");
  EXPECT_EQ(refusal("--chunks", "65"), "--chunks must be from 0 to 64; got 65; leave it out for the default");
  EXPECT_EQ(refusal("SHARDFFT_DECOMPOSITION", "slap"),
            "SHARDFFT_DECOMPOSITION must be one of slab, pencil, brick; got 'slap' (did you mean 'slab'?); unset it "
            "for the default");
  EXPECT_EQ(refusal("tolerance", "-1"),
            "tolerance must be a finite number at least 0; got -1; leave it alone for the default");
  for (const auto& [name, text] : {std::pair{"tile", "16777217"},
                                   {"fuse", "4"},
                                   {"threads", "99999999999"},
                                   {"tolerance", "inf"},
                                   {"tolerance", "nan"},
                                   {"tune_seconds", "2000000000"},
                                   {"in_place", "perhaps"},
                                   {"ranks_grid", "2x"},
                                   {"ranks_grid", "2x0"},
                                   {"ranks_grid", "1x1x1x1x1x1x1x1x1"},
                                   {"axis_order", "0,,1"},
                                   {"axis_order", "8"}}) {
    EXPECT_EQ(refusal(name, text).find(name), 0u) << refusal(name, text);
    const std::size_t got = refusal(name, text).find("; got ");
    EXPECT_LT(got, refusal(name, text).find(text, got)) << refusal(name, text);
  }
}

TEST(OptionRows, ThatDoNotExistAreRefusedWithTheOneThatWasMeant) {
  EXPECT_NE(refusal("chunkz", "1").find("got 'chunkz' (did you mean 'chunks'?)"), std::string::npos);
  EXPECT_NE(refusal("", "1").find("an option is one of"), std::string::npos);
  EXPECT_THROW((void)option_text({}, "teapot"), Error);
}

TEST(OptionRows, HaveRangesThatDependOnTheDeviceCheckedOnceItIsKnown) {
  Options options;
  set_option(options, "tile", "1000");
  EXPECT_THROW(check_option(options, "--tile"), Error);
  set_option(options, "device", "emulated");
  check_option(options, "--tile");
}

TEST(OptionRows, WithAVariableTakeItsValue) {
  for (const OptionRow& row : option_table()) {
    if (row.variable.empty()) continue;
    const std::string name(row.variable);
    const Variable variable(name.c_str(), text_for(row));
    const Choices c = choose_from({});
    EXPECT_EQ(option_text(c.options, row.name), text_for(row)) << name;
    EXPECT_EQ(c.origin(std::string(row.name)), name);
  }
}

// With a device and a tolerance, for some choices count only then.
TEST(OptionRows, ChangeTheKeyOfWisdomAndWhatRanksCompareIfTheySaySo) {
  Options base;
  set_option(base, "device", "some");
  set_option(base, "tolerance", "0.5");
  const auto key = [](const Options& o) {
    return wisdom_key(dry_run(2, 0, 2), check({.shape = {8, 8, 8}, .kind = r2c}), o, 1);
  };
  for (const OptionRow& row : option_table()) {
    Options other = base;
    set_option(other, row.name, text_for(row));
    EXPECT_EQ(key(other) != key(base), row.in_wisdom != InWisdom::no) << row.name;
    EXPECT_EQ(shared_text(other) != shared_text(base), row.same_on_all_ranks) << row.name;
  }
}

std::string values_of(const OptionRow& row) {
  const std::string on_device =
      row.most_on_device > row.most ? fmt::format("; on a device to {:.10g}", row.most_on_device) : "";
  switch (row.type) {
    case OptionType::truth:
      return "true, false";
    case OptionType::whole:
      return fmt::format("{} to {}{}", row.least, row.most, on_device);
    case OptionType::number:
      return row.most == std::numeric_limits<double>::max() ? fmt::format("{} or more", row.least)
                                                            : fmt::format("{} to {:.10g}", row.least, row.most);
    case OptionType::word:
      return row.words.empty() ? "" : fmt::format("`{}`", fmt::join(row.words, "`, `"));
    default:
      return "";
  }
}

TEST(OptionRows, StandInTheGuideWithTheirValues) {
  std::ifstream file(SHARDFFT_SOURCES "/docs/guide/options.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(page.empty());
  for (const OptionRow& row : option_table()) {
    const std::string values = values_of(row), line = fmt::format("\n| `{}` |", row.name);
    EXPECT_NE(page.find(values.empty() ? line : fmt::format("{} {} |", line, values)), std::string::npos)
        << "docs/guide/options.md needs a line that begins with" << line << ' ' << values << " |";
  }
}

}  // namespace
}  // namespace shardfft::testing
