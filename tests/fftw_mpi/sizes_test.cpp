// Who owns which rows: FFTW's blocks exactly, for programs that predict their part.
#include <algorithm>

#include "fftw_mpi/calls.hpp"

extern "C" std::ptrdiff_t fftw_mpi_local_size_3d_transposed_f03(std::ptrdiff_t n0, std::ptrdiff_t n1, std::ptrdiff_t n2,
                                                                MPI_Fint comm, std::ptrdiff_t* local_n0,
                                                                std::ptrdiff_t* start_0, std::ptrdiff_t* local_n1,
                                                                std::ptrdiff_t* start_1);
extern "C" fftw_plan fftw_mpi_plan_dft_2d_f03(std::ptrdiff_t n0, std::ptrdiff_t n1, fftw_complex* in, fftw_complex* out,
                                              MPI_Fint comm, int sign, unsigned flags);

namespace shardfft::testing {
namespace {

/// Rows of rank r in blocks: what a program computes that does not ask.
Size count_of(Size n, Size block, int r) { return std::clamp<Size>(n - r * block, 0, block); }
Size start_of(Size n, Size block, int r) { return r * block < n ? r * block : 0; }

template <class T>
class LocalSizes : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LocalSizes, Scalars);

TYPED_TEST(LocalSizes, AreBlocksRoundedUpAndAnIdleRankStartsAtZero) {
  using C = Calls<TypeParam>;
  for (const Size n0 : {1, 2, 5, 10, 16, 33})
    for (const Size n1 : {1, 3, 10}) {
      const Sizes n{n0, n1, 7};
      Size rows = -1, row = -1, columns = -1, column = -1;
      const Size room = C::local_size(3, n.data(), 2, 0, 0, MPI_COMM_WORLD, &rows, &row, &columns, &column);
      const Size block_0 = (n0 + world_size() - 1) / world_size(), block_1 = (n1 + world_size() - 1) / world_size();
      EXPECT_EQ(rows, count_of(n0, block_0, world_rank()));
      EXPECT_EQ(row, start_of(n0, block_0, world_rank()));
      EXPECT_EQ(columns, count_of(n1, block_1, world_rank()));
      EXPECT_EQ(column, start_of(n1, block_1, world_rank()));
      EXPECT_GE(room, std::max<Size>({1, rows * n1 * 7 * 2, columns * n0 * 7 * 2}));
    }
}

TYPED_TEST(LocalSizes, FollowTheBlocksThatAreAskedFor) {
  using C = Calls<TypeParam>;
  const Sizes n{10, 9, 4};
  for (const auto& [block_0, block_1] : {std::pair<Size, Size>{10, 9}, {7, 5}, {10, 12}}) {
    Size rows = -1, row = -1, columns = -1, column = -1;
    C::local_size(3, n.data(), 1, block_0, block_1, MPI_COMM_WORLD, &rows, &row, &columns, &column);
    EXPECT_EQ(rows, count_of(10, block_0, world_rank()));
    EXPECT_EQ(row, start_of(10, block_0, world_rank()));
    EXPECT_EQ(columns, count_of(9, block_1, world_rank()));
    EXPECT_EQ(column, start_of(9, block_1, world_rank()));
    C::local_size_many(3, n.data(), 1, block_0, MPI_COMM_WORLD, &rows, &row);
    EXPECT_EQ(rows, count_of(10, block_0, world_rank()));
    EXPECT_EQ(row, start_of(10, block_0, world_rank()));
  }
}

TYPED_TEST(LocalSizes, OfNothingAreNoRowsAndOneElement) {
  using C = Calls<TypeParam>;
  for (const Sizes& n : {Sizes{0, 6, 7}, Sizes{6, 0, 7}, Sizes{6, 5, 0}, Sizes{0, 0, 0}, Sizes{-1, 3, 3}}) {
    Size rows = -1, row = -1, columns = -1, column = -1;
    const Size room = C::local_size(3, n.data(), 1, 0, 0, MPI_COMM_WORLD, &rows, &row, &columns, &column);
    const Size block = std::max<Size>(1, (n[0] + world_size() - 1) / world_size());
    EXPECT_EQ(rows, std::max<Size>(0, count_of(n[0], block, world_rank())));
    EXPECT_EQ(room, std::max<Size>(1, std::max(rows * n[1] * n[2], columns * n[0] * n[2])));
    C::local_size_many(3, n.data(), 1, 0, MPI_COMM_WORLD, &rows, &row);
    EXPECT_GE(rows, 0);
  }
}

TYPED_TEST(LocalSizes, OfOneAxisAreBlocksBothWays) {
  using C = Calls<TypeParam>;
  for (const Size n : {1, 13, 24, 100})
    for (const unsigned flags : {0U, FFTW_MPI_SCRAMBLED_OUT}) {
      Size ni = -1, si = -1, no = -1, so = -1;
      const Size room = C::local_size_1d(n, 3, MPI_COMM_WORLD, FFTW_FORWARD, flags, &ni, &si, &no, &so);
      const Size block = (n + world_size() - 1) / world_size();
      EXPECT_EQ(ni, count_of(n, block, world_rank()));
      EXPECT_EQ(si, start_of(n, block, world_rank()));
      EXPECT_EQ(no, ni);
      EXPECT_EQ(so, si);
      EXPECT_GE(room, 3 * std::max<Size>(1, ni));
    }
}

/// Fortran's handle of a communicator may have any value: with Open MPI that of the world is 0.
TEST(Fortran, TwinsTakeAHandleOfFortran) {
  const MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD);
  const Sizes n{5, 6, 7};
  Size got[4] = {}, want[4] = {};
  const Size room = fftw_mpi_local_size_3d_transposed_f03(5, 6, 7, world, &got[0], &got[1], &got[2], &got[3]);
  EXPECT_EQ(room, fftw_mpi_local_size_3d_transposed(5, 6, 7, MPI_COMM_WORLD, &want[0], &want[1], &want[2], &want[3]));
  EXPECT_TRUE(std::equal(got, got + 4, want));

  Size rows = 0, start = 0;
  const Memory<double> x(fftw_mpi_local_size_2d(4, 4, MPI_COMM_WORLD, &rows, &start));
  const fftw_plan plan = fftw_mpi_plan_dft_2d_f03(4, 4, x.get(), x.get(), world, FFTW_FORWARD, FFTW_ESTIMATE);
  ASSERT_NE(plan, nullptr);
  for (Size i = 0; i < rows * 4; ++i) x.get()[i][0] = 1, x.get()[i][1] = 0;
  fftw_execute(plan);
  if (world_rank() == 0) { EXPECT_EQ(x.get()[0][0], 16); }
  fftw_destroy_plan(plan);
}

}  // namespace
}  // namespace shardfft::testing
