// What transports for the memory of devices ask of those for host memory.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// Empty when some transport for host memory serves `comm`; else why none does. Local.
[[nodiscard]] std::string why_no_host_transport(const Comm& comm);

/// Collective. `traffic` over the best transport for host memory that serves `comm` and can be opened. Throws the same
/// Error on all ranks.
[[nodiscard]] std::unique_ptr<Channel> open_on_host(const Comm& comm, const Traffic& traffic);

/// Collective. The device that the messages of `traffic` are in, owned. Throws the same Error on all ranks:
/// invalid_argument when some traffic names none or no queue, unsupported when `transport`, who asks, refuses one.
[[nodiscard]] std::shared_ptr<Device> device_of(const Comm& comm, const Traffic& traffic, const Transport& transport);

}  // namespace shardfft
