// What programs do around transforms.
#include "heffte/arrays.hpp"

namespace shardfft::testing {
struct OwnComplex {
  double re, im;
};
}  // namespace shardfft::testing
template <>
struct heffte::is_zcomplex<shardfft::testing::OwnComplex> : std::true_type {};

namespace shardfft::testing {
namespace {

using heffte::backend::stock;

/// Slabs along axis 1 of some ranks.
Box3 slab(const Shape& n, MPI_Comm comm) {
  return heffte::split_world(
      world_of(n), {1, heffte::mpi::comm_size(comm), 1})[static_cast<std::size_t>(heffte::mpi::comm_rank(comm))];
}

template <class T>
constexpr bool moves_and_is_not_copied = std::is_move_constructible_v<T> && std::is_move_assignable_v<T> &&
                                         !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(moves_and_is_not_copied<heffte::fft3d<stock>>);
static_assert(moves_and_is_not_copied<heffte::fft3d_r2c<heffte::backend::fftw, long long>>);
static_assert(!heffte::backend::is_enabled<heffte::backend::cufft>::value, "it was not asked for");

TEST(HeffteHabits, ATransformThatWasMovedRuns) {
  const Shape n{6, 5, 4};
  const Box3 box = slab(n, MPI_COMM_WORLD);
  const Whole x = random_array(n, true, 1);
  auto first = heffte::make_fft3d<stock>(box, box, MPI_COMM_WORLD);
  const auto once = first.forward(cut<std::complex<double>>(x, box));
  auto second = std::move(first);
  EXPECT_EQ(second.forward(cut<std::complex<double>>(x, box)), once);
}

TEST(HeffteHabits, IndicesOfSixtyFourBitsGiveTheSameBits) {
  const Shape n{6, 5, 4};
  const Box3 box = slab(n, MPI_COMM_WORLD);
  const heffte::box3d<long long> wide({box.low[0], box.low[1], box.low[2]}, {box.high[0], box.high[1], box.high[2]});
  const auto x = cut<std::complex<double>>(random_array(n, true, 1), box);
  EXPECT_EQ(heffte::make_fft3d<stock>(wide, wide, MPI_COMM_WORLD).forward(x),
            heffte::make_fft3d<stock>(box, box, MPI_COMM_WORLD).forward(x));
}

TEST(HeffteHabits, WorldsMayHaveMoreElementsThanAnIntCounts) {
  const Box3 world({0, 0, 0}, {2999, 2999, 2999});
  const Box3 box = heffte::split_world(world, {1, world_size(), 1})[static_cast<std::size_t>(world_rank())];
  const heffte::fft3d<stock> fft(box, box, MPI_COMM_WORLD);
  EXPECT_EQ(fft.size_outbox(), 9'000'000LL * box.size[1]);
  EXPECT_DOUBLE_EQ(fft.get_scale_factor(heffte::scale::full), 1 / 27e9);
}

TEST(HeffteHabits, OptionsChangeNoBit) {
  const Shape n{6, 5, 4};
  const Box3 box = slab(n, MPI_COMM_WORLD);
  const auto x = cut<std::complex<double>>(random_array(n, true, 1), box);
  const auto usual = heffte::fft3d<stock>(box, box, MPI_COMM_WORLD).forward(x);
  heffte::plan_options options(false, heffte::reshape_algorithm::p2p, false);
  options.use_num_subranks(1);
  EXPECT_EQ(heffte::fft3d<stock>(box, box, MPI_COMM_WORLD, options).forward(x), usual);
  EXPECT_EQ(heffte::fft3d<heffte::backend::fftw>(nullptr, box, box, MPI_COMM_WORLD, options).forward(x), usual);
}

TEST(HeffteHabits, ComplexTypesOfProgramsAreTaken) {
  const Shape n{4, 7, 3};
  const Box3 box = slab(n, MPI_COMM_WORLD);
  const auto x = cut<std::complex<double>>(random_array(n, true, 2), box);
  std::vector<OwnComplex> data, workspace;
  for (const auto z : x) data.push_back({z.real(), z.imag()});
  const heffte::fft3d<stock> fft(box, box, MPI_COMM_WORLD);
  fft.forward(data.data(), data.data(), workspace.data());
  using FftwComplex = double[2];
  std::vector<double> pairs(2 * x.size());
  fft.forward(x.data(), reinterpret_cast<FftwComplex*>(pairs.data()));
  const auto right = fft.forward(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(data[i].re, right[i].real(), 1e-13);
    EXPECT_EQ(pairs[2 * i + 1], right[i].imag());
  }
}

TEST(HeffteHabits, PartsOfTheRanksTransformByThemselves) {
  const int odd = world_rank() % 2;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, odd, world_rank(), &part);
  const Shape n{5 + odd, 8, 3};
  const Box3 box = slab(n, part);
  const Whole x = random_array(n, true, 3);
  auto fft = std::make_unique<heffte::fft3d<stock>>(box, box, part);
  heffte::mpi::comm_free(part);  // before its transforms
  expect_near(fft->forward(cut<std::complex<double>>(x, box)), cut<std::complex<double>>(transformed(x), box), "part");
}

TEST(HeffteHabits, ManyTransformsOfOneCommunicatorTakeNoMoreOfMpi) {
  const Box3 box = slab({3, 4, 2}, MPI_COMM_WORLD);
  for (int i = 0; i < 3000; ++i) const heffte::fft3d<stock> fft(box, box, MPI_COMM_WORLD);  // MPICH has 2048 to give
}

TEST(HeffteExecutors, TransformAlongOneAxisAtATime) {
  const Shape n{4, 5, 6};
  const Whole x = random_array(n, true, 4);
  auto data = cut<std::complex<double>>(x, world_of(n));
  for (int axis = 0; axis < 3; ++axis)
    heffte::make_executor<stock>(nullptr, world_of(n), axis)->forward(data.data(), data.data());
  expect_near(data, cut<std::complex<double>>(transformed(x), world_of(n)), "axis by axis");
  heffte::make_executor<stock>(nullptr, world_of(n))->backward(data.data(), data.data());
  heffte::data_scaling::apply(data.size(), data.data(), 1.0 / 120);
  expect_near(data, cut<std::complex<double>>(x, world_of(n)), "all at once");
}

TEST(HeffteGroups, AreMadeOfTheRanksThatAreNamed) {
  MPI_Comm first = heffte::mpi::new_comm_from_group({0}, MPI_COMM_WORLD);
  EXPECT_EQ(first != MPI_COMM_NULL, world_rank() == 0);
  if (first == MPI_COMM_NULL) return;
  EXPECT_EQ(heffte::mpi::comm_size(first), 1);
  heffte::mpi::comm_free(first);
}

}  // namespace
}  // namespace shardfft::testing
