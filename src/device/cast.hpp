// Numbers that a device casts between the format that they are computed in and a storage format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/storage_format.hpp"

namespace shardfft {

/// Numbers one after the other; see DeviceTask.
struct CastNumbers {
  enum class Cast : std::uint8_t { narrow, widen } way = Cast::narrow;
  Scalar scalar = Scalar::f64;  ///< of the wide ones: f32 or f64
  StorageFormat format = StorageFormat::f32;
  Index numbers = 0;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  double scale = 1;  ///< every number is multiplied with it on the way
};

}  // namespace shardfft
