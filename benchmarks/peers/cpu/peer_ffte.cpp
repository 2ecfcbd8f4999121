// FFTE, from Fortran: slabs along axis 0 on both sides, or pencils along the last axis in and along axis 0 out. Its
// inverse is scaled. One thread a rank, and one plan at a time: its tables belong to the program.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <utility>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"
#include "shardfft/view.hpp"

extern "C" {
void pzfft3d_(void* in, void* out, const int* nx, const int* ny, const int* nz, const MPI_Fint* comm, const int* ranks,
              const int* option);
void pzfft3dv_(void* in, void* out, const int* nx, const int* ny, const int* nz, const MPI_Fint* comm_y,
               const MPI_Fint* comm_z, const int* ranks_y, const int* ranks_z, const int* option);
void pdzfft3dv_(void* reals, void* work, const int* nx, const int* ny, const int* nz, const MPI_Fint* comm_y,
                const MPI_Fint* comm_z, const int* rank_y, const int* ranks_y, const int* ranks_z, const int* option);
void pzdfft3dv_(void* spectrum, void* work, const int* nx, const int* ny, const int* nz, const MPI_Fint* comm_y,
                const MPI_Fint* comm_z, const int* rank_y, const int* ranks_y, const int* ranks_z, const int* option);
void pdzfft3d_(void* reals, void* work, const int* nx, const int* ny, const int* nz, const MPI_Fint* comm,
               const int* rank, const int* ranks, const int* option);
void pzdfft3d_(void* spectrum, void* work, const int* nx, const int* ny, const int* nz, const MPI_Fint* comm,
               const int* rank, const int* ranks, const int* option);
}

namespace shardfft::peers {
namespace {

constexpr int longest = 4096;  // NDA3 of its param.h
/// What a call is to do: `_transposed` leaves the spectrum cut along other axes, or takes it so.
enum Option : int { prepare = 0, forwards = -1, backwards = 1, forwards_transposed = -2, backwards_transposed = 2 };

struct Extents {
  explicit Extents(const Shape& shape)
      : x(static_cast<int>(shape[2])), y(static_cast<int>(shape[1])), z(static_cast<int>(shape[0])) {}
  int x, y, z;  ///< x is the fastest axis
};

/// The part of `n` points that block `i` of `blocks` equal ones has.
void cut(Box& box, int axis, Index n, int blocks, int i) {
  box.lo[axis] = n / blocks * i;
  box.hi[axis] = n / blocks * (i + 1);
}

/// In place if there are reals: they share memory with their spectrum, in which the library leaves it.
class InTwoArrays : public Transform {
 public:
  std::vector<LocalPart> input() override { return {dense(in_box_, arrays_[0].data(), task_.input_element())}; }
  std::vector<LocalPart> spectrum() override {
    return {dense(out_box_, arrays_[is_real() ? 0 : 1].data(), task_.spectrum_element())};
  }
  double gain() const override { return 1; }

 protected:
  explicit InTwoArrays(const Task& task)
      : task_(task), n_(task.shape), in_box_(whole(task.shape)), out_box_(whole(task.spectrum())) {}
  [[nodiscard]] bool is_real() const { return task_.kind == r2c; }
  void start(Index elements) {
    for (Array& array : arrays_) array = Array(static_cast<std::size_t>(elements * task_.spectrum_element()));
    call(prepare, false);
    if (is_real()) call(prepare, true);
  }
  void call(int option, bool from_spectrum) {
    std::byte *a = arrays_[0].data(), *b = arrays_[1].data();
    if (from_spectrum && !is_real()) std::swap(a, b);
    run(a, b, option, from_spectrum);
  }

  Task task_;
  Extents n_;
  Box in_box_, out_box_;

 private:
  /// A call of the library, from `a` to `b`; of reals always the same two.
  virtual void run(void* a, void* b, int option, bool from_spectrum) = 0;

  std::array<Array, 2> arrays_;
};

class Slabs final : public InTwoArrays {
 public:
  Slabs(const Comm& comm, const Task& task)
      : InTwoArrays(task), rank_(comm.rank()), ranks_(comm.size()), comm_(MPI_Comm_c2f(MPI_COMM_WORLD)) {
    for (Box* box : {&in_box_, &out_box_}) cut(*box, 0, task.shape[0], ranks_, rank_);
    start(out_box_.count());
  }

  void forward() override { call(forwards, false); }
  void backward() override { call(backwards, true); }
  Description describe() const override {
    return {is_real() ? "pdzfft3d, pzdfft3d" : "pzfft3d", "slabs along axis 0, C order", "slabs along axis 0, C order"};
  }

