// Whatever somebody does to the files that are kept: an Error, or entries by the rules.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "planner/model/machine_file.hpp"
#include "planner/model/machine_sense.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "planner/wisdom/wisdom_text.hpp"
#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/problems/damaged_text.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

void expect_sense(const WisdomEntry& entry) {
  EXPECT_FALSE(entry.measured.empty());
  for (const Measured& m : entry.measured) EXPECT_TRUE(std::isfinite(m.seconds) && m.seconds >= 0);
  EXPECT_EQ(to_text(entry_from(entry.key, nlohmann::json::parse(to_text(entry)))), to_text(entry));
}

TEST(DamagedFiles, OfWisdomAreAnErrorOrEntriesByTheRules) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  const WisdomEntry good{.key = "a key",
                         .date = "2026-01-02",
                         .effort = "exhaustive",
                         .measured = {{{{.engine = "native",
                                         .transport = "threads",
                                         .decomposition = "pencil",
                                         .ranks_grid = {2, 3},
                                         .chunks = 1,
                                         .fuse = 2,
                                         .intermediate = Intermediate::buffers,
                                         .non_temporal = NonTemporal::none}},
                                       0.125}},
                         .model_seconds = 0.5,
                         .tried = 3,
                         .candidates = 40,
                         .complete = false,
                         .tune_seconds = 2.5};
  ASSERT_EQ(merge(wisdom_file(), {good}), 1);
  const std::string text = text_of(wisdom_file());
  const std::uint64_t seed = chosen_seed(20261127);
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  int read = 0;
  const int files = chosen_problems(400);
  for (int i = 0; i < files; ++i) {
    std::ofstream(wisdom_file()) << damaged(text, random);
    try {
      std::vector<DamagedEntry> bad;
      for (const WisdomEntry& entry : all_entries(wisdom_file(), &bad)) expect_sense(entry), ++read;
    } catch (const Error& e) { EXPECT_EQ(e.status(), Status::io_failed); }
  }
  EXPECT_TRUE(read > 0 && read < files) << read << ": some are damaged, and some are not";
}

TEST(DamagedFiles, OfTheMachineAreTheDefaultOneOrOneThatMakesSense) {
  const Folder folder;
  const Variable place("SHARDFFT_WISDOM", folder.path().string());
  const Comm two = dry_run(2, 0, 2);
  ASSERT_EQ(keep_measured(Machine(), two), "");
  const std::string text = text_of(machine_file());
  const std::uint64_t seed = chosen_seed(20261127);
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < chosen_problems(200); ++i) {
    std::ofstream(machine_file()) << damaged(text, random);
    const Machine m = this_machine(two);
    EXPECT_EQ(contradiction_in(m, cores_of_node()), "");
    for (const double rate :
         {m.memory_bytes_per_s, m.node_bytes_per_s, m.cache_bytes_per_s, m.f64[0].of_power[0], m.mpi_far.bytes_per_s})
      EXPECT_TRUE(std::isfinite(rate) && rate > 0) << rate;
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

}  // namespace
}  // namespace shardfft::testing
