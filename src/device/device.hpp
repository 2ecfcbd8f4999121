// The seam to a device: memory, order of work, copies, moves and transforms. CUDA, HIP, SYCL and an emulated device
// in host memory implement it.
//
// A Queue is a stream of CUDA or HIP. It does its work later, in the order of the calls, at a time that the host does
// not know. Only events order the work of different queues. Any thread may call, one thread at a time for one Queue.
// Unless its comment says otherwise, a call throws Error(device_failed) with the message of the vendor's library.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/fft.hpp"
#include "device/moves.hpp"
#include "device/task.hpp"

namespace shardfft {

/// Names memory or an event of this process to another process of the node; any bytes.
using SharedName = std::array<std::byte, 64>;

/// A point in a queue's work. Recorded again and again; not copied.
class Event {
 public:
  virtual ~Event() = default;
  /// True when all before the point where it was recorded last is done, and before it was ever recorded.
  [[nodiscard]] virtual bool done() const = 0;
  virtual void synchronize() const = 0;  ///< the host waits until done()
  /// Time on the device from the point where `earlier` was recorded last to that of this one: both timed, of one
  /// device, and done(). Throws Error(device_failed) otherwise.
  [[nodiscard]] virtual double seconds_since(const Event& earlier) const = 0;
  /// For events made shareable: to be opened with Device::open_event by other processes.
  [[nodiscard]] virtual SharedName share() const = 0;
};

/// What was asked of queues, captured to be asked for again with one call: a graph of CUDA, HIP. It and the lists and
/// transforms in it live until the queues have done with them.
class Graph {
 public:
  virtual ~Graph() = default;
};

class Queue {
 public:
  virtual ~Queue() = default;
  /// `to` and `from`: memory of the host, of this device, or of a device that it reaches. Copies of host memory that is
  /// not pinned may wait for the queue; everything else returns at once.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Rows of `row_bytes` bytes: row (i, j), i < planes, j < rows, is at i * plane_step + j * row_step bytes. Steps are
  /// not negative.
  virtual void copy_rows(const RowsCopy& rows) = 0;
  virtual void zero(void* memory, std::size_t bytes) = 0;
  /// Moves boxes (see moves.hpp). Addresses are of memory that this device reaches, pinned host memory included.
  virtual void move(const MoveList& list, const MoveBases& bases, double scale) = 0;
  /// Runs the kernels of a task (kernels/codec_passes.hpp) one after the other.
  virtual void run(const DeviceTask& task) = 0;
  virtual void record(Event& event) = 0;
  /// What follows waits until the work before the last record of `event` is done; nothing to wait for before the first
  /// one.
  virtual void wait(const Event& event) = 0;
  /// Captures what `calls` asks of this queue, which is not done now, and of queues that wait there for an event of
  /// this one. In the end this queue waits for these. Nobody waits for or asks what is captured, and copies are of
  /// memory of devices and pinned memory. Events that were recorded there are to be recorded anew before somebody else
  /// waits for them. nullptr if the driver cannot, or not so; never of the default queue.
  [[nodiscard]] virtual std::unique_ptr<Graph> capture(const std::function<void()>& calls) = 0;
  /// Does what was captured, in order as far as its events say so: after what this queue was asked for before, and
  /// before what comes later.
  virtual void launch(const Graph& graph) = 0;
  virtual void synchronize() = 0;  ///< the host waits until all is done
  /// Waits like synchronize(), for destructors and others that cannot report an error. The next one who waits reports
  /// it.
  virtual void finish() noexcept;
  [[nodiscard]] virtual bool idle() = 0;           ///< all is done
  [[nodiscard]] virtual void* native() const = 0;  ///< cudaStream_t, hipStream_t, sycl::queue*
};

/// What a device says of itself.
struct DeviceFacts {
  std::string name{};        ///< "NVIDIA H200"
  std::string capability{};  ///< "sm_90", "gfx90a"; "" where there is none
  std::size_t memory_bytes = 0, free_bytes = 0;
  std::size_t cache_bytes = 0;  ///< of its last-level cache
  int multiprocessors = 0;
  std::string driver{};  ///< "CUDA 13.0, driver 580.65"
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string_view space() const = 0;  ///< "cuda", "hip", "sycl", "emulated"
  [[nodiscard]] virtual int number() const = 0;
  [[nodiscard]] virtual DeviceFacts facts() const = 0;

