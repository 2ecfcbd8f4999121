#include "blocks.hpp"

#include <algorithm>

namespace shardfft::fftw_mpi {

std::ptrdiff_t block_of(std::ptrdiff_t n, std::ptrdiff_t asked, int ranks) {
  return asked > 0 ? asked : std::max<std::ptrdiff_t>(1, (n + ranks - 1) / ranks);
}

bool covers(std::ptrdiff_t block, std::ptrdiff_t n, int ranks) { return (n + block - 1) / block <= ranks; }

Rows rows_of(std::ptrdiff_t n, std::ptrdiff_t block, int rank) {
  const std::ptrdiff_t blocks = (n + block - 1) / block;
  if (rank >= blocks) return {};
  return {std::min(block, n - rank * block), rank * block};
}

std::ptrdiff_t local_elements(std::span<const std::ptrdiff_t> n, std::ptrdiff_t howmany, Rows along_0, Rows along_1) {
  std::ptrdiff_t rest = 1;
  for (const std::ptrdiff_t extent : n.subspan(std::min<std::size_t>(2, n.size()))) rest *= extent;
  const std::ptrdiff_t n1 = n.size() > 1 ? n[1] : 1;
  std::ptrdiff_t most = along_0.count * n1 * rest;
  if (n.size() > 1) most = std::max(most, along_1.count * n[0] * rest);
  return std::max<std::ptrdiff_t>(1, most) * howmany;
}

}  // namespace shardfft::fftw_mpi
