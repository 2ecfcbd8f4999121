#include "shardfft/programs/limit.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "device/device.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

constexpr double largest = 1 << 30;
constexpr int limit_repetitions = 5;

// Best of several, of all ranks at once.
template <class Work>
double seconds_of(const Comm& comm, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= limit_repetitions; ++i) {
    comm.barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    const double seconds =
        all_max(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (i > 0) best = std::min(best, seconds);  // the first one warms up
  }
  return best;
}

struct Copies {
  std::shared_ptr<Device> device;
  DeviceMemory from, to;
  std::unique_ptr<Queue> one, other;
};

}  // namespace

Limit measure_device_limit(const Comm& comm, const Problem& problem, const std::string& device, bool arrays_there) {
  const double share = array_bytes(problem) / comm.size();
  std::size_t bytes = 0;
  Copies c;
  collectively(comm, [&] { c.device = find_device(device, rank_on_node(comm)); });
  // Beside the plan and its arrays; ranks may share the device.
  const double room = -all_max(comm, -static_cast<double>(c.device->facts().free_bytes)) / (4.0 * comm.size());
  collectively(comm, [&] {
    bytes = static_cast<std::size_t>(std::max(1.0, std::min({share, largest, room})));
    c.from = DeviceMemory(c.device, bytes, "measuring the limit");
    c.to = DeviceMemory(c.device, bytes, "measuring the limit", arrays_there ? MemoryKind::device : MemoryKind::pinned);
    c.one = c.device->make_queue();
    c.other = c.device->make_queue();
  });
  // There: read and written. From the host: an array comes while another one leaves.
  const DeviceMemory coming = arrays_there ? DeviceMemory() : DeviceMemory(c.device, bytes, "measuring the limit");
  const double seconds = seconds_of(comm, [&] {
    c.one->copy(c.to.data(), c.from.data(), bytes);
    if (!arrays_there) c.other->copy(coming.data(), c.to.data(), bytes);
    c.one->synchronize();
    c.other->synchronize();
  });
  Limit limit;
  limit.copy_s = 2 * share / static_cast<double>(bytes) * seconds;
  limit.copy_bytes_per_s = 2 * static_cast<double>(bytes) * comm.size() / seconds;
  return limit;
}

}  // namespace shardfft
