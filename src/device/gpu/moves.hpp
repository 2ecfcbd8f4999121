// Tables of boxes on a GPU.
#pragma once

#include <memory>
#include <span>

#include "device/device.hpp"
#include "device/gpu/names.hpp"
#include "device/kernels/move_table.hpp"

namespace shardfft::SHARDFFT_GPU {

class GpuMoveList final : public MoveList {
 public:
  /// `queue` copies the table, and has done so when this returns.
  GpuMoveList(std::shared_ptr<Device> device, Queue& queue, const MoveSpec& spec, const MoveTable& table);

  [[nodiscard]] Index bytes() const override { return bytes_; }
  /// Its device is the current one.
  void launch(const MoveBases& bases, double scale, gpuStream_t stream) const;

 private:
  MoveSpec spec_;
  int device_;
  Index bytes_;
  DeviceMemory memory_;  ///< the table's boxes, then the first blocks of each
  MoveTableView view_;   ///< addresses in memory_
};

}  // namespace shardfft::SHARDFFT_GPU
