#include "device/sweep/launches/device_queues.hpp"

namespace shardfft {

DeviceQueues::DeviceQueues(Device& device, int count) : forked_(device.make_event()), captured_(device.make_queue()) {
  for (int number = 1; number < count; ++number) more_.push_back({device.make_queue(), device.make_event()});
}

void DeviceQueues::fork(Queue& first, int used) const {
  if (used > 1) first.record(*forked_);
  for (int number = 1; number < used; ++number) queue(number, first).wait(*forked_);
}

void DeviceQueues::join(Queue& first, int used) const {
  for (int number = 1; number < used; ++number) {
    Event& done = *more_[static_cast<std::size_t>(number) - 1].done;
    queue(number, first).record(done);
    first.wait(done);
  }
}

}  // namespace shardfft
