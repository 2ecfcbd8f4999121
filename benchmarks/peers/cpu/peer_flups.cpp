// FLUPS: the transforms of a Poisson solver on a periodic box, forward and backward without the solution between them.
// Real fields in pencils along the last axis (its direction 0) in, along axis 0 out, or slabs along axis 0 in, along
// axis 1 out. Its direction d is our axis 2 - d.
#include <dlfcn.h>
#include <flups.h>
#undef MAX

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

using Triple = std::array<int, 3>;  ///< one number for each of its directions

/// FLUPS is three libraries with the same functions, which differ in how they exchange data; one of them, and those
/// functions that are called here.
class Flups {
  void* library_;  // stays open

  template <class Function>
  [[nodiscard]] Function find(const char* name) const {
    void* found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(fmt::format("FLUPS has no {}", name));
    return reinterpret_cast<Function>(found);
  }

 public:
  explicit Flups(const std::string& exchange)
      : library_(dlopen((SHARDFFT_FLUPS_FOLDER "/libflups_" + exchange + ".so").c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw Unsupported(dlerror());
  }
#define SHARDFFT_FLUPS(function) \
  decltype(&flups_##function) function = find<decltype(&flups_##function)>("flups_" #function)
  SHARDFFT_FLUPS(topo_new);
  SHARDFFT_FLUPS(topo_free);
  SHARDFFT_FLUPS(topo_get_nloc);
  SHARDFFT_FLUPS(topo_get_nmem);
  SHARDFFT_FLUPS(topo_get_istartGlob);
  SHARDFFT_FLUPS(topo_get_isComplex);
  SHARDFFT_FLUPS(init);
  SHARDFFT_FLUPS(set_greenType);
  SHARDFFT_FLUPS(setup);
  SHARDFFT_FLUPS(skip_firstSwitchtopo);
  SHARDFFT_FLUPS(get_innerTopo_physical);
  SHARDFFT_FLUPS(get_innerTopo_spectral);
  SHARDFFT_FLUPS(get_innerBuffer);
  SHARDFFT_FLUPS(do_FFT);
  SHARDFFT_FLUPS(cleanup_solver);
#undef SHARDFFT_FLUPS
};

/// The same condition on both sides of all three directions, for every field.
class Periodic {
 public:
  explicit Periodic(Index fields) : conditions_(static_cast<std::size_t>(fields), PER) {
    for (auto& sides : all_)
      for (auto& side : sides) side = conditions_.data();
  }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;
  [[nodiscard]] FLUPS_BoundaryType* (*get())[2] { return all_; }

 private:
  std::vector<FLUPS_BoundaryType> conditions_;
  FLUPS_BoundaryType* all_[3][2];
};

/// Processes along each direction of the input. Where they are not asked for, the lesser number comes first, as its
/// manual wants it.
Triple processes_for(const Task& task, int ranks) {
  const ProcessGrid grid = grid_for(task, ranks);
  if (task.layout == "transposed") return {1, 1, ranks};
  return {1, grid.columns, grid.rows};
}

struct FlupsWay {
  std::string exchange;  ///< of which library
  bool as_it_computes;   ///< the input lies in padded rows, as its first transform wants it, and is not moved before
  [[nodiscard]] std::string name() const {
    return fmt::format("{}, {}", exchange,
                       as_it_computes ? "padded rows, first redistribution left out" : "rows without gaps");
  }
};
const FlupsWay standard{"a2a", false};

class Solver final : public Transform {
 public:
  Solver(const Task& task, Triple processes, const FlupsWay& way)
      : task_(task), way_(way), processes_(processes), flups_(way.exchange) {
    const Triple n{static_cast<int>(task.shape[2]), static_cast<int>(task.shape[1]), static_cast<int>(task.shape[0])};
    given_ = flups_.topo_new(0, static_cast<int>(task.batch), n.data(), processes.data(), false, nullptr,
                             FLUPS_ALIGNMENT, MPI_COMM_WORLD);
    Periodic periodic(task.batch);
    const double spacing[3] = {1. / n[0], 1. / n[1], 1. / n[2]}, lengths[3] = {1, 1, 1};
    const FLUPS_CenterType centers[3] = {CELL_CENTER, CELL_CENTER, CELL_CENTER};
    solver_ = flups_.init(given_, periodic.get(), spacing, lengths, NOD, centers);
    flups_.set_greenType(solver_, CHAT_2);  // the cheapest to set up; it is not used
    flups_.setup(solver_, false);
    if (way.as_it_computes) flups_.skip_firstSwitchtopo(solver_);
    data_ = flups_.get_innerBuffer(solver_);
  }
  ~Solver() override {
    flups_.cleanup_solver(solver_);
    flups_.topo_free(given_);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  std::vector<LocalPart> input() override {
    const FLUPS_Topology* t = way_.as_it_computes ? flups_.get_innerTopo_physical(solver_) : given_;
    Shape memory = extents(t);
    if (flups_.topo_get_isComplex(t)) memory[2] *= 2;  // after a forward transform it counts pairs of reals
    return {part(given_, memory, {0, 1, 2}, task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    const FLUPS_Topology* t = flups_.get_innerTopo_spectral(solver_);
    return {part(t, extents(t), {1, 2, 0}, task_.spectrum_element())};
  }
  void forward() override { flups_.do_FFT(solver_, data_, FLUPS_FORWARD); }
  void backward() override { flups_.do_FFT(solver_, data_, FLUPS_BACKWARD); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    const bool slabs = task_.layout == "transposed";
    return {fmt::format("{}, {} x {} processes", way_.name(), processes_[2], processes_[1]),
            slabs ? "slabs along axis 0, C order" : "pencils along axis 2, C order",
            fmt::format("{}, memory order 1,2,0", slabs ? "slabs along axis 1" : "pencils along axis 0")};
  }

 private:
  /// Of its memory, by our axes.
  [[nodiscard]] Shape extents(const FLUPS_Topology* t) const {
    return {flups_.topo_get_nmem(t, 2), flups_.topo_get_nmem(t, 1), flups_.topo_get_nmem(t, 0)};
  }
  /// All fields, one after the other. order: a field's axes, slowest in memory first.
  [[nodiscard]] LocalPart part(const FLUPS_Topology* t, const Shape& memory, const std::vector<int>& order,
                               Index element) const {
    Triple start;
    flups_.topo_get_istartGlob(t, start.data());
    Coord lo = Coord::filled(3, 0), hi = lo;
    for (int d = 0; d < 3; ++d) {
      lo[2 - d] = start[static_cast<std::size_t>(d)];
      hi[2 - d] = lo[2 - d] + flups_.topo_get_nloc(t, d);
    }
    return all_fields(dense({lo, hi}, memory, reinterpret_cast<std::byte*>(data_), element, order), task_,
                      product(memory) * element);
  }

  Task task_;
  FlupsWay way_;
  Triple processes_;
  Flups flups_;
  FLUPS_Topology* given_ = nullptr;
  FLUPS_Solver* solver_ = nullptr;
  double* data_ = nullptr;  ///< of the solver
};

class FlupsLibrary final : public Library {
 public:
  About about() const override {
    return {.library = "flups",
            .version = "2",
            .mpi = true,
            .threads = true,
            .batch = true,
            .grid = true,
            .kinds = {"r2c"},
            .precisions = {"f64"},
            .layouts = {"pencils", "transposed"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("this adapter knows FLUPS's 3 dimensions");
    if (task.kind != r2c) throw Unsupported("FLUPS transforms real fields");
    if (task.precision != f64) throw Unsupported("FLUPS has f64 only");
    if (task.layout != "pencils" && task.layout != "transposed" && comm.size() > 1)
      throw Unsupported("FLUPS's spectrum is in pencils or slabs along other axes than its input");
    if (task.batch * product(task.spectrum()) > std::numeric_limits<int>::max() / 2)
      throw Unsupported("FLUPS counts with 32 bits");
    const Triple processes = processes_for(task, comm.size());
    const Shape n = task.spectrum();
    if (processes[1] > std::min(n[1], n[2]) || processes[2] > std::min(n[0], n[1]))
      throw Unsupported("FLUPS needs an element for every process");
    if (task.call == Call::standard) return std::make_unique<Solver>(task, processes, standard);
    std::vector<Way> ways;
    for (const bool as_it_computes : {true, false})
      for (const char* exchange : {"a2a", "nb", "isr"}) {
        const FlupsWay way{exchange, as_it_computes};
        ways.push_back(
            {way.name(), [&task, processes, way] { return std::make_unique<Solver>(task, processes, way); }});
      }
    return fastest(comm, "flups", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<FlupsLibrary>(); }

}  // namespace shardfft::peers
