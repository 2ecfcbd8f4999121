// All functions of one precision. FFTW(name) is fftw_name, fftwf_name or fftwl_name, F77(name) dfftw_name_, sfftw_name_
// or lfftw_name_; Real is its scalar.
//
// Short forms call the long one, `..._many_...`, and that asks for a plan of ours. What shardfft does not do goes to
// the same function of FFTW's library.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "blocks.hpp"
#include "fftw3-mpi.h"
#include "ours.hpp"
#include "report.hpp"
#include "theirs.hpp"

#define SHARDFFT_TEXT_OF(name) #name
#define SHARDFFT_TEXT(name) SHARDFFT_TEXT_OF(name)
/// FFTW's function of this name, or nullptr.
#define THEIRS(name)                                                                \
  ([] {                                                                             \
    static constinit Theirs<decltype(FFTW(name))> found(SHARDFFT_TEXT(FFTW(name))); \
    return found.get();                                                             \
  }())

namespace shardfft::fftw_mpi {
namespace {

using Complex = FFTW(complex);
using FftwPlan = FFTW(plan);
using Kind = FFTW(r2r_kind);
using Size = std::ptrdiff_t;

/// fftw_set_timelimit, for plans that measure.
double time_limit = FFTW_NO_TIMELIMIT;
/// fftw_plan_with_nthreads.
int planner_threads = 1;

/// A plan of ours, or what FFTW's function makes of the same arguments.
template <class Function, class... Arguments>
FftwPlan plan(Request request, Function* theirs, Arguments... arguments) {
  request.real_bytes = sizeof(Real);
  request.threads = FFTW(planner_nthreads)();
  request.seconds = time_limit;
  const Answer answer = ask(request);
  if (answer.plan != nullptr) return reinterpret_cast<FftwPlan>(answer.plan);
  const double begin = now();
  const FftwPlan other = answer.others_may && theirs != nullptr ? theirs(arguments...) : nullptr;
  settle(request, answer, other, theirs != nullptr, now() - begin);
  return other;
}

std::vector<Size> extents(int rank, const Size* n) {
  return rank < 1 || n == nullptr ? std::vector<Size>{} : std::vector<Size>(n, n + rank);
}

/// Runs a plan of ours, or hands it on.
template <class Function, class... Arguments>
void execute(const void* plan, Function* theirs, Arguments... arguments) {
  if (theirs == nullptr)
    die(fmt::format("{}: this is no plan of shardfft, and FFTW is not loaded", SHARDFFT_TEXT(FFTW(execute))));
  if (What what{}; is_theirs(plan, what)) return counted_run(Whose::theirs, what, [&] { theirs(arguments...); });
  theirs(arguments...);
}

/// Whether FFTW may be asked: it divides by an extent of 0.
bool has_points(int rank, const Size* n) {
  return std::all_of(n, n + std::max(rank, 0), [](Size extent) { return extent > 0; });
}

void give(Rows rows, Size* count, Size* start) {
  *count = rows.count;
  *start = rows.start;
}

/// Local rows and what must be allocated, with blocks asked for or 0.
Size local_size(std::span<const Size> n, Size howmany, Size block_0, Size block_1, MPI_Comm comm, Rows& rows_0,
                Rows& rows_1) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto rows = [&](std::size_t axis, Size block) {
    return rows_of(n[axis], block_of(n[axis], block, ranks), rank);
  };
  rows_0 = rows(0, block_0);
  rows_1 = n.size() > 1 ? rows(1, block_1) : rows_0;
  return local_elements(n, howmany, rows_0, rows_1);
}

}  // namespace
}  // namespace shardfft::fftw_mpi

using namespace shardfft::fftw_mpi;

