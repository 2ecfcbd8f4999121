// What groups may lose where that depends on norms which only the device knows: each unit, or each group, may lose a
// share of its own norm (ErrorBudget::Basis::own and group).
#pragma once

#include "device/exchange/device_messages.hpp"

namespace shardfft {

class DeviceShares {
 public:
  /// `unit_of`: of each group of the messages, below `units`; its own number for shares of groups.
  DeviceShares(const std::shared_ptr<Device>& device, Queue& queue, const DeviceMessages& messages,
               std::vector<std::uint32_t> unit_of, Index units);
  /// For the runs that come. Of `terms` basis, share, a_priori, rounding and nothing are read; throws Error(internal)
  /// for Basis::given, and for what has no share of a norm. `pinned`: pinned_bytes() of the host, until the queue has
  /// copied from there.
  void begin(Queue& queue, const DeviceMessages& messages, const ErrorBudget& terms, std::byte* pinned) const;
  [[nodiscard]] std::size_t pinned_bytes() const { return constants_.bytes(); }
  /// `norm2`: sums of squares of the units, on the device; tries(): those of this run.
  void set(Queue& queue, const double* norm2) const;
  [[nodiscard]] const GroupTry* tries() const { return reinterpret_cast<const GroupTry*>(tries_.data()); }

 private:
  Scalar scalar_;
  BlockFormat format_;
  Index units_;
  std::vector<std::uint32_t> unit_of_;
  std::vector<Index> of_unit_;  // real numbers of each
  DeviceTable<std::uint32_t> unit_table_;
  DeviceMemory constants_, tries_;  // for norms of 1: parameters, [2][groups], and what may be lost, [groups]
};

}  // namespace shardfft
