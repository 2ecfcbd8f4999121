// Stands for CUDA's run-time library on a machine without a GPU, so that every line of src/device/gpu and every kernel
// that it launches runs in a test. Streams do at once what they are asked for: that work waits for the right events is
// what the emulated device shows. What is checked here:
//   memory   of devices is open only while a stream works, has a page without access behind its last byte, and none of
//            it is used again once it was freed
//   calls    that CUDA refuses are refused, and leave the thread's last error
//   barriers are reached by all threads of a block, or by none; between two of them threads run in order, and in the
//            reverse of it, in turn
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_runtime_api.h"
#include "device/cuda_stand_in/driver.h"
#include "device/cuda_stand_in/streams.hpp"
#include "device/cuda_stand_in/work.hpp"

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace {

using Byte = unsigned char;
constexpr int devices = 2;
std::atomic<int> questions{0};
constexpr std::size_t page = 4096, device_bytes = std::size_t{1} << 30;

[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "stand-in of CUDA: %s\n", why);
  std::abort();
}

struct Block {
  std::size_t bytes, mapped;  ///< asked for; whole pages, and the one without access
  int device;
  void* start;
};

/// By the address that the caller got.
struct Memory {
  std::map<const Byte*, Block> of_devices{}, pinned{};
  std::size_t used[devices] = {};
  std::recursive_mutex lock{};
  int open = 0;

  static const std::pair<const Byte* const, Block>* find(const std::map<const Byte*, Block>& all, const void* memory) {
    const auto* at = static_cast<const Byte*>(memory);
    auto next = all.upper_bound(at);
    if (next == all.begin() || at >= (--next)->first + next->second.bytes) return nullptr;
    return &*next;
  }
  void protect(int access) {
    for (const auto& [start, block] : of_devices)
      if (mprotect(block.start, block.mapped - page, access) != 0) stop("mprotect failed");
  }
};
Memory& memory() {
  static Memory& all = *new Memory;  // plans may end after everything else
  return all;
}

thread_local cudaError_t last = cudaSuccess;
thread_local int chosen = 0;
bool reached[devices][devices] = {};

// Contexts since CUDA 12. A thread without one has the device that it chose; calls that need a context make it.
int device_of_thread() {
  int device = chosen;
  static_cast<void>(cuCtxGetDevice(&device));
  return device;
}
void make_current(int device) {
  CUcontext context = nullptr;
  if (cuDevicePrimaryCtxRetain(&context, device) != 0 || cuCtxSetCurrent(context) != 0) stop("a device has no context");
}
int used_device() {  // as all calls but those that only ask or choose
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) != 0) stop("the driver knows no threads");
  if (!context) make_current(chosen);
  return device_of_thread();
}

// A place of `bytes` that ends, but for 256 bytes of alignment, where a page without access begins.
Block map_block(std::size_t bytes, int device) {
  const std::size_t whole = (bytes + page - 1) / page * page + page;
  void* start = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) stop("mmap failed");
  if (mprotect(static_cast<Byte*>(start) + whole - page, page, PROT_NONE) != 0) stop("mprotect failed");
  std::memset(start, 0xff, whole - page);  // numbers that nobody wrote are none
  return {bytes, whole, device, start};
}
Byte* first_byte(const Block& block) {
  const std::size_t room = block.mapped - page - block.bytes;
  return static_cast<Byte*>(block.start) + room / 256 * 256;
}

/// One side of a copy that the host asked for: of a device, pinned, or any memory of the host.
void check_end(const void* place, std::size_t bytes, const char* what) {
  const auto* found = Memory::find(memory().of_devices, place);
  if (found && static_cast<const Byte*>(place) + bytes > found->first + found->second.bytes) stop(what);
}

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height) {
  if (width == 0 || height == 0) return;
  check_end(to, (height - 1) * to_pitch + width, "a copy writes behind the end of an allocation");
  check_end(from, (height - 1) * from_pitch + width, "a copy reads behind the end of an allocation");
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(static_cast<Byte*>(to) + row * to_pitch, static_cast<const Byte*>(from) + row * from_pitch, width);
}

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

}  // namespace