extern "C" {

// ---- Start and end ----

void FFTW(mpi_init)(void) {
  if (const auto theirs = THEIRS(mpi_init)) theirs();
}

/// Plans of ours live on: PETSc calls it whenever a matrix dies.
void FFTW(mpi_cleanup)(void) {
  if (const auto theirs = THEIRS(mpi_cleanup)) theirs();
}

void FFTW(mpi_gather_wisdom)(MPI_Comm comm) {
  if (const auto theirs = THEIRS(mpi_gather_wisdom)) theirs(comm);
}

void FFTW(mpi_broadcast_wisdom)(MPI_Comm comm) {
  if (const auto theirs = THEIRS(mpi_broadcast_wisdom)) theirs(comm);
}

void FFTW(set_timelimit)(double seconds) {
  time_limit = seconds;
  if (const auto theirs = THEIRS(set_timelimit)) theirs(seconds);
}

// ---- Who owns what ----

// FFTW's plans may need more memory than ours, and a program may mix them: the larger size is given.

Size FFTW(mpi_local_size_many_transposed)(int rank, const Size* n, Size howmany, Size block0, Size block1,
                                          MPI_Comm comm, Size* local_n0, Size* local_0_start, Size* local_n1,
                                          Size* local_1_start) {
  Size theirs = 0;
  if (const auto ask = THEIRS(mpi_local_size_many_transposed); ask && has_points(rank, n))
    theirs = ask(rank, n, howmany, block0, block1, comm, local_n0, local_0_start, local_n1, local_1_start);
  Rows rows_0{1, 0}, rows_1{1, 0};
  const Size ours = rank < 1 ? howmany : local_size({n, n + rank}, howmany, block0, block1, comm, rows_0, rows_1);
  give(rows_0, local_n0, local_0_start);
  give(rows_1, local_n1, local_1_start);
  return std::max(ours, theirs);
}

Size FFTW(mpi_local_size_many)(int rank, const Size* n, Size howmany, Size block0, MPI_Comm comm, Size* local_n0,
                               Size* local_0_start) {
  Size theirs = 0;
  if (const auto ask = THEIRS(mpi_local_size_many); ask && has_points(rank, n))
    theirs = ask(rank, n, howmany, block0, comm, local_n0, local_0_start);
  Size local_n1 = 0, local_1_start = 0;
  return std::max(theirs, FFTW(mpi_local_size_many_transposed)(rank, n, howmany, block0, FFTW_MPI_DEFAULT_BLOCK, comm,
                                                               local_n0, local_0_start, &local_n1, &local_1_start));
}

Size FFTW(mpi_local_size_many_1d)(Size n0, Size howmany, MPI_Comm comm, int sign, unsigned flags, Size* local_ni,
                                  Size* local_i_start, Size* local_no, Size* local_o_start) {
  Size theirs = 0;
  if (const auto ask = THEIRS(mpi_local_size_many_1d); ask && has_points(1, &n0))
    theirs = ask(n0, howmany, comm, sign, flags, local_ni, local_i_start, local_no, local_o_start);
  // A cyclic part is as large as a block: the ranks divide n.
  Rows rows{}, same{};
  const Size ours = local_size({&n0, 1}, howmany, 0, 0, comm, rows, same);
  give(rows, local_ni, local_i_start);
  give(rows, local_no, local_o_start);
  return std::max(ours, theirs);
}

Size FFTW(mpi_local_size_transposed)(int rank, const Size* n, MPI_Comm comm, Size* local_n0, Size* local_0_start,
                                     Size* local_n1, Size* local_1_start) {
  return FFTW(mpi_local_size_many_transposed)(rank, n, 1, 0, 0, comm, local_n0, local_0_start, local_n1, local_1_start);
}

Size FFTW(mpi_local_size)(int rank, const Size* n, MPI_Comm comm, Size* local_n0, Size* local_0_start) {
  return FFTW(mpi_local_size_many)(rank, n, 1, 0, comm, local_n0, local_0_start);
}

Size FFTW(mpi_local_size_1d)(Size n0, MPI_Comm comm, int sign, unsigned flags, Size* local_ni, Size* local_i_start,
                             Size* local_no, Size* local_o_start) {
  return FFTW(mpi_local_size_many_1d)(n0, 1, comm, sign, flags, local_ni, local_i_start, local_no, local_o_start);
}

Size FFTW(mpi_local_size_2d)(Size n0, Size n1, MPI_Comm comm, Size* local_n0, Size* local_0_start) {
  return FFTW(mpi_local_size)(2, std::array{n0, n1}.data(), comm, local_n0, local_0_start);
}

Size FFTW(mpi_local_size_2d_transposed)(Size n0, Size n1, MPI_Comm comm, Size* local_n0, Size* local_0_start,
                                        Size* local_n1, Size* local_1_start) {
  return FFTW(mpi_local_size_transposed)(2, std::array{n0, n1}.data(), comm, local_n0, local_0_start, local_n1,
                                         local_1_start);
}

Size FFTW(mpi_local_size_3d)(Size n0, Size n1, Size n2, MPI_Comm comm, Size* local_n0, Size* local_0_start) {
  return FFTW(mpi_local_size)(3, std::array{n0, n1, n2}.data(), comm, local_n0, local_0_start);
}

Size FFTW(mpi_local_size_3d_transposed)(Size n0, Size n1, Size n2, MPI_Comm comm, Size* local_n0, Size* local_0_start,
                                        Size* local_n1, Size* local_1_start) {
  return FFTW(mpi_local_size_transposed)(3, std::array{n0, n1, n2}.data(), comm, local_n0, local_0_start, local_n1,
                                         local_1_start);
}

// ---- Complex ----

FftwPlan FFTW(mpi_plan_many_dft)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Complex* in,
                                 Complex* out, MPI_Comm comm, int sign, unsigned flags) {
  return plan({.what = What::c2c,
               .function = "mpi_plan_many_dft",
               .n = extents(rank, n),
               .howmany = howmany,
               .in_block = in_block,
               .out_block = out_block,
               .in = in,
               .out = out,
               .comm = comm,
               .sign = sign,
               .flags = flags},
              THEIRS(mpi_plan_many_dft), rank, n, howmany, in_block, out_block, in, out, comm, sign, flags);
}

