#include "device/transport/device_host.hpp"

#include <fmt/format.h>

#include <exception>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

/// Those that somebody must have asked for (fallback()) are left out.
template <class Take>
void for_host_transports(const Comm& comm, Take take) {
  for (const Transport* t : transports())
    if (!t->on_device() && t->name() != "dry_run" && !t->fallback() && t->refuses(comm).empty() && take(*t)) return;
}

}  // namespace

std::string why_no_host_transport(const Comm& comm) {
  bool found = false;
  for_host_transports(comm, [&](const Transport&) { return found = true; });
  return found ? std::string()
               : fmt::format("no transport for host memory serves {} ranks of kind {}, and this one needs one",
                             comm.size(), comm.kind());
}

std::unique_ptr<Channel> open_on_host(const Comm& comm, const Traffic& traffic) {
  std::unique_ptr<Channel> opened;
  std::exception_ptr why = std::make_exception_ptr(Error(Status::unsupported, why_no_host_transport(comm)));
  for_host_transports(comm, [&](const Transport& t) {
    try {
      opened = t.open(comm, traffic);
    } catch (const Error&) {  // on all ranks alike
      why = std::current_exception();
    }
    return opened != nullptr;
  });
  if (!opened) std::rethrow_exception(why);
  return opened;
}

std::shared_ptr<Device> device_of(const Comm& comm, const Traffic& traffic, const Transport& transport) {
  std::shared_ptr<Device> device;
  collectively(comm, [&] {
    if (!traffic.on || !traffic.on->device || !traffic.on->queue)
      throw Error(Status::invalid_argument,
                  fmt::format("transport {} moves messages in the memory of devices, and this traffic names no device "
                              "or no queue; take another transport",
                              transport.name()));
    if (const std::string why = transport.refuses(*traffic.on->device); !why.empty())
      throw Error(Status::unsupported, fmt::format("transport {} cannot serve this device: {}", transport.name(), why));
    device = find_driver(traffic.on->device->space())->open(traffic.on->device->number());
  });
  return device;
}

}  // namespace shardfft
