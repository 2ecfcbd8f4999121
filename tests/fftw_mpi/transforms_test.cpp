// Transforms by FFTW-MPI's interface, against sums as they are defined.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fftw_mpi/calls.hpp"

namespace shardfft::testing {
namespace {

/// One problem, in all the ways in which a program may ask.
struct Asked {
  Sizes n{};
  Size howmany = 1;
  bool in_place = false, transposed_in = false, transposed_out = false;
  int sign = FFTW_FORWARD;
  Size block_0 = 0, block_1 = 0;

  [[nodiscard]] unsigned flags() const {
    return FFTW_ESTIMATE | (transposed_in ? FFTW_MPI_TRANSPOSED_IN : 0U) |
           (transposed_out ? FFTW_MPI_TRANSPOSED_OUT : 0U);
  }
  [[nodiscard]] int rank() const { return static_cast<int>(n.size()); }
  [[nodiscard]] Size in_block() const { return transposed_in ? block_1 : block_0; }
  [[nodiscard]] Size out_block() const { return transposed_out ? block_1 : block_0; }
};

std::string text_of(const Asked& a) {
  return fmt::format("{} howmany {} sign {}{}{}{} blocks {} {}", fmt::join(a.n, "x"), a.howmany, a.sign,
                     a.in_place ? " in place" : "", a.transposed_in ? " transposed in" : "",
                     a.transposed_out ? " transposed out" : "", a.block_0, a.block_1);
}

/// Shapes with odd and prime extents, fewer rows than ranks, tuples; in every order.
std::vector<Asked> problems() {
  std::vector<Asked> all;
  for (const auto& [n, howmany] : std::vector<std::pair<Sizes, Size>>{{{6, 4}, 1},
                                                                      {{5, 7}, 3},
                                                                      {{1, 9}, 1},
                                                                      {{10, 3, 5}, 1},
                                                                      {{3, 11, 4}, 2},
                                                                      {{2, 2, 2}, 1},
                                                                      {{8, 6, 1}, 1},
                                                                      {{4, 3, 2, 5}, 1},
                                                                      {{7, 5, 3, 4}, 3},
                                                                      {{3, 2, 4, 1, 2, 3}, 2}})
    for (int ways = 0; ways < 8; ++ways) all.push_back({n, howmany, (ways & 1) != 0, (ways & 2) != 0, (ways & 4) != 0});
  all.push_back({{10, 9, 2}, 1, false, false, true, FFTW_FORWARD, 10, 9});  // one rank has all
  all.push_back({{10, 9, 2}, 2, true, true, false, FFTW_FORWARD, 7, 5});
  return all;
}

template <class T>
class Transforms : public ::testing::Test {
 protected:
  using C = Calls<T>;
  void SetUp() override { C::init(); }

  /// Fewest blocks that an explicit size leaves: on few ranks they would not cover the rows.
  static bool covers(const Asked& a) {
    const Size ranks = world_size();
    return (a.block_0 == 0 || a.block_0 * ranks >= a.n[0]) && (a.block_1 == 0 || a.block_1 * ranks >= a.n[1]);
  }

  static double tolerance() { return 200 * static_cast<double>(std::numeric_limits<T>::epsilon()); }

