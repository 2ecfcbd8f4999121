// FFTW-MPI's functions by precision, and arrays as its manual lays them out.
#pragma once

#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace shardfft::testing {

using Size = std::ptrdiff_t;
using Sizes = std::vector<Size>;

template <class T>
struct Calls;

#define SHARDFFT_CALLS(T, X)                                                                       \
  template <>                                                                                      \
  struct Calls<T> {                                                                                \
    using Real = T;                                                                                \
    using Complex = X##complex;                                                                    \
    using Plan = X##plan;                                                                          \
    static constexpr auto init = X##mpi_init;                                                      \
    static constexpr auto cleanup = X##mpi_cleanup;                                                \
    static constexpr auto local_size_many = X##mpi_local_size_many;                                \
    static constexpr auto local_size = X##mpi_local_size_many_transposed;                          \
    static constexpr auto local_size_2d = X##mpi_local_size_2d;                                    \
    static constexpr auto local_size_1d = X##mpi_local_size_many_1d;                               \
    static constexpr auto dft = X##mpi_plan_many_dft;                                              \
    static constexpr auto dft_3d = X##mpi_plan_dft_3d;                                             \
    static constexpr auto r2c = X##mpi_plan_many_dft_r2c;                                          \
    static constexpr auto c2r = X##mpi_plan_many_dft_c2r;                                          \
    static constexpr auto r2r_2d = X##mpi_plan_r2r_2d;                                             \
    static constexpr auto transpose = X##mpi_plan_many_transpose;                                  \
    static constexpr auto execute = X##execute;                                                    \
    static constexpr auto execute_dft = X##mpi_execute_dft;                                        \
    static constexpr auto serial_execute_dft = X##execute_dft;                                     \
    static constexpr auto execute_r2r = X##mpi_execute_r2r;                                        \
    static constexpr auto destroy = X##destroy_plan;                                               \
    /* by name: FFTW has it since 3.3.11 */                                                        \
    static Plan copy(Plan plan) {                                                                  \
      return reinterpret_cast<decltype(&X##copy_plan)>(dlsym(RTLD_DEFAULT, #X "copy_plan"))(plan); \
    }                                                                                              \
    static constexpr auto flops = X##flops;                                                        \
    static constexpr auto cost = X##cost;                                                          \
    static constexpr auto sprint = X##sprint_plan;                                                 \
    static constexpr auto set_timelimit = X##set_timelimit;                                        \
    static constexpr auto gather_wisdom = X##mpi_gather_wisdom;                                    \
    static constexpr auto broadcast_wisdom = X##mpi_broadcast_wisdom;                              \
    static constexpr auto alloc_complex = X##alloc_complex;                                        \
    static constexpr auto free = X##free;                                                          \
  };
SHARDFFT_CALLS(float, fftwf_)
SHARDFFT_CALLS(double, fftw_)
#undef SHARDFFT_CALLS

/// Whether FFTW's own MPI library is in this process: it exports a function that shardfft has not.
inline bool fftw_is_there() { return dlsym(RTLD_DEFAULT, "fftw_mpi_plan_guru_dft") != nullptr; }

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline Size product(const Sizes& n) { return std::accumulate(n.begin(), n.end(), Size{1}, std::multiplies<>()); }

/// Memory of this rank, as local_size said. Nothing is in it that a test put there.
template <class T>
class Memory {
 public:
  explicit Memory(Size complexes)
      : data_(Calls<T>::alloc_complex(static_cast<std::size_t>(complexes))), reals_(2 * complexes) {
    for (Size i = 0; i < reals_; ++i) real()[i] = T(-77);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { Calls<T>::free(data_); }
  [[nodiscard]] typename Calls<T>::Complex* get() const { return data_; }
  [[nodiscard]] T* real() const { return reinterpret_cast<T*>(data_); }
  [[nodiscard]] std::vector<T> copy() const { return {real(), real() + reals_}; }

 private:
  typename Calls<T>::Complex* data_;
  Size reals_;
};

/// This rank's part of an array of tuples: a slab along axis 0, or, transposed, along axis 1 with axes 0 and 1
/// exchanged in memory.
struct Part {
  Sizes n{};        ///< global extents in memory; padded rows are as long as that
  Sizes logical{};  ///< of which so many are used
  Size howmany = 1, start = 0, count = 0;
  bool transposed = false;

  /// Calls visit(global row-major position, position in memory) for all elements; a tuple is one position after
  /// another.
  template <class Visit>
  void each(Visit visit) const {
    Sizes at(n.size(), 0);
    for (Size i = 0; i < product(logical); ++i) {
      Size rest = i;
      for (std::size_t a = n.size(); a-- > 0; rest /= logical[a]) at[a] = rest % logical[a];
      const std::size_t cut = transposed ? 1 : 0;
      if (at[cut] < start || at[cut] >= start + count) continue;
      Size memory = at[cut] - start;
      if (n.size() > 1) memory = memory * n[1 - cut] + at[1 - cut];
      for (std::size_t a = 2; a < n.size(); ++a) memory = memory * n[a] + at[a];
      for (Size v = 0; v < howmany; ++v) visit(i * howmany + v, memory * howmany + v);
    }
  }
};

/// The oracle: sums as they are defined, axis by axis, in double.
inline std::vector<std::complex<double>> naive_dft(std::vector<std::complex<double>> x, const Sizes& n, Size howmany,
                                                   int sign) {
  for (std::size_t a = 0; a < n.size(); ++a) {
    Size inner = howmany;
    for (std::size_t b = a + 1; b < n.size(); ++b) inner *= n[b];
    std::vector<std::complex<double>> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Size at = static_cast<Size>(i), k = at / inner % n[a], base = at - k * inner;
      for (Size j = 0; j < n[a]; ++j)
        y[i] += x[static_cast<std::size_t>(base + j * inner)] *
                std::polar(1.0, sign * 2 * M_PI * static_cast<double>(j * k % n[a]) / static_cast<double>(n[a]));
    }
    x = std::move(y);
  }
  return x;
}

/// Numbers without a pattern, the same on all ranks.
inline double noise(Size i) {
  const auto x = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15ULL;
  return static_cast<double>((x ^ (x >> 29)) % 20011) / 10005.5 - 1;
}

}  // namespace shardfft::testing
