// Arrays that say of themselves what std::mdspan says. A stand-in of a few lines is one; std::mdspan where the compiler
// has it.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <span>
#include <vector>

#if __has_include(<mdspan>)
#include <mdspan>
#endif

#include "shardfft/shardfft.hpp"
#include "support/oracles/naive.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

/// The part of mdspan that is asked for: extents, a mapping with strides, a pointer.
template <class T, std::size_t axes>
struct MdspanStandIn {
  using element_type = T;
  struct Extents {
    std::array<int, axes> of{};
    [[nodiscard]] int extent(std::size_t axis) const { return of[axis]; }
  };
  struct Mapping {
    std::array<int, axes> of{};
    [[nodiscard]] int stride(std::size_t axis) const { return of[axis]; }
  };
  T* start = nullptr;
  Extents shape{};
  Mapping steps{};

  static constexpr std::size_t rank() { return axes; }
  [[nodiscard]] const Extents& extents() const { return shape; }
  [[nodiscard]] const Mapping& mapping() const { return steps; }
  [[nodiscard]] T* data_handle() const { return start; }
};
static_assert(Mdspan<MdspanStandIn<const double, 3>>);
static_assert(!Mdspan<MdspanStandIn<int, 3>> && !Mdspan<std::vector<double>> && !Mdspan<std::span<double>>);

template <class In, class Out>
Plan plan_between(const In& in, const Out& out, Kind kind) {
  const Strided from(in), to(out);
  return Plan(local(), {.shape = from.extents, .kind = kind},
              {.input = slabs(0).ordered(from.order()),
               .output = slabs(0).ordered(to.order()),
               .input_memory = from.places(),
               .output_memory = to.places()});
}

/// Transforms `shape` from one mdspan to the other and compares with the definition.
template <class In, class Out>
void is_transformed(const In& in, const Out& out) {
  const Strided from(in), to(out);
  const Whole x = random_array(from.extents, false, 3), wanted = half(dft(dft(x, 1, -1), 0, -1), 1);
  const auto offset = [](const Strided& lies, const Coord& at) {
    return at[0] * lies.strides[0] + at[1] * lies.strides[1];
  };
  for_each(whole(x.shape),
           [&](const Coord& at) { in.data_handle()[offset(from, at)] = static_cast<double>(x.at(at).real()); });
  plan_between(in, out, r2c).forward(view_of(in), view_of(out));
  for_each(whole(wanted.shape), [&](const Coord& at) {
    const std::complex<double> got = out.data_handle()[offset(to, at)];
    EXPECT_LT(std::abs(Reference(got) - wanted.at(at)), 1e-12) << to_string(at);
  });
}

TEST(Mdspan, OfAnyStridesIsTransformed) {
  std::vector<double> reals(100);
  std::vector<std::complex<double>> modes(100);
  const MdspanStandIn<std::complex<double>, 2> right{modes.data(), {{4, 4}}, {{4, 1}}},
      left{modes.data(), {{4, 4}}, {{1, 4}}}, gaps{modes.data(), {{4, 4}}, {{3, 17}}};
  for (const auto& out : {right, left, gaps}) {
    is_transformed(MdspanStandIn<double, 2>{reals.data(), {{4, 6}}, {{6, 1}}}, out);
    is_transformed(MdspanStandIn<double, 2>{reals.data(), {{4, 6}}, {{2, 11}}}, out);
  }
}

TEST(Mdspan, SaysItsOrderItsPlaceAndItsLength) {
  std::vector<float> memory(100);
  const Strided lies(MdspanStandIn<float, 3>{memory.data(), {{2, 3, 1}}, {{4, 10, 0}}});
  EXPECT_EQ(lies.extents, (Shape{2, 3, 1}));
  EXPECT_EQ(lies.strides, (Coord{4, 10, 1}));  // places have positive strides
  EXPECT_EQ(lies.order(), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(lies.span(), 25);
  EXPECT_FALSE(lies.is_dense({1, 0, 2}));
  EXPECT_TRUE(Strided({2, 3, 4}, {1, 2, 6}).is_dense({2, 1, 0}));
  const Strided empty({2, 0}, {5, 1});
  EXPECT_EQ(empty.span(), 0);
  EXPECT_TRUE(empty.places().empty());
}

TEST(Mdspan, OfOtherNumbersOrTooShortIsRefused) {
  std::vector<double> reals(24);
  std::vector<std::complex<double>> modes(16);
  const MdspanStandIn<double, 2> in{reals.data(), {{4, 6}}, {{6, 1}}};
  const MdspanStandIn<std::complex<double>, 2> out{modes.data(), {{4, 4}}, {{4, 1}}},
      shorter{modes.data(), {{3, 4}}, {{4, 1}}};
  Plan plan = plan_between(in, out, r2c);
  EXPECT_NE(thrown([&] { plan.forward(view_of(in), view_of(in)); }).find("`out`"), std::string::npos);
  EXPECT_NE(thrown([&] { plan.forward(view_of(in), view_of(shorter)); }).find("`out`"), std::string::npos);
}

#if defined(__cpp_lib_mdspan)
TEST(Mdspan, OfTheStandardLibraryIsTransformed) {
  std::vector<double> reals(24);
  std::vector<std::complex<double>> modes(16);
  using Extents = std::dextents<int, 2>;
  is_transformed(std::mdspan(reals.data(), 4, 6),
                 std::mdspan<std::complex<double>, Extents, std::layout_left>(modes.data(), 4, 4));
}
#endif

}  // namespace
}  // namespace shardfft::testing