  struct Sides {
    Size complexes = 0;
    Part in{}, out{};
  };
  /// What FFTW's manual says of both sides. `reals_in`, `reals_out`: rows are padded to 2 (n/2 + 1).
  static Sides sides_of(const Asked& a, bool reals_in, bool reals_out) {
    Sizes spectrum = a.n;
    if (reals_in || reals_out) spectrum.back() = spectrum.back() / 2 + 1;
    Rows rows[2];
    Sides s;
    s.complexes = C::local_size(a.rank(), spectrum.data(), a.howmany, a.block_0, a.block_1, MPI_COMM_WORLD,
                                &rows[0].count, &rows[0].start, &rows[1].count, &rows[1].start);
    const auto part = [&](bool transposed, bool reals) {
      Sizes memory = spectrum;
      if (reals) memory.back() *= 2;
      const Rows& r = rows[transposed ? 1 : 0];
      return Part{memory, reals ? a.n : spectrum, a.howmany, r.start, r.count, transposed};
    };
    s.in = part(a.transposed_in, reals_in);
    s.out = part(a.transposed_out, reals_out);
    return s;
  }
  struct Rows {
    Size count = 0, start = 0;
  };
};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Transforms, Scalars);

/// The half spectrum of real noise, or all of it of complex noise.
std::vector<std::complex<double>> complex_noise(Size count) {
  std::vector<std::complex<double>> x;
  for (Size i = 0; i < count; ++i) x.emplace_back(noise(2 * i), noise(2 * i + 1));
  return x;
}
std::vector<std::complex<double>> real_noise(Size count) {
  std::vector<std::complex<double>> x;
  for (Size i = 0; i < count; ++i) x.emplace_back(noise(i), 0);
  return x;
}

/// Position in an array of n of a position in its half spectrum.
Size in_whole(Size i, const Sizes& n, Size howmany) {
  const Size half = n.back() / 2 + 1, tuple = i % howmany, row = i / howmany;
  return (row / half * n.back() + row % half) * howmany + tuple;
}

TYPED_TEST(Transforms, OfComplexNumbersAreThoseOfTheDefinition) {
  using T = TypeParam;
  for (Asked a : problems())
    for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
      a.sign = sign;
      if (!this->covers(a)) continue;
      const auto s = this->sides_of(a, false, false);
      const Memory<T> in(s.complexes), other(s.complexes);
      const Memory<T>& out = a.in_place ? in : other;
      const auto plan = Calls<T>::dft(a.rank(), a.n.data(), a.howmany, a.in_block(), a.out_block(), in.get(), out.get(),
                                      MPI_COMM_WORLD, a.sign, a.flags());
      ASSERT_NE(plan, nullptr) << text_of(a);
      const auto x = complex_noise(product(a.n) * a.howmany), exact = naive_dft(x, a.n, a.howmany, a.sign);
      s.in.each([&](Size global, Size local) {
        in.get()[local][0] = static_cast<T>(x[static_cast<std::size_t>(global)].real());
        in.get()[local][1] = static_cast<T>(x[static_cast<std::size_t>(global)].imag());
      });
      Calls<T>::execute(plan);
      double worst = 0;
      s.out.each([&](Size global, Size local) {
        const std::complex<double> got(out.get()[local][0], out.get()[local][1]);
        worst = std::max(worst, std::abs(got - exact[static_cast<std::size_t>(global)]));
      });
      EXPECT_LT(worst, this->tolerance() * std::sqrt(static_cast<double>(product(a.n)))) << text_of(a);
      Calls<T>::destroy(plan);
    }
}

TYPED_TEST(Transforms, OfRealsAreThoseOfTheDefinition) {
  using T = TypeParam;
  for (Asked a : problems()) {
    a.transposed_in = false;
    if (!this->covers(a)) continue;
    const auto s = this->sides_of(a, true, false);
    const Memory<T> in(s.complexes), other(s.complexes);
    const Memory<T>& out = a.in_place ? in : other;
    const auto plan = Calls<T>::r2c(a.rank(), a.n.data(), a.howmany, a.in_block(), a.out_block(), in.real(), out.get(),
                                    MPI_COMM_WORLD, a.flags());
    ASSERT_NE(plan, nullptr) << text_of(a);
    const auto x = real_noise(product(a.n) * a.howmany), exact = naive_dft(x, a.n, a.howmany, FFTW_FORWARD);
    s.in.each([&](Size global, Size local) {
      in.real()[local] = static_cast<T>(x[static_cast<std::size_t>(global)].real());
    });
    Calls<T>::execute(plan);
    double worst = 0;
    s.out.each([&](Size global, Size local) {
      const std::complex<double> got(out.get()[local][0], out.get()[local][1]);
      worst = std::max(worst, std::abs(got - exact[static_cast<std::size_t>(in_whole(global, a.n, a.howmany))]));
    });
    EXPECT_LT(worst, this->tolerance() * std::sqrt(static_cast<double>(product(a.n)))) << text_of(a);
    Calls<T>::destroy(plan);
  }
}