 private:
  void run(void* a, void* b, int option, bool from_spectrum) override {
    if (is_real())
      (from_spectrum ? pzdfft3d_ : pdzfft3d_)(a, b, &n_.x, &n_.y, &n_.z, &comm_, &rank_, &ranks_, &option);
    else
      pzfft3d_(a, b, &n_.x, &n_.y, &n_.z, &comm_, &ranks_, &option);
  }

  int rank_, ranks_;
  MPI_Fint comm_;
};

/// Ranks that have this one's row or column of the grid.
class Line {
 public:
  Line(int color, int rank) { MPI_Comm_split(MPI_COMM_WORLD, color, rank, &comm_); }
  ~Line() { MPI_Comm_free(&comm_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  [[nodiscard]] MPI_Fint fortran() const { return MPI_Comm_c2f(comm_); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

class Pencils final : public InTwoArrays {
 public:
  Pencils(const Comm& comm, const Task& task, const ProcessGrid& grid)
      : InTwoArrays(task),
        grid_(grid),
        column_number_(comm.rank() % grid.columns),
        row_(comm.rank() / grid.columns, comm.rank()),
        column_(column_number_, comm.rank()) {
    const int row = comm.rank() / grid.columns;
    cut(in_box_, 0, task.shape[0], grid.rows, row);
    cut(in_box_, 1, task.shape[1], grid.columns, column_number_);
    cut(out_box_, 1, task.shape[1], grid.rows, row);
    cut(out_box_, 2, is_real() ? task.shape[2] / 2 : task.shape[2], grid.columns, column_number_);
    if (is_real()) {  // the first column has one number more
      if (column_number_ > 0) ++out_box_.lo[2];
      ++out_box_.hi[2];
    }
    start(std::max(in_box_.count() / task.shape[2] * (task.shape[2] + 2), 2 * out_box_.count()));
  }

  void forward() override { call(forwards_transposed, false); }
  void backward() override { call(backwards_transposed, true); }
  Description describe() const override {
    return {(is_real() ? "pdzfft3dv, pzdfft3dv, " : "pzfft3dv, ") + grid_.text(), "pencils along axis 2, C order",
            "pencils along axis 0, C order"};
  }

 private:
  void run(void* a, void* b, int option, bool from_spectrum) override {
    const MPI_Fint row = row_.fortran(), column = column_.fortran();
    if (is_real())
      (from_spectrum ? pzdfft3dv_ : pdzfft3dv_)(a, b, &n_.x, &n_.y, &n_.z, &row, &column, &column_number_,
                                                &grid_.columns, &grid_.rows, &option);
    else
      pzfft3dv_(a, b, &n_.x, &n_.y, &n_.z, &row, &column, &grid_.columns, &grid_.rows, &option);
  }

  ProcessGrid grid_;
  int column_number_;
  Line row_, column_;
};

bool has_small_factors(Index n) {
  for (const Index factor : {2, 3, 5})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

class Ffte final : public Library {
 public:
  About about() const override {
    return {.library = "ffte",
            .version = SHARDFFT_FFTE_VERSION,
            .mpi = true,
            .grid = true,
            .precisions = {"f64"},
            .layouts = {"natural", "pencils"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("this adapter knows FFTE's 3 dimensions");
    if (task.precision != f64) throw Unsupported("FFTE has double precision only");
    for (const Index n : task.shape)
      if (!has_small_factors(n) || n > longest)
        throw Unsupported("FFTE has lengths of factors 2, 3 and 5 up to 4096 only");
    (void)named_grid(task);
    if (task.layout == "pencils") return pencils(comm, task);
    if (task.layout != "natural" && comm.size() > 1) throw Unsupported("FFTE knows slabs and pencils only");
    if (task.shape[0] % comm.size() != 0 || task.shape[1] % comm.size() != 0 || last(task) % comm.size() != 0)
      throw Unsupported("FFTE needs extents that the number of ranks divides");
    return std::make_unique<Slabs>(comm, task);
  }

 private:
  /// Points along the last axis that are dealt. Reals are dealt in pairs.
  static Index last(const Task& task) {
    if (task.kind != r2c) return task.shape[2];
    if (task.shape[2] % 2 != 0) throw Unsupported("FFTE has an even number of reals along the last axis");
    return task.shape[2] / 2;
  }
  static std::unique_ptr<Transform> pencils(const Comm& comm, const Task& task) {
    const ProcessGrid grid = grid_for(task, comm.size());
    const Index n0 = task.shape[0], n1 = task.shape[1];
    if (n0 % grid.rows != 0 || n1 % grid.rows != 0 || n1 % grid.columns != 0 || last(task) % grid.columns != 0)
      throw Unsupported("FFTE needs extents that the grid of processes divides");
    return std::make_unique<Pencils>(comm, task, grid);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Ffte>(); }

}  // namespace shardfft::peers
