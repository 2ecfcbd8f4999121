// What is tried, and in which order.
#include "planner/decide/variants.hpp"

#include <gtest/gtest.h>

#include <set>

#include "device/device.hpp"
#include "planner/decide/planner.hpp"

namespace shardfft::testing {
namespace {

std::vector<Ranked> variants(const Comm& comm, const Problem& p, Options o, Breadth breadth) {
  o.wisdom = false;
  return ranked_variants(make_recipe(comm, p, o), comm, breadth);
}

TEST(Variants, BeginWithTheModelsOwnAndGoOnFromCheapToDear) {
  for (const Breadth breadth : {Breadth::neighbours, Breadth::usual, Breadth::all}) {
    const Comm comm = dry_run(4, 0, 2);
    const auto all = variants(comm, {.shape = {32, 24, 20}}, {.input = slabs(0), .output = slabs(0)}, breadth);
    ASSERT_GT(all.size(), 5u);
    const Recipe own =
        make_recipe(comm, {.shape = {32, 24, 20}}, {.input = slabs(0), .output = slabs(0), .wisdom = false});
    EXPECT_DOUBLE_EQ(all[0].seconds, own.seconds);
    for (std::size_t i = 2; i < all.size(); ++i) EXPECT_LE(all[i - 1].seconds, all[i].seconds);
    std::set<std::string> recipes;
    for (const Ranked& r : all) EXPECT_TRUE(recipes.insert(r.recipe).second) << "twice: " << r.recipe;
  }
}

TEST(Variants, CoverEveryGridAndEveryChoice) {
  std::set<std::string> cuts;
  std::set<int> chunks, tiles, fuses, threads;
  std::set<Intermediate> intermediates;
  std::set<NonTemporal> non_temporals;
  std::set<std::string> engines_seen;
  for (const Ranked& r : variants(dry_run(12, 0, 4), {.shape = {48, 48, 48}}, {.threads = 0}, Breadth::all)) {
    cuts.insert(r.variant.decomposition + to_string(r.variant.ranks_grid));
    chunks.insert(r.variant.chunks);
    tiles.insert(r.variant.tile);
    fuses.insert(r.variant.fuse);
    intermediates.insert(r.variant.intermediate);
    non_temporals.insert(r.variant.non_temporal);
    engines_seen.insert(r.variant.engine);
  }
  for (const char* cut : {"slab", "pencil2 x 6", "pencil3 x 4", "pencil4 x 3", "pencil6 x 2"})
    EXPECT_TRUE(cuts.contains(cut)) << cut;
  EXPECT_EQ(chunks, (std::set<int>{1, 2, 4, 8, 16}));
  EXPECT_TRUE(tiles.contains(0) && tiles.contains(64));
  EXPECT_EQ(fuses, (std::set<int>{1, 2}));
  EXPECT_EQ(intermediates, std::set{Intermediate::buffers}) << "between nodes there is no other way";
  EXPECT_EQ(non_temporals, (std::set{NonTemporal::none, NonTemporal::all}));
  EXPECT_EQ(engines_seen.size(), engines().size());
  std::set<NonTemporal> of_reals;
  for (const Ranked& r : variants(local(), {.shape = {48, 48, 48}, .kind = r2c}, {.threads = 1}, Breadth::all))
    of_reals.insert(r.variant.non_temporal);
  EXPECT_EQ(of_reals, (std::set{NonTemporal::none, NonTemporal::all, NonTemporal::synthesis}));
}

TEST(Variants, LeaveAloneWhatSomebodyChose) {
  for (const Ranked& r : variants(dry_run(4, 0, 4), {.shape = {32, 32, 32}},
                                  {.expert = {.engine = "native",
                                              .decomposition = "pencil",
                                              .chunks = 3,
                                              .tile = 16,
                                              .fuse = 1,
                                              .non_temporal = NonTemporal::all}},
                                  Breadth::all)) {
    EXPECT_EQ(r.variant.engine, "native");
    EXPECT_EQ(r.variant.decomposition, "pencil");
    EXPECT_EQ(r.variant.chunks, 3);
    EXPECT_EQ(r.variant.tile, 16);
    EXPECT_EQ(r.variant.fuse, 1);
    EXPECT_EQ(r.variant.non_temporal, NonTemporal::all);
  }
}

TEST(Variants, BesideARecipeKeepItsEngineSoThatTheBitsStay) {
  for (const Ranked& r : variants(dry_run(4, 0, 4), {.shape = {32, 32, 32}}, {}, Breadth::neighbours))
    EXPECT_EQ(r.variant.engine, engines().front()->name());
}

TEST(Variants, BesideARecipeHaveTheMostSquareGridOnly) {
  std::set<std::vector<Index>> grids;
  for (const Ranked& r : variants(dry_run(12, 0, 12), {.shape = {48, 48, 48}}, {}, Breadth::neighbours))
    if (const Coord& grid = r.variant.ranks_grid; grid.dims() > 0) grids.insert({grid.begin(), grid.end()});
  EXPECT_EQ(grids, (std::set<std::vector<Index>>{{3, 4}}));
}

TEST(Variants, AreTheSameOnEveryRank) {
  std::vector<std::string> texts(3);
  on_ranks(3, [&](Comm comm) {
    for (const Ranked& r : variants(comm, {.shape = {12, 10, 14}, .kind = r2c}, {}, Breadth::all))
      texts[static_cast<std::size_t>(comm.rank())] += r.recipe + "\n";
  });
  EXPECT_EQ(texts[1], texts[0]);
  EXPECT_EQ(texts[2], texts[0]);
}

TEST(Variants, AppliedToOptionsGiveThatRecipe) {
  const Problem p{.shape = {16, 12, 20}};
  const Comm comm = dry_run(4, 0, 4);
  for (const Ranked& r : variants(comm, p, {.input = slabs(0), .output = slabs(1)}, Breadth::usual)) {
    Choices choices{.options = {.input = slabs(0), .output = slabs(1), .wisdom = false}};
    fill_in(choices, r.variant, "test");
    const Recipe made = make_recipe(comm, p, choices.options);
    EXPECT_EQ(to_string(made) + " threads " + std::to_string(made.threads_of_first), r.recipe);
  }
}

TEST(Variants, OnADeviceHaveOneTileUnderWayOrSeveral) {
  if (!find_driver("emulated")) GTEST_SKIP() << "there is no emulated device";
  const auto tried = [](const std::string& arrays, int given) {
    std::set<int> streams;
    const Options options{.device = "emulated", .arrays = arrays, .expert = {.streams = given}};
    for (const Ranked& r : variants(local(), {.shape = {16, 12, 20}}, options, Breadth::usual))
      streams.insert(r.variant.streams);
    return streams;
  };
  EXPECT_EQ(tried("host", 0), (std::set{1, 2, 3, 4}));
  EXPECT_EQ(tried("host", 2), (std::set{2}));
  EXPECT_EQ(tried("device", 0), (std::set{1, 2}));
  EXPECT_EQ(tried("device", 3), (std::set{3}));
}

TEST(Variants, OnADeviceHaveTilesOf4To64MegabytesWhateverThePrecision) {
  if (!find_driver("emulated")) GTEST_SKIP() << "there is no emulated device";
  for (const Precision precision : {f32, f64}) {
    std::set<int> tiles;
    for (const Ranked& r :
         variants(local(), {.shape = {16, 12, 64}, .precision = precision}, {.device = "emulated"}, Breadth::usual))
      tiles.insert(r.variant.tile);
    const int mib = (1 << 20) / (64 * (precision == f32 ? 8 : 16));
    EXPECT_EQ(tiles, (std::set{0, 4 * mib, 16 * mib, 24 * mib, 64 * mib}));
  }
}

int differences(const Tuning& a, const Tuning& b) {
  return (a.engine != b.engine) + (a.transport != b.transport) +
         (a.decomposition != b.decomposition || !(a.ranks_grid == b.ranks_grid)) + (a.chunks != b.chunks) +
         (a.tile != b.tile) + (a.fuse != b.fuse) + (a.intermediate != b.intermediate) +
         (a.non_temporal != b.non_temporal);
}

TEST(Variants, AreListedAsFarAsThereIsTimeTheMostPromisingOnesFirst) {
  const Problem p{.shape = {6, 8, 6, 8}};
  on_ranks(4, [&](Comm comm) {
    const Recipe base = make_recipe(comm, p, {.threads = 1, .wisdom = false});
    int asked = 0;
    const Listing none = list_variants(base, comm, Breadth::all, [] { return false; });
    ASSERT_EQ(none.variants.size(), 1u) << "the recipe's own, always";
    EXPECT_EQ(none.variants.front().recipe, ranked_variants(base, comm, Breadth::neighbours).front().recipe);
    EXPECT_FALSE(none.all);
    const Listing some = list_variants(base, comm, Breadth::all, [&] { return ++asked <= 20; });
    EXPECT_EQ(asked, comm.rank() == 0 ? 21 : 0) << "one rank completes recipes, and no more than it has time for";
    EXPECT_FALSE(some.all);
    EXPECT_GT(some.variants.size(), 5u);
    for (const Ranked& r : some.variants)
      EXPECT_LE(differences(r.variant, some.variants.front().variant), 2) << to_string(r.variant);
  });
}

TEST(Variants, AreTheSameListedAndRanked) {
  on_ranks(3, [&](Comm comm) {
    const Recipe base = make_recipe(comm, {.shape = {12, 10, 14}}, {.threads = 1, .wisdom = false});
    const auto ranked = ranked_variants(base, comm, Breadth::usual);
    const Listing listing = list_variants(base, comm, Breadth::usual, {});
    EXPECT_TRUE(listing.all);
    ASSERT_EQ(listing.variants.size(), ranked.size());
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      EXPECT_TRUE(listing.variants[i].variant == ranked[i].variant) << ranked[i].recipe;
      EXPECT_EQ(listing.variants[i].seconds, ranked[i].seconds);
      EXPECT_EQ(listing.variants[i].recipe, ranked[i].recipe);
      EXPECT_TRUE(listing.variants[i].grid == ranked[i].grid);
    }
  });
}

TEST(Variants, FindTheOrderOfTheAxesOnceForAll) {
  const Comm comm = dry_run(4, 0, 4);
  Recipe recipe = make_recipe(comm, {.shape = {8, 12, 16}}, {.input = slabs(0), .output = slabs(0), .wisdom = false});
  ASSERT_TRUE(recipe.orders.has_value());
  std::swap(recipe.orders->analysis.front(), recipe.orders->analysis.back());  // as nobody would find it
  recipe.choices.options.expert.fuse = 1;
  complete(recipe, comm);
  EXPECT_EQ(recipe.analysis.front().axes.front().axis, 0) << "the one that was known is taken";
}

TEST(Variants, OfOtherMemoryComeFirstWhereAsked) {
  const auto ranked =
      variants(dry_run(4, 0, 4), {.shape = {64, 64, 64}}, {.input = slabs(0), .output = slabs(0)}, Breadth::usual);
  auto changed = ranked;
  begin_with_other_memory(changed);
  ASSERT_EQ(changed.size(), ranked.size());
  EXPECT_EQ(changed[0].recipe, ranked[0].recipe);
  std::set<std::pair<Intermediate, NonTemporal>> memory;
  for (std::size_t i = 0; i < 4; ++i) {
    Tuning v = changed[i].variant;
    EXPECT_TRUE(memory.insert({v.intermediate, v.non_temporal}).second) << changed[i].recipe;
    v.intermediate = ranked[0].variant.intermediate, v.non_temporal = ranked[0].variant.non_temporal;
    EXPECT_TRUE(v == ranked[0].variant) << changed[i].recipe;
  }
  for (std::size_t i = 5; i < changed.size(); ++i) EXPECT_LE(changed[i - 1].seconds, changed[i].seconds);
}

}  // namespace
}  // namespace shardfft::testing
