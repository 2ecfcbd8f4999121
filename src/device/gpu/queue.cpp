#include "device/gpu/queue.hpp"

#include <limits>

#include "device/gpu/check.hpp"
#include "device/gpu/event.hpp"
#include "device/gpu/kernels/kernels.hpp"
#include "device/gpu/moves.hpp"
#include "device/gpu/rows.hpp"

namespace shardfft::SHARDFFT_GPU {
namespace {

// What vendors take as the distance of rows: less than 2 GiB.
constexpr Index most_row_step = std::numeric_limits<int>::max();

gpuPitchedPtr pitched(const std::byte* memory, Index row_step, std::size_t row_bytes, Index plane_rows) {
  gpuPitchedPtr result{};
  result.ptr = const_cast<std::byte*>(memory);  // the vendors' structure has one type for both ends
  result.pitch = static_cast<std::size_t>(row_step);
  result.xsize = row_bytes;
  result.ysize = static_cast<std::size_t>(plane_rows);
  return result;
}

void copy_box(const RowsCall& call, gpuStream_t stream) {
  gpuMemcpy3DParms box{};
  box.srcPtr = pitched(call.from, call.from_row_step, call.row_bytes, call.from_plane_rows);
  box.dstPtr = pitched(call.to, call.to_row_step, call.row_bytes, call.to_plane_rows);
  box.extent = gpuExtent{call.row_bytes, static_cast<std::size_t>(call.rows), static_cast<std::size_t>(call.planes)};
  box.kind = gpuMemcpyDefault;
  check(gpuMemcpy3DAsync(&box, stream), "copy of planes of rows");
}

void copy_plane(const RowsCall& call, gpuStream_t stream) {
  check(gpuMemcpy2DAsync(call.to, static_cast<std::size_t>(call.to_row_step), call.from,
                         static_cast<std::size_t>(call.from_row_step), call.row_bytes,
                         static_cast<std::size_t>(call.rows), gpuMemcpyDefault, stream),
        "copy of rows");
}

}  // namespace

GpuQueue::GpuQueue(int device) : device_(device) {
  const OnDevice on(device_);
  check(gpuStreamCreateWithFlags(&stream_, gpuStreamNonBlocking), "making a queue");
  owned_ = true;
}

GpuQueue::~GpuQueue() {
  if (owned_) release_on(device_, [&] { ignore(gpuStreamDestroy(stream_)); });  // what it was asked for is still done
}

void GpuQueue::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const OnDevice on(device_);
  check(gpuMemcpyAsync(to, from, bytes, gpuMemcpyDefault, stream_), "copy");
}

void GpuQueue::copy_rows(const RowsCopy& rows) {
  const OnDevice on(device_);
  for (const RowsCall& call : calls_of(rows, most_row_step)) {
    if (call.planes > 1)
      copy_box(call, stream_);
    else if (call.rows > 1)
      copy_plane(call, stream_);
    else
      check(gpuMemcpyAsync(call.to, call.from, call.row_bytes, gpuMemcpyDefault, stream_), "copy");
  }
}

void GpuQueue::zero(void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  const OnDevice on(device_);
  check(gpuMemsetAsync(memory, 0, bytes, stream_), "zeroing memory");
}

void GpuQueue::move(const MoveList& list, const MoveBases& bases, double scale) {
  const OnDevice on(device_);
  of_this_driver<GpuMoveList>(list).launch(bases, scale, stream_);
}

void GpuQueue::run(const DeviceTask& task) {
  const OnDevice on(device_);
  check(launch_task(task, device_, stream_), "launch of a task");
}

void GpuQueue::record(Event& event) {
  const OnDevice on(device_);
  check(gpuEventRecord(of_this_driver<GpuEvent>(event).get(), stream_), "recording an event");
}

void GpuQueue::wait(const Event& event) {
  const OnDevice on(device_);
  check(gpuStreamWaitEvent(stream_, of_this_driver<GpuEvent>(event).get(), 0), "waiting for an event in a queue");
}

std::unique_ptr<Graph> GpuQueue::capture(const std::function<void()>& calls) {
  const OnDevice on(device_);
  return GpuGraph::of(device_, stream_, calls);
}

void GpuQueue::launch(const Graph& graph) {
  const OnDevice on(device_);
  check(gpuGraphLaunch(of_this_driver<GpuGraph>(graph).get(), stream_), "launch of a graph");
}

void GpuQueue::synchronize() {
  const OnDevice on(device_);
  check(gpuStreamSynchronize(stream_), "waiting for a queue");
}

bool GpuQueue::idle() {
  const OnDevice on(device_);
  const gpuError_t result = gpuStreamQuery(stream_);
  if (result == gpuErrorNotReady) {
    forget_error();
    return false;
  }
  check(result, "asking for a queue");
  return true;
}

}  // namespace shardfft::SHARDFFT_GPU
