// Plans of Views, whole ones and parts of an array on several ranks, which are threads here.
#include <algorithm>

#include "parts.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using kokkos::axis_type, kokkos::execute, kokkos::Normalization;
using Real2 = Kokkos::View<double**, Kokkos::HostSpace>;
using Complex2 = Kokkos::View<Kokkos::complex<double>**, Kokkos::HostSpace>;

TEST(kokkos_plan, GoesInItsDirectionAndBack) {
  const Whole x = random_array({6, 5}, true, 1);
  const Complex2 in("in", 6, 5), out("out", 6, 5);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const kokkos::Plan plan(Host(), in, out, direction, axis_type<2>{-2, -1});
    fill(in, x);
    execute(plan, in, out, Normalization::none);
    EXPECT_LT(distance(out, transformed(x, {0, 1}, direction == Direction::forward ? -1 : 1)), 1e-13);
    Kokkos::deep_copy(in, 0);
    execute(plan, out, in, kokkos::reverse(direction), Normalization::none);
    EXPECT_LT(distance(in, times(x, 30)), 1e-13);
  }
}

TEST(kokkos_plan, TakesOtherViewsThatLieAsItsOwn) {
  const Whole x = random_array({6, 5}, false, 2);
  const Real2 in("in", 6, 5), other("other", 6, 5);
  const Complex2 out("out", 6, 3), other_out("out", 6, 3), wrong("out", 3, 6);
  const kokkos::Plan plan(Host(), in, out, Direction::forward, -1);
  fill(other, x);
  execute(plan, other, other_out);
  EXPECT_LT(distance(other_out, half(dft(x, 1, -1), 1)), 1e-13);
  EXPECT_TRUE(plan.plan().verify(kokkos::view_of(other), kokkos::view_of(other_out)).ok());
  EXPECT_EQ(
      thrown([&] { execute(plan, other, wrong); }),
      "invalid_argument: the output View lies as the plan's: extents 6 x 3, strides 3 x 1; got 3 x 6, 6 x 1; make "
      "a plan for it");
  EXPECT_EQ(thrown([&] { execute(plan, other, out, Direction::backward); }),
            "invalid_argument: execute() goes from the plan's first View to its second in direction forward and back "
            "in the other; got the other way; swap the Views");
}

TEST(kokkos_plan, OfRealsHasOneDirection) {
  const Real2 reals("reals", 6, 5);
  const Complex2 spectrum("spectrum", 6, 3);
  const std::string said =
      "invalid_argument: forward transforms end at complex numbers and backward ones begin there; got reals; ask for "
      "the other direction, or swap the Views";
  EXPECT_EQ(thrown([&] { kokkos::Plan(Host(), reals, spectrum, Direction::backward, -1); }), said);
  EXPECT_EQ(thrown([&] { kokkos::Plan(Host(), spectrum, reals, Direction::forward, -1); }), said);
}

TEST(kokkos_plan, OverRanksTransformsWhateverTheTopologies) {
  for (const int ranks : {1, 2, 3, 4})
    on_ranks(ranks, [&](const Comm& comm) {
      const std::size_t p = static_cast<std::size_t>(comm.size());
      complex_parts<Kokkos::LayoutRight>(comm, {5, 7}, {0, 1}, {p, 1}, {1, p});
      complex_parts<Kokkos::LayoutLeft>(comm, {5, 7, 6}, {0, 1, 2}, {1, p, 1}, {p, 1, 1});
      complex_parts<Kokkos::LayoutStride>(comm, {5, 7, 6}, {1}, {1, 1, p}, {1, 1, p});
      real_parts<Kokkos::LayoutRight>(comm, {5, 7}, {0, 1}, {p, 1}, {1, p});
      real_parts<Kokkos::LayoutLeft>(comm, {6, 4, 5}, {2, 0}, {1, p, 1}, {1, 1, p});
      real_parts<Kokkos::LayoutStride>(comm, {6, 4, 5}, {1, 2}, {p, 1, 1}, {1, p, 1});
    });
}

TEST(kokkos_plan, TakesPencilsAndBricks) {
  on_ranks(4, [](const Comm& comm) {
    complex_parts<Kokkos::LayoutRight>(comm, {5, 7, 6}, {0, 1, 2}, {2, 2, 1}, {1, 2, 2});
    real_parts<Kokkos::LayoutLeft>(comm, {5, 7, 6}, {0, 1, 2}, {1, 2, 2}, {2, 2, 1});
  });
  on_ranks(8, [](const Comm& comm) {
    complex_parts<Kokkos::LayoutRight>(comm, {2, 5, 7, 6}, {1, 2, 3}, {1, 2, 2, 2}, {1, 2, 2, 2});
  });
}

TEST(kokkos_plan, LeavesRanksWithoutPartsIdle) {
  on_ranks(4, [](const Comm& comm) {
    complex_parts<Kokkos::LayoutRight>(comm, {3, 5}, {0, 1}, {4, 1}, {1, 4});
    real_parts<Kokkos::LayoutRight>(comm, {5, 4}, {0, 1}, {3, 1}, {1, 2});
  });
}

