// What groups may lose where that depends on norms which only the device knows: each unit may lose a share of its own
// norm (ErrorBudget::Basis::own).
#pragma once

#include "device/exchange/device_messages.hpp"

namespace shardfft {

class DeviceShares {
 public:
  /// `unit_of`: of each group of the messages, below `units`. Of `terms` share, a_priori, rounding and nothing are
  /// read; throws Error(internal) for another basis, and for what has no share of a norm.
  DeviceShares(const std::shared_ptr<Device>& device, Queue& queue, const DeviceMessages& messages,
               std::span<const std::uint32_t> unit_of, Index units, const ErrorBudget& terms);
  /// `norm2`: sums of squares of the units, on the device; tries(): those of this run.
  void set(Queue& queue, const double* norm2) const;
  [[nodiscard]] const GroupTry* tries() const { return reinterpret_cast<const GroupTry*>(tries_.data()); }

 private:
  Scalar scalar_;
  BlockFormat format_;
  Index groups_, units_;
  DeviceTable<std::uint32_t> unit_of_{};
  DeviceTable<double> parameter_{}, allowed2_{};
  DeviceMemory tries_{};
};

}  // namespace shardfft
