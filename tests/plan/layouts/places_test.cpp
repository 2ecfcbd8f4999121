// Loops over elements in memory with gaps, and the frequencies of what they find, against lists written down as NumPy
// does.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <numbers>
#include <set>
#include <vector>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

// numpy.fft.fftfreq(n) * n: 0, 1, ..., (n-1)/2, then -(n/2), ..., -1.
std::vector<Index> listed_frequencies(Index n) {
  std::vector<Index> all;
  for (Index k = 0; k <= (n - 1) / 2; ++k) all.push_back(k);
  for (Index k = -(n / 2); k < 0; ++k) all.push_back(k);
  return all;
}

using Frequencies = std::array<double, max_dims>;

TEST(Frequency, IsThatOfNumpyForEvenAndOddLengths) {
  for (Index n = 1; n <= 17; ++n) {
    const std::vector<Index> listed = listed_frequencies(n);
    for (Index k = 0; k < n; ++k) EXPECT_EQ(frequency(k, n), listed[static_cast<std::size_t>(k)]) << k << " of " << n;
  }
}

TEST(Frequency, OfAHalfSpectrumIsPositiveAlongItsRealAxisAndZeroAlongABatch) {
  for (const Kind kind : {r2c, c2r})
    for (const std::vector<int>& axes : {std::vector{1, 2}, {-2, -1}}) {
      const Problem problem{.shape = {3, 6, 8}, .kind = kind, .axes = axes};
      EXPECT_EQ(frequency(problem, {2, 3, 4}), (Frequencies{0, -3, 4}));
      EXPECT_EQ(frequency(problem, {1, 5, 3}), (Frequencies{0, -1, 3}));
    }
  EXPECT_EQ(frequency({.shape = {6, 8}, .kind = r2c, .axes = {1, 0}}, {3, 4}), (Frequencies{3, -4}))
      << "the real axis is the last one named";
  EXPECT_EQ(frequency({.shape = {5, 8}}, {4, 4}), (Frequencies{-1, -4})) << "no axes: all";
}

using Number = std::complex<double>;
const Shape placed_shape{6, 5, 8};

// Places with gaps: every box in room of its own, one element longer along each axis than it is.
std::vector<Placement> with_gaps(const Layout& layout, int rank) {
  std::vector<Placement> memory;
  Index offset = 2;
  for (const Box& box : layout.boxes(rank)) {
    Placement place{offset, Coord::filled(box.dims(), 1)};
    Index stride = 2;
    for (int axis = 0; axis < box.dims(); ++axis) {  // axis 0 is fastest here, whatever the layout's order
      place.strides[axis] = stride;
      stride *= box.extent(axis) + 1;
    }
    memory.push_back(place);
    offset += stride;
  }
  return memory;
}

// The spectrum of a wave is one number at its frequency.
double worst_of_a_wave(const Comm& comm, const LayoutSpec& spec) {
  const Layout layout(spec, placed_shape, comm.size());
  Options options{.input = spec, .output = spec, .threads = 1};
  options.input_memory = options.output_memory = with_gaps(layout, comm.rank());
  Plan plan(comm, {.shape = placed_shape}, options);
  std::vector<Number> x(plan.input_bytes() / sizeof(Number) + 1, 99), y(plan.output_bytes() / sizeof(Number) + 1, 77);
  std::set<std::size_t> written;
  for_each_element(plan.input(), comm.rank(), options.input_memory, [&](const Coord& at, std::size_t i) {
    const double turns =
        static_cast<double>(at[0]) / 6 - static_cast<double>(at[1]) / 5 + 3 * static_cast<double>(at[2]) / 8;
    x.at(i) = std::polar(1.0, 2 * std::numbers::pi * turns);
    EXPECT_TRUE(written.insert(i).second) << "a place twice";
  });
  plan.forward(x, y);
  double worst = 0;
  for_each_element(plan.output(), comm.rank(), options.output_memory, [&](const Coord& at, std::size_t i) {
    worst = std::max(worst, std::abs(y.at(i) - (frequency(plan.problem(), at) == Frequencies{1, -1, 3} ? 240.0 : 0.0)));
  });
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!written.contains(i)) {  // input and output lie alike
      EXPECT_EQ(y[i], Number(77)) << "a gap was written";
    }
  return worst;
}

TEST(Elements, WithStridesLieWhereThePlanReadsAndWritesThemInAnyLayout) {
  for (const int ranks : {1, 3, 7})
    for (const LayoutSpec& spec : {slabs(1), bricks().ordered({2, 0, 1}), cyclic(0), cyclic(-1).ordered({1, 2, 0})})
      on_ranks(ranks, [&](Comm comm) {
        EXPECT_LT(worst_of_a_wave(comm, spec), 1e-10) << ranks << " ranks, " << to_string(spec);
      });
}

TEST(Elements, OfRowsWithRoomForTheirHalfSpectrumAreWherePaddedRealsHasThem) {
  on_ranks(3, [&](Comm comm) {
    for (const Index n : {7, 8}) {
      Plan plan(comm, {.shape = {6, 5, n}, .kind = r2c},
                {.input = slabs(0), .output = slabs(0), .in_place = true, .padded_reals = true});
      Array both = plan.make_input();
      const std::vector<Placement> rows = padded_rows(plan.input(), comm.rank());
      for_each_element(plan.input(), comm.rank(), rows, [&](const Coord&, std::size_t i) { both.as<double>()[i] = 1; });
      plan.forward(both, both);
      for_each_element(plan.output(), comm.rank(), [&](const Coord& at, std::size_t i) {
        const double expected = at == Coord::filled(3, 0) ? static_cast<double>(30 * n) : 0.0;
        EXPECT_NEAR(std::abs(both.as<Number>()[i]), expected, 1e-10);
      });
    }
  });
}

TEST(Elements, RefusePlacesThatAreNotOneForEachBox) {
  const Layout layout(slabs(0), placed_shape, 2);
  const std::vector<Placement> two(2);
  try {
    for_each_element(layout, 0, two, [](const Coord&, std::size_t) {});
    FAIL() << "two places for one box";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_argument);
    EXPECT_NE(std::string(e.what()).find("1 boxes; got 2"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace shardfft::testing
