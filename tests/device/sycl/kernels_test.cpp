// What kernels are made of, on a device of SYCL beside the host: barriers, sub-groups, and the branches for devices,
// which the emulated device does not have.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "device/fused/random_families.hpp"
#include "device/kernels/fused_table.hpp"
#include "device/sycl/kernel_table.hpp"
#include "device/sycl/kernels.hpp"
#include "device/sycl/runtime.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

/// Memory that both sides read and write.
template <class T>
class Both {
 public:
  Both(const sycl::queue& queue, std::size_t count)
      : queue_(queue), count_(count), data_(sycl::aligned_alloc_host<T>(64, count + 1, queue)) {}
  Both(const sycl::queue& queue, const std::vector<T>& values) : Both(queue, values.size()) {
    std::copy(values.begin(), values.end(), data_);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;
  ~Both() { sycl::free(data_, queue_); }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(data_); }

 private:
  sycl::queue queue_;
  std::size_t count_;
  T* data_;
};

class SyclKernels : public ::testing::Test {
 protected:
  static sycl::device device() {
    const auto all = on_sycl::usable_devices();
    if (all.empty()) throw std::runtime_error("no device of SYCL is here");
    return all.front();
  }
  sycl::queue queue{device(), sycl::property::queue::in_order()};
  on_sycl::KernelTable table{queue.get_device(), queue.get_context(), {SHARDFFT_SYCL_SOURCES "/tests"}};

  template <BlockFunctor K>
  void run(const K& kernel) {
    table.launch(queue, kernel, "device/sycl/kernels.hpp");
    queue.wait_and_throw();
  }
  /// Runs the kernel there and here; both results are to have the same bits.
  template <BlockFunctor K, class T>
  void compare(K kernel, T* K::* out, std::size_t count) {
    const Both<T> there(queue, count), here(queue, count);
    std::memset(there.data(), 0x55, count * sizeof(T)), std::memset(here.data(), 0x55, count * sizeof(T));
    kernel.*out = there.data();
    run(kernel);
    kernel.*out = here.data();
    run_on_host(kernel);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(same(there.data()[i], here.data()[i])) << "number " << i << ", seed 61";
  }
  /// Which NaN it is nobody promises.
  template <class T>
  static bool same(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a) && std::isnan(b)) return true;
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  std::mt19937_64 random{61};

  /// Any bits, and what is special.
  template <class T>
  std::vector<T> any_numbers(std::size_t count) {
    const auto infinity = std::numeric_limits<T>::infinity();
    std::vector<T> all{0,
                       T(-0.0),
                       1,
                       -1,
                       infinity,
                       -infinity,
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::quiet_NaN()};
    while (all.size() < count) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      all.push_back(kernels::same_bits<T>(static_cast<Bits>(random())));
      all.push_back(std::uniform_real_distribution<T>(-2, 2)(random));
    }
    all.resize(count);
    return all;
  }

  template <class T>
  void compare_arithmetic() {
    const std::size_t count = 3001;
    const Both<T> x(queue, any_numbers<T>(count));
    std::vector<T> others = any_numbers<T>(count);
    std::shuffle(others.begin(), others.end(), random);
    const Both<T> y(queue, others);
    ExactArithmetic<T> kernel;
    kernel.count = static_cast<Index>(count), kernel.x = x.data(), kernel.y = y.data();
    compare(kernel, &ExactArithmetic<T>::out, count * ExactArithmetic<T>::results);
  }
  template <class T, int parts>
  void compare_packs() {
    const std::size_t packs = 517;
    const Both<T> x(queue, any_numbers<T>(packs * parts));
    Packed<T, parts> kernel;
    kernel.count = static_cast<Index>(packs), kernel.x = x.data();
    compare(kernel, &Packed<T, parts>::out, packs * parts);
  }
  template <class T>
  void compare_roots(Index n) {
    const Both<T> out(queue, static_cast<std::size_t>(2 * n));
    run(Roots<T>{{n}, kernels::UnitRoots(n), out.data()});
    for (Index k = 0; k < n; ++k) {
      const auto right = std::polar(1.0L, 2 * long_pi * static_cast<long double>(k) / static_cast<long double>(n));
      const std::complex<long double> got(out.data()[2 * k], out.data()[2 * k + 1]);
      ASSERT_LE(std::abs(got - right), 2 * std::numeric_limits<T>::epsilon()) << k << " of " << n;
    }
  }
  template <class T>
  void compare_fused(DeviceTransform transform, Index n, int count) {
    const FusedSpec spec{
        .scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .transform = transform, .n = n, .scale = 0.5};
    const auto [families, from_bytes, to_bytes] = random_families(random, spec, 9, count);
    const FusedTable prepared = make_fused_table(spec, families);
    const Both<std::byte> memory(queue, prepared.memory);
    std::vector<T> numbers(static_cast<std::size_t>(from_bytes) / sizeof(T));
    for (T& x : numbers) x = std::uniform_real_distribution<T>(-1, 1)(random);
    const Both<T> from(queue, numbers);
    const std::size_t results = static_cast<std::size_t>(to_bytes) / sizeof(T) + 3;
    const Both<T> there(queue, std::vector<T>(results, T(77))), here(queue, std::vector<T>(results, T(77)));
    constexpr int at_once = fused_at_once(sizeof(T), 1);
    const auto kernel_to = [&](const Both<T>& to) {
      MoveBases bases;
      bases.start[static_cast<int>(MoveBase::input)] = from.bytes();
      bases.start[static_cast<int>(MoveBase::output)] = to.bytes();
      return FusedMoves<T, at_once>{{spec, prepared.view(memory.data()), bases}};
    };
    run(kernel_to(there));
    run_on_host(kernel_to(here));
    for (std::size_t i = 0; i < results; ++i)
      ASSERT_TRUE(same(there.data()[i], here.data()[i])) << "number " << i << " of n = " << n << ", seed 61";
  }
};

TEST_F(SyclKernels, RoundEachOperationByItself) {
  compare_arithmetic<float>();
  compare_arithmetic<double>();
}

TEST_F(SyclKernels, ReadAndWritePacks) {
  compare_packs<float, 1>();
  compare_packs<float, 2>();
  compare_packs<float, 4>();
  compare_packs<double, 1>();
  compare_packs<double, 2>();
}

TEST_F(SyclKernels, KnowUnitRoots) {
  for (const Index n : {1, 2, 3, 8, 101, 4096, 10007}) {
    compare_roots<float>(n);
    compare_roots<double>(n);
  }
}

// The last block has fewer warps than others.
TEST_F(SyclKernels, AnswerInWarpsAsTheHostDoes) {
  constexpr Index warps = 37;
  static_assert(warps % kernels::warps_of_block != 0);
  std::vector<double> numbers(static_cast<std::size_t>(warps * kernels::warp_lanes));
  for (double& x : numbers) x = std::uniform_real_distribution<>(-1, 1)(random) * std::ldexp(1.0, random() % 40);
  const Both<double> x(queue, numbers);
  WarpAnswers kernel;
  kernel.warps = warps, kernel.x = x.data();
  compare(kernel, &WarpAnswers::out, numbers.size());
}

TEST_F(SyclKernels, MovePencilsOfFusedTransforms) {
  for (const DeviceTransform transform : {DeviceTransform::forward, DeviceTransform::r2c, DeviceTransform::c2r})
    for (const Index n : {2, 34, 128, 256})
      for (const int families : {1, 3}) {
        compare_fused<float>(transform, n, families);
        compare_fused<double>(transform, n, families);
      }
}

}  // namespace
}  // namespace shardfft::testing
