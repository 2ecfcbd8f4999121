// dtFFT: pencils along the last axis in, along axis 0 out. Its slab shortcut is off, for pencils were asked for.
#include <dtfft.hpp>

#include <array>
#include <limits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"
#include "shardfft/view.hpp"

namespace shardfft::peers {
namespace {

dtfft::Executor executor() {
#if defined(DTFFT_WITH_FFTW)
  return dtfft::Executor::FFTW3;
#elif defined(DTFFT_WITH_MKL)
  return dtfft::Executor::MKL;
#else
  return dtfft::Executor::NONE;
#endif
}

/// A grid of processes over two axes, as its manual's examples make it.
class Grid {
 public:
  explicit Grid(const ProcessGrid& grid) {
    const std::array<int, 2> dims{grid.columns, grid.rows}, periods{};  // of its dimensions, fastest in memory first
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &comm_);
  }
  ~Grid() { MPI_Comm_free(&comm_); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

class Pencils final : public Transform {
 public:
  Pencils(const Comm& comm, const Task& task)
      : task_(task), processes_(grid_for(task, comm.size())), grid_(processes_) {
    dtfft::Config config;
    config.set_enable_z_slab(false);  // pencils were asked for
    dtfft::set_config(config);
    const std::vector<std::int32_t> n{as_int(task.shape[2]), as_int(task.shape[1]),
                                      as_int(task.shape[0])};  // fastest first
    const auto precision = task.precision == f32 ? dtfft::Precision::SINGLE : dtfft::Precision::DOUBLE;
    const auto effort = task.call == Call::best ? dtfft::Effort::PATIENT : dtfft::Effort::ESTIMATE;
    if (task.kind == c2c)
      plan_ = std::make_unique<dtfft::PlanC2C>(n, grid_.comm(), precision, effort, executor());
    else
      plan_ = std::make_unique<dtfft::PlanR2C>(n, grid_.comm(), precision, effort, executor());
    find_boxes();
    in_ = Array(plan_->get_alloc_bytes());
    out_ = Array(plan_->get_alloc_bytes());
    aux_ = Array(plan_->get_aux_bytes());
  }

  std::vector<LocalPart> input() override { return {dense(in_box_, in_.data(), task_.input_element())}; }
  std::vector<LocalPart> spectrum() override {
    return {dense(out_box_, out_.data(), task_.spectrum_element(), out_order_)};
  }
  void forward() override { require(plan_->forward(in_.data(), out_.data(), aux_.data())); }
  void backward() override { require(plan_->backward(out_.data(), in_.data(), aux_.data())); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("{}, out of place, aux given, {}", task_.call == Call::best ? "PATIENT" : "ESTIMATE",
                        processes_.text()),
            "pencils along axis 2, C order",
            fmt::format("pencils along axis 0, memory order {},{},{}", out_order_[0], out_order_[1], out_order_[2])};
  }

 private:
  static void require(dtfft::Error error) {
    if (error != dtfft::Error::SUCCESS) throw std::runtime_error(dtfft::get_error_string(error));
  }
  static std::int32_t as_int(Index n) {
    if (n > std::numeric_limits<std::int32_t>::max()) throw Unsupported("dtFFT counts with 32 bits");
    return static_cast<std::int32_t>(n);
  }
  /// Extents are told fastest in memory first; in the spectrum axis 0 is the fastest.
  void find_boxes() {
    std::vector<std::int32_t> in_starts(3), in_counts(3), out_starts(3), out_counts(3);
    require(plan_->get_local_sizes(in_starts, in_counts, out_starts, out_counts, nullptr));
    in_box_ = box_of(in_starts, in_counts, {0, 1, 2});
    out_box_ = box_of(out_starts, out_counts, out_order_);
  }
  static Box box_of(const std::vector<std::int32_t>& starts, const std::vector<std::int32_t>& counts,
                    const std::vector<int>& order) {
    Box box{Coord::filled(3, 0), Coord::filled(3, 0)};
    for (std::size_t i = 0; i < 3; ++i) {
      box.lo[order[2 - i]] = starts[i];
      box.hi[order[2 - i]] = starts[i] + counts[i];
    }
    return box;
  }

  Task task_;
  ProcessGrid processes_;
  Grid grid_;
  std::unique_ptr<dtfft::Plan> plan_;
  std::vector<int> out_order_{1, 2, 0};
  Box in_box_, out_box_;
  Array in_, out_, aux_;
};

class DtFft final : public Library {
 public:
  About about() const override {
    return {.library = "dtfft",
            .version = fmt::format("{}.{}.{}", DTFFT_VERSION_MAJOR, DTFFT_VERSION_MINOR, DTFFT_VERSION_PATCH),
            .mpi = true,
            .grid = true,
            .layouts = {"pencils"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("this adapter knows dtFFT's 3 dimensions");
    if (task.layout != "pencils" && comm.size() > 1) throw Unsupported("this adapter knows dtFFT's pencils");
    return std::make_unique<Pencils>(comm, task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<DtFft>(); }

}  // namespace shardfft::peers
