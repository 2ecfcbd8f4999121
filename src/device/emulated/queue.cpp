#include "device/emulated/queue.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "device/emulated/capture.hpp"
#include "device/emulated/moves.hpp"
#include "device/emulated/tasks.hpp"
#include "device/emulated/variables.hpp"
#include "device/kernels/codec/codec_passes.hpp"
#include "device/kernels/launch.hpp"
#include "shardfft/error.hpp"

namespace shardfft::emulated {
namespace {

using Owner = EmulatedDevice::Owner;

class EmulatedEvent final : public Event {
 public:
  EmulatedEvent(const EmulatedDevice& device, bool timed) : device_(device) {
    if (timed) reached_ = std::make_shared<Moment>();
  }

  [[nodiscard]] bool done() const override {
    const PointRef point = last();
    return !point || scheduler().poll(point);
  }
  void synchronize() const override {
    if (const PointRef point = last()) scheduler().reach(point);
  }
  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    const auto* first = dynamic_cast<const EmulatedEvent*>(&earlier);
    if (!first || &first->device_ != &device_ || !first->reached_ || !reached_ || !first->done() || !done())
      throw Error(Status::device_failed,
                  "time passes between two timed events of one device that are done; got others");
    return std::chrono::duration<double>(reached_->load() - first->reached_->load()).count();
  }
  [[nodiscard]] SharedName share() const override {
    throw Error(Status::unsupported,
                "events of emulated devices have no names for other processes; use threads as ranks, or a transport "
                "through the host");
  }

  [[nodiscard]] PointRef last() const {
    std::lock_guard lock(mutex_);
    return last_;
  }
  /// What is to be done just before a point is recorded; empty for events that are not timed.
  [[nodiscard]] std::function<void()> stamp() const {
    if (!reached_) return {};
    return [moment = reached_] { moment->store(std::chrono::steady_clock::now()); };
  }
  void recorded(const EmulatedDevice& device, PointRef point) {
    if (&device != &device_)
      throw Error(Status::device_failed,
                  fmt::format("an event is recorded in queues of its own device {}; got one of device {}",
                              device_.number(), device.number()));
    std::lock_guard lock(mutex_);
    last_ = std::move(point);
  }

 private:
  const EmulatedDevice& device_;
  mutable std::mutex mutex_{};
  PointRef last_{};
  using Moment = std::atomic<std::chrono::steady_clock::time_point>;
  std::shared_ptr<Moment> reached_{};
};

[[nodiscard]] std::size_t reach_of(const RowsCopy& r, Index plane_step, Index row_step) {
  return static_cast<std::size_t>((r.planes - 1) * plane_step + (r.rows - 1) * row_step) + r.row_bytes;
}

void copy_now(const RowsCopy& r) {
  for (Index plane = 0; plane < r.planes; ++plane)
    for (Index row = 0; row < r.rows; ++row)
      std::memmove(r.to + plane * r.to_plane_step + row * r.to_row_step,
                   r.from + plane * r.from_plane_step + row * r.from_row_step, r.row_bytes);
}

// The rows of `r` one after the other in `held`: what is copied from memory that the caller may change as soon as the
// call returns.
[[nodiscard]] RowsCopy taken(RowsCopy r, std::vector<std::byte>& held) {
  const auto row = static_cast<Index>(r.row_bytes);
  held.resize(static_cast<std::size_t>(r.planes * r.rows) * r.row_bytes);
  RowsCopy take = r;
  take.to = held.data(), take.to_row_step = row, take.to_plane_step = row * r.rows;
  copy_now(take);
  r.from_row_step = take.to_row_step, r.from_plane_step = take.to_plane_step;
  return r;
}

}  // namespace

void EmulatedQueue::copy(void* to, const void* from, std::size_t bytes) {
  copy_rows({.to = static_cast<std::byte*>(to), .from = static_cast<const std::byte*>(from), .row_bytes = bytes});
}

