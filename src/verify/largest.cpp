#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <thread>

#include "verify/contract.hpp"
#include "verify/rows.hpp"

namespace shardfft {
namespace {

// Bits without the sign order non-negative doubles, with infinity and then NaNs at the end: an integer maximum needs no
// special cases.
template <class T>
std::uint64_t largest_bits(const std::byte* x, Index stride, Index count, int parts) {
  std::uint64_t most = 0;
  for (Index k = 0; k < count; ++k, x += stride)
    for (int part = 0; part < parts; ++part) {
      T value;
      std::memcpy(&value, x + static_cast<std::size_t>(part) * sizeof(T), sizeof(T));
      most = std::max(most, std::bit_cast<std::uint64_t>(static_cast<double>(value)) & ~(std::uint64_t{1} << 63));
    }
  return most;
}

std::uint64_t largest_bits(const LocalArray& array, const RowPiece& piece) {
  const Rows rows(array.boxes[static_cast<std::size_t>(piece.box)]);
  std::uint64_t most = 0;
  Coord at = rows.position(piece.row0);
  for (Index row = piece.row0; row < piece.row1; ++row, rows.advance(at)) {
    const std::byte* x = rows.address(at) + piece.k0 * rows.stride;
    const Index count = piece.k1 - piece.k0;
    const int parts = array.complex ? 2 : 1;
    most = std::max(most, array.precision == Precision::f32 ? largest_bits<float>(x, rows.stride, count, parts)
                                                            : largest_bits<double>(x, rows.stride, count, parts));
  }
  return most;
}

}  // namespace

int threads_of(const Comm& comm, const LocalArray& array) {
  if (array.threads > 0) return array.threads;
  int neighbours = 0;
  for (int r = 0; r < comm.size(); ++r) neighbours += comm.node(r) == comm.node(comm.rank());
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores / std::max(1, neighbours), 1, allowed_threads());
}

double largest(const Comm& comm, const LocalArray& array) {
  const std::vector<RowPiece> pieces = row_pieces(array.boxes);
  std::vector<std::uint64_t> found(pieces.size() + 1), all(static_cast<std::size_t>(comm.size()));
  on_threads(threads_of(comm, array), pieces.size(), [&](std::size_t i) { found[i] = largest_bits(array, pieces[i]); });
  const std::uint64_t mine = *std::max_element(found.begin(), found.end());
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return std::bit_cast<double>(*std::max_element(all.begin(), all.end()));
}

}  // namespace shardfft