FftwPlan FFTW(mpi_plan_dft)(int rank, const Size* n, Complex* in, Complex* out, MPI_Comm comm, int sign,
                            unsigned flags) {
  return FFTW(mpi_plan_many_dft)(rank, n, 1, 0, 0, in, out, comm, sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_1d)(Size n0, Complex* in, Complex* out, MPI_Comm comm, int sign, unsigned flags) {
  return FFTW(mpi_plan_dft)(1, &n0, in, out, comm, sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_2d)(Size n0, Size n1, Complex* in, Complex* out, MPI_Comm comm, int sign, unsigned flags) {
  return FFTW(mpi_plan_dft)(2, std::array{n0, n1}.data(), in, out, comm, sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_3d)(Size n0, Size n1, Size n2, Complex* in, Complex* out, MPI_Comm comm, int sign,
                               unsigned flags) {
  return FFTW(mpi_plan_dft)(3, std::array{n0, n1, n2}.data(), in, out, comm, sign, flags);
}

// ---- Real to complex ----

FftwPlan FFTW(mpi_plan_many_dft_r2c)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Real* in,
                                     Complex* out, MPI_Comm comm, unsigned flags) {
  return plan({.what = What::r2c,
               .function = "mpi_plan_many_dft_r2c",
               .n = extents(rank, n),
               .howmany = howmany,
               .in_block = in_block,
               .out_block = out_block,
               .in = in,
               .out = out,
               .comm = comm,
               .flags = flags},
              THEIRS(mpi_plan_many_dft_r2c), rank, n, howmany, in_block, out_block, in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_dft_r2c)(int rank, const Size* n, Real* in, Complex* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_many_dft_r2c)(rank, n, 1, 0, 0, in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_dft_r2c_2d)(Size n0, Size n1, Real* in, Complex* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_dft_r2c)(2, std::array{n0, n1}.data(), in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_dft_r2c_3d)(Size n0, Size n1, Size n2, Real* in, Complex* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_dft_r2c)(3, std::array{n0, n1, n2}.data(), in, out, comm, flags);
}

// ---- Complex to real ----

FftwPlan FFTW(mpi_plan_many_dft_c2r)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Complex* in,
                                     Real* out, MPI_Comm comm, unsigned flags) {
  return plan({.what = What::c2r,
               .function = "mpi_plan_many_dft_c2r",
               .n = extents(rank, n),
               .howmany = howmany,
               .in_block = in_block,
               .out_block = out_block,
               .in = in,
               .out = out,
               .comm = comm,
               .sign = 1,
               .flags = flags},
              THEIRS(mpi_plan_many_dft_c2r), rank, n, howmany, in_block, out_block, in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_dft_c2r)(int rank, const Size* n, Complex* in, Real* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_many_dft_c2r)(rank, n, 1, 0, 0, in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_dft_c2r_2d)(Size n0, Size n1, Complex* in, Real* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_dft_c2r)(2, std::array{n0, n1}.data(), in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_dft_c2r_3d)(Size n0, Size n1, Size n2, Complex* in, Real* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_dft_c2r)(3, std::array{n0, n1, n2}.data(), in, out, comm, flags);
}

// ---- Real to real ----

FftwPlan FFTW(mpi_plan_many_r2r)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Real* in,
                                 Real* out, MPI_Comm comm, const Kind* kind, unsigned flags) {
  return plan({.what = What::r2r,
               .function = "mpi_plan_many_r2r",
               .n = extents(rank, n),
               .howmany = howmany,
               .in_block = in_block,
               .out_block = out_block,
               .in = in,
               .out = out,
               .comm = comm,
               .kinds = rank < 1 || kind == nullptr ? std::vector<int>{} : std::vector<int>(kind, kind + rank),
               .flags = flags},
              THEIRS(mpi_plan_many_r2r), rank, n, howmany, in_block, out_block, in, out, comm, kind, flags);
}

