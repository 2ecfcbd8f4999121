// Launches of kernels on what stands for CUDA. Barriers are reached by all threads of a block, or by none; between two
// of them threads run in order, and in the reverse of it, in turn.
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "cuda_runtime_api.h"
#include "device/cuda_stand_in/memory.hpp"
#include "device/cuda_stand_in/streams.hpp"
#include "device/cuda_stand_in/work.hpp"

dim3 threadIdx, blockIdx, blockDim, gridDim;

using namespace shardfft::testing;

namespace {

// Threads of a block as coroutines: each runs until it comes to a barrier or to its end. Made once, for all launches;
// the jumps between them ask the system for nothing.
class Threads {
 public:
  void run(void (*kernel)(const void*), const void* argument, dim3 block_size, unsigned blocks) {
    kernel_ = kernel;
    argument_ = argument;
    row_ = block_size.x;
    const unsigned threads = block_size.x * block_size.y;
    while (fibers_.size() < threads) add();
    for (unsigned block = 0; block < blocks; ++block) {
      blockIdx = dim3(block);
      for (bool reverse = false; turn(threads, reverse);) reverse = !reverse;
    }
  }
  void wait() {
    fibers_[running_]->waits = true;
    leave();
  }

 private:
  static constexpr std::size_t stack_bytes = 64 * 1024;
  struct Fiber {
    jmp_buf here{};
    ucontext_t begin{};
    std::unique_ptr<Byte[]> stack{new Byte[stack_bytes]};
    bool began = false, waits = false;
  };

  void add() {
    auto fiber = std::make_unique<Fiber>();
    getcontext(&fiber->begin);
    fiber->begin.uc_stack.ss_sp = fiber->stack.get();
    fiber->begin.uc_stack.ss_size = stack_bytes;
    makecontext(&fiber->begin, &Threads::body, 0);
    fibers_.push_back(std::move(fiber));
  }
  static void body();
  void leave() {
    if (_setjmp(fibers_[running_]->here) == 0) _longjmp(scheduler_, 1);
  }
  void enter(Fiber& fiber) {
    if (_setjmp(scheduler_) != 0) return;
    if (fiber.began) _longjmp(fiber.here, 1);
    fiber.began = true;
    setcontext(&fiber.begin);
  }
  // Every thread from one barrier to the next one; false at the end.
  bool turn(unsigned threads, bool reverse) {
    unsigned waiting = 0;
    for (unsigned k = 0; k < threads; ++k) {
      running_ = reverse ? threads - 1 - k : k;
      threadIdx = dim3(running_ % row_, running_ / row_);
      fibers_[running_]->waits = false;
      enter(*fibers_[running_]);
      waiting += fibers_[running_]->waits;
    }
    if (waiting != 0 && waiting != threads) stop("a barrier was not reached by all threads of its block");
    return waiting != 0;
  }

  void (*kernel_)(const void*) = nullptr;
  const void* argument_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_{};
  jmp_buf scheduler_{};
  unsigned running_ = 0, row_ = 1;
};
Threads& block_threads() {
  static Threads& all = *new Threads;
  return all;
}
void Threads::body() {
  for (Threads& all = block_threads();; all.leave()) all.kernel_(all.argument_);
}

// Ends where a page without access begins, and has numbers that are none in it.
struct DynamicShared {
  Allocation block{};
  Byte* start = nullptr;
  explicit DynamicShared(std::size_t bytes) {
    if (bytes == 0) return;
    block = map_block(bytes, current_device());
    start = static_cast<Byte*>(block.start) + (block.mapped - page - bytes) / 16 * 16;
  }
  DynamicShared(const DynamicShared&) = delete;
  DynamicShared& operator=(const DynamicShared&) = delete;
  ~DynamicShared() {
    if (start) munmap(block.start, block.mapped);
  }
};
const DynamicShared* dynamic_shared = nullptr;

// By kernel: how much it may have beyond what all may.
std::map<const void*, std::size_t>& allowed_shared() {
  static auto& all = *new std::map<const void*, std::size_t>;
  return all;
}
constexpr std::size_t usual_shared_bytes = 48 * 1024, most_shared_bytes = 227 * 1024;  // of compute capability 9.0

// A kernel's argument lies on the stack of who launches it, for as long as the call lasts. How long it is only the
// vendor's compiler knows: at most what CUDA allows.
std::shared_ptr<Byte[]> copy_of_argument(const void* argument) {
  pthread_attr_t about;
  void* stack = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &about) != 0 || pthread_attr_getstack(&about, &stack, &bytes) != 0)
    stop("a thread has no stack");
  pthread_attr_destroy(&about);
  const auto *first = static_cast<const Byte*>(stack), *at = static_cast<const Byte*>(argument);
  if (at < first || at >= first + bytes) stop("a kernel's argument does not lie on the stack");
  constexpr std::size_t most = 4096;
  std::shared_ptr<Byte[]> copy(new Byte[most]);
  std::memcpy(copy.get(), at, std::min(most, static_cast<std::size_t>(first + bytes - at)));
  return copy;
}

}  // namespace

void __syncthreads() { block_threads().wait(); }
unsigned char* dynamic_shared_memory() { return dynamic_shared->start; }

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  const Locked locked(allocations().lock);
  if (value < 0 || static_cast<std::size_t>(value) > most_shared_bytes) return said(cudaErrorInvalidValue);
  allowed_shared()[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  if (grid.x == 0 || block.x == 0 || block.x * block.y > 1024 || block.z != 1) return said(cudaErrorInvalidValue);
  {
    const Locked locked(allocations().lock);
    if (shared_bytes > std::max(usual_shared_bytes, allowed_shared()[kernel])) return said(cudaErrorInvalidValue);
  }
  return ask(stream, [=, argument = copy_of_argument(arguments[0])] {
    const DeviceWork work;
    const DynamicShared shared(shared_bytes);
    dynamic_shared = &shared;
    gridDim = grid;
    blockDim = block;
    // By address, for __grid_constant__ makes a reference of the argument.
    block_threads().run(reinterpret_cast<void (*)(const void*)>(const_cast<void*>(kernel)), argument.get(), block,
                        grid.x);
  });
}
