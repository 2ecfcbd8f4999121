// PFFT: pencils along the last axis in; its transposed output is pencils along axis 0, which is the fastest there. One
// thread a rank.
#include <complex.h>
#include <pfft.h>
#undef I

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

struct FreeMemory {
  void operator()(double* p) const { pfft_free(p); }
};
using Memory = std::unique_ptr<double, FreeMemory>;
struct DestroyPlan {
  void operator()(pfft_plan p) const { pfft_destroy_plan(p); }
};
using PfftPlan = std::unique_ptr<std::remove_pointer_t<pfft_plan>, DestroyPlan>;

class Mesh {
 public:
  explicit Mesh(const ProcessGrid& grid) {
    if (pfft_create_procmesh_2d(MPI_COMM_WORLD, grid.rows, grid.columns, &comm_) != 0)
      throw Unsupported("PFFT cannot make a mesh of these processes");
  }
  ~Mesh() { MPI_Comm_free(&comm_); }
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct PfftWay {
  const char* name;
  bool in_place;
  unsigned flags;
};
constexpr PfftWay best_ways[] = {
    {"PFFT_MEASURE, out of place, input destroyed", false, PFFT_MEASURE | PFFT_DESTROY_INPUT},
    {"PFFT_MEASURE, PFFT_TUNE, out of place, input destroyed", false, PFFT_MEASURE | PFFT_TUNE | PFFT_DESTROY_INPUT},
    {"PFFT_MEASURE, in place", true, PFFT_MEASURE}};

class Pencils final : public Transform {
 public:
  Pencils(const Comm& comm, const Task& task, const PfftWay& way)
      : task_(task), way_(way), grid_(grid_for(task, comm.size())), mesh_(grid_) {
    const std::array<std::ptrdiff_t, 3> n{task.shape[0], task.shape[1], task.shape[2]};
    std::array<std::ptrdiff_t, 3> in_size, in_start, out_size, out_start;
    const bool real = task.kind == r2c;
    const unsigned padded = real && way.in_place ? PFFT_PADDED_R2C : 0U;
    const std::ptrdiff_t size = (real ? pfft_local_size_dft_r2c_3d : pfft_local_size_dft_3d)(
        n.data(), mesh_.comm(), PFFT_TRANSPOSED_OUT | padded, in_size.data(), in_start.data(), out_size.data(),
        out_start.data());
    memory_ = Shape{in_size[0], in_size[1], in_size[2]};
    in_box_ = box_of(in_start, in_size, task.shape);
    out_box_ = box_of(out_start, out_size, task.spectrum());
    in_.reset(pfft_alloc_real(static_cast<std::size_t>(2 * size)));
    if (!way.in_place) out_.reset(pfft_alloc_real(static_cast<std::size_t>(2 * size)));
    const unsigned forward = way.flags | PFFT_TRANSPOSED_OUT | padded,
                   backward = way.flags | PFFT_TRANSPOSED_IN | (padded != 0 ? PFFT_PADDED_C2R : 0U);
    if (real) {
      forward_.reset(pfft_plan_dft_r2c_3d(n.data(), in_.get(), complex(out()), mesh_.comm(), PFFT_FORWARD, forward));
      backward_.reset(pfft_plan_dft_c2r_3d(n.data(), complex(out()), in_.get(), mesh_.comm(), PFFT_BACKWARD, backward));
    } else {
      forward_.reset(
          pfft_plan_dft_3d(n.data(), complex(in_.get()), complex(out()), mesh_.comm(), PFFT_FORWARD, forward));
      backward_.reset(
          pfft_plan_dft_3d(n.data(), complex(out()), complex(in_.get()), mesh_.comm(), PFFT_BACKWARD, backward));
    }
    if (!forward_ || !backward_) throw Unsupported("PFFT has no plan for this");
  }

  std::vector<LocalPart> input() override {
    return {dense(in_box_, memory_, reinterpret_cast<std::byte*>(in_.get()), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(out_box_, reinterpret_cast<std::byte*>(out()), task_.spectrum_element(), {1, 2, 0})};
  }
  void forward() override { pfft_execute(forward_.get()); }
  void backward() override { pfft_execute(backward_.get()); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("{}, {}", way_.name, grid_.text()), "pencils along axis 2, C order",
            "pencils along axis 0, memory order 1,2,0"};
  }

 private:
  static pfft_complex* complex(double* p) { return reinterpret_cast<pfft_complex*>(p); }
  [[nodiscard]] double* out() const { return way_.in_place ? in_.get() : out_.get(); }
  /// Padding, which PFFT counts as its own, is outside of the global array.
  static Box box_of(const std::array<std::ptrdiff_t, 3>& start, const std::array<std::ptrdiff_t, 3>& size,
                    const Shape& global) {
    Box box{Coord::filled(3, 0), Coord::filled(3, 0)};
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      if (size[i] > 0) box.lo[a] = start[i];
      box.hi[a] = std::min<Index>(box.lo[a] + size[i], global[a]);
    }
    return box;
  }

  Task task_;
  PfftWay way_;
  ProcessGrid grid_;
  Mesh mesh_;
  Shape memory_;
  Box in_box_, out_box_;
  Memory in_, out_;
  PfftPlan forward_, backward_;
};

class Pfft final : public Library {
 public:
  About about() const override {
    return {.library = "pfft",
            .version = SHARDFFT_PFFT_VERSION,
            .mpi = true,
            .grid = true,
            .precisions = {"f64"},
            .layouts = {"pencils"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("this adapter knows PFFT's 3 dimensions");
    if (task.precision != f64) throw Unsupported("this adapter knows PFFT's f64 library");
    if (task.layout != "pencils" && comm.size() > 1) throw Unsupported("this adapter knows PFFT's pencils");
    pfft_init();
    // The manual's first example: out of place, PFFT_MEASURE, input destroyed.
    if (task.call == Call::standard) return std::make_unique<Pencils>(comm, task, best_ways[0]);
    std::vector<Way> ways;
    for (const PfftWay& way : best_ways)
      ways.push_back({way.name, [&] { return std::make_unique<Pencils>(comm, task, way); }});
    return fastest(comm, "pfft", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Pfft>(); }

}  // namespace shardfft::peers