FftwPlan FFTW(mpi_plan_r2r)(int rank, const Size* n, Real* in, Real* out, MPI_Comm comm, const Kind* kind,
                            unsigned flags) {
  return FFTW(mpi_plan_many_r2r)(rank, n, 1, 0, 0, in, out, comm, kind, flags);
}

FftwPlan FFTW(mpi_plan_r2r_2d)(Size n0, Size n1, Real* in, Real* out, MPI_Comm comm, Kind kind0, Kind kind1,
                               unsigned flags) {
  return FFTW(mpi_plan_r2r)(2, std::array{n0, n1}.data(), in, out, comm, std::array{kind0, kind1}.data(), flags);
}

FftwPlan FFTW(mpi_plan_r2r_3d)(Size n0, Size n1, Size n2, Real* in, Real* out, MPI_Comm comm, Kind kind0, Kind kind1,
                               Kind kind2, unsigned flags) {
  return FFTW(mpi_plan_r2r)(3, std::array{n0, n1, n2}.data(), in, out, comm, std::array{kind0, kind1, kind2}.data(),
                            flags);
}

// ---- Transposes ----

FftwPlan FFTW(mpi_plan_many_transpose)(Size n0, Size n1, Size howmany, Size block0, Size block1, Real* in, Real* out,
                                       MPI_Comm comm, unsigned flags) {
  return plan({.what = What::transpose,
               .function = "mpi_plan_many_transpose",
               .n = {n0, n1},
               .howmany = howmany,
               .in_block = block0,
               .out_block = block1,
               .in = in,
               .out = out,
               .comm = comm,
               .flags = flags},
              THEIRS(mpi_plan_many_transpose), n0, n1, howmany, block0, block1, in, out, comm, flags);
}

FftwPlan FFTW(mpi_plan_transpose)(Size n0, Size n1, Real* in, Real* out, MPI_Comm comm, unsigned flags) {
  return FFTW(mpi_plan_many_transpose)(n0, n1, 1, 0, 0, in, out, comm, flags);
}

// ---- Runs: the plan says what is done, whichever function is called ----