TYPED_TEST(Transforms, ToRealsGiveTheRealsTimesTheirNumber) {
  using T = TypeParam;
  for (Asked a : problems())
    for (const unsigned preserve : {0U, FFTW_PRESERVE_INPUT}) {
      a.transposed_out = false;
      if (!this->covers(a) || (preserve != 0 && a.in_place)) continue;
      const auto s = this->sides_of(a, false, true);
      const Memory<T> in(s.complexes), other(s.complexes);
      const Memory<T>& out = a.in_place ? in : other;
      const auto plan = Calls<T>::c2r(a.rank(), a.n.data(), a.howmany, a.in_block(), a.out_block(), in.get(),
                                      out.real(), MPI_COMM_WORLD, a.flags() | preserve);
      ASSERT_NE(plan, nullptr) << text_of(a);
      const auto x = real_noise(product(a.n) * a.howmany), spectrum = naive_dft(x, a.n, a.howmany, FFTW_FORWARD);
      s.in.each([&](Size global, Size local) {
        const auto value = spectrum[static_cast<std::size_t>(in_whole(global, a.n, a.howmany))];
        in.get()[local][0] = static_cast<T>(value.real());
        in.get()[local][1] = static_cast<T>(value.imag());
      });
      const auto before = in.copy();
      Calls<T>::execute(plan);
      if (preserve != 0) { EXPECT_EQ(in.copy(), before) << text_of(a); }
      const auto points = static_cast<double>(product(a.n));
      double worst = 0;
      s.out.each([&](Size global, Size local) {
        const double exact = points * x[static_cast<std::size_t>(global)].real();
        worst = std::max(worst, std::abs(out.real()[local] - exact));
      });
      EXPECT_LT(worst, this->tolerance() * points) << text_of(a);
      Calls<T>::destroy(plan);
    }
}

TYPED_TEST(Transforms, OfOneAxisComeBackInBlocks) {
  using T = TypeParam;
  for (const Size n : {1, 2, 13, 24, 64, 101, 360})
    for (const Size howmany : {1, 3})
      for (const bool in_place : {false, true}) {
        Size ni = 0, si = 0, no = 0, so = 0;
        const Size complexes = Calls<T>::local_size_1d(n, howmany, MPI_COMM_WORLD, FFTW_FORWARD, 0, &ni, &si, &no, &so);
        const Memory<T> in(complexes), other(complexes);
        const Memory<T>& out = in_place ? in : other;
        const auto plan = Calls<T>::dft(1, &n, howmany, 0, 0, in.get(), out.get(), MPI_COMM_WORLD, FFTW_FORWARD, 0);
        ASSERT_NE(plan, nullptr) << n;
        const auto x = complex_noise(n * howmany), exact = naive_dft(x, {n}, howmany, FFTW_FORWARD);
        const auto at = [&](const auto& values, Size i) { return values[static_cast<std::size_t>(i)]; };
        for (Size i = 0; i < ni * howmany; ++i) {
          in.get()[i][0] = static_cast<T>(at(x, si * howmany + i).real());
          in.get()[i][1] = static_cast<T>(at(x, si * howmany + i).imag());
        }
        Calls<T>::execute(plan);
        double worst = 0;
        for (Size i = 0; i < no * howmany; ++i) {
          const std::complex<double> got(out.get()[i][0], out.get()[i][1]);
          worst = std::max(worst, std::abs(got - at(exact, so * howmany + i)));
        }
        EXPECT_LT(worst, this->tolerance() * std::sqrt(static_cast<double>(n))) << n << " x " << howmany;
        Calls<T>::destroy(plan);
      }
}

