// Tables of boxes on a device of SYCL.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/kernels/move_table.hpp"

namespace shardfft::on_sycl {

class SyclDevice;
class SyclQueue;

class SyclMoveList final : public MoveList {
 public:
  /// Copies the table, and waits for that.
  SyclMoveList(const std::shared_ptr<SyclDevice>& device, const MoveSpec& spec, const MoveTable& table);

  [[nodiscard]] Index bytes() const override { return bytes_; }
  void launch(SyclQueue& queue, const MoveBases& bases, double scale) const;

 private:
  MoveSpec spec_;
  Index bytes_;
  DeviceMemory memory_;  ///< the table's boxes, then the first blocks of each
  MoveTableView view_;   ///< addresses in memory_
};

}  // namespace shardfft::on_sycl
