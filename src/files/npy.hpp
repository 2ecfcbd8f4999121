// The .npy format of NumPy: what the first bytes of a file say about the array behind them.
// Source: NumPy enhancement proposal 1, "A Simple File Format for NumPy Arrays", versions 1.0, 2.0 and 3.0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shardfft/files.hpp"

namespace shardfft::files {

/// What a header says.
struct NpyHeader {
  Dtype dtype{};
  bool fortran_order = false;  ///< axis 0 varies fastest in the file
  Shape shape{};
  Index data_offset = 0;   ///< bytes before the first element
  bool scattered = false;  ///< in a dataset of HDF5 that is not contiguous: there is no such offset
};

/// Pieces in which a file is read whole, whatever is wanted of them.
struct Chunks {
  Shape extents{};  ///< no dimensions: there are none
  double cost = 0;  ///< of a byte, in bytes that the disk reads in that time
};

/// Bytes of the prologue (magic, version, length field) from which header_bytes() can tell the rest.
inline constexpr std::size_t npy_prologue_bytes = 12;
/// Longest header that is read; NumPy writes 128 bytes.
inline constexpr std::size_t npy_header_limit = 1 << 20;

/// Bytes from the start of the file to the first element, from its first 12 bytes (or fewer, where the file is
/// shorter). Throws Error(io_failed) when it is not a .npy file of version 1, 2 or 3; `path` is for the message.
[[nodiscard]] std::size_t npy_header_bytes(std::string_view first, const std::string& path);
/// `text`: exactly header_bytes() bytes. Throws Error(io_failed) when it is malformed, Error(unsupported) for dtypes
/// without numbers and for more than max_dims dimensions.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, const std::string& path);
/// The header that NumPy writes for a C-ordered array: version 1.0, padded so that the data are aligned. NumPy aligns
/// to 64, and reads headers of up to 10,000 bytes.
[[nodiscard]] std::string npy_header(const Dtype& dtype, const Shape& shape, std::size_t alignment = 64);

}  // namespace shardfft::files