void EmulatedQueue::copy_rows(const RowsCopy& rows) {
  if (rows.row_bytes == 0 || rows.planes <= 0 || rows.rows <= 0) return;
  if (rows.to_plane_step < 0 || rows.to_row_step < 0 || rows.from_plane_step < 0 || rows.from_row_step < 0)
    throw Error(Status::invalid_argument, "steps of rows that are copied are not negative; got one that is");
  const std::size_t to_bytes = reach_of(rows, rows.to_plane_step, rows.to_row_step),
                    from_bytes = reach_of(rows, rows.from_plane_step, rows.from_row_step);
  const Owner to = device_.owner_of(rows.to, to_bytes, "copy to");
  std::vector<std::byte> held;
  const Owner from = device_.owner_of(rows.from, from_bytes, "copy from");
  const bool hold = from == Owner::host;
  if (hold && scheduler().is_captured(line_))
    throw Error(Status::device_failed, "copies that are captured are of pinned memory; got other memory of the host");
  add([this_device = &device_, to, from, hold, to_bytes, from_bytes, rows = hold ? taken(rows, held) : rows,
       held = std::move(held)]() mutable {
    this_device->check_still(to, rows.to, to_bytes, "copy to");
    if (hold)
      rows.from = held.data();
    else
      this_device->check_still(from, rows.from, from_bytes, "copy from");
    copy_now(rows);
  });
  if (to == Owner::host) synchronize();
}

void EmulatedQueue::zero(void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  auto* start = static_cast<std::byte*>(memory);
  device_.check(start, bytes, "zero");
  add([this_device = &device_, start, bytes] {
    this_device->check(start, bytes, "zero");
    std::memset(start, 0, bytes);
  });
}

void EmulatedQueue::move(const MoveList& list, const MoveBases& bases, double scale) {
  const auto moves = of_this_driver<const EmulatedMoves>(list, "move lists").moves();
  moves->check(device_, bases);
  add([this_device = &device_, moves = std::weak_ptr(moves), bases, scale] {
    const auto live = moves.lock();
    if (!live)
      throw Error(Status::device_failed,
                  "a move list lives until the queues have done with it; got one that was destroyed before");
    live->check(*this_device, bases);
    live->run(bases, scale);
  });
}

void EmulatedQueue::run(const DeviceTask& task) {
  check(device_, task, false);
  add([this_device = &device_, task] {
    check(*this_device, task, true);
    kernels::passes(task, [](const auto& kernel) { run_on_host(kernel); });
  });
}

void EmulatedQueue::record(Event& event) {
  auto& own = of_this_driver<EmulatedEvent>(event, "events");
  if (auto stamp = own.stamp()) scheduler().add(line_, std::move(stamp), false);
  own.recorded(device_, scheduler().mark(line_));
}

void EmulatedQueue::wait(const Event& event) {
  if (PointRef point = of_this_driver<const EmulatedEvent>(event, "events").last())
    scheduler().add_wait(line_, std::move(point));
}

// CUDA does not capture its default queue, and this device follows it.
std::unique_ptr<Graph> EmulatedQueue::capture(const std::function<void()>& calls) {
  if (line_ == device_.default_line() || number_from("SHARDFFT_EMULATED_GRAPHS", 1) == 0) return nullptr;
  return graph_of(line_, calls);
}

void EmulatedQueue::launch(const Graph& graph) { scheduler().launch(line_, capture_of(graph)); }

void EmulatedQueue::synchronize() { scheduler().reach(scheduler().mark(line_)); }
void EmulatedQueue::finish() noexcept {
  try {
    scheduler().finish(scheduler().mark(line_));
  } catch (...) {  // queues that wait for each other: said to who waits next, too
  }
}
bool EmulatedQueue::idle() { return scheduler().poll(scheduler().mark(line_)); }

std::unique_ptr<Queue> queue_on(EmulatedDevice& device, LineRef line) {
  return std::make_unique<EmulatedQueue>(device, std::move(line));
}
std::unique_ptr<Event> event_of(const EmulatedDevice& device, bool timed) {
  return std::make_unique<EmulatedEvent>(device, timed);
}
EmulatedQueue& emulated_queue(Queue& queue) { return of_this_driver<EmulatedQueue>(queue, "transforms"); }

}  // namespace shardfft::emulated
