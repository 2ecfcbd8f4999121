// Calls of MPI as values, and which types are complex numbers.
#pragma once

#include <mpi.h>

// Programs find these through heFFTe's headers.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heffte_config.h"

namespace heffte {

namespace mpi {

inline int comm_rank(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int comm_size(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}
inline int world_rank() { return comm_rank(MPI_COMM_WORLD); }
inline bool world_rank(int rank) { return world_rank() == rank; }

/// Collective over `comm`: these ranks of it; MPI_COMM_NULL on the others.
inline MPI_Comm new_comm_from_group(const std::vector<int>& ranks, MPI_Comm comm) {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Comm result = MPI_COMM_NULL;
  MPI_Comm_create(comm, some, &result);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  return result;
}
inline void comm_free(MPI_Comm comm) {
  if (MPI_Comm_free(&comm) != MPI_SUCCESS) throw std::runtime_error("comm_free: MPI could not free the communicator");
}

/// MPI's name of a type.
template <typename scalar>
MPI_Datatype type_from() {
  if constexpr (std::is_same_v<scalar, int>) return MPI_INT;
  if constexpr (std::is_same_v<scalar, float>) return MPI_FLOAT;
  if constexpr (std::is_same_v<scalar, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<scalar, std::complex<float>>) return MPI_C_FLOAT_COMPLEX;
  if constexpr (std::is_same_v<scalar, std::complex<double>>) return MPI_C_DOUBLE_COMPLEX;
}

}  // namespace mpi

/// Programs specialise these two for complex types of their own that lie in memory as std::complex does.
template <typename scalar_type>
struct is_ccomplex : std::bool_constant<std::is_same_v<scalar_type, std::complex<float>>> {};
template <typename scalar_type>
struct is_zcomplex : std::bool_constant<std::is_same_v<scalar_type, std::complex<double>>> {};
// fftwf_complex and fftw_complex
template <>
struct is_ccomplex<float[2]> : std::true_type {};
template <>
struct is_zcomplex<double[2]> : std::true_type {};

/// The type itself, or std::complex for another library's complex number.
template <typename scalar_type>
struct define_standard_type {
  using type = std::conditional_t<
      is_ccomplex<scalar_type>::value, std::complex<float>,
      std::conditional_t<is_zcomplex<scalar_type>::value, std::complex<double>, std::remove_extent_t<scalar_type>>>;
};
template <typename scalar_type>
typename define_standard_type<scalar_type>::type* convert_to_standard(scalar_type input[]) {
  return reinterpret_cast<typename define_standard_type<scalar_type>::type*>(input);
}
template <typename scalar_type>
const typename define_standard_type<scalar_type>::type* convert_to_standard(const scalar_type input[]) {
  return reinterpret_cast<const typename define_standard_type<scalar_type>::type*>(input);
}

}  // namespace heffte
