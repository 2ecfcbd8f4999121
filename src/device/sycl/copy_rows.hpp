// The kernel that copies rows of bytes. SYCL copies rows by a kernel of its own only where its compiler compiles all.
#pragma once

#include <cstdint>

#include "device/kernels/launch.hpp"
#include "device/moves.hpp"
#include "support/hd.hpp"

namespace shardfft::on_sycl {

/// 16 bytes with one access.
struct alignas(16) SixteenBytes {
  std::uint64_t of[2];
};

/// Does what Queue::copy_rows promises.
struct CopyRows {
  static constexpr int threads = 256, phases = 1, each = 8, per_block = threads * each;
  using Shared = NoShared;

  std::byte* to;
  const std::byte* from;
  Index row_units, planes, rows, to_plane_step, to_row_step, from_plane_step, from_row_step;
  int unit = 16;  ///< bytes of one access; everything is a multiple

  explicit CopyRows(const RowsCopy& copy)
      : to(copy.to),
        from(copy.from),
        row_units(0),
        planes(copy.planes),
        rows(copy.rows),
        to_plane_step(copy.to_plane_step),
        to_row_step(copy.to_row_step),
        from_plane_step(copy.from_plane_step),
        from_row_step(copy.from_row_step) {
    const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) |
                      static_cast<std::uintptr_t>(to_plane_step | to_row_step | from_plane_step | from_row_step) |
                      copy.row_bytes;
    while (bits % static_cast<unsigned>(unit) != 0) unit /= 2;
    row_units = static_cast<Index>(copy.row_bytes) / unit;
  }
  [[nodiscard]] SHARDFFT_HD Index blocks() const { return (planes * rows * row_units + per_block - 1) / per_block; }

  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    for (int i = 0; i < each; ++i) {
      const Index number = block * per_block + i * threads + thread, line = number / row_units;
      if (line >= planes * rows) return;
      const Index plane = line / rows, row = line % rows, at = number % row_units * unit;
      copy_unit(to + plane * to_plane_step + row * to_row_step + at,
                from + plane * from_plane_step + row * from_row_step + at);
    }
  }

 private:
  SHARDFFT_HD void copy_unit(std::byte* there, const std::byte* here) const {
    if (unit == 16)
      copy_as<SixteenBytes>(there, here);
    else if (unit == 8)
      copy_as<std::uint64_t>(there, here);
    else if (unit == 4)
      copy_as<std::uint32_t>(there, here);
    else if (unit == 2)
      copy_as<std::uint16_t>(there, here);
    else
      *there = *here;
  }
  template <class Unit>
  static SHARDFFT_HD void copy_as(std::byte* there, const std::byte* here) {
    *reinterpret_cast<Unit*>(there) = *reinterpret_cast<const Unit*>(here);
  }
};

}  // namespace shardfft::on_sycl