void FFTW(execute)(const FftwPlan plan) {
  if (Handle* ours = find(plan)) return run(ours);
  execute(plan, THEIRS(execute), plan);
}

#define SHARDFFT_EXECUTE(name, In, Out)                       \
  void FFTW(name)(const FftwPlan plan, In* in, Out* out) {    \
    if (Handle* ours = find(plan)) return run(ours, in, out); \
    execute(plan, THEIRS(name), plan, in, out);               \
  }
SHARDFFT_EXECUTE(execute_dft, Complex, Complex)
SHARDFFT_EXECUTE(execute_dft_r2c, Real, Complex)
SHARDFFT_EXECUTE(execute_dft_c2r, Complex, Real)
SHARDFFT_EXECUTE(execute_r2r, Real, Real)
SHARDFFT_EXECUTE(mpi_execute_dft, Complex, Complex)
SHARDFFT_EXECUTE(mpi_execute_dft_r2c, Real, Complex)
SHARDFFT_EXECUTE(mpi_execute_dft_c2r, Complex, Real)
SHARDFFT_EXECUTE(mpi_execute_r2r, Real, Real)

// ---- What else is done with plans ----

void FFTW(destroy_plan)(FftwPlan plan) {
  if (Handle* ours = find(plan)) return destroy(ours);
  forget_theirs(plan);
  if (const auto theirs = THEIRS(destroy_plan)) theirs(plan);
}

FftwPlan FFTW(copy_plan)(const FftwPlan plan) {
  if (Handle* ours = find(plan)) return reinterpret_cast<FftwPlan>(copy(ours));
  const auto theirs = THEIRS(copy_plan);
  return theirs == nullptr ? nullptr : theirs(plan);
}

void FFTW(flops)(const FftwPlan plan, double* add, double* multiply, double* multiply_add) {
  *add = *multiply = *multiply_add = 0;
  if (Handle* ours = find(plan))
    *add = flops(ours);
  else if (const auto theirs = THEIRS(flops))
    theirs(plan, add, multiply, multiply_add);
}

double FFTW(cost)(const FftwPlan plan) {
  if (Handle* ours = find(plan)) return flops(ours);
  const auto theirs = THEIRS(cost);
  return theirs == nullptr ? 0 : theirs(plan);
}

double FFTW(estimate_cost)(const FftwPlan plan) {
  if (Handle* ours = find(plan)) return flops(ours);
  const auto theirs = THEIRS(estimate_cost);
  return theirs == nullptr ? 0 : theirs(plan);
}

char* FFTW(sprint_plan)(const FftwPlan plan) {
  if (Handle* ours = find(plan)) return text_of(ours);
  const auto theirs = THEIRS(sprint_plan);
  return theirs == nullptr ? nullptr : theirs(plan);
}

void FFTW(fprint_plan)(const FftwPlan plan, FILE* file) {
  char* text = FFTW(sprint_plan)(plan);
  if (text != nullptr) std::fputs(text, file);
  std::free(text);
}

void FFTW(print_plan)(const FftwPlan plan) { FFTW(fprint_plan)(plan, stdout); }

// ---- Memory: FFTW's while it is there ----

void* FFTW(malloc)(std::size_t bytes) {
  if (const auto theirs = THEIRS(malloc)) return theirs(bytes);
  void* memory = nullptr;
  return posix_memalign(&memory, 64, std::max<std::size_t>(bytes, 1)) == 0 ? memory : nullptr;
}

Real* FFTW(alloc_real)(std::size_t count) { return static_cast<Real*>(FFTW(malloc)(count * sizeof(Real))); }

Complex* FFTW(alloc_complex)(std::size_t count) { return static_cast<Complex*>(FFTW(malloc)(count * sizeof(Complex))); }

void FFTW(free)(void* memory) {
  if (const auto theirs = THEIRS(free)) return theirs(memory);
  std::free(memory);
}

#include "wisdom.inl"

#include "fortran.inl"

}  // extern "C"
