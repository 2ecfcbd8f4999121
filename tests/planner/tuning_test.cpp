// One value for all choices: what options say is in the recipe, and the tuner, wisdom and texts see each row.
#include "support/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "device/device.hpp"
#include "planner/decide/planner.hpp"
#include "planner/options/option_table.hpp"
#include "planner/options/variant.hpp"
#include "planner/wisdom/wisdom_text.hpp"

namespace shardfft::testing {
namespace {

// Another value than the default's.
std::string asked_for(const OptionRow& row) {
  if (row.name == "engine") return "native";
  if (row.name == "transport") return "shared_memory";
  if (row.name == "ranks_grid") return "2x1";
  return row.type == OptionType::word ? std::string(row.words.back()) : "2";
}

Tuning tuned() {
  return {{.engine = "fftw",
           .transport = "threads",
           .chunks = 1,
           .fuse = 1,
           .intermediate = Intermediate::buffers,
           .non_temporal = NonTemporal::none},
          /*threads=*/0};
}

TEST(Tuning, HasEveryChoiceThatSomebodyMade) {
  for (const OptionEntry& entry : option_entries()) {
    const std::string name(entry.row.name);
    const bool of_devices = name == "streams";
    if (entry.decided == Decided::by_default || (of_devices && !find_driver("emulated"))) continue;
    SCOPED_TRACE(name);
    Options options{.wisdom = false, .device = of_devices ? "emulated" : ""};
    const std::string text = asked_for(entry.row);
    set_option(options, name, text);
    const Comm comm = of_devices || name == "intermediate" ? local() : dry_run(2, 0, 2);
    const Recipe recipe = make_recipe(comm, {.shape = {16, 12, 20}}, options);
    if (name != "transport") {  // a plan that never runs has a stand-in
      EXPECT_EQ(entry.text(recipe.tuning), text);
    }
    const auto choices = choices_of(recipe);
    const auto shown = std::ranges::find(choices, name, &Choice::name);
    ASSERT_NE(shown, choices.end()) << "no plan describes it";
    EXPECT_EQ(shown->origin, "option");
    EXPECT_EQ(to_string(recipe).find(name + ' ') != std::string::npos, name != "threads") << "ranks compare it";
  }
}

TEST(Tuning, OfTheTunerIsKeptAndComparedByEveryChoice) {
  for (const OptionEntry& entry : option_entries()) {
    if (entry.decided != Decided::by_tuner) continue;
    const std::string name(entry.row.name);
    SCOPED_TRACE(name);
    Tuning other = tuned();
    entry.set(other, asked_for(entry.row));
    EXPECT_EQ(changed_choices(other, tuned()), 1);
    EXPECT_FALSE(other == tuned());
    EXPECT_NE(to_string(other), to_string(tuned()));
    EXPECT_TRUE(variant_from(json_of(other)) == other) << "as wisdom keeps it";
    Options given;
    set_option(given, name, asked_for(entry.row));
    EXPECT_TRUE(agrees(other, given));
    EXPECT_EQ(agrees(tuned(), given), name == "threads") << "0 is all threads that there are";
    Choices choices;
    fill_in(choices, other, "test");
    EXPECT_EQ(option_text(choices.options, name), asked_for(entry.row));
    EXPECT_EQ(choices.origin(name), "test");
  }
}

}  // namespace
}  // namespace shardfft::testing
