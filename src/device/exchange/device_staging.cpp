#include "device/exchange/device_staging.hpp"

namespace shardfft {

DeviceStaging::DeviceStaging(std::shared_ptr<Device> device, Queue& queue, std::function<void(const Event&)> await)
    : device_(std::move(device)), queue_(queue), await_(std::move(await)), done_(device_->make_event()) {}

void DeviceStaging::need(std::size_t bytes) {
  if (bytes > memory_.bytes()) memory_ = {device_, bytes, "heads of messages that a device makes", MemoryKind::pinned};
}

std::byte* DeviceStaging::lend() {
  await_(*done_);
  return memory_.data();
}

void DeviceStaging::finish() {
  leave();
  await_(*done_);
}

void DeviceStaging::leave() { queue_.record(*done_); }

}  // namespace shardfft
