// What measurements of devices share.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"

namespace shardfft {

/// Bytes of a complex f64, in which arrays are moved.
inline constexpr Index measured_element = 16;
/// Elements of a row, as sweeps move them; measured_bytes() is a multiple of 64 such rows.
inline constexpr Index usual_row = 64;
/// The time when a clock saw no time pass.
inline constexpr double least_s = 1e-9;

/// The best of several times after a warm-up. A long one needs neither.
[[nodiscard]] double best_of(const std::function<double()>& once);

/// Many times what the device's cache keeps, if there is room beside what others have there: 1 GB where the cache has
/// 32 MB or more.
[[nodiscard]] std::size_t measured_bytes(const DeviceFacts& facts);

/// Element (i, j, k) goes to (j, i, k): rows of `row` elements find new places. With rows of one element that is a
/// transposition.
[[nodiscard]] std::unique_ptr<MoveList> swapped_rows(Device& device, std::size_t bytes, Index row);
/// For these.
[[nodiscard]] MoveBases from_to(std::byte* from, std::byte* to);

}  // namespace shardfft
