#include "device/pipeline/queue_times.hpp"

namespace shardfft {

QueueTimes::QueueTimes(const DeviceContext& on, std::size_t marks) : queue_(on.queue) {
  for (std::size_t i = 0; i <= marks; ++i) events_.push_back(on.device->make_timed_event());
  lines_.reserve(marks);
}

void QueueTimes::start() {
  lines_.clear();
  settled_ = false;
  queue_->record(*events_.front());
}

void QueueTimes::mark(std::optional<std::size_t> line) {
  if (settled_ || lines_.size() == lines_.capacity()) return;
  lines_.push_back(line);
  queue_->record(*events_[lines_.size()]);
}

void QueueTimes::settle(std::vector<StepReport>& lines) {
  if (settled_) return;
  settled_ = true;
  events_[lines_.size()]->synchronize();
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i]) lines[*lines_[i]].seconds += events_[i + 1]->seconds_since(*events_[i]);
}

}  // namespace shardfft
