#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include "verify/rows.hpp"

namespace shardfft {
namespace {

/// Every bit of the key changes every bit of the result with probability 1/2; one to one. The multipliers are those of
/// the MurmurHash3 finaliser (Appleby, public domain).
std::uint64_t mix(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

/// Odd, and without pattern (2^64 over the golden ratio): successive positions get keys that differ in about half of
/// their bits.
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

/// Bits of a number; all NaNs are alike.
template <class T>
std::uint64_t bits_of(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<std::uint64_t>(value);
    else
      return std::bit_cast<std::uint32_t>(value);
  }
}

/// One element: a complex f64 is two words, everything else is one.
template <class T, bool Complex>
std::uint64_t element_hash(const std::byte* x, std::uint64_t key) {
  if constexpr (!Complex)
    return mix(bits_of<T>(x) ^ key);
  else if constexpr (sizeof(T) == 4)
    return mix((bits_of<T>(x) | bits_of<T>(x + 4) << 32) ^ key);
  else
    return mix(bits_of<T>(x) ^ key) + mix(bits_of<T>(x + 8) ^ (key + golden / 2));
}

/// Sum over a row. `key` is that of the first element, `step` takes it to the next.
template <class T, bool Complex>
std::uint64_t row_hash(const std::byte* x, Index stride, Index count, std::uint64_t key, std::uint64_t step) {
  std::uint64_t sum = 0;
  for (Index k = 0; k < count; ++k, x += stride, key += step) sum += element_hash<T, Complex>(x, key);
  return sum;
}

std::uint64_t row_major(const Coord& at, const Shape& global) {
  std::uint64_t index = 0;
  for (int a = 0; a < global.dims(); ++a)
    index = index * static_cast<std::uint64_t>(global[a]) + static_cast<std::uint64_t>(at[a]);
  return index;
}

template <class T, bool Complex>
std::uint64_t piece_hash(const LocalArray& array, const RowPiece& piece) {
  const Rows rows(array.boxes[static_cast<std::size_t>(piece.box)]);
  std::uint64_t step = golden * static_cast<std::uint64_t>(rows.steps[rows.axis]), sum = 0;
  for (int a = rows.axis + 1; a < array.global.dims(); ++a) step *= static_cast<std::uint64_t>(array.global[a]);
  Coord at = rows.position(piece.row0);
  for (Index row = piece.row0; row < piece.row1; ++row, rows.advance(at)) {
    const std::uint64_t key = row_major(at, array.global) * golden + static_cast<std::uint64_t>(piece.k0) * step;
    sum += row_hash<T, Complex>(rows.address(at) + piece.k0 * rows.stride, rows.stride, piece.k1 - piece.k0, key, step);
  }
  return sum;
}

// Numbers and bytes that have the same bits have the same hash, NaNs aside.
std::uint64_t piece_hash(const LocalArray& array, const RowPiece& piece) {
  switch (array.element_bytes) {
    case 1:
      return piece_hash<std::uint8_t, false>(array, piece);
    case 2:
      return piece_hash<std::uint16_t, false>(array, piece);
    case 4:
      return piece_hash<std::uint32_t, false>(array, piece);
    case 8:
      return piece_hash<std::uint64_t, false>(array, piece);
    case 16:
      return piece_hash<std::uint64_t, true>(array, piece);
    default:
      break;
  }
  if (array.precision == Precision::f32)
    return array.complex ? piece_hash<float, true>(array, piece) : piece_hash<float, false>(array, piece);
  return array.complex ? piece_hash<double, true>(array, piece) : piece_hash<double, false>(array, piece);
}

}  // namespace

std::uint64_t hash(const Comm& comm, const LocalArray& array) {
  const std::vector<RowPiece> pieces = row_pieces(array.boxes);
  std::vector<std::uint64_t> sums(pieces.size()), all(static_cast<std::size_t>(comm.size()));
  on_threads(threads_of(comm, array), pieces.size(), [&](std::size_t i) { sums[i] = piece_hash(array, pieces[i]); });
  const std::uint64_t mine = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

}  // namespace shardfft
