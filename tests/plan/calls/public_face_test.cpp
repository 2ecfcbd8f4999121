// What programs around plans are offered: what was kept, what there is, what the machine has.
#include <gtest/gtest.h>

#include <algorithm>

#include "shardfft/collective.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/programs/inventory.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/wisdom.hpp"
#include "shardfft/tune.hpp"
#include "support/stand_ins/known_machine.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

TEST(PublicFace, ShowsMergesAndForgetsWhatTuningKept) {
  const Folder folder, other;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  keep_known_machine(1);
  const Problem problem{.shape = {8, 6, 4}};
  const Options options{.threads = 1, .expert = {.engine = "native"}};
  const TuneReport report = tune(local(), problem, options, {.time_left = [left = 3]() mutable { return --left > 0; }});
  EXPECT_EQ(tuning_key(local(), problem, options), report.key);
  const auto kept = kept_tunings(wisdom_file());
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].key, report.key);
  EXPECT_EQ(kept[0].damage, "");
  EXPECT_EQ(kept[0].id.size(), 8u);
  ASSERT_FALSE(kept[0].measured.empty());
  EXPECT_EQ(kept[0].measured[0].recipe, report.rows[0].recipe);
  EXPECT_EQ(merge_tunings(other.path() / "wisdom.json", wisdom_file()), 1);
  EXPECT_EQ(kept_tunings(other.path() / "wisdom.json").size(), 1u);
  EXPECT_EQ(forget_tunings(wisdom_file(), {report.key}), 1);
  EXPECT_TRUE(kept_tunings(wisdom_file()).empty());
  EXPECT_EQ(forget_machine(), 1);
}

TEST(PublicFace, NamesWhatThisBuildHasAndWhyRanksCannotUseIt) {
  on_ranks(2, [](const Comm& comm) {
    const Inventory here = inventory(comm);
    const auto named = [](const std::vector<Backend>& all, const std::string& name) {
      return *std::ranges::find(all, name, &Backend::name);
    };
    EXPECT_EQ(named(here.engines, "native").reason, "");
    EXPECT_EQ(named(here.codecs, "none").reason, "");
    EXPECT_EQ(named(here.transports, "threads").reason, "");
    EXPECT_NE(named(here.transports, "dry_run").reason, "");
    for (const DeviceSpace& space : here.devices)
      EXPECT_EQ(space.devices.empty(), !space.reason.empty()) << space.space;
  });
}

TEST(PublicFace, KnowsTheMachine) {
  EXPECT_GE(known_machine(local()).cores, 1);
  EXPECT_GT(known_machine(local()).l2_bytes, 0);
  const Variable three("SHARDFFT_THREADS", "3");
  EXPECT_EQ(usual_threads(local()), 3);
  EXPECT_EQ(why_no_room(local(), {.own = 1}), "");
  EXPECT_NE(why_no_room(local(), {.own = Index{1} << 60}), "");
}

TEST(PublicFace, TellsTheTextOfRankZeroToAll) {
  on_ranks(3, [](const Comm& comm) {
    for (const char* text : {"", "all of it"}) EXPECT_EQ(text_of_first(comm, comm.rank() == 0 ? text : "mine"), text);
  });
}

TEST(PublicFace, ReplacesAFileWhole) {
  const Folder folder;
  const auto file = folder.path() / "results.json";
  EXPECT_EQ(read_kept(file, 100), std::nullopt);
  replace_kept(file, "first");
  replace_kept(file, "second");
  EXPECT_EQ(read_named(file, 100), "second");
  EXPECT_THROW((void)read_named(file, 3), FileTrouble);
}

}  // namespace
}  // namespace shardfft::testing
