// Execution spaces: how many threads, which device, which stream. Those of devices are stand-ins that have what
// Kokkos::Cuda and Kokkos::HIP have; no device is used.
#include "some_views.hpp"

namespace shardfft::testing {
namespace {

struct LikeCuda {
  void* stream = nullptr;
  [[nodiscard]] void* cuda_stream() const { return stream; }
  [[nodiscard]] int cuda_device() const { return 1; }
};
struct LikeHip {
  void* stream = nullptr;
  [[nodiscard]] void* hip_stream() const { return stream; }
  [[nodiscard]] int hip_device() const { return 2; }
};
struct ThreeThreads {
  using memory_space = Kokkos::HostSpace;
  [[nodiscard]] int concurrency() const { return 3; }
};

TEST(kokkos_spaces, OfTheHostSayHowManyThreadsThereAre) {
  Options options, chosen{.threads = 2};
  kokkos::follow(ThreeThreads{}, options);
  kokkos::follow(ThreeThreads{}, chosen);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.device, "");
  EXPECT_EQ(chosen.threads, 2);
  static_assert(kokkos::is_host<Host> && !kokkos::is_cuda<Host> && !kokkos::is_hip<Host>);
}

TEST(kokkos_spaces, OfDevicesSayWhichOneAndWhichStream) {
  int stream = 0;
  Options cuda, hip;
  kokkos::follow(LikeCuda{&stream}, cuda);
  kokkos::follow(LikeHip{&stream}, hip);
  EXPECT_EQ(cuda.device, "cuda:1");
  EXPECT_EQ(cuda.queue, &stream);
  EXPECT_EQ(hip.device, "hip:2");
  EXPECT_EQ(hip.queue, &stream);
  EXPECT_EQ(cuda.threads, 0);
}

}  // namespace
}  // namespace shardfft::testing
