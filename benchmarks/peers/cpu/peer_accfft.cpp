// AccFFT: pencils along the last axis in, along axis 0 out, in C order.
#include <accfft.h>
#include <accfftf.h>

#include <array>
#include <optional>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"

namespace shardfft::peers {
namespace {

/// AccFFT's functions by precision.
template <class T>
struct Acc;
template <>
struct Acc<double> {
  using Number = Complex;
  using Plan = accfft_plan;
  static constexpr auto size_c2c = accfft_local_size_dft_c2c;
  static constexpr auto size_r2c = accfft_local_size_dft_r2c;
  static constexpr auto plan_c2c = accfft_plan_dft_3d_c2c;
  static constexpr accfft_plan* (*plan_r2c)(int*, double*, double*, MPI_Comm, unsigned) = accfft_plan_dft_3d_r2c;
};
template <>
struct Acc<float> {
  using Number = Complexf;
  using Plan = accfft_planf;
  static constexpr auto size_c2c = accfft_local_size_dft_c2cf;
  static constexpr auto size_r2c = accfft_local_size_dft_r2cf;
  static constexpr auto plan_c2c = accfft_plan_dft_3d_c2cf;
  static constexpr accfft_planf* (*plan_r2c)(int*, float*, float*, MPI_Comm, unsigned) = accfft_plan_dft_3d_r2cf;
};

void run(accfft_plan* plan, int direction, Complex* from, Complex* to) {
  accfft_execute_c2c(plan, direction, from, to);
}
void run(accfft_planf* plan, int direction, Complexf* from, Complexf* to) {
  accfft_execute_c2cf(plan, direction, from, to);
}
void run(accfft_plan* plan, double* from, Complex* to) { accfft_execute_r2c(plan, from, to); }
void run(accfft_planf* plan, float* from, Complexf* to) { accfft_execute_r2cf(plan, from, to); }
void run_back(accfft_plan* plan, Complex* from, double* to) { accfft_execute_c2r(plan, from, to); }
void run_back(accfft_planf* plan, Complexf* from, float* to) { accfft_execute_c2rf(plan, from, to); }

struct FreeMemory {
  void operator()(void* p) const { accfft_free(p); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

/// The grid of processes, freed after the plans.
struct Grid {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit Grid(const std::optional<ProcessGrid>& named) {
    int dims[2] = {named ? named->rows : 0, named ? named->columns : 0};  // 0: it chooses
    accfft_create_comm(MPI_COMM_WORLD, dims, &comm);
  }
  ~Grid() { MPI_Comm_free(&comm); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
};

template <class T>
class Pencils final : public Transform {
  using Number = typename Acc<T>::Number;

 public:
  explicit Pencils(const Task& task) : task_(task), grid_(named_grid(task)) {
    int n[3];
    for (int a = 0; a < 3; ++a) n[a] = static_cast<int>(task.shape[a]);
    std::array<int, 3> isize, istart, osize, ostart;
    const bool complex = task.kind == c2c;
    const int bytes = (complex ? Acc<T>::size_c2c : Acc<T>::size_r2c)(n, isize.data(), istart.data(), osize.data(),
                                                                      ostart.data(), grid_.comm);
    in_box_ = box_of(istart, isize);
    out_box_ = box_of(ostart, osize);
    in_.reset(accfft_alloc(bytes));
    out_.reset(accfft_alloc(bytes));
    const unsigned flags = task.call == Call::best ? ACCFFT_MEASURE : ACCFFT_ESTIMATE;
    plan_ = complex ? Acc<T>::plan_c2c(n, numbers(in_), numbers(out_), grid_.comm, flags)
                    : Acc<T>::plan_r2c(n, reals(in_), reals(out_), grid_.comm, flags);
  }
  ~Pencils() override { accfft_destroy_plan(plan_); }
  Pencils(const Pencils&) = delete;
  Pencils& operator=(const Pencils&) = delete;

  std::vector<LocalPart> input() override {
    return {dense(in_box_, static_cast<std::byte*>(in_.get()), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(out_box_, static_cast<std::byte*>(out_.get()), task_.spectrum_element())};
  }
  void forward() override {
    task_.kind == c2c ? run(plan_, ACCFFT_FORWARD, numbers(in_), numbers(out_)) : run(plan_, reals(in_), numbers(out_));
  }
  void backward() override {
    task_.kind == c2c ? run(plan_, ACCFFT_BACKWARD, numbers(out_), numbers(in_))
                      : run_back(plan_, numbers(out_), reals(in_));
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    const auto grid = named_grid(task_);
    return {fmt::format("{}, out of place, {} threads a rank{}",
                        task_.call == Call::best ? "ACCFFT_MEASURE" : "ACCFFT_ESTIMATE", task_.threads,
                        grid ? ", " + grid->text() : ""),
            "pencils along axis 2, C order", "pencils along axis 0, C order"};
  }

 private:
  static Box box_of(const std::array<int, 3>& start, const std::array<int, 3>& size) {
    Box box{Coord::filled(3, 0), Coord::filled(3, 0)};
    for (int a = 0; a < 3; ++a) {
      box.lo[a] = start[static_cast<std::size_t>(a)];
      box.hi[a] = box.lo[a] + size[static_cast<std::size_t>(a)];
    }
    return box;
  }
  static T* reals(const Memory& m) { return static_cast<T*>(m.get()); }
  static Number* numbers(const Memory& m) { return static_cast<Number*>(m.get()); }

  Task task_;
  Grid grid_;
  Box in_box_, out_box_;
  Memory in_, out_;
  typename Acc<T>::Plan* plan_ = nullptr;
};

class AccFft final : public Library {
 public:
  About about() const override {
    return {.library = "accfft",
            .version = "2020-11",
            .mpi = true,
            .threads = true,
            .grid = true,
            .layouts = {"pencils"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("AccFFT has 3 dimensions");
    if (task.layout != "pencils" && comm.size() > 1) throw Unsupported("AccFFT knows pencils only");
    accfft_init(task.threads);
    if (task.precision == f32) return std::make_unique<Pencils<float>>(task);
    return std::make_unique<Pencils<double>>(task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<AccFft>(); }

}  // namespace shardfft::peers
