// Energy of NVIDIA's GPUs, where their driver tells it (NVML).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft::peers {

/// Counts the energy of all GPUs of all nodes between start() and stop(), used or not, as that of processors is
/// counted. `library` is NVML's name or path; nothing of it is needed to build.
class GpuEnergyCounter {
 public:
  explicit GpuEnergyCounter(const Comm& comm, const char* library = "libnvidia-ml.so.1");
  ~GpuEnergyCounter();
  GpuEnergyCounter(const GpuEnergyCounter&) = delete;
  GpuEnergyCounter& operator=(const GpuEnergyCounter&) = delete;
  void start();
  void stop();
  /// Collective. Joules between all starts and stops so far, of all nodes; nothing unless every node has GPUs and each
  /// of these tells.
  [[nodiscard]] std::optional<double> joules() const;

 private:
  class Nvml;
  Comm comm_;
  bool reads_ = false;  ///< one rank of each node does
  std::unique_ptr<Nvml> nvml_;
  std::vector<unsigned long long> begin_{};  ///< millijoules since the driver was loaded, of each GPU
  double millijoules_ = 0;
};

}  // namespace shardfft::peers
