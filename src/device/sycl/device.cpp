#include "device/sycl/device.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "device/sycl/errors.hpp"
#include "device/sycl/event.hpp"
#include "device/sycl/fft.hpp"
#include "device/sycl/moves.hpp"
#include "device/sycl/queue.hpp"

namespace shardfft::on_sycl {
namespace {

[[noreturn]] void no_names() {
  throw Error(Status::unsupported,
              "memory and events of sycl have no names for other processes; use a transport through the host");
}

}  // namespace

SyclDevice::SyclDevice(int number, const sycl::device& device)
    : number_(number),
      device_(device),
      context_(device.get_platform().khr_get_default_context()),
      default_(context_, device_, queue_properties(device_)),
      tables_(context_, device_),
      transforms_(context_, device_),
      kernels_(device_, context_) {}

DeviceFacts SyclDevice::facts() const {
  return checked("asking what a device is", [&] {
    DeviceFacts facts{.name = device_.get_info<sycl::info::device::name>(),
                      .memory_bytes = device_.get_info<sycl::info::device::global_mem_size>(),
                      .cache_bytes = device_.get_info<sycl::info::device::global_mem_cache_size>(),
                      .multiprocessors = static_cast<int>(device_.get_info<sycl::info::device::max_compute_units>()),
                      .driver = fmt::format("{} {}", device_.get_platform().get_info<sycl::info::platform::name>(),
                                            device_.get_info<sycl::info::device::driver_version>())};
    const std::size_t used = used_;
    facts.free_bytes = device_.has(sycl::aspect::ext_intel_free_memory)
                           ? device_.get_info<sycl::ext::intel::info::device::free_memory>()
                           : facts.memory_bytes - std::min(used, facts.memory_bytes);
    return facts;
  });
}

std::unique_ptr<Queue> SyclDevice::make_queue() {
  return checked("making a queue", [&] {
    return std::make_unique<SyclQueue>(*this, sycl::queue(context_, device_, queue_properties(device_)), nullptr);
  });
}

std::unique_ptr<Queue> SyclDevice::queue_of(void* native) {
  sycl::queue& queue = native ? *static_cast<sycl::queue*>(native) : default_;
  if (!queue.is_in_order() || queue.get_context() != context_ || queue.get_device() != device_)
    throw Error(Status::invalid_argument,
                fmt::format("the queue of a plan on sycl:{} is in order, and of that device's default context; got "
                            "another; make it with sycl::property::queue::in_order",
                            number_));
  return std::make_unique<SyclQueue>(*this, queue, &queue);
}

std::unique_ptr<Event> SyclDevice::make_event(bool) { return std::make_unique<SyclEvent>(false); }
std::unique_ptr<Event> SyclDevice::make_timed_event() { return std::make_unique<SyclEvent>(true); }

std::unique_ptr<MoveList> SyclDevice::make_moves(const MoveSpec& spec, std::span<const BoxMove> boxes) {
  return std::make_unique<SyclMoveList>(shared_from_this(), spec, make_move_table(spec, boxes));
}

void SyclDevice::fill(std::byte* memory, std::span<const std::byte> table) {
  if (table.empty()) return;
  checked("copy of a table", [&] { tables_.memcpy(memory, table.data(), table.size()).wait_and_throw(); });
}

std::unique_ptr<Fft> SyclDevice::make_fft(const FftSpec& spec) { return make_sycl_fft(*this, transforms_, spec); }

SharedName SyclDevice::share(std::byte*) { no_names(); }
std::byte* SyclDevice::open_shared(const SharedName&) { no_names(); }
std::unique_ptr<Event> SyclDevice::open_event(const SharedName&, const std::byte*) { no_names(); }

}  // namespace shardfft::on_sycl