  /// Memory of this device, uninitialised, aligned to 256. Throws Error(out_of_memory), which names `purpose`, the
  /// bytes and what is free.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes, const char* purpose) = 0;
  virtual void free(std::byte* memory) noexcept = 0;
  /// Host memory that every device copies from and to at full speed and without waiting, and reads and writes in
  /// move(). Throws Error(out_of_memory).
  [[nodiscard]] virtual std::byte* allocate_pinned(std::size_t bytes, const char* purpose) = 0;
  virtual void free_pinned(std::byte* memory) noexcept = 0;
  /// Makes host memory that exists such memory; false when it cannot, which does no harm. Not for memory that is pinned
  /// already.
  [[nodiscard]] virtual bool pin(std::byte* memory, std::size_t bytes) = 0;
  virtual void unpin(std::byte* memory) noexcept = 0;

  [[nodiscard]] virtual std::unique_ptr<Queue> make_queue() = 0;
  /// The caller's own stream, which stays the caller's; nullptr: the default one.
  [[nodiscard]] virtual std::unique_ptr<Queue> queue_of(void* native) = 0;
  [[nodiscard]] virtual std::unique_ptr<Event> make_event(bool shareable = false) = 0;
  [[nodiscard]] virtual std::unique_ptr<Event> make_timed_event() = 0;  ///< for Event::seconds_since

  /// Takes a copy of the table to the device. Its element size and epilogue are those of `spec`.
  [[nodiscard]] virtual std::unique_ptr<MoveList> make_moves(const MoveSpec& spec, std::span<const BoxMove> boxes) = 0;
  /// Batched transforms. Throws Error(unsupported) where the library cannot.
  [[nodiscard]] virtual std::unique_ptr<Fft> make_fft(const FftSpec& spec) = 0;

  /// Whether this device's queues may read and write the other one's memory: asks for it the first time. True for the
  /// device itself.
  [[nodiscard]] virtual bool reaches(const Device& other) = 0;

  /// Memory (its start, as allocate() returned it) and events for other processes on the node. Throws
  /// Error(unsupported) where there is no such thing.
  [[nodiscard]] virtual SharedName share(std::byte* memory) = 0;
  [[nodiscard]] virtual std::byte* open_shared(const SharedName& name) = 0;
  virtual void close_shared(std::byte* memory) noexcept = 0;
  /// `memory`: opened by open_shared(), of the device that the event belongs to.
  [[nodiscard]] virtual std::unique_ptr<Event> open_event(const SharedName& name, const std::byte* memory) = 0;
};

/// The owner of a pointer's memory.
struct PointsTo {
  bool device = false;  ///< memory of a device of this driver; else of the host, as far as it knows
  int number = 0;       ///< of the device
  bool pinned = false;  ///< of the host, and devices copy it by themselves, whoever pinned it
};

/// One kind of device; there is one object of each, which lives for ever.
struct DeviceDriver {
  virtual ~DeviceDriver() = default;
  [[nodiscard]] virtual std::string_view space() const = 0;
  /// Number of devices that this process may use; 0 with `why_none` when there are none, or the vendor's driver is
  /// missing. Never throws.
  [[nodiscard]] virtual int count() const = 0;
  [[nodiscard]] virtual std::string why_none() const = 0;
  /// The one object of device `number`, 0 <= number < count().
  [[nodiscard]] virtual std::shared_ptr<Device> open(int number) const = 0;
  /// False as long as no memory of such a device can exist in this process. Does not ask the vendor.
  [[nodiscard]] virtual bool may_own_memory() const = 0;
  [[nodiscard]] virtual PointsTo points_to(const void* memory) const = 0;
  /// Versions of what moves and transforms: "CUDA 13.0, cuFFT 12.0"; as in wisdom files.
  [[nodiscard]] virtual std::string library() const = 0;
};

/// All drivers that were compiled in, the emulated one last. The only place that knows which.
[[nodiscard]] std::span<const DeviceDriver* const> device_drivers();
/// nullptr when there is none of that name.
[[nodiscard]] const DeviceDriver* find_driver(std::string_view space);
/// "cuda", "cuda:1": the device of that number; without one, number `rank_on_node` modulo their count, so that the
/// ranks of a node share them out. Throws Error(invalid_argument) for a name that does not exist, Error(unsupported)
/// where there is no such device.
[[nodiscard]] std::shared_ptr<Device> find_device(std::string_view name, int rank_on_node);

/// On which device something is done, and in the order of which queue. Neither is owned; they outlive who uses them.
struct DeviceContext {
  Device* device = nullptr;
  Queue* queue = nullptr;
};

enum class MemoryKind { device, pinned };

/// Owns memory of a device, or pinned memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes, const char* purpose,
               MemoryKind kind = MemoryKind::device);
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Not freed by this object any more.
  [[nodiscard]] std::byte* release();

 private:
  void swap(DeviceMemory& other) noexcept;
  std::shared_ptr<Device> device_{};
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  MemoryKind kind_ = MemoryKind::device;
};

}  // namespace shardfft
