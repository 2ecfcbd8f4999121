// How large an array in memory of a device is.
#pragma once

#include <vector>

#include "device/exchange/device_squares.hpp"
#include "device/exchange/device_staging.hpp"
#include "pipeline/spec.hpp"

namespace shardfft {

class DeviceNorm final : public ArrayNorm {
 public:
  /// `array`: this rank's part, with patches that count from the run's input or output.
  DeviceNorm(std::shared_ptr<DeviceStaging> staging, const CallerArray& array, Scalar scalar, const Weights& weights);
  /// Waits for the device. Allocates nothing.
  [[nodiscard]] double norm2(const std::byte* array) override;
  [[nodiscard]] Index bytes() const override { return bytes_; }

 private:
  std::shared_ptr<DeviceStaging> staging_;
  DeviceSquares squares_;
  DeviceMemory sums_;
  Index bytes_ = 0;
};

}  // namespace shardfft
