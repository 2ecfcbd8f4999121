// Recipes: the same on every rank.
#include <gtest/gtest.h>

#include "codec/codec.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "planner/planning.hpp"
#include "shardfft/error.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

std::string text_of(const Recipe& r) {
  std::string text = std::string(r.engine->name()) + " " + std::string(r.transports.front()->name()) + ", chunks " +
                     std::to_string(r.tuning.chunks) + ", space " + to_string(r.space.spec()) + ", spectrum " +
                     to_string(r.spectrum.spec());
  for (const Stage& stage : r.analysis) {
    text += "; " + to_string(stage.in.spec()) + ":";
    for (const AxisTransform& axis : stage.axes) text += " " + std::to_string(axis.axis);
  }
  return text;
}

TEST(Recipe, IsTheSameOnEveryRankWhereverItRuns) {
  for (const int per_node : {1, 2, 3, 6})
    for (const Index n : {16, 128, 512}) {
      const Problem problem{.shape = {n, n, n}};
      const std::string first = text_of(make_recipe(dry_run(6, 0, per_node), problem, {}));
      for (int rank = 1; rank < 6; ++rank)
        ASSERT_EQ(text_of(make_recipe(dry_run(6, rank, per_node), problem, {})), first)
            << "rank " << rank << ", " << per_node << " per node";
    }
}

TEST(Recipe, IsAgreedByRealRanks) {
  std::vector<std::string> texts(5);
  on_ranks(5, [&](Comm comm) {
    texts[static_cast<std::size_t>(comm.rank())] =
        text_of(make_recipe(comm, {.shape = {24, 20, 16}, .kind = r2c}, {.input = bricks()}));
  });
  for (const std::string& text : texts) EXPECT_EQ(text, texts.front());
}

TEST(Recipe, OnRanksThatWereToldDifferentThingsIsAnErrorOnAll) {
  std::vector<int> mismatches(3);
  on_ranks(3, [&](Comm comm) {
    try {
      (void)make_recipe(comm, {.shape = {8, 8}}, {.input = slabs(comm.rank() == 2 ? 1 : 0)});
    } catch (const Error& e) { mismatches[static_cast<std::size_t>(comm.rank())] = e.status() == Status::mismatch; }
  });
  EXPECT_EQ(mismatches, (std::vector<int>{1, 1, 1}));
}

