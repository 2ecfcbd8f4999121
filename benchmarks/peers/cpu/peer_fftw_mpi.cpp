// FFTW-MPI, one thread a rank: slabs along axis 0 in; natural or transposed out. Reals are padded to 2 (n/2 + 1) a row,
// as FFTW wants them.
#include <fftw3-mpi.h>

#include <fmt/format.h>

#include "fftw_api.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

// The build names another library that has this interface, with its version.
#ifndef SHARDFFT_PEER_NAME
#define SHARDFFT_PEER_NAME "fftw_mpi"
#define SHARDFFT_PEER_VERSION std::string(fftw_version).substr(5)
#endif

namespace shardfft::peers {
namespace {

template <class T>
struct FftwMpi;

#define SHARDFFT_FFTW_MPI(T, X)                                       \
  template <>                                                         \
  struct FftwMpi<T> {                                                 \
    static constexpr auto init = X##mpi_init;                         \
    static constexpr auto local_size = X##mpi_local_size_transposed;  \
    static constexpr auto plan_dft = X##mpi_plan_dft;                 \
    static constexpr auto plan_dft_r2c = X##mpi_plan_dft_r2c;         \
    static constexpr auto plan_dft_c2r = X##mpi_plan_dft_c2r;         \
    static constexpr auto plan_r2r = X##mpi_plan_r2r;                 \
    static constexpr auto broadcast_wisdom = X##mpi_broadcast_wisdom; \
    static constexpr auto gather_wisdom = X##mpi_gather_wisdom;       \
  };
SHARDFFT_FFTW_MPI(float, fftwf_)
SHARDFFT_FFTW_MPI(double, fftw_)
#undef SHARDFFT_FFTW_MPI

fftw_r2r_kind kind_of(AxisKind kind) {
  constexpr fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT00,
                                     FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11, FFTW_DHT};
  return kinds[static_cast<int>(kind) - static_cast<int>(AxisKind::cosine1)];
}

/// Rows [first, first + count) along one axis.
struct Slab {
  std::ptrdiff_t count = 0, first = 0;
};

template <class T>
class Slabs final : public Transform {
 public:
  Slabs(const Comm& comm, const Task& task, const FftwWay& way)
      : task_(task), way_(way), transposed_(task.layout == "transposed") {
    const auto n = extents_of<std::ptrdiff_t>(task.shape), half = extents_of<std::ptrdiff_t>(task.spectrum());
    const int rank = static_cast<int>(n.size());
    const std::ptrdiff_t size = FftwMpi<T>::local_size(rank, half.data(), MPI_COMM_WORLD, &rows_.count, &rows_.first,
                                                       &columns_.count, &columns_.first);
    in_ = FftwMemory<T>(2 * static_cast<std::size_t>(size));
    if (!way.in_place) out_ = FftwMemory<T>(2 * static_cast<std::size_t>(size));
    const unsigned forward = way.flags | (transposed_ ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    const unsigned backward = way.flags | (transposed_ ? FFTW_MPI_TRANSPOSED_IN : 0U);
    if (task.kind == c2c) {
      forward_ = FftwPlan<T>(
          FftwMpi<T>::plan_dft(rank, n.data(), in_.as_complex(), out(), MPI_COMM_WORLD, FFTW_FORWARD, forward));
      backward_ = FftwPlan<T>(
          FftwMpi<T>::plan_dft(rank, n.data(), out(), in_.as_complex(), MPI_COMM_WORLD, FFTW_BACKWARD, backward));
    } else if (task.kind == r2r) {
      T* const reals_out = reinterpret_cast<T*>(out());
      const std::vector<fftw_r2r_kind> there(n.size(), kind_of(task.axis_kind)),
          back(n.size(), kind_of(inverse(task.axis_kind)));
      forward_ = FftwPlan<T>(
          FftwMpi<T>::plan_r2r(rank, n.data(), in_.get(), reals_out, MPI_COMM_WORLD, there.data(), forward));
      backward_ = FftwPlan<T>(
          FftwMpi<T>::plan_r2r(rank, n.data(), reals_out, in_.get(), MPI_COMM_WORLD, back.data(), backward));
    } else {
      forward_ = FftwPlan<T>(FftwMpi<T>::plan_dft_r2c(rank, n.data(), in_.get(), out(), MPI_COMM_WORLD, forward));
      backward_ = FftwPlan<T>(
          FftwMpi<T>::plan_dft_c2r(rank, n.data(), out(), in_.get(), MPI_COMM_WORLD, backward & ~FFTW_PRESERVE_INPUT));
    }
    remember(comm);
  }

  std::vector<LocalPart> input() override {
    Shape memory = task_.shape;
    if (task_.kind == r2c) memory[memory.dims() - 1] = 2 * task_.spectrum()[memory.dims() - 1];
    return {part(task_.shape, memory, rows_, 0, in_.bytes(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {part(task_.spectrum(), task_.spectrum(), transposed_ ? columns_ : rows_, transposed_ ? 1 : 0, out_bytes(),
                 task_.spectrum_element())};
  }
  void forward() override { forward_.run(); }
  void backward() override { backward_.run(); }
  double gain() const override { return task_.unscaled_gain(); }
  Description describe() const override {
    return {text_of(way_), "slabs along axis 0, blocks of ceil(n/ranks)",
            transposed_ ? "slabs along axis 1, axes 0 and 1 exchanged in memory"
                        : "slabs along axis 0, blocks of ceil(n/ranks)"};
  }

 private:
  /// A slab along `cut`, which is also the slowest axis in memory.
  static LocalPart part(const Shape& global, const Shape& memory, const Slab& slab, int cut, std::byte* data,
                        Index element) {
    LocalPart p{whole(global), data, Coord::filled(global.dims(), element)};
    p.box.lo[cut] = slab.count > 0 ? slab.first : 0;
    p.box.hi[cut] = p.box.lo[cut] + slab.count;
    Index stride = element;
    for (int a = global.dims() - 1; a >= 0; --a) {
      if (a == cut) continue;
      p.strides[a] = stride;
      stride *= memory[a];
    }
    p.strides[cut] = stride;
    return p;
  }
  typename Fftw<T>::Complex* out() const { return way_.in_place ? in_.as_complex() : out_.as_complex(); }
  std::byte* out_bytes() const { return way_.in_place ? in_.bytes() : out_.bytes(); }
  /// What was measured goes to the next launch.
  void remember(const Comm& comm) const {
    if (task_.scratch.empty() || (way_.flags & FFTW_ESTIMATE) != 0) return;
    FftwMpi<T>::gather_wisdom(MPI_COMM_WORLD);
    if (comm.rank() == 0)
      Fftw<T>::save(
          fmt::format("{}/" SHARDFFT_PEER_NAME "-{}.wisdom", task_.scratch, name_of(task_, comm.size())).c_str());
  }

  Task task_;
  FftwWay way_;
  bool transposed_;
  Slab rows_{}, columns_{};
  FftwMemory<T> in_, out_;
  FftwPlan<T> forward_, backward_;
};

template <class T>
std::unique_ptr<Transform> plan_as(const Comm& comm, const Task& task) {
  FftwMpi<T>::init();
  // The manual's first example: in place, FFTW_ESTIMATE.
  if (task.call == Call::standard)
    return std::make_unique<Slabs<T>>(comm, task, FftwWay{"in place", true, FFTW_ESTIMATE});
  if (comm.rank() == 0 && !task.scratch.empty())
    Fftw<T>::load(fmt::format("{}/" SHARDFFT_PEER_NAME "-{}.wisdom", task.scratch, name_of(task, comm.size())).c_str());
  FftwMpi<T>::broadcast_wisdom(MPI_COMM_WORLD);
  // No time limit inside FFTW: each rank's planner would stop by its own clock, and ranks that part wait for each other
  // for ever (seen on 2 and 3 ranks).
  std::vector<Way> ways;
  for (const FftwWay& way : fftw_best)
    ways.push_back({way.name, [&] { return std::make_unique<Slabs<T>>(comm, task, way); }});
  return fastest(comm, SHARDFFT_PEER_NAME, task, ways);
}

class FftwMpiLibrary final : public Library {
 public:
  About about() const override {
    About a{.library = SHARDFFT_PEER_NAME,
            .version = SHARDFFT_PEER_VERSION,
            .mpi = true,
            .kinds = all_kinds(),
            .layouts = {"natural", "transposed"}};
    a.dims = {2, 3, 4};
    return a;
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    const bool served = task.layout == "natural" || task.layout == "transposed" || comm.size() == 1;
    if (!served) throw Unsupported("FFTW-MPI knows slabs only (natural, transposed)");
    if (task.shape.dims() < 2)
      throw Unsupported("FFTW-MPI's one-dimensional transform has layouts of its own; 2 dimensions or more");
    return task.precision == f32 ? plan_as<float>(comm, task) : plan_as<double>(comm, task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<FftwMpiLibrary>(); }

}  // namespace shardfft::peers
