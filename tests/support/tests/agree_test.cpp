#include "support/comm/agree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <new>
#include <stdexcept>

#include "shardfft/error.hpp"
#include "support/thrown.hpp"

namespace shardfft {
namespace {

using testing::thrown;

TEST(Collectively, ThrowsTheErrorOfTheLowestFailingRankOnAllRanks) {
  on_ranks(5, [](Comm comm) {
    const std::string error = thrown([&] {
      collectively(comm, [&] {
        if (comm.rank() == 2 || comm.rank() == 4) throw Error(Status::io_failed, "file " + std::to_string(comm.rank()));
      });
    });
    EXPECT_EQ(error, "io_failed: rank 2: file 2");
    collectively(comm, [] {});  // and the group is as good as new
  });
}

TEST(Collectively, TakesTheLargestOfNumbersInTheSameAgreement) {
  on_ranks(5, [](Comm comm) {
    std::array<std::int64_t, 3> numbers{};
    const auto set = [&] { numbers = {-comm.rank() - 7, comm.rank() == 3 ? 1 : 0, INT64_MIN + comm.rank()}; };
    collectively(comm, numbers, set);
    EXPECT_EQ(numbers, (std::array<std::int64_t, 3>{-7, 1, INT64_MIN + 4}));
    const std::string error = thrown([&] {
      collectively(comm, numbers, [&] {
        if (comm.rank() == 4) throw Error(Status::io_failed, "file");
      });
    });
    EXPECT_EQ(error, "io_failed: rank 4: file");
  });
  for (const Comm& alone : {local(), dry_run(8, 5)}) {
    std::array<std::int64_t, 1> number{};
    collectively(alone, number, [&] { number = {-3}; });
    EXPECT_EQ(number[0], -3);
  }
}

TEST(CollectivelySame, PutsAnErrorBeforeTextsThatDiffer) {
  on_ranks(4, [](Comm comm) {
    const auto text = [&](int other) { return std::string("chunks ") + (comm.rank() == other ? "2" : "4"); };
    EXPECT_EQ(thrown([&] { collectively_same(comm, "options", [&] { return text(-1); }); }), "");
    EXPECT_EQ(
        thrown([&] { collectively_same(comm, "options", [&] { return text(2); }); }),
        "mismatch: options must be the same on all ranks, but ranks 0-1 3 have `chunks 4` and rank 2 has `chunks 2`");
    const auto fails = [&] {
      if (comm.rank() == 3) throw Error(Status::io_failed, "file");
      return text(2);
    };
    EXPECT_EQ(thrown([&] { collectively_same(comm, "options", fails); }), "io_failed: rank 3: file");
  });
}

TEST(Collectively, NamesNoRankWhenThereIsOnlyOne) {
  EXPECT_EQ(thrown([] { collectively(local(), [] { throw Error(Status::invalid_layout, "gaps"); }); }),
            "invalid_layout: gaps");
}

TEST(Collectively, NamesNoRankWhenAllFailAlike) {
  on_ranks(4, [](Comm comm) {
    EXPECT_EQ(thrown([&] { collectively(comm, [] { throw Error(Status::invalid_layout, "gaps"); }); }),
              "invalid_layout: gaps");
  });
  EXPECT_EQ(thrown([] { collectively(dry_run(8, 5), [] { throw Error(Status::invalid_layout, "gaps"); }); }),
            "invalid_layout: gaps");
}

TEST(Collectively, TurnsOtherExceptionsIntoErrors) {
  EXPECT_TRUE(thrown([] { collectively(local(), [] { throw std::bad_alloc(); }); }).starts_with("out_of_memory: "));
  EXPECT_EQ(thrown([] { collectively(local(), [] { throw std::logic_error("oh"); }); }), "internal: oh");
  EXPECT_EQ(thrown([] { collectively(local(), [] { throw 7; }); }), "internal: unknown exception");
}

TEST(RequireSame, SaysWhoDisagreesAndHow) {
  on_ranks(6, [](Comm comm) {
    require_same(comm, "problem", "512 x 512");
    const std::string mine = comm.rank() == 2 || comm.rank() == 3 ? "512 x 256" : "512 x 512";
    EXPECT_EQ(thrown([&] { require_same(comm, "problem", mine); }),
              "mismatch: problem must be the same on all ranks, but ranks 0-1 4-5 have `512 x 512` and ranks 2-3 have "
              "`512 x 256`");
  });
}

TEST(RequireSame, TellsTextsOfDifferentLengthsApart) {
  on_ranks(2, [](Comm comm) {
    EXPECT_NE(thrown([&] { require_same(comm, "text", std::string(static_cast<std::size_t>(comm.rank()), '\0')); }),
              "");
  });
}

TEST(Reductions, GiveTheSameNumberOnEveryRank) {
  on_ranks(4, [](Comm comm) {
    const double r = comm.rank();
    EXPECT_EQ(all_sum(comm, 0.1 * r), ((0.0 + 0.1) + 0.2) + 0.1 * 3.0);
    EXPECT_EQ(all_max(comm, -r), 0.0);
    EXPECT_EQ(all_max(comm, std::int64_t{comm.rank()}), 3);
    EXPECT_EQ(all_sum(comm, std::int64_t{comm.rank()}), 6);
  });
}

TEST(Reductions, DoNotLoseANaN) {
  for (int place : {0, 1, 2})
    on_ranks(3, [&](Comm comm) { EXPECT_TRUE(std::isnan(all_max(comm, comm.rank() == place ? std::nan("") : 1.0))); });
}

}  // namespace
}  // namespace shardfft