void __syncthreads() { block_threads().wait(); }

namespace {
// Ends where a page without access begins, and has numbers that are none in it.
struct DynamicShared {
  Block block{};
  Byte* start = nullptr;
  explicit DynamicShared(std::size_t bytes) {
    if (bytes == 0) return;
    block = map_block(bytes, used_device());
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
}  // namespace

unsigned char* dynamic_shared_memory() { return dynamic_shared->start; }

namespace shardfft::testing {

int questions_asked() { return questions; }

cudaError_t said(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}
int current_device() { return used_device(); }

DeviceWork::DeviceWork() {
  memory().lock.lock();
  if (memory().open++ == 0) memory().protect(PROT_READ | PROT_WRITE);
}
DeviceWork::~DeviceWork() {
  if (--memory().open == 0) memory().protect(PROT_NONE);
  memory().lock.unlock();
}
void require_device_memory(const void* place, std::size_t bytes, const char* what) {
  if (!Memory::find(memory().of_devices, place)) stop(what);
  check_end(place, bytes, what);
}

}  // namespace shardfft::testing

using shardfft::testing::ask;
using shardfft::testing::DeviceWork;
using shardfft::testing::said;
using shardfft::testing::unless_captured;
using Locked = std::lock_guard<std::recursive_mutex>;

const char* cudaGetErrorName(cudaError_t error) {
  constexpr const char* names[] = {"cudaSuccess",
                                   "cudaErrorInvalidValue",
                                   "cudaErrorMemoryAllocation",
                                   "cudaErrorNotReady",
                                   "cudaErrorNotSupported",
                                   "cudaErrorPeerAccessAlreadyEnabled",
                                   "cudaErrorInvalidResourceHandle",
                                   "cudaErrorInvalidDevice",
                                   "cudaErrorIllegalAddress",
                                   "cudaErrorStreamCaptureUnsupported",
                                   "cudaErrorStreamCaptureInvalidated",
                                   "cudaErrorStreamCaptureUnjoined",
                                   "cudaErrorStreamCaptureIsolation",
                                   "cudaErrorCapturedEvent"};
  return names[error];
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  ++questions;
  *count = devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = device_of_thread();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return said(cudaErrorInvalidDevice);
  chosen = device;
  make_current(device);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* about, int) {
  *about = {"stand-in of a GPU", device_bytes, 9, 0, 1 << 20, 2};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 2;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int other) {
  *can = device != other;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
  const Locked locked(memory().lock);
  const int current = used_device();
  if (other == current || other < 0 || other >= devices) return said(cudaErrorInvalidDevice);
  if (reached[current][other]) return said(cudaErrorPeerAccessAlreadyEnabled);
  reached[current][other] = true;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** place, std::size_t bytes) {
  if (const cudaError_t refused = unless_captured()) return refused;
  const Locked locked(memory().lock);
  const int current = used_device();
  if (bytes > device_bytes - memory().used[current]) return said(cudaErrorMemoryAllocation);
  const Block block = map_block(bytes, current);
  memory().used[current] += bytes;
  *place = first_byte(block);
  memory().of_devices[first_byte(block)] = block;
  if (memory().open == 0 && mprotect(block.start, block.mapped - page, PROT_NONE) != 0) stop("mprotect failed");
  return cudaSuccess;
}
cudaError_t cudaFree(void* place) {
  used_device();
  if (const cudaError_t refused = unless_captured()) return refused;
  const Locked locked(memory().lock);
  const auto found = memory().of_devices.find(static_cast<Byte*>(place));
  if (found == memory().of_devices.end()) return said(cudaErrorInvalidValue);
  memory().used[found->second.device] -= found->second.bytes;
  // Its addresses stay taken: whoever still uses them is stopped there.
  if (mmap(found->second.start, found->second.mapped, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    stop("mmap failed");
  memory().of_devices.erase(found);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** place, std::size_t bytes, unsigned) {
  used_device();
  if (const cudaError_t refused = unless_captured()) return refused;
  const Locked locked(memory().lock);
  const Block block = map_block(bytes, -1);
  *place = first_byte(block);
  memory().pinned[first_byte(block)] = block;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* place) {
  used_device();
  const Locked locked(memory().lock);
  const auto found = memory().pinned.find(static_cast<Byte*>(place));
  if (found == memory().pinned.end() || !found->second.start) return said(cudaErrorInvalidValue);
  munmap(found->second.start, found->second.mapped);
  memory().pinned.erase(found);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* place, std::size_t bytes, unsigned) {
  used_device();
  const Locked locked(memory().lock);
  if (Memory::find(memory().pinned, place)) return said(cudaErrorInvalidValue);
  memory().pinned[static_cast<Byte*>(place)] = {bytes, 0, -1, nullptr};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* place) {
  used_device();
  const Locked locked(memory().lock);
  const auto found = memory().pinned.find(static_cast<Byte*>(place));
  if (found == memory().pinned.end() || found->second.start) return said(cudaErrorInvalidValue);
  memory().pinned.erase(found);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned) {
  const Locked locked(memory().lock);
  *there = here;
  return Memory::find(memory().pinned, here) ? cudaSuccess : said(cudaErrorInvalidValue);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  const Locked locked(memory().lock);
  *free = device_bytes - memory().used[used_device()];
  *all = device_bytes;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* place) {
  used_device();
  ++questions;
  const Locked locked(memory().lock);
  *about = {cudaMemoryTypeUnregistered, -1};
  if (const auto* found = Memory::find(memory().of_devices, place))
    *about = {cudaMemoryTypeDevice, found->second.device};
  else if (Memory::find(memory().pinned, place))
    *about = {cudaMemoryTypeHost, used_device()};
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new StandInStream{used_device()};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  used_device();
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  used_device();
  return unless_captured(stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  used_device();
  return unless_captured(stream);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  used_device();
  *event = new StandInEvent{(flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  used_device();
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  used_device();
  return unless_captured(event);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  used_device();
  return unless_captured(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (!from->timed || !to->timed || !from->recorded || !to->recorded) return said(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return said(cudaErrorInvalidValue);
  return ask(stream, [=] {
    const DeviceWork work;
    copy_rows(to, to_pitch, from, from_pitch, width, height);
  });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  const cudaExtent& e = box->extent;
  for (const cudaPitchedPtr& end : {box->srcPtr, box->dstPtr})
    if (e.width > end.pitch || e.height > end.ysize) return said(cudaErrorInvalidValue);
  return ask(stream, [to = box->dstPtr, from = box->srcPtr, e] {
    const DeviceWork work;
    for (std::size_t plane = 0; plane < e.depth; ++plane)
      copy_rows(static_cast<Byte*>(to.ptr) + plane * to.pitch * to.ysize, to.pitch,
                static_cast<const Byte*>(from.ptr) + plane * from.pitch * from.ysize, from.pitch, e.width, e.height);
  });
}
cudaError_t cudaMemsetAsync(void* place, int value, std::size_t bytes, cudaStream_t stream) {
  return ask(stream, [=] {
    const DeviceWork work;
    shardfft::testing::require_device_memory(place, bytes, "memory that is set is no allocation of a device");
    std::memset(place, value, bytes);
  });
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  const Locked locked(memory().lock);
  if (value < 0 || static_cast<std::size_t>(value) > most_shared_bytes) return said(cudaErrorInvalidValue);
  allowed_shared()[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}
namespace {
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
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  if (grid.x == 0 || block.x == 0 || block.x * block.y > 1024 || block.z != 1) return said(cudaErrorInvalidValue);
  {
    const Locked locked(memory().lock);
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

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcCloseMemHandle(void*) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) { return said(cudaErrorNotSupported); }