TEST(kokkos_plan, OverRanksTransformsInPlace) {
  on_ranks(3, [](const Comm& comm) {
    const Whole x = random_array({7, 6}, true, 5);
    const kokkos::topology_type<2> slabs{3, 1};
    const auto view = part_view<Complex2>(x.shape, slabs, comm);
    fill(view, x, box_of(x.shape, slabs, comm));
    const kokkos::Plan plan(Host(), view, view, axis_type<2>{0, 1}, slabs, slabs, comm);
    execute(plan, view, view, Direction::forward);
    EXPECT_LT(distance(view, transformed(x, {0, 1}, -1), box_of(x.shape, slabs, comm)), 1e-13);
  });
}

TEST(kokkos_plan, OverRanksTakesPartsThatLieDifferently) {
  on_ranks(3, [](const Comm& comm) {
    using Strided2 = Kokkos::View<Kokkos::complex<double>**, Kokkos::LayoutStride, Kokkos::HostSpace>;
    const Whole x = random_array({7, 6}, true, 6);
    const kokkos::topology_type<2> slabs{3, 1};
    const std::array<std::size_t, 2> mine = kokkos::local_extents<2>({7, 6}, slabs, comm);
    const Kokkos::LayoutStride by_rows(mine[0], 6, mine[1], 1), by_columns(mine[0], 1, mine[1], mine[0]);
    const Strided2 in("in", comm.rank() == 0 ? by_rows : by_columns),
        out("out", comm.rank() == 2 ? by_rows : by_columns);
    fill(in, x, box_of(x.shape, slabs, comm));
    const kokkos::Plan plan(Host(), in, out, axis_type<2>{0, 1}, slabs, slabs, comm);
    execute(plan, in, out);
    EXPECT_LT(distance(out, transformed(x, {0, 1}, -1), box_of(x.shape, slabs, comm)), 1e-13);
  });
}

TEST(kokkos_plan, OverRanksHasTheOptionsOfOtherPlans) {
  on_ranks(2, [](const Comm& comm) {
    const Real2 in("in", 4, 6);
    const Complex2 out("out", 8, 2);
    std::fill_n(in.data(), in.size(), 1.0);
    const kokkos::Plan plan(Host(), in, out, axis_type<2>{0, 1}, {2, 1}, {1, 2}, comm, {.tolerance = 1e-3});
    EXPECT_EQ(plan.plan().problem().shape, (Shape{8, 6}));
    EXPECT_EQ(plan.direction(), Direction::forward);
    execute(plan, in, out);
    EXPECT_LE(plan.plan().error_bound(), 1e-3);
  });
}

TEST(kokkos_plan, FunctionsRunOnSeveralThreadsAtOnce) {
  const Whole x = random_array({6, 5}, true, 7), wanted = transformed(x, {0, 1}, -1);
  std::vector<Complex2> in(4), out(4);
  for (std::size_t i = 0; i < 4; ++i) {
    in[i] = Complex2("in", 6, 5), out[i] = Complex2("out", 6, 5);
    fill(in[i], x);
  }
  on_ranks(4, [&](const Comm& comm) {
    const std::size_t i = static_cast<std::size_t>(comm.rank());
    for (int round = 0; round < 5; ++round) kokkos::fft2(Host(), in[i], out[i]);
  });
  for (const Complex2& view : out) EXPECT_LT(distance(view, wanted), 1e-13);
}

/// What a plan over two ranks says to Views of these extents.
std::string said_of(const std::vector<std::pair<int, int>>& in, const std::vector<std::pair<int, int>>& out,
                    const kokkos::topology_type<2>& grid_in = {2, 1}) {
  std::vector<std::string> said(in.size());
  on_ranks(static_cast<int>(in.size()), [&](const Comm& comm) {
    const std::size_t me = static_cast<std::size_t>(comm.rank());
    const Real2 from("in", static_cast<std::size_t>(in[me].first), static_cast<std::size_t>(in[me].second));
    const Complex2 to("out", static_cast<std::size_t>(out[me].first), static_cast<std::size_t>(out[me].second));
    said[me] = thrown([&] { kokkos::Plan(Host(), from, to, axis_type<2>{0, 1}, grid_in, {1, 2}, comm); });
  });
  for (const std::string& other : said) EXPECT_EQ(other, said.front());
  return said.front();
}

TEST(kokkos_plan, OverRanksSaysTheSameErrorOnAllOfThem) {
  EXPECT_EQ(said_of({{4, 6}, {3, 6}}, {{7, 2}, {7, 2}}), "");
  EXPECT_EQ(
      said_of({{3, 6}, {4, 6}}, {{7, 2}, {7, 2}}),
      "invalid_layout: rank 0: of 7 x 6 elements over 2 x 1 ranks the input View holds 4 x 6; got 3 x 6; allocate "
      "it with local_extents()");
  EXPECT_EQ(
      said_of({{4, 6}, {4, 5}}, {{8, 2}, {8, 2}}),
      "invalid_layout: rank 1: of 8 x 6 elements over 2 x 1 ranks the input View holds 4 x 6; got 4 x 5; allocate "
      "it with local_extents()");
  EXPECT_EQ(said_of({{4, 6}, {4, 6}}, {{8, 3}, {8, 3}}),
            "invalid_problem: the output View has the extents that follow from the other View, 8 x 4; got 8 x 6; "
            "allocate it so");
  EXPECT_EQ(said_of({{4, 6}, {4, 6}}, {{8, 2}, {8, 2}}, {3, 1}),
            "invalid_layout: a topology has at most as many ranks as there are, 2; got 3 x 1; make it smaller or start "
            "more ranks");
}

