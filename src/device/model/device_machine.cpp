#include "device/model/device_machine.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "device/model/device_file.hpp"
#include "planner/model/model.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

// Devices in use on the first node, which stands for all nodes. Ranks of a dry run share out all devices that are here,
// unless one is named. Processes that see one device each call all of them number 0, and count as sharing it.
int devices_in_use(const Comm& comm, const Device& device, const std::string& name) {
  if (comm.kind() == "dry_run")
    return name.find(':') != name.npos ? 1 : std::min(find_driver(device.space())->count(), ranks_on_first_node(comm));
  const auto numbers = all_values(comm, device.number());
  std::set<std::int64_t> used;
  for (int r = 0; r < comm.size(); ++r)
    if (comm.node(r) == comm.node(0)) used.insert(numbers[static_cast<std::size_t>(r)]);
  return static_cast<int>(used.size());
}

double giga(double bytes_per_s) { return bytes_per_s / 1e9; }

}  // namespace

DeviceMachine known_device(const Comm& comm, const Device& device, const std::string& name) {
  DeviceMachine m;
  collectively(comm, [&] {
    if (comm.rank() > 0) return;
    load_measured(m, device);
    m.cache_bytes = static_cast<Index>(device.facts().cache_bytes);
  });
  m.devices = devices_in_use(comm, device, name);
  comm.broadcast(std::as_writable_bytes(std::span(&m, 1)), 0);
  return m;
}

// Twice as much may be chance: another program on the host's cores slows down the one and not the other.
std::string contradiction_in(const DeviceMachine& m) {
  constexpr double slack = 2;
  const double one_way = std::max(m.to_device_bytes_per_s, m.from_device_bytes_per_s),
               both_ways = m.to_device_bytes_per_s + m.from_device_bytes_per_s;
  if (slack * m.both_bytes_per_s < one_way)
    return fmt::format("{:.4g} GB/s from and to the host at once are less than {:.4g} GB/s one way",
                       giga(m.both_bytes_per_s), giga(one_way));
  if (m.both_bytes_per_s > slack * both_ways)
    return fmt::format("{:.4g} GB/s from and to the host at once are more than {:.4g} GB/s one way after the other",
                       giga(m.both_bytes_per_s), giga(both_ways));
  if (m.peer_kernel_bytes_per_s > slack * m.rows_bytes_per_s)
    return fmt::format("{:.4g} GB/s stored at another device are more than {:.4g} GB/s within the device",
                       giga(m.peer_kernel_bytes_per_s), giga(m.rows_bytes_per_s));
  return {};
}

std::string to_string(const DeviceMachine& m) {
  const Index shortest = Rates::lengths.front(), longest = Rates::lengths.back();
  std::string text = fmt::format(
      "{:.4g} GB/s in rows, {:.4g} transposed; transforms of {} and {} at {:.4g} and {:.4g} GB/s in f64, {:.4g} and "
      "{:.4g} in f32",
      giga(m.rows_bytes_per_s), giga(m.tiles_bytes_per_s), shortest, longest, giga(m.f64.at(shortest)),
      giga(m.f64.at(longest)), giga(m.f32.at(shortest)), giga(m.f32.at(longest)));
  text += fmt::format("; {:.4g} GB/s from the host, {:.4g} to it, {:.4g} both at once; ", giga(m.to_device_bytes_per_s),
                      giga(m.from_device_bytes_per_s), giga(m.both_bytes_per_s));
  text += m.has_peers() ? fmt::format("{:.4g} GB/s copied to another device, {:.4g} stored there",
                                      giga(m.peer_copy_bytes_per_s), giga(m.peer_kernel_bytes_per_s))
                        : std::string("no other device in reach");
  return text + fmt::format("; {:.3g} us a launch", m.launch_s * 1e6);
}

}  // namespace shardfft
