#include "device/sweep/launches/device_graphs.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace shardfft {

bool captures_sweeps() {
  const char* value = std::getenv("SHARDFFT_TEST_GRAPHS");
  return value == nullptr || std::string_view(value) != "off";
}

DeviceGraphs::Known& DeviceGraphs::known_of(Device& device, Queue& queue, const SweepArguments& arguments) {
  auto found = std::find_if(known_.begin(), known_.end(),
                            [&](const Known& k) { return k.runs > 0 && k.arguments == arguments; });
  if (found == known_.end()) {
    found = known_.end() - 1;
    if (found->graph) retire(device, queue, std::move(found->graph));
    *found = {.arguments = arguments};
  }
  std::rotate(known_.begin(), found, found + 1);
  return known_.front();
}

void DeviceGraphs::retire(Device& device, Queue& queue, std::unique_ptr<Graph> graph) {
  std::erase_if(retired_, [](const auto& r) { return r.second->done(); });
  auto& [kept, done] = retired_.emplace_back(std::move(graph), device.make_event());
  queue.record(*done);
}

}  // namespace shardfft
