// The transforms of a device's library that the sweeps of a plan share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "device/kinds.hpp"
#include "device/sweep/folded_fft.hpp"

namespace shardfft {

struct TileForm;

/// Transforms that were made for one device, by what they do and by the number of the queue that runs them: one runs on
/// one queue at a time. The sweeps of a plan share them, since they run one after the other.
class DeviceFfts {
 public:
  explicit DeviceFfts(Device& device) : device_(device) {}
  /// The transform of this form. For kinds and even numbers of modes it wraps the library's.
  [[nodiscard]] const Fft& get(const TileForm& form, int queue = 0);
  /// Bytes of scratch that a queue needs to run any of the transforms made so far.
  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }

 private:
  struct Made {
    FftSpec spec{};
    std::optional<PencilKind> kind{};
    std::optional<FoldedModes> folded{};
    int queue = 0;
    std::unique_ptr<Fft> fft{};
  };
  Device& device_;
  std::vector<Made> made_{};
  std::size_t work_bytes_ = 0;
};

}  // namespace shardfft
