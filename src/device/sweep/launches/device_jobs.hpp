// What a device is asked for each tile of a sweep, and for all tiles of a chunk.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/codec/device_source.hpp"
#include "device/device.hpp"
#include "device/fused.hpp"
#include "device/sweep/device_tiles.hpp"
#include "device/sweep/launches/device_graphs.hpp"
#include "device/sweep/launches/device_queues.hpp"

namespace shardfft {

/// One tile. Its places in work memory count from the base `other`.
struct DeviceJob {
  std::unique_ptr<MoveList> gather{}, scatter{};
  std::unique_ptr<MoveList> factored{};  ///< instead of a scatter that does not scale, where a run has a factor
  std::unique_ptr<DeviceSource::TilePart> decoded{};  ///< beside the gather
  bool gather_scales = false;
  std::size_t zeros = 0;  ///< bytes of a tile that is gathered with gaps
  const Fft* fft = nullptr;
  DevicePlace in{}, out{};
  std::unique_ptr<FusedList> fused{};  ///< instead of all these

  /// `library`: work memory of the transform; `scale`: of the sweep, without the run's `factor`.
  void ask(Queue& queue, const MoveBases& bases, std::byte* library, double scale, double factor) const;
  /// Calls that it takes, about.
  [[nodiscard]] int launches() const;
};

/// How a sweep lays out its scratch: planes of messages, then for each queue a place for a tile and what the library
/// works with; bytes.
struct DeviceScratch {
  std::size_t planes = 0, tile = 0, library = 0;
  [[nodiscard]] std::size_t bytes(int queues) const {
    return planes + static_cast<std::size_t>(queues) * (tile + library);
  }
};

/// The jobs of one chunk. They take turns on the queues of a sweep.
class DeviceJobs {
 public:
  void add(DeviceJob job);
  /// The queue of the job that is added next.
  [[nodiscard]] int next_queue(int queues) const { return static_cast<int>(jobs_.size()) % queues; }

  /// Place and manner of a run of all jobs.
  struct JobsRun {
    DeviceContext on{};
    const DeviceQueues& queues;
    int used = 1;         ///< of the queues
    bool graphs = false;  ///< by a graph, if they are worth one; the host does nothing between two jobs
    DeviceScratch scratch{};
    double scale = 1;
  };
  /// poll() between jobs, if there is one.
  void run(const JobsRun& run, const SweepArguments& arguments, const std::function<void()>& poll) const;
  /// Does so call by call; `first` stands for the queue of `run`.
  void ask(const JobsRun& run, const SweepArguments& arguments, Queue& first, const std::function<void()>& poll) const;

 private:
  std::vector<DeviceJob> jobs_{};
  int launches_ = 0;
  mutable DeviceGraphs graphs_{};
};

}  // namespace shardfft
