#include "device/transport/device_pins.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace shardfft {

std::vector<DevicePins::Range> whole_pages(std::vector<DevicePins::Range> ranges, std::size_t page) {
  for (auto& [start, end] : ranges) {
    start -= reinterpret_cast<std::uintptr_t>(start) % page;
    end += (page - reinterpret_cast<std::uintptr_t>(end) % page) % page;
  }
  std::sort(ranges.begin(), ranges.end());
  std::vector<DevicePins::Range> joined;
  for (const auto& range : ranges)
    if (!joined.empty() && range.first <= joined.back().second)
      joined.back().second = std::max(joined.back().second, range.second);
    else
      joined.push_back(range);
  return joined;
}

DevicePins::DevicePins(const std::shared_ptr<Device>& device, std::vector<Range> ranges) : device_(device) {
  for (const auto& [start, end] : whole_pages(std::move(ranges), static_cast<std::size_t>(sysconf(_SC_PAGESIZE))))
    if (device_->pin(start, static_cast<std::size_t>(end - start))) pinned_.push_back(start);
}

DevicePins::~DevicePins() {
  for (std::byte* start : pinned_) device_->unpin(start);
}

}  // namespace shardfft
