// Halos: every cell gets its owner's value, every owner its cells' sum.
#include <gtest/gtest.h>

#include "plan/halo/halo_problem.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

template <class Expect>
void for_random_halos(std::uint64_t usual_seed, int usually, Expect expect) {
  const std::uint64_t first = chosen_seed(usual_seed);
  for (int i = 0; i < chosen_problems(usually) && !::testing::Test::HasFailure(); ++i) {
    const HaloProblem p = random_halo(first + static_cast<std::uint64_t>(i));
    try {
      on_ranks(p.ranks, [&](const Comm& comm) { expect(comm, p); });
    } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
    if (::testing::Test::HasFailure()) ADD_FAILURE() << to_string(p);
  }
}

TEST(HaloProblems, FillEveryCellFromItsOwnerWhateverTheLayout) { for_random_halos(20260901, 500, expect_exchanged); }

TEST(HaloProblems, AddEveryCellToItsOwner) {
  for_random_halos(20260902, 300, [](const Comm& comm, const HaloProblem& p) {
    switch (p.seed % 4) {
      case 0:
        return expect_accumulated<float>(comm, p);
      case 1:
        return expect_accumulated<double>(comm, p);
      case 2:
        return expect_accumulated<std::complex<float>>(comm, p);
      default:
        return expect_accumulated<std::complex<double>>(comm, p);
    }
  });
}

// 1e16 + 1 is 1e16: the sum depends on the order.
TEST(Halos, AddInTheOrderOfRanks) {
  for (int again = 0; again < 20; ++again)
    on_ranks(4, [](const Comm& comm) {
      HaloArray array(comm, {.shape = {4}, .ranks = 4, .layout = slabs(0), .halo = {.low = {3}, .high = {3}}});
      const double value[] = {1, 1e16, -1e16, 3};
      for (const Coord& at : elements(array.halo().grown_box()))
        array.number<double>(at) = array.halo().box().contains(at) ? 0 : value[comm.rank()];
      array.accumulate(f64);
      double expected = 0;
      for (int rank = 0; rank < 4; ++rank) expected += rank == comm.rank() ? 0 : value[rank];
      EXPECT_EQ(array.number<double>({comm.rank()}), expected) << "rank " << comm.rank();
    });
}

TEST(Halos, OfSeveralThreadsGiveTheSame) {
  on_ranks(2, [](const Comm& comm) {
    const Layout layout(slabs(0), {40, 50, 60}, 2);
    std::vector<double> sums[2];
    for (const int threads : {1, 3}) {
      Halo halo(comm, layout, {.low = {3, 2, 1}, .high = {2, 2, 2}, .periodic = {0, 1, 2}}, 8, {.threads = threads});
      const Array memory = halo.make_array();
      const View view = memory;
      auto* numbers = static_cast<double*>(const_cast<void*>(view.data));
      for (std::size_t i = 0; i < halo.bytes() / 8; ++i) numbers[i] = 1 / (1.0 + static_cast<double>(i));
      halo.accumulate(memory, f64);
      halo.exchange(memory);
      sums[threads / 2].assign(numbers, numbers + halo.bytes() / 8);
    }
    EXPECT_TRUE(sums[0] == sums[1]);
  });
}

// The inside of an array with a halo is what a plan reads and writes.
TEST(Halos, SurroundTheArrayOfAPlan) {
  on_ranks(3, [](const Comm& comm) {
    const Shape shape{7, 6, 5};
    const Layout layout(pencils(2), shape, 3);
    Halo halo(comm, layout, {.low = {1, 2, 1}, .high = {1, 0, 2}, .periodic = {0, 1, 2}}, 16);
    Plan inside(comm, {.shape = shape}, {.input = layout.spec(), .input_memory = halo.memory()}),
        packed(comm, {.shape = shape}, {.input = layout.spec()});
    Array array = halo.make_array(), alone = packed.make_input(), out = packed.make_output(),
          other = inside.make_output();
    EXPECT_LE(inside.input_bytes(), halo.bytes());
    for_each_element(layout, comm.rank(), [&](const Coord& at, std::size_t i) {
      const std::complex<double> value(static_cast<double>(at[0] * 30 + at[1] * 5 + at[2]), static_cast<double>(at[1]));
      alone.as<std::complex<double>>()[i] = array.as<std::complex<double>>()[halo.index(at)] = value;
    });
    halo.exchange(array);
    packed.forward(alone, out);
    inside.forward(array, other);
    EXPECT_EQ(packed.hash_output(out), inside.hash_output(other));
    inside.backward(other, array);
    halo.exchange(array);
    const Box grown = halo.grown_box();
    for (const Coord& at : elements(grown)) {
      const Coord owner = source_of(halo, at).value_or(at);
      EXPECT_NEAR(array.as<std::complex<double>>()[halo.index(at)].real(),
                  static_cast<double>(owner[0] * 30 + owner[1] * 5 + owner[2]), 1e-12);
    }
  });
}

TEST(Halos, SayWhatTheyAre) {
  on_ranks(4, [](const Comm& comm) {
    Halo halo(comm, Layout(slabs(0), {8, 4, 4}, 4), {.low = {1, 0, 0}, .high = {2, 0, 0}, .periodic = {-3}}, 8);
    const Index lo = 2 * comm.rank();
    EXPECT_EQ(halo.box(), (Box{{lo, 0, 0}, {lo + 2, 4, 4}}));
    EXPECT_EQ(halo.grown_box(), (Box{{lo - 1, 0, 0}, {lo + 4, 4, 4}}));
    EXPECT_EQ(halo.spec().periodic, std::vector<int>{0});
    EXPECT_EQ(halo.bytes(), 5u * 16 * 8);
    EXPECT_EQ(halo.memory().front().offset, 16);
    EXPECT_EQ(halo.index({lo + 3, 1, 2}), 4u * 16 + 6);
    EXPECT_EQ(halo.describe(),
              "1 x 0 x 0 cells before and 2 x 0 x 0 behind each box of slabs along axis 0 over 4 ranks, with corners, "
              "periodic along axes 0: rank " +
                  std::to_string(comm.rank()) +
                  " sends 2 messages with 384 B and receives 2 messages with 384 B, by threads");
    Halo moved = std::move(halo);
    EXPECT_EQ(moved.bytes(), 640u);
  });
}

TEST(Halos, OfRanksWithoutElementsHaveNone) {
  on_ranks(5, [](const Comm& comm) {
    HaloArray array(comm, {.shape = {2, 3}, .ranks = 5, .layout = slabs(0), .halo = {.low = {1, 1}, .high = {1, 1}}});
    EXPECT_EQ(array.halo().bytes() == 0, comm.rank() >= 2);
    EXPECT_EQ(array.halo().grown_box().empty(), comm.rank() >= 2);
    array.halo().exchange(comm.rank() >= 2 ? View{} : array.view());
  });
}

}  // namespace
}  // namespace shardfft::testing
