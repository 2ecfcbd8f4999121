// What a planner function of FFTW-MPI was asked for, in one form for all of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace shardfft::fftw_mpi {

enum class What { c2c, r2c, c2r, transpose, r2r };
inline constexpr int whats = 5;

struct Request {
  What what = What::c2c;
  const char* function = "";        ///< as it is called, without precision: "mpi_plan_many_dft"
  int real_bytes = 8;               ///< of the precision: 4, 8, or 16 for long double
  std::vector<std::ptrdiff_t> n{};  ///< logical extents; of a transpose two
  std::ptrdiff_t howmany = 1, in_block = 0, out_block = 0;
  void *in = nullptr, *out = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  int sign = -1;
  std::vector<int> kinds{};  ///< of r2r, FFTW's numbers
  unsigned flags = 0;
  int threads = 1;      ///< FFTW's fftw_plan_with_nthreads
  double seconds = -1;  ///< FFTW's fftw_set_timelimit; negative: none
};

/// The name that the program called: "fftwf_mpi_plan_many_dft".
std::string full_name(const Request& request);

/// Which memory order and cut one side of a request has. Made by sides_of().
struct Side {
  enum class Cut { blocks, cyclic } cut = Cut::blocks;
  int axis = 0;              ///< that is cut
  std::ptrdiff_t block = 0;  ///< rows of a rank
  bool swapped = false;      ///< axes 0 and 1 are exchanged in memory
};

/// Input and output, or why there is none.
struct Sides {
  Side in{}, out{};
  std::string refused{};    ///< empty if there is
  bool others_may = false;  ///< FFTW may have a plan for it
};

/// Checks a request by rules that need no plan. Not collective.
Sides sides_of(const Request& request, int ranks);

/// Extents of the complex side: the last one is n/2 + 1 for r2c and c2r.
std::vector<std::ptrdiff_t> spectrum_of(const Request& request);
/// What FFTW's number of a kind is to us, as SHARDFFT_COSINE2; -1: nothing.
int kind_of(int fftw_kind);
/// Whether one axis is cut cyclically: it was said that its order does not matter, and the ranks divide it.
bool is_cyclic(std::ptrdiff_t n, int ranks, bool scrambled);

}  // namespace shardfft::fftw_mpi
