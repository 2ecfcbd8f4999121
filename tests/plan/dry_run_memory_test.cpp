// The memory of a plan that only counts, beside that of the same plan on ranks that run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

using nlohmann::json;

struct PairOfSlabs {
  int input, output;
};

// A segment holds counters and a table beside its buffers, which begin with pages.
TEST(Scale, ADryRunTakesTheMemoryOfThePlanThatRuns) {
  for (const int ranks : {1, 2, 3})
    for (const PairOfSlabs& slabs_of : {PairOfSlabs{0, 0}, {0, 1}})
      for (const Intermediate intermediate : {Intermediate::output, Intermediate::buffers}) {
        const Options options{.input = slabs(slabs_of.input),
                              .output = slabs(slabs_of.output),
                              .threads = 1,
                              .wisdom = false,
                              .expert = {.intermediate = intermediate}};
        const Problem problem{.shape = {48, 50, 52}};
        on_ranks(ranks, [&](Comm comm) {
          const json real = json::parse(Plan(comm, problem, options).describe_json()),
                     dry = json::parse(Plan(dry_run(ranks, comm.rank(), ranks), problem, options).describe_json());
          EXPECT_EQ(dry["workspace_bytes"], real["workspace_bytes"]);
          const Index more = real["shared_bytes"].get<Index>() - dry["shared_bytes"].get<Index>();
          EXPECT_TRUE(0 <= more && more < (32 << 10))
              << ranks << " ranks, intermediate " << option_text(options, "intermediate") << ": "
              << real["shared_bytes"] << " and " << dry["shared_bytes"];
          if (ranks > 1 || intermediate == Intermediate::buffers) {
            EXPECT_GT(dry["shared_bytes"].get<Index>(), 48 * 50 * 52 * 16 / ranks / 2);
          } else {
            EXPECT_EQ(dry["shared_bytes"], 0);
          }
        });
      }
}

}  // namespace
}  // namespace shardfft::testing
