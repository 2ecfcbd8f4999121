// The tuner between processes: one-sided messages are tried where they were seen to work, with and without codecs, and
// plans take them where they won.
#include "shardfft/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "planner/decide/planner.hpp"
#include "planner/decide/variants.hpp"
#include "planner/measure/measure_exchanges.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/mpi.hpp"
#include "shardfft/plan.hpp"
#include "support/ranks/mpi_world.hpp"
#include "support/stand_ins/known_machine.hpp"
#include "support/variables.hpp"
#include "transport/transport.hpp"
#include "verify/noise.hpp"

namespace shardfft::testing {
namespace {

/// Wisdom in a folder of each rank's own. The first test measures the machine, the others know it.
class MpiTune : public ::testing::Test {
 protected:
  Folder folder{};
  Variable place{"SHARDFFT_WISDOM", folder.path().string()};
  Comm comm = mpi(MPI_COMM_WORLD);

  bool one_sided_works() const {
    const Transport& rma = *find_transport("mpi_rma");
    return comm.size() > 1 && rma.refuses(comm).empty() && rma.probe(comm).empty();
  }
};

// A process remembers what it has tuned: each test has a problem of its own.
const Problem cube{.shape = {12, 10, 16}}, longer{.shape = {12, 10, 18}}, longest{.shape = {12, 10, 20}};

/// All is chosen but the transport.
const Options all_but_the_transport{.input = slabs(0),
                                    .output = slabs(1),
                                    .threads = 1,
                                    .expert = {.engine = "native",
                                               .decomposition = "slab",
                                               .chunks = 2,
                                               .tile = 16,
                                               .fuse = 1,
                                               .non_temporal = NonTemporal::none}};

Options encoded() {
  Options o = all_but_the_transport;
  o.tolerance = 1e-3;
  o.expert.codec = "block_float";
  o.expert.encode_near = true;
  return o;
}

bool is_one_sided(const std::string& recipe) { return recipe.find(" mpi_rma ") != std::string::npos; }

/// No other candidate is measured, so that it wins.
TuneHooks one_sided_only() {
  return {.before = [](const TuneRow& row) { return std::string(is_one_sided(row.recipe) ? "" : "not asked for"); },
          .time_left = [left = 60]() mutable { return --left > 0; }};
}

struct Outcome {
  std::uint64_t hash = 0;
  bool verified = false;
  Loss loss{};
  nlohmann::json said{};
};

Outcome transformed_noise(const Comm& comm, const Problem& p, const Options& o) {
  Plan plan(comm, p, o);
  Array in = plan.make_input(), out = plan.make_output();
  fill_with_noise(plan.input(), comm.rank(), p.precision, true, in, 1);
  plan.forward(in, out);
  return {plan.hash_output(out), plan.verify(in, out).ok(), plan.loss(), nlohmann::json::parse(plan.describe_json())};
}

TEST_F(MpiTune, TriesOneSidedMessagesWhereTheyWorkAndPlansTakeThemWhereTheyWon) {
  const Outcome before = transformed_noise(comm, cube, all_but_the_transport);
  EXPECT_NE(before.said["recipe"]["transport"], "mpi_rma") << "not without having been measured";
  const TuneReport report = tune(comm, cube, all_but_the_transport, one_sided_only());
  EXPECT_EQ(std::ranges::any_of(report.rows, [](const TuneRow& row) { return is_one_sided(row.recipe); }),
            one_sided_works());
  const Outcome after = transformed_noise(comm, cube, all_but_the_transport);
  EXPECT_TRUE(after.verified);
  EXPECT_EQ(after.hash, before.hash);
  if (!one_sided_works()) {
    EXPECT_EQ(after.said["recipe"]["transport"], before.said["recipe"]["transport"]);
    return;
  }
  EXPECT_TRUE(is_one_sided(report.rows.front().recipe)) << report.rows.front().recipe;
  EXPECT_TRUE(report.rows.front().dropped.empty()) << report.rows.front().dropped;
  EXPECT_EQ(after.said["recipe"]["transport"], "mpi_rma");
  EXPECT_EQ(after.said["origins"]["transport"], "wisdom of " + today());
}

TEST_F(MpiTune, MeasuresThemWithCodecsToo) {
  if (comm.size() == 1) return;
  keep_known_machine(comm.size());
  const TuneReport report = tune(comm, longer, encoded(), one_sided_only());
  const Outcome after = transformed_noise(comm, longer, encoded());
  EXPECT_TRUE(after.verified);
  EXPECT_EQ(after.said["recipe"]["codec"], "block_float, certified");
  EXPECT_LE(after.loss.bound, 1e-3);
  EXPECT_GT(after.loss.encoded, 1e-5);
  EXPECT_LT(after.loss.bits, 32);
  EXPECT_EQ(after.said["recipe"]["transport"] == "mpi_rma", one_sided_works());
  EXPECT_EQ(transformed_noise(comm, longer, all_but_the_transport).said["wisdom"], nullptr)
      << "what was measured with a tolerance says nothing about exact mode";
}

TEST_F(MpiTune, PicksTheFastestOfThoseThatItMeasured) {
  if (comm.size() == 1) return;
  keep_known_machine(comm.size());
  const TuneReport report = tune(comm, longest, encoded(), {.time_left = [left = 40]() mutable { return --left > 0; }});
  ASSERT_FALSE(report.rows.empty());
  EXPECT_TRUE(report.rows.front().dropped.empty()) << report.rows.front().dropped;
  const Outcome after = transformed_noise(comm, longest, encoded());
  EXPECT_NE(report.rows.front().recipe.find(after.said["recipe"]["transport"].get<std::string>()), std::string::npos)
      << report.rows.front().recipe;
  EXPECT_LE(after.loss.bound, 1e-3);
}

TEST_F(MpiTune, NeverTriesWhatWasSeenNotToWork) {
  Options o = all_but_the_transport;
  o.wisdom = false;
  Recipe recipe = make_recipe(comm, cube, o);
  const auto count = [&](Breadth breadth) {
    return std::ranges::count_if(ranked_variants(recipe, comm, breadth),
                                 [](const Ranked& r) { return r.variant.transport == "mpi_rma"; });
  };
  EXPECT_EQ(count(Breadth::neighbours), 0);
  EXPECT_EQ(count(Breadth::all) > 0, comm.size() > 1);
  recipe.closed = {"mpi_rma"};
  EXPECT_EQ(count(Breadth::all), 0);
}

// Inside nodes and to others, each for itself; what there is none of here keeps its defaults.
TEST(MpiMachine, KnowsItsExchangesInsideNodesAndBetweenThem) {
  const Comm nodes = world(2);
  Machine m;
  measure_exchanges(nodes, m);
  if (nodes.rank() != 0) return;
  const bool has_neighbour = nodes.size() > 1, has_others = nodes.nodes() > 1;
  EXPECT_EQ(m.stores.all_to_all_s[0] > 0, has_neighbour);
  EXPECT_EQ(m.mpi_near.all_to_all_s[0] > 0, has_neighbour);
  EXPECT_EQ(m.mpi_far.all_to_all_s[0] > 0, has_others);
}

}  // namespace
}  // namespace shardfft::testing
