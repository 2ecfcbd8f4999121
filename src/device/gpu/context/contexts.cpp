#include "device/gpu/context/contexts.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>

namespace shardfft::SHARDFFT_GPU {
namespace {

using Context = void*;

// The runtime has no such questions, and a toolkit need not have the driver to link with. The driver's numbers of
// devices are the runtime's, and 0 is its success.
struct Driver {
  int (*state)(int device, unsigned* flags, int* active) = nullptr;
  int (*retain)(Context* context, int device) = nullptr;
  int (*current)(Context* context) = nullptr;
  int (*push)(Context context) = nullptr;
  int (*pop)(Context* context) = nullptr;

  Driver() {
    const char* const name = SHARDFFT_GPU_DRIVER_LIBRARY;
    void* const library = name ? dlopen(name, RTLD_NOW | RTLD_NOLOAD) : nullptr;  // the runtime has it already
    if (!library) return;
    find(library, "cuDevicePrimaryCtxGetState", state);
    find(library, "cuDevicePrimaryCtxRetain", retain);
    find(library, "cuCtxGetCurrent", current);
    find(library, "cuCtxPushCurrent_v2", push);
    find(library, "cuCtxPopCurrent_v2", pop);
  }

 private:
  template <class Call>
  static void find(void* library, const char* name, Call& call) {
    call = reinterpret_cast<Call>(dlsym(library, name));
  }
};

// Asked for after the first call of the runtime, which loads the driver.
const Driver& driver() {
  static const Driver found;
  return found;
}

// Retained once for each device; nullptr if the driver refuses.
Context primary_context(int device) {
  static std::mutex lock;
  static auto& known = *new std::map<int, Context>;  // devices outlive whoever still holds memory
  const std::lock_guard locked(lock);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  Context context = nullptr;
  if (driver().retain(&context, device) != 0 || !context) return nullptr;
  return known[device] = context;
}

int device_of_thread() {
  int device = 0;
  if (gpuGetDevice(&device) != gpuSuccess) static_cast<void>(gpuGetLastError());
  return device;
}

}  // namespace

int device_with_context(int devices) {
  const Driver& d = driver();
  Context context = nullptr;
  if (!d.state || !d.current || d.current(&context) != 0 || context) return device_of_thread();
  for (int device = 0; device < devices; ++device) {
    unsigned flags = 0;
    int active = 0;
    if (d.state(device, &flags, &active) != 0 || active != 0) return device;
  }
  return -1;
}

bool push_context(int device) noexcept {
  const Driver& d = driver();
  if (!d.retain || !d.push || !d.pop) return false;
  try {
    const Context context = primary_context(device);
    return context && d.push(context) == 0;
  } catch (...) { return false; }  // no memory for a table entry
}

void pop_context() noexcept {
  Context context = nullptr;
  static_cast<void>(driver().pop(&context));  // fails at the end of the program only, when the driver is gone
}

}  // namespace shardfft::SHARDFFT_GPU
