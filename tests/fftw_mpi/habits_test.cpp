// What programs do beside transforming: other arrays, flags, copies, wisdom, and calls that FFTW refuses.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

#include "fftw_mpi/calls.hpp"

namespace shardfft::testing {
namespace {

/// 4 x 6 x 5 complex numbers and their spectrum by the definition.
template <class T>
struct Cube {
  using C = Calls<T>;
  Sizes n{4, 6, 5};
  Size rows = 0, start = 0, complexes = 0;
  std::vector<std::complex<double>> x{}, exact{};

  Cube() {
    C::init();
    complexes = C::local_size_many(3, n.data(), 1, 0, MPI_COMM_WORLD, &rows, &start);
    for (Size i = 0; i < 120; ++i) x.emplace_back(noise(2 * i), noise(2 * i + 1));
    exact = naive_dft(x, n, 1, FFTW_FORWARD);
  }
  typename C::Plan plan(const Memory<T>& in, const Memory<T>& out, unsigned flags = FFTW_ESTIMATE) const {
    return C::dft_3d(4, 6, 5, in.get(), out.get(), MPI_COMM_WORLD, FFTW_FORWARD, flags);
  }
  void fill(const Memory<T>& in) const {
    for (Size i = 0; i < rows * 30; ++i) {
      in.get()[i][0] = static_cast<T>(at(x, i).real());
      in.get()[i][1] = static_cast<T>(at(x, i).imag());
    }
  }
  void expect_spectrum(const Memory<T>& out) const {
    const double tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (Size i = 0; i < rows * 30; ++i) {
      ASSERT_NEAR(out.get()[i][0], at(exact, i).real(), tolerance);
      ASSERT_NEAR(out.get()[i][1], at(exact, i).imag(), tolerance);
    }
  }
  [[nodiscard]] std::complex<double> at(const std::vector<std::complex<double>>& all, Size i) const {
    return all[static_cast<std::size_t>(start * 30 + i)];
  }
};

template <class T>
class Habits : public ::testing::Test {
 protected:
  Cube<T> cube{};
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Habits, Scalars);

TYPED_TEST(Habits, PlanningLeavesArraysAlone) {
  using T = TypeParam;
  for (const unsigned effort : {FFTW_ESTIMATE, FFTW_MEASURE}) {
    const Memory<T> in(this->cube.complexes), out(this->cube.complexes);
    this->cube.fill(in);
    const auto before = in.copy(), result = out.copy();
    const auto plan = this->cube.plan(in, out, effort);
    EXPECT_EQ(in.copy(), before);
    EXPECT_EQ(out.copy(), result);
    Calls<T>::destroy(plan);
  }
}

TYPED_TEST(Habits, RunsLeaveTheInputOfComplexTransformsAlone) {
  using T = TypeParam;
  const Memory<T> in(this->cube.complexes), out(this->cube.complexes);
  const auto plan = this->cube.plan(in, out);
  this->cube.fill(in);
  const auto before = in.copy();
  Calls<T>::execute(plan);
  EXPECT_EQ(in.copy(), before);
  Calls<T>::destroy(plan);
}

/// MEASURE is 0, the default, and programs make many plans.
TYPED_TEST(Habits, MeasuringIsNotWhatTheDefaultDoes) {
  using T = TypeParam;
  const Memory<T> in(this->cube.complexes);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i) Calls<T>::destroy(this->cube.plan(in, in, FFTW_MEASURE));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TYPED_TEST(Habits, PatienceIsCappedByTheTimeLimit) {
  using T = TypeParam;
  const Memory<T> in(this->cube.complexes), out(this->cube.complexes);
  for (const double seconds : {0.0, 0.3}) {
    Calls<T>::set_timelimit(seconds);
    const auto begin = std::chrono::steady_clock::now();
    const auto plan = this->cube.plan(in, out, FFTW_PATIENT);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
    this->cube.fill(in);
    Calls<T>::execute(plan);
    this->cube.expect_spectrum(out);
    Calls<T>::destroy(plan);
  }
  Calls<T>::set_timelimit(FFTW_NO_TIMELIMIT);
}

TYPED_TEST(Habits, OtherArraysMayBeInPlaceOrNotWhateverWasPlanned) {
  using T = TypeParam;
  for (const bool planned_in_place : {false, true}) {
    const Memory<T> a(this->cube.complexes), b(this->cube.complexes), c(this->cube.complexes);
    const auto plan = this->cube.plan(a, planned_in_place ? a : b);
    this->cube.fill(c);
    Calls<T>::execute_dft(plan, c.get(), b.get());
    this->cube.expect_spectrum(b);
    Calls<T>::execute_dft(plan, c.get(), c.get());
    this->cube.expect_spectrum(c);
    Calls<T>::destroy(plan);
  }
}

/// PETSc does so when its arrays change.
TYPED_TEST(Habits, SerialFunctionsRunThePlan) {
  using T = TypeParam;
  const Memory<T> a(this->cube.complexes), b(this->cube.complexes), c(this->cube.complexes);
  const auto plan = this->cube.plan(a, b);
  this->cube.fill(c);
  Calls<T>::serial_execute_dft(plan, c.get(), b.get());
  this->cube.expect_spectrum(b);
  Calls<T>::execute_r2r(plan, c.real(), a.real());
  this->cube.expect_spectrum(a);
  Calls<T>::destroy(plan);
}

TYPED_TEST(Habits, PlansSurviveCleanupAndTheirOriginal) {
  using T = TypeParam;
  const Memory<T> in(this->cube.complexes), out(this->cube.complexes);
  const auto plan = this->cube.plan(in, out), copy = Calls<T>::copy(plan);
  ASSERT_NE(copy, nullptr);
  EXPECT_NE(copy, plan);
  Calls<T>::destroy(plan);
  Calls<T>::cleanup();
  this->cube.fill(in);
  Calls<T>::execute(copy);
  this->cube.expect_spectrum(out);
  Calls<T>::destroy(copy);
  Calls<T>::init();
  Calls<T>::destroy(nullptr);
}

TYPED_TEST(Habits, WisdomIsNotNeeded) {
  using T = TypeParam;
  Calls<T>::broadcast_wisdom(MPI_COMM_WORLD);
  const Memory<T> in(this->cube.complexes);
  const auto plan = this->cube.plan(in, in, FFTW_WISDOM_ONLY);
  ASSERT_NE(plan, nullptr);
  Calls<T>::gather_wisdom(MPI_COMM_WORLD);
  Calls<T>::destroy(plan);
}

TYPED_TEST(Habits, PlansTellTheirCostAndText) {
  using T = TypeParam;
  const Memory<T> in(this->cube.complexes);
  const auto plan = this->cube.plan(in, in);
  double add = 0, multiply = 0, multiply_add = 0;
  Calls<T>::flops(plan, &add, &multiply, &multiply_add);
  EXPECT_NEAR(add + multiply + 2 * multiply_add, 5 * 120 * std::log2(120), 1e-9);
  EXPECT_GT(Calls<T>::cost(plan), 0);
  char* text = Calls<T>::sprint(plan);
  EXPECT_NE(std::string(text).find("4 x 6 x 5"), std::string::npos) << text;
  std::free(text);
  Calls<T>::destroy(plan);
}

TYPED_TEST(Habits, CommunicatorsComeAndGo) {
  using T = TypeParam;
  const Memory<T> in(this->cube.complexes), out(this->cube.complexes);
  for (int i = 0; i < 20; ++i) {
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    const auto plan = Calls<T>::dft_3d(4, 6, 5, in.get(), out.get(), mine, FFTW_FORWARD, 0);
    ASSERT_NE(plan, nullptr);
    MPI_Comm_free(&mine);  // FFTW has a duplicate, too
    this->cube.fill(in);
    Calls<T>::execute(plan);
    this->cube.expect_spectrum(out);
    if (i == 0) {
      Calls<T>::execute_dft(plan, in.get(), in.get());  // planned otherwise: a second plan
      this->cube.expect_spectrum(in);
    }
    Calls<T>::destroy(plan);
  }
}

TYPED_TEST(Habits, PartsOfTheWorldHavePlansOfTheirOwn) {
  using T = TypeParam;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, world_rank(), &part);
  Size rows = 0, start = 0;
  const Memory<T> x(Calls<T>::local_size_2d(6, 4, part, &rows, &start));
  const auto plan = Calls<T>::dft(2, Sizes{6, 4}.data(), 1, 0, 0, x.get(), x.get(), part, FFTW_FORWARD, 0);
  ASSERT_NE(plan, nullptr);
  for (Size i = 0; i < rows * 4; ++i) x.get()[i][0] = 1, x.get()[i][1] = 0;
  Calls<T>::execute(plan);
  if (rows > 0 && start == 0) { EXPECT_EQ(x.get()[0][0], 24); }
  Calls<T>::destroy(plan);
  MPI_Comm_free(&part);
}

TYPED_TEST(Habits, NoTuplesAreNothingToDo) {
  using T = TypeParam;
  const Memory<T> x(1);
  const auto plan = Calls<T>::dft(3, this->cube.n.data(), 0, 0, 0, x.get(), x.get(), MPI_COMM_WORLD, FFTW_FORWARD, 0);
  ASSERT_NE(plan, nullptr);
  const auto before = x.copy();
  Calls<T>::execute(plan);
  EXPECT_EQ(x.copy(), before);
  Calls<T>::destroy(plan);
}

TYPED_TEST(Habits, WhatNobodyCanDoHasNoPlan) {
  using T = TypeParam;
  const Memory<T> x(this->cube.complexes);
  const auto plan = [&](int rank, const Sizes& n, Size howmany, Size block, int sign) {
    return Calls<T>::dft(rank, n.data(), howmany, block, 0, x.get(), x.get(), MPI_COMM_WORLD, sign, FFTW_ESTIMATE);
  };
  EXPECT_EQ(plan(3, {4, 0, 5}, 1, 0, FFTW_FORWARD), nullptr);
  EXPECT_EQ(plan(3, {4, 6, 5}, -1, 0, FFTW_FORWARD), nullptr);
  EXPECT_EQ(plan(3, {4, 6, 5}, 1, -2, FFTW_FORWARD), nullptr);
  EXPECT_EQ(plan(3, {4, 6, 5}, 1, 0, 7), nullptr);
  EXPECT_EQ(plan(0, {}, 1, 0, FFTW_FORWARD), nullptr);
  if (world_size() > 1 && world_size() < 4) { EXPECT_EQ(plan(3, {4, 6, 5}, 1, 1, FFTW_FORWARD), nullptr); }
}

/// Constants have one mode; a kind and its inverse multiply by both logical lengths.
TYPED_TEST(Habits, RealToRealKindsAreFftws) {
  using T = TypeParam;
  struct Pair {
    fftw_r2r_kind there, back;
    Size length;  // of 4 points
  };
  const Memory<T> x(this->cube.complexes);
  const Size n[] = {4, 6};
  Size rows = 0, first = 0, columns = 0, first_column = 0;
  Calls<T>::local_size(2, n, 1, 0, 0, MPI_COMM_WORLD, &rows, &first, &columns, &first_column);
  for (const auto& [there, back, length] : {Pair{FFTW_DHT, FFTW_DHT, 4},
                                            {FFTW_REDFT00, FFTW_REDFT00, 6},
                                            {FFTW_REDFT10, FFTW_REDFT01, 8},
                                            {FFTW_REDFT01, FFTW_REDFT10, 8},
                                            {FFTW_REDFT11, FFTW_REDFT11, 8},
                                            {FFTW_RODFT00, FFTW_RODFT00, 10},
                                            {FFTW_RODFT10, FFTW_RODFT01, 8},
                                            {FFTW_RODFT01, FFTW_RODFT10, 8},
                                            {FFTW_RODFT11, FFTW_RODFT11, 8}}) {
    const auto forward = Calls<T>::r2r_2d(4, 6, x.real(), x.real(), MPI_COMM_WORLD, there, FFTW_REDFT10, 0),
               backward = Calls<T>::r2r_2d(4, 6, x.real(), x.real(), MPI_COMM_WORLD, back, FFTW_REDFT01, 0);
    ASSERT_NE(forward, nullptr);
    ASSERT_NE(backward, nullptr);
    for (Size i = 0; i < 6 * rows; ++i) x.real()[i] = 1;
    Calls<T>::execute(forward);
    if (there == FFTW_REDFT10 && world_rank() == 0) { EXPECT_NEAR(x.real()[0], 4 * 24, 1e-3); }
    Calls<T>::execute(backward);
    for (Size i = 0; i < 6 * rows; ++i) EXPECT_NEAR(x.real()[i], length * 12, 1e-3) << there;
    Calls<T>::destroy(forward);
    Calls<T>::destroy(backward);
  }
}

/// Halfcomplex numbers, and more axes than shardfft has.
TYPED_TEST(Habits, WhatFftwAloneCanDoNeedsFftw) {
  using T = TypeParam;
  const Memory<T> x(this->cube.complexes);
  const auto cosines = Calls<T>::r2r_2d(4, 6, x.real(), x.real(), MPI_COMM_WORLD, FFTW_REDFT10, FFTW_R2HC, 0);
  EXPECT_EQ(cosines != nullptr, fftw_is_there());
  const Memory<T> y(1 << 9);
  const auto nine = Calls<T>::dft(9, Sizes(9, 2).data(), 1, 0, 0, y.get(), y.get(), MPI_COMM_WORLD, 1, 0);
  EXPECT_EQ(nine != nullptr, fftw_is_there());
  if (!fftw_is_there()) return;
  for (Size i = 0; i < 24; ++i) x.real()[i] = 1;
  Calls<T>::execute(cosines);
  if (world_rank() == 0) { EXPECT_NEAR(x.real()[0], 2 * 24, 1e-3); }
  Calls<T>::destroy(cosines);
  Calls<T>::destroy(nine);
}

TEST(LongDouble, IsPassedOn) {
  fftwl_complex x[64] = {};
  fftwl_mpi_init();
  const fftwl_plan plan = fftwl_mpi_plan_dft_2d(4, 4, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  const bool there = dlsym(RTLD_DEFAULT, "fftwl_mpi_plan_guru_dft") != nullptr;
  ASSERT_EQ(plan != nullptr, there);
  if (there) fftwl_execute(plan);
  fftwl_destroy_plan(plan);
}

TYPED_TEST(Habits, TransposesMoveTuples) {
  using T = TypeParam;
  for (const auto& [n0, n1, howmany] : {std::array<Size, 3>{5, 7, 1}, {4, 6, 2}, {1, 9, 3}, {8, 2, 5}})
    for (int ways = 0; ways < 8; ++ways) {
      const bool in_place = (ways & 1) != 0, swapped_in = (ways & 2) != 0, swapped_out = (ways & 4) != 0;
      const unsigned flags = (swapped_in ? FFTW_MPI_TRANSPOSED_IN : 0U) | (swapped_out ? FFTW_MPI_TRANSPOSED_OUT : 0U);
      const Sizes n{n0, n1};
      Size rows = 0, row = 0, columns = 0, column = 0;
      const Size room =
          Calls<T>::local_size(2, n.data(), howmany, 0, 0, MPI_COMM_WORLD, &rows, &row, &columns, &column);
      const Memory<T> in(room), other(room);
      const Memory<T>& out = in_place ? in : other;
      const auto plan = Calls<T>::transpose(n0, n1, howmany, 0, 0, in.real(), out.real(), MPI_COMM_WORLD, flags);
      ASSERT_NE(plan, nullptr);
      const auto number = [&](Size i, Size j, Size v) { return static_cast<T>((i * n1 + j) * howmany + v); };
      for (Size i = 0; i < rows; ++i)
        for (Size j = 0; j < n1; ++j)
          for (Size v = 0; v < howmany; ++v)
            in.real()[(swapped_in ? j * rows + i : i * n1 + j) * howmany + v] = number(row + i, j, v);
      Calls<T>::execute(plan);
      for (Size i = 0; i < n0; ++i)
        for (Size j = 0; j < columns; ++j)
          for (Size v = 0; v < howmany; ++v)
            ASSERT_EQ(out.real()[(swapped_out ? i * columns + j : j * n0 + i) * howmany + v], number(i, column + j, v))
                << n0 << "x" << n1 << " ways " << ways;
      Calls<T>::destroy(plan);
    }
}

/// Run by itself, as the next one: static objects of programs die late.
TEST(DISABLED_late, PlansMayBeDestroyedAfterMpiHasEnded) {
  const Cube<double> cube;
  const Memory<double> x(cube.complexes);
  const fftw_plan plan = cube.plan(x, x);
  ASSERT_NE(plan, nullptr);
  MPI_Finalize();
  fftw_destroy_plan(plan);
}

/// Void functions say why and end the program. See CMakeLists.txt.
TEST(DISABLED_ends, AProgramWhoseFunctionCannotReturnAnError) {
  const Cube<double> cube;
  const Memory<double> x(cube.complexes);
  fftw_mpi_execute_dft(cube.plan(x, x), nullptr, x.get());
}

}  // namespace
}  // namespace shardfft::testing