TYPED_TEST(Transforms, ThatAreScrambledConvolveRight) {
  using T = TypeParam;
  for (const Size n : {24, 60, 35}) {
    Size ni = 0, si = 0, no = 0, so = 0;
    const unsigned there = FFTW_MPI_SCRAMBLED_OUT, back = FFTW_MPI_SCRAMBLED_IN;
    const Size complexes = Calls<T>::local_size_1d(n, 1, MPI_COMM_WORLD, FFTW_FORWARD, there, &ni, &si, &no, &so);
    const Memory<T> x(complexes);
    const auto forward = Calls<T>::dft(1, &n, 1, 0, 0, x.get(), x.get(), MPI_COMM_WORLD, FFTW_FORWARD, there);
    const auto backward = Calls<T>::dft(1, &n, 1, 0, 0, x.get(), x.get(), MPI_COMM_WORLD, FFTW_BACKWARD, back);
    ASSERT_NE(forward, nullptr);
    ASSERT_NE(backward, nullptr);
    for (Size i = 0; i < ni; ++i) {
      x.get()[i][0] = static_cast<T>(noise(si + i));
      x.get()[i][1] = 0;
    }
    Calls<T>::execute(forward);
    // The power spectrum does not depend on its order; back comes the autocorrelation.
    for (Size i = 0; i < no; ++i) {
      x.get()[i][0] = x.get()[i][0] * x.get()[i][0] + x.get()[i][1] * x.get()[i][1];
      x.get()[i][1] = 0;
    }
    Calls<T>::execute(backward);
    for (Size i = 0; i < ni; ++i) {
      double exact = 0;
      for (Size j = 0; j < n; ++j) exact += noise(j) * noise((j + si + i) % n);
      EXPECT_NEAR(x.get()[i][0], exact * static_cast<double>(n), this->tolerance() * static_cast<double>(n * n)) << n;
    }
    Calls<T>::destroy(forward);
    Calls<T>::destroy(backward);
  }
}

/// FFTW has no plan for reals of one axis. A rank's reals fill the memory of its part of the spectrum.
TYPED_TEST(Transforms, OfRealsMayHaveOneAxis) {
  using T = TypeParam;
  for (const Size n : {1, 8, 15, 60}) {
    const Size half = n / 2 + 1, block = (half + world_size() - 1) / world_size();
    Size count = 0, start = 0, no = 0, so = 0;
    const Size complexes = Calls<T>::local_size_1d(half, 1, MPI_COMM_WORLD, FFTW_FORWARD, 0, &count, &start, &no, &so);
    const Memory<T> x(complexes);
    const auto forward = Calls<T>::r2c(1, &n, 1, 0, 0, x.real(), x.get(), MPI_COMM_WORLD, 0);
    const auto backward = Calls<T>::c2r(1, &n, 1, 0, 0, x.get(), x.real(), MPI_COMM_WORLD, 0);
    ASSERT_NE(forward, nullptr) << n;
    ASSERT_NE(backward, nullptr) << n;
    const Size first = 2 * block * world_rank(), reals = std::clamp<Size>(n - first, 0, 2 * block);
    for (Size i = 0; i < reals; ++i) x.real()[i] = static_cast<T>(noise(first + i));
    Calls<T>::execute(forward);
    const auto exact = naive_dft(real_noise(n), {n}, 1, FFTW_FORWARD);
    for (Size i = 0; i < count; ++i) {
      const auto want = exact[static_cast<std::size_t>(start + i)];
      EXPECT_NEAR(x.get()[i][0], want.real(), this->tolerance() * static_cast<double>(n)) << n;
      EXPECT_NEAR(x.get()[i][1], want.imag(), this->tolerance() * static_cast<double>(n)) << n;
    }
    Calls<T>::execute(backward);
    for (Size i = 0; i < reals; ++i)
      EXPECT_NEAR(x.real()[i], static_cast<double>(n) * noise(first + i), this->tolerance() * static_cast<double>(n));
    Calls<T>::destroy(forward);
    Calls<T>::destroy(backward);
  }
}

}  // namespace
}  // namespace shardfft::testing
