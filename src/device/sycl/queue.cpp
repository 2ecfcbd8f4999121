#include "device/sycl/queue.hpp"

#include "device/kernels/codec/codec_passes.hpp"
#include "device/sycl/copy_rows.hpp"
#include "device/sycl/errors.hpp"
#include "device/sycl/event.hpp"
#include "device/sycl/moves.hpp"

namespace shardfft::on_sycl {

sycl::property_list queue_properties(const sycl::device& device) {
  if (device.has(sycl::aspect::ext_oneapi_queue_profiling_tag)) return {sycl::property::queue::in_order()};
  return {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()};
}

bool SyclQueue::is_of_host(const void* memory) const {
  return sycl::get_pointer_type(memory, device_.context()) == sycl::usm::alloc::unknown;
}

// The caller may change or free memory that is not pinned as soon as this returns.
void SyclQueue::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  checked("copy", [&] {
    sycl::event copied = queue_.memcpy(to, from, bytes);
    if (is_of_host(to) || is_of_host(from)) copied.wait_and_throw();
  });
}

void SyclQueue::copy_rows(const RowsCopy& rows) {
  if (rows.row_bytes == 0 || rows.planes <= 0 || rows.rows <= 0) return;
  checked("copy of rows", [&] {
    if (!is_of_host(rows.to) && !is_of_host(rows.from))
      return device_.kernels().launch(queue_, CopyRows(rows), "device/sycl/copy_rows.hpp");
    for (Index p = 0; p < rows.planes; ++p)
      for (Index r = 0; r < rows.rows; ++r)
        queue_.memcpy(rows.to + p * rows.to_plane_step + r * rows.to_row_step,
                      rows.from + p * rows.from_plane_step + r * rows.from_row_step, rows.row_bytes);
    queue_.wait_and_throw();
  });
}

void SyclQueue::zero(void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  checked("zeroing memory", [&] { queue_.memset(memory, 0, bytes); });
}

void SyclQueue::move(const MoveList& list, const MoveBases& bases, double scale) {
  checked("launch of moves", [&] { of_this_driver<SyclMoveList>(list).launch(*this, bases, scale); });
}

void SyclQueue::run(const DeviceTask& task) {
  checked("launch of a task", [&] {
    kernels::passes(task, [&](const auto& kernel) {
      device_.kernels().launch(queue_, kernel, "device/kernels/codec/codec_passes.hpp");
    });
  });
}

// Other queues wait for the event, and OpenCL begins what a queue was asked for only when it is told to.
void SyclQueue::record(Event& event) {
  auto& ours = of_this_driver<SyclEvent>(event);
  ours.recorded(checked("recording an event", [&] {
    sycl::event last = ours.timed() ? sycl::ext::oneapi::experimental::submit_profiling_tag(queue_)
                                    : queue_.ext_oneapi_submit_barrier();
    queue_.ext_oneapi_prod();
    return last;
  }));
}

void SyclQueue::wait(const Event& event) {
  const auto& last = of_this_driver<SyclEvent>(event).last();
  if (last) checked("waiting for an event in a queue", [&] { queue_.ext_oneapi_submit_barrier({*last}); });
}

std::unique_ptr<Graph> SyclQueue::capture(const std::function<void()>&) { return nullptr; }
void SyclQueue::launch(const Graph&) { throw_other_driver(); }

void SyclQueue::synchronize() {
  checked("waiting for a queue", [&] { queue_.wait_and_throw(); });
}

bool SyclQueue::idle() {
  return checked("asking for a queue", [&] { return queue_.khr_empty(); });
}

}  // namespace shardfft::on_sycl