TEST(Recipe, NamesTheEnginesAndTransportsThereAreWhenAnotherIsWanted) {
  const auto refusal = [](const Options& options) -> std::string {
    try {
      (void)make_recipe(local(), {.shape = {8}}, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::unsupported);
      return e.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal({.expert = {.engine = "abacus"}}).find("native"), std::string::npos);
  EXPECT_NE(refusal({.expert = {.engine = "abacus"}}).find("'abacus'"), std::string::npos);
  EXPECT_NE(refusal({.expert = {.transport = "pigeons"}}).find("threads"), std::string::npos);
}

// Not in wisdom, and on a machine of a known size.
bool has_buffers(const Comm& comm, const Shape& shape, Options options) {
  options.wisdom = false;
  return make_recipe(comm, {.shape = shape}, options).tuning.intermediate == Intermediate::buffers;
}

TEST(Recipe, HasBuffersWhereArraysAreLargeOrRanksCannotReachEachOther) {
  const auto l3 = this_machine(local()).l3_bytes;
  const Shape small{8, 8, 8}, large{std::max<Index>(1, l3 / (16 * 64)), 8, 8};  // the whole of the common cache
  const Comm alone = dry_run(1), node = dry_run(4, 0, 4), nodes = dry_run(4, 0, 2);
  EXPECT_FALSE(has_buffers(alone, small, {}));
  EXPECT_FALSE(has_buffers(node, small, {}));
  EXPECT_FALSE(has_buffers(alone, small, {.in_place = true}));
  EXPECT_TRUE(has_buffers(node, small, {.in_place = true}));
  EXPECT_TRUE(has_buffers(nodes, small, {}));
  EXPECT_TRUE(has_buffers(alone, large, {}));
  EXPECT_TRUE(has_buffers(alone, {large[0] * 2, 8, 9}, {.in_place = true}));
  EXPECT_TRUE(has_buffers(alone, small, {.expert = {.intermediate = Intermediate::buffers}}));
  EXPECT_FALSE(has_buffers(alone, large, {.expert = {.intermediate = Intermediate::output}}));
  EXPECT_TRUE(has_buffers(nodes, small, {.expert = {.intermediate = Intermediate::output}}))
      << "there is no other place";
  EXPECT_TRUE(has_buffers(alone, {1 << 15}, {})) << "its two halves are faster with them";
}

TEST(Recipe, InTheOutputStoresPastTheCacheOnlyWhatHasNoRoomThereBesideWhatItComesFrom) {
  const Machine m = this_machine(local());
  const Index room = std::min<Index>(m.l3_bytes / 2, Index{64} << 20);
  const auto non_temporals = [](Index bytes, Intermediate intermediate) {
    return make_recipe(local(), {.shape = {std::max<Index>(1, bytes / (16 * 64)), 8, 8}},
                       {.threads = 1, .wisdom = false, .expert = {.intermediate = intermediate}})
               .tuning.non_temporal != NonTemporal::none;
  };
  EXPECT_FALSE(non_temporals(room / 2, Intermediate::output));
  EXPECT_TRUE(non_temporals(2 * std::max(room, 8 * m.l2_bytes), Intermediate::output));
  EXPECT_TRUE(non_temporals(2 * m.l2_bytes, Intermediate::buffers));
  EXPECT_FALSE(non_temporals(m.l2_bytes / 2, Intermediate::buffers));
}

// What ranks share, unless they want it in small ones.
TEST(Recipe, TakesHugePagesForSeveralRanksWhateverTheEffort) {
  const auto huge = [](const Comm& comm, Options options) {
    options.wisdom = false;
    return make_recipe(comm, {.shape = {12, 10, 8}}, options).tuning.huge_pages == HugePages::on;
  };
  EXPECT_TRUE(huge(dry_run(2), {}));
  EXPECT_TRUE(huge(dry_run(2), {.expert = {.huge_pages = HugePages::on}}));
  EXPECT_FALSE(huge(dry_run(2), {.expert = {.huge_pages = HugePages::off}}));
  EXPECT_FALSE(huge(local(), {.expert = {.huge_pages = HugePages::on}})) << "it shares nothing";
}

// There the half spectrum is read, something else is written, and then the reals: three arrays. But not where the half
// spectrum may be overwritten.
TEST(Recipe, OnTheWayBackToRealsStoresPastTheCacheWhatHasLittleRoomBesideTwoOtherArrays) {
  const Machine m = this_machine(local());
  const auto non_temporal = [&](double own_caches, Options options) {
    options.threads = 1, options.expert.intermediate = Intermediate::output, options.wisdom = false;
    return make_recipe(
               local(),
               {.shape = {static_cast<Index>(own_caches * static_cast<double>(m.l2_bytes)) / (16 * 8 * 5), 8, 8},
                .kind = r2c},
               options)
        .tuning.non_temporal;
  };
  EXPECT_EQ(non_temporal(3, {}), NonTemporal::none);
  EXPECT_EQ(non_temporal(4, {}), NonTemporal::synthesis);
  EXPECT_EQ(non_temporal(4, {.expert = {.non_temporal = NonTemporal::none}}), NonTemporal::none);
  EXPECT_EQ(non_temporal(4, {.destroy_input = true}), NonTemporal::none);
  EXPECT_EQ(non_temporal(4, {.in_place = true, .padded_reals = true}), NonTemporal::none);
  const auto with = [](NonTemporal stores) { return Recipe{.tuning = {{.non_temporal = stores}}}; };
  const Recipe back = with(NonTemporal::synthesis), both = with(NonTemporal::all), none = with(NonTemporal::none);
  EXPECT_TRUE(back.non_temporal_in(false) && both.non_temporal_in(false) && both.non_temporal_in(true));
  EXPECT_FALSE(back.non_temporal_in(true) || none.non_temporal_in(true) || none.non_temporal_in(false));
}

// A very large cache is used by others, too, and what was written past it is far.
TEST(Recipe, HasBuffersForWhatIsStoredPastAVeryLargeCommonCacheAndNotInPlace) {
  const Machine m = this_machine(local());
  const Index room = std::min<Index>(m.l3_bytes / 2, Index{64} << 20), bytes = room / 4 * 3;
  const Shape shape{std::max<Index>(1, bytes / (16 * 64)), 8, 8};
  const bool very_large = m.l3_bytes / 2 > Index{64} << 20, is_out_of_core = bytes >= 8 * m.l2_bytes;
  EXPECT_EQ(has_buffers(local(), shape, {.threads = 1}), very_large && is_out_of_core)
      << m.l3_bytes << " bytes of common cache, " << m.l2_bytes << " of a core's own";
  EXPECT_FALSE(has_buffers(local(), shape, {.threads = 1, .in_place = true}));
}

TEST(Recipe, DoesOneAxisInASweepWhereRealsInPlaceFitACoresOwnCache) {
  const auto most = [](const Shape& shape, Kind kind, const Options& options) {
    return usual_fuse(make_recipe(local(), {.shape = shape, .kind = kind}, options));
  };
  const auto l2 = this_machine(local()).l2_bytes;
  const Shape small{8, 8, 30}, large{2 * l2 / (16 * 8 * 16), 8, 30};
  const Options in_place{.threads = 1, .in_place = true, .padded_reals = true, .wisdom = false};
  EXPECT_EQ(most(small, r2c, in_place), 1);
  EXPECT_EQ(most(large, r2c, in_place), 2);
  EXPECT_EQ(most(small, r2c, {.threads = 1, .wisdom = false}), 2);
  EXPECT_EQ(most(small, c2c, {.threads = 1, .in_place = true, .wisdom = false}), 2);
  EXPECT_EQ(make_recipe(local(), {.shape = small, .kind = r2c}, in_place).analysis.size(), 3U);
}

TEST(Recipe, TakesTheFirstTransportThatServesTheRanks) {
  EXPECT_EQ(make_recipe(dry_run(4), {.shape = {8, 8}}, {}).transports.front()->name(), "dry_run");
  on_ranks(
      2, [](Comm comm) { EXPECT_EQ(make_recipe(comm, {.shape = {8, 8}}, {}).transports.front()->name(), "threads"); });
}

TEST(IsNear, MeansRanksWhoseMemoryIsStoredTo) {
  const Comm comm = dry_run(6, 3, 2);
  const Transport& dry = *find_transport("dry_run");
  EXPECT_TRUE(is_near(comm, dry, 2));
  EXPECT_TRUE(is_near(comm, dry, 3));
  EXPECT_FALSE(is_near(comm, dry, 4));
  EXPECT_TRUE(is_near(comm, *find_transport("threads"), 5));
}

TEST(Recipe, GoesBackWithNoMoreExchangesThanForth) {
  for (const int ranks : {1, 2, 3, 5, 12, 16, 40})
    for (const Shape& shape : {Shape{24, 30, 20}, Shape{3, 50, 64}, Shape{12, 2, 18, 10}}) {
      const LayoutSpec transposed =
          slabs(1).ordered(shape.dims() == 3 ? std::vector{1, 0, 2} : std::vector{1, 0, 2, 3});
      for (const auto& [in, out] : {std::pair{slabs(0), slabs(0)},
                                    {slabs(0), transposed},
                                    {transposed, slabs(0)},
                                    {pencils(2), pencils(2)},
                                    {pencils(2), pencils(0)},
                                    {bricks(), bricks()},
                                    {bricks(), pencils(0)},
                                    {any, any}}) {
        const auto leaves_idle = [&](const LayoutSpec& end) {
          return end.kind == LayoutSpec::Kind::slabs && shape[end.axis] < ranks;
        };
        if (leaves_idle(in) || leaves_idle(out)) continue;  // another exchange may find work for all
        const Recipe r = make_recipe(dry_run(ranks), {.shape = shape}, {.input = in, .output = out});
        EXPECT_LE(exchanges_of(r.spectrum, r.synthesis, r.space), exchanges_of(r.space, r.analysis, r.spectrum))
            << to_string(shape) << " on " << ranks << " ranks, " << to_string(in) << " to " << to_string(out);
        for (const Stage& stage : r.synthesis)
          for (const AxisTransform& axis : stage.axes) EXPECT_EQ(axis.transform, Transform1d::backward);
      }
    }
}

TEST(Recipe, GoesBackTheFastestAxisFirstWhereThePlannerIsFree) {
  const Problem cube{.shape = {24, 30, 20}};
  const auto back = [&](Options o) {
    o.input = o.output = slabs(0);
    return axes_of(make_recipe(dry_run(4), cube, o).synthesis);
  };
  EXPECT_EQ(back({}), (std::vector<int>{2, 1, 0}));
  for (const Codec* codec : codecs())
    if (codec->is_exact()) {
      EXPECT_EQ(back({.expert = {.codec = std::string(codec->name())}}), (std::vector<int>{2, 1, 0}))
          << codec->name() << ": the bits are those of no codec";
    }
  EXPECT_EQ(back({.expert = {.axis_order = {2, 1, 0}}}), (std::vector<int>{0, 1, 2}))
      << "who gives an order gets its reverse back";
  EXPECT_EQ(back({.tolerance = 1e-4}), (std::vector<int>{0, 1, 2})) << "a spectrum that is encoded is sent as it is";
}

}  // namespace
}  // namespace shardfft::testing
