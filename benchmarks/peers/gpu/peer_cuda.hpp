// What the peers that call CUDA share: checked calls, and memory of a GPU with its mirror in memory of the host.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "peers/common/peer.hpp"
#include "shardfft/view.hpp"

namespace shardfft::peers {

inline void require(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(fmt::format("{}: {}", call, cudaGetErrorString(status)));
}

inline void synchronize_gpu() { require(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

/// GPUs of this process; 0 also where the driver is missing.
inline int gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Why a library that needs `least` GPUs in this process cannot run; empty where it can.
inline std::string why_not_on_gpus(int least) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return fmt::format("no device of cuda: CUDA says: {}", cudaGetErrorString(status));
  if (count >= least) return {};
  return fmt::format("needs {} GPU{} in one process; there {} {}", least, least == 1 ? "" : "s or more",
                     count == 1 ? "is" : "are", count);
}

/// Memory of the current GPU, and as much of the host's that stands for it where the benchmark writes and reads.
class Mirrored {
 public:
  /// Throws Error(out_of_memory) or std::runtime_error.
  explicit Mirrored(Index bytes) : host_(static_cast<std::size_t>(bytes)) {
    require(cudaMalloc(&device_, host_.bytes()), "cudaMalloc");
  }
  ~Mirrored() { (void)cudaFree(device_); }
  Mirrored(const Mirrored&) = delete;
  Mirrored& operator=(const Mirrored&) = delete;

  [[nodiscard]] std::byte* host() { return host_.data(); }
  [[nodiscard]] void* device() const { return device_; }
  void to_device() {
    require(cudaMemcpy(device_, host_.data(), host_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  }
  void to_host() {
    require(cudaMemcpy(host_.data(), device_, host_.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
  }

 private:
  Array host_;
  void* device_ = nullptr;
};

}  // namespace shardfft::peers
