#include "device/transport/device_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "shardfft/error.hpp"
#include "support/text/number.hpp"

namespace shardfft {
namespace {

std::size_t number_from(const char* variable, std::size_t otherwise, std::size_t low, std::size_t high) {
  const char* value = std::getenv(variable);
  if (!value || !*value) return otherwise;
  const std::string_view text = value;
  std::size_t number = 0;
  if (!read_number(text, number) || number < low || number > high)
    throw Error(Status::invalid_argument, fmt::format("{} is a whole number from {} to {}, got '{}'; unset it for {}",
                                                      variable, low, high, text, otherwise));
  return number;
}

}  // namespace

CopySettings copy_settings() {
  const CopySettings usual;
  return {
      .queues = static_cast<int>(number_from("SHARDFFT_COPY_QUEUES", static_cast<std::size_t>(usual.queues), 1, 16)),
      .part_bytes = number_from("SHARDFFT_COPY_BYTES", usual.part_bytes, 64, std::size_t{1} << 40)};
}

CopyQueues::CopyQueues(const std::shared_ptr<Device>& device, const CopySettings& settings, bool staged)
    : part_bytes_(settings.part_bytes), lanes_(static_cast<std::size_t>(settings.queues)), tail_(device->make_queue()) {
  if (staged)
    stages_ =
        DeviceMemory(device, part_bytes_ * lanes_.size(), "messages on their way through the host", MemoryKind::pinned);
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i] = {.queue = device->make_queue(),
                 .copied = device->make_event(),
                 .stage = staged ? stages_.data() + i * part_bytes_ : nullptr};
}

CopyQueues::~CopyQueues() {
  for (const CopyLane& lane : lanes_) lane.queue->finish();
  tail_->finish();
}

void CopyQueues::wait(const Event& event) {
  wait_for([&](Queue& lane) { lane.wait(event); });
}

template <class Copy>
void CopyQueues::in_parts(std::byte* to, const std::byte* from, std::size_t bytes, Copy copy) {
  for (std::size_t done = 0; done < bytes; done += part_bytes_) {
    CopyLane& lane = lanes_[next_];
    next_ = (next_ + 1) % lanes_.size();
    lane.used = true;
    copy(lane, to + done, from + done, std::min(part_bytes_, bytes - done));
  }
}

void CopyQueues::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  in_parts(to, from, bytes, [](const CopyLane& lane, std::byte* there, const std::byte* here, std::size_t n) {
    lane.queue->copy(there, here, n);
  });
}

// A lane does one thing after the other: its stage is free again when the next part comes.
void CopyQueues::copy_through_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  in_parts(to, from, bytes, [](const CopyLane& lane, std::byte* there, const std::byte* here, std::size_t n) {
    lane.queue->copy(lane.stage, here, n);
    lane.queue->copy(there, lane.stage, n);
  });
}

void CopyQueues::record(Event& event) {
  for (CopyLane& lane : lanes_) {
    if (!std::exchange(lane.used, false)) continue;
    lane.queue->record(*lane.copied);
    tail_->wait(*lane.copied);
  }
  tail_->record(event);
}

}  // namespace shardfft
