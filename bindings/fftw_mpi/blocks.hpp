// FFTW-MPI's blocks: which rank owns which rows. Index arithmetic only.
#pragma once

#include <cstddef>
#include <span>

namespace shardfft::fftw_mpi {

/// Rows [start, start + count) along the cut axis; a rank without rows has start 0, as in FFTW.
struct Rows {
  std::ptrdiff_t count = 0, start = 0;
};

/// `asked`, or by default n divided by the ranks, rounded up.
std::ptrdiff_t block_of(std::ptrdiff_t n, std::ptrdiff_t asked, int ranks);
/// Whether all n rows have an owner.
bool covers(std::ptrdiff_t block, std::ptrdiff_t n, int ranks);
Rows rows_of(std::ptrdiff_t n, std::ptrdiff_t block, int rank);

/// Elements that a rank must allocate for both orders of an array: cut along axis 0, and along axis 1.
std::ptrdiff_t local_elements(std::span<const std::ptrdiff_t> n, std::ptrdiff_t howmany, Rows along_0, Rows along_1);

}  // namespace shardfft::fftw_mpi
