// Norms of parts of a rank's arrays, found by its device.
#pragma once

#include "device/table.hpp"
#include "exchange/encoder.hpp"
#include "grid/patch.hpp"

namespace shardfft {

class DeviceSquares {
 public:
  /// Units are boxes, each in one patch; they may be empty. `weights`: as of an Encoder.
  DeviceSquares(const std::shared_ptr<Device>& device, Queue& queue, NumberType type, std::span<const Box> units,
                std::span<const Patch> patches, const Weights& weights);
  /// sums[u], on the device: the sum of squares of unit u.
  void add_up(Queue& queue, const MoveBases& bases, double* sums) const;
  [[nodiscard]] Index units() const { return units_; }

 private:
  NumberType type_;
  Index units_ = 0, parts_ = 0;
  DeviceTable<SquaresPart> part_{};
  DeviceTable<std::uint32_t> first_part_{};
  DeviceMemory of_part_{};
};

}  // namespace shardfft