TEST(kokkos_plan, OverRanksRefusesAViewThatLiesOtherwiseOnOneOfThem) {
  std::vector<std::string> said(3);
  on_ranks(3, [&](const Comm& comm) {
    const Complex2 in("in", 2, 6), out("out", 6, 2), other("other", 6, comm.rank() == 1 ? 3 : 2);
    const kokkos::Plan plan(Host(), in, out, axis_type<2>{0, 1}, {3, 1}, {1, 3}, comm);
    said[static_cast<std::size_t>(comm.rank())] = thrown([&] { execute(plan, in, other, Direction::forward); });
    execute(plan, in, out, Direction::forward);  // the plan lives on
  });
  for (const std::string& text : said)
    EXPECT_EQ(text,
              "invalid_argument: rank 1: the output View lies as the plan's: extents 6 x 2, strides 2 x 1; got 6 x 3, "
              "3 x 1; make a plan for it");
}

TEST(kokkos_plan, OfNoPencilsRunsAndWritesNothing) {
  const Complex2 none("none", 0, 4), out("out", 0, 4), some("some", 2, 4);
  const Real2 reals("reals", 0, 4);
  const Complex2 halves("halves", 0, 3);
  const kokkos::Plan plan(Host(), none, out, Direction::forward, -1);
  execute(plan, none, out);
  execute(plan, out, none, Direction::backward, Normalization::ortho);
  const kokkos::Plan of_reals(Host(), reals, halves, Direction::forward, -1);
  execute(of_reals, reals, halves);
  const kokkos::Plan to_reals(Host(), halves, reals, Direction::backward, -1);
  execute(to_reals, halves, reals);
  EXPECT_NE(thrown([&] { execute(plan, none, some); }).find("extents 0 x 4"), std::string::npos);
  EXPECT_NE(thrown([&] { (void)plan.plan().describe(); }).find("got 0 x 4; skip the call"), std::string::npos);
}

TEST(kokkos_plan, RefusesAnAxisOfNoPoints) {
  const Complex2 none("none", 0, 4), out("out", 0, 4);
  EXPECT_NE(thrown([&] { kokkos::Plan(Host(), none, out, Direction::forward, axis_type<2>{0, 1}); }).find("got 0 x 4"),
            std::string::npos);
}

TEST(kokkos_plan, OverRanksOfNoPencilsRunsAndWritesNothing) {
  for (const int ranks : {1, 2, 3}) {
    std::vector<std::string> said(static_cast<std::size_t>(ranks));
    on_ranks(ranks, [&](const Comm& comm) {
      const std::size_t p = static_cast<std::size_t>(comm.size()), me = static_cast<std::size_t>(comm.rank());
      const auto mine = kokkos::local_extents<2>({4, 7}, {p, 1}, comm);
      const Complex2 in("in", mine[0], 0), out("out", mine[0], 0), wrong("wrong", mine[0], me == p - 1 ? 1 : 0);
      const kokkos::Plan plan(Host(), in, out, axis_type<1>{0}, {p, 1}, {p, 1}, comm);
      execute(plan, in, out);
      execute(plan, out, in, Direction::backward);
      said[me] = thrown([&] { execute(plan, in, wrong); });
      said[me] += thrown([&] { kokkos::Plan(Host(), in, wrong, axis_type<1>{0}, {p, 1}, {p, 1}, comm); });
    });
    for (const std::string& text : said) {
      EXPECT_NE(text, "");
      EXPECT_EQ(text, said.front());
    }
  }
}

TEST(kokkos_plan, LocalExtentsAddUpToTheArray) {
  on_ranks(6, [](const Comm& comm) {
    const std::array<std::size_t, 2> mine = kokkos::local_extents<2>({7, 5}, {3, 2}, comm);
    EXPECT_EQ(all_sum(comm, static_cast<std::int64_t>(mine[0] * mine[1])), 35);
    EXPECT_EQ(mine[0], comm.rank() < 2 ? 3 : 2);
    EXPECT_EQ(mine[1], comm.rank() % 2 == 0 ? 3 : 2);
    const std::array<std::size_t, 2> start = kokkos::local_start<2>({7, 5}, {3, 2}, comm);
    EXPECT_EQ(start[0], comm.rank() < 2 ? 0 : comm.rank() < 4 ? 3 : 5);
    EXPECT_EQ(start[1], comm.rank() % 2 == 0 ? 0 : 3);
  });
}

}  // namespace
}  // namespace shardfft::testing
