#include "device/gpu/event.hpp"

#include <bit>

#include "device/gpu/check.hpp"
#include "shardfft/error.hpp"

namespace shardfft::SHARDFFT_GPU {

static_assert(sizeof(gpuIpcEventHandle_t) == sizeof(SharedName));

GpuEvent::GpuEvent(int device, EventUse kind) : device_(device), shareable_(kind == EventUse::shareable) {
  const OnDevice on(device_);
  const unsigned flags = gpuEventSystemScope | (kind == EventUse::timed ? 0
                                                : shareable_            ? gpuEventDisableTiming | gpuEventInterprocess
                                                                        : gpuEventDisableTiming);
  check(gpuEventCreateWithFlags(&event_, flags), "making an event");
}

GpuEvent::GpuEvent(int device, const SharedName& name) : device_(device), shareable_(false) {
  const OnDevice on(device_);
  check(gpuIpcOpenEventHandle(&event_, std::bit_cast<gpuIpcEventHandle_t>(name)),
        "opening an event of another process");
}

GpuEvent::~GpuEvent() {
  if (event_) release_on(device_, [&] { ignore(gpuEventDestroy(event_)); });
}

bool GpuEvent::done() const {
  const OnDevice on(device_);
  const gpuError_t result = gpuEventQuery(event_);
  if (result == gpuErrorNotReady) {
    forget_error();
    return false;
  }
  check(result, "asking for an event");
  return true;
}

void GpuEvent::synchronize() const {
  const OnDevice on(device_);
  check(gpuEventSynchronize(event_), "waiting for an event");
}

double GpuEvent::seconds_since(const Event& earlier) const {
  const OnDevice on(device_);
  float milliseconds = 0;
  check(gpuEventElapsedTime(&milliseconds, of_this_driver<GpuEvent>(earlier).get(), event_), "time between two events");
  return 1e-3 * static_cast<double>(milliseconds);
}

SharedName GpuEvent::share() const {
  if (!shareable_)
    throw Error(Status::unsupported,
                "only events made shareable, by make_event(true), have a name for other processes");
  const OnDevice on(device_);
  gpuIpcEventHandle_t handle{};
  check(gpuIpcGetEventHandle(&handle, event_), "naming an event for other processes");
  return std::bit_cast<SharedName>(handle);
}

}  // namespace shardfft::SHARDFFT_GPU
