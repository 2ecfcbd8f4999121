// What is wrong is said on every rank, and no rank hangs.
#include "heffte/arrays.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using heffte::backend::stock;

/// The text of std::invalid_argument; "" if `work` threw nothing.
template <class Work>
std::string refused(Work work) {
  try {
    work();
    return {};
  } catch (const std::invalid_argument& error) { return error.what(); }
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "got: " << text;
}

const Shape n{6, 12, 4};
Box3 own_slab() {
  return heffte::split_world(world_of(n), {1, world_size(), 1})[static_cast<std::size_t>(world_rank())];
}

TEST(HeffteErrors, BoxesThatOverlapOrLeaveGapsAreRefusedByAllRanks) {
  const Box3 all = world_of(n), own = own_slab();
  const Box3 half({0, 0, 0}, {2, 11, 3}), none({0, 0, 0}, {-1, -1, -1});
  if (world_size() > 1) expect_has(refused([&] { heffte::fft3d<stock>(all, own, MPI_COMM_WORLD); }), "overlap");
  EXPECT_NE(refused([&] { heffte::fft3d<stock>(own, world_rank() == 0 ? half : none, MPI_COMM_WORLD); }), "");
  EXPECT_NE(refused([&] { heffte::fft3d<stock>(none, none, MPI_COMM_WORLD); }), "");
}

TEST(HeffteErrors, TheOutboxesOfRealsFillHalfTheSpectrum) {
  EXPECT_NE(refused([] { heffte::fft3d_r2c<stock>(own_slab(), own_slab(), 0, MPI_COMM_WORLD); }), "");
  expect_has(refused([] { heffte::fft3d_r2c<stock>(own_slab(), own_slab(), 3, MPI_COMM_WORLD); }),
             "r2c_direction is 0, 1 or 2; got 3");
}

TEST(HeffteErrors, WorldsBeginAtZeroAndOrdersNameEachAxis) {
  const Box3 own = own_slab(), moved({1, own.low[1], 0}, {6, own.high[1], 3});
  expect_has(refused([&] { heffte::fft3d<stock>(moved, moved, MPI_COMM_WORLD); }), "begins at 1 0 0");
  const Box3 twice(own.low, own.high, {1, 1, 1});
  expect_has(refused([&] { heffte::fft3d<stock>(twice, own, MPI_COMM_WORLD); }), "got 1 1 1");
}

TEST(HeffteErrors, ContainersHoldABox) {
  const Box3 own = own_slab();
  const heffte::fft3d<stock> fft(own, own, MPI_COMM_WORLD);
  if (own.empty()) return;
  std::vector<std::complex<float>> few(static_cast<std::size_t>(own.count()) - 1);
  expect_has(refused([&] { static_cast<void>(fft.forward(few)); }), "elements of the inbox");
  expect_has(refused([&] { static_cast<void>(fft.backward(few)); }), "elements of the outbox");
}

TEST(HeffteErrors, ABatchHasAnArray) {
  const Box3 own = own_slab();
  const heffte::fft3d<stock> fft(own, own, MPI_COMM_WORLD);
  std::vector<std::complex<double>> in(static_cast<std::size_t>(own.count())), out(in.size());
  expect_has(thrown([&] { fft.forward(0, in.data(), out.data()); }), "got 0");
}

TEST(HeffteErrors, CallsThatDifferAreRefusedInsteadOfHanging) {
  if (world_size() == 1) return;
  const Box3 own = own_slab();
  const heffte::fft3d<stock> fft(own, own, MPI_COMM_WORLD);
  std::vector<std::complex<double>> in(2 * static_cast<std::size_t>(own.count())), out(in.size());
  expect_has(thrown([&] { fft.forward(world_rank() == 1 ? 2 : 1, in.data(), out.data()); }),
             "mismatch: ranks make the same call; got forward of 1 arrays in double on rank 0 and "
             "forward of 2 arrays in double on rank 1");
  EXPECT_NE(thrown([&] {
              if (world_rank() == 1)
                fft.backward(in.data(), out.data());
              else
                fft.forward(in.data(), out.data());
            }),
            "");
}

}  // namespace
}  // namespace shardfft::testing
