// What stands for CUDA stops programs that a GPU would harm, or that would harm it, and lets right ones pass.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda_stand_in/cufft.h"

namespace shardfft::testing {
namespace {

__global__ void count_up(int* const __grid_constant__ memory) { memory[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
// Every thread takes what its neighbour wrote before the barrier.
__global__ void shift(int* const __grid_constant__ memory) {
  __shared__ int shared[8];
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  memory[threadIdx.x] = shared[(threadIdx.x + 1) % 8];
}
__global__ void meet_half(int* const __grid_constant__) {
  if (threadIdx.x % 2) __syncthreads();
}
__global__ void write_far(int* const __grid_constant__ memory) { memory[4096] = 1; }

template <class Kernel>
cudaError_t launch(Kernel* kernel, unsigned blocks, unsigned threads, int* memory) {
  void* arguments[] = {&memory};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), arguments, 0, nullptr);
}

class StandInOfCuda : public ::testing::Test {
 protected:
  StandInOfCuda() {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), bytes), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(memory, 0, bytes, nullptr), cudaSuccess);
  }
  ~StandInOfCuda() override {
    EXPECT_TRUE(!memory || cudaFree(memory) == cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  std::vector<int> read() const {
    std::vector<int> all(bytes / sizeof(int));
    EXPECT_EQ(cudaMemcpyAsync(all.data(), memory, bytes, cudaMemcpyDefault, nullptr), cudaSuccess);
    return all;
  }
  static constexpr std::size_t bytes = 64 * sizeof(int);
  int* memory = nullptr;
};
using StandInOfCudaDeathTest = StandInOfCuda;

TEST_F(StandInOfCuda, RunsEveryThreadOfEveryBlockOnce) {
  ASSERT_EQ(launch(count_up, 4, 16, memory), cudaSuccess);
  EXPECT_EQ(read(), std::vector<int>(64, 1));
}

TEST_F(StandInOfCuda, ThreadsSeeBehindABarrierWhatOthersWroteBeforeIt) {
  ASSERT_EQ(launch(shift, 1, 8, memory), cudaSuccess);
  const std::vector<int> all = read();
  EXPECT_EQ(std::vector<int>(all.begin(), all.begin() + 8), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 0}));
}

TEST_F(StandInOfCuda, RefusesWhatCudaRefusesAndKeepsTheError) {
  EXPECT_EQ(launch(count_up, 1, 2048, memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(StandInOfCudaDeathTest, StopsWhoeverTouchesMemoryOfADeviceThatIsNotHis) {
  EXPECT_DEATH(memory[0] = 1, "");
  EXPECT_DEATH((void)launch(write_far, 1, 1, memory), "");
  EXPECT_DEATH((void)cudaMemsetAsync(memory, 0, bytes + 1, nullptr), "memory that is set");
  EXPECT_DEATH((void)cudaMemcpyAsync(memory, memory, bytes + 1, cudaMemcpyDefault, nullptr), "behind the end");
  int* const freed = memory;
  EXPECT_EQ(cudaFree(std::exchange(memory, nullptr)), cudaSuccess);
  EXPECT_DEATH((void)launch(count_up, 1, 1, freed), "");
}

TEST_F(StandInOfCudaDeathTest, StopsABlockWhoseThreadsDoNotAllMeet) {
  EXPECT_DEATH((void)launch(meet_half, 1, 8, memory), "not reached by all threads");
}

}  // namespace
}  // namespace shardfft::testing
