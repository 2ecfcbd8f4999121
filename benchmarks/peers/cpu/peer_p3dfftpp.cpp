// P3DFFT++: pencils along the last axis (its dimension 0) in, along axis 0 out, or slabs. Its dimension d is our axis 2
// - d.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <p3dfft.h>
#pragma GCC diagnostic pop
#undef Type3D
#undef Type1D
#undef Plan3D
#undef Plan1D

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"
#include "shardfft/view.hpp"

namespace shardfft::peers {
namespace {

using Triple = std::array<int, 3>;  ///< one number for each of its dimensions

/// Extents of a grid of processes, and which of them cuts each dimension of the data.
struct Grids {
  Triple processes, map_in, map_out;
};

/// Pencils: dimension 0 is whole on input, dimension 2 on output. Slabs: dimension 2 is cut on input; on output it or,
/// transposed, dimension 1.
Grids grids_for(const Task& task, int ranks) {
  const ProcessGrid grid =
      grid_for(task, ranks);  // the lesser number first where it is not asked for, as in its examples
  if (task.layout == "natural") return {{1, 1, ranks}, {0, 1, 2}, {0, 1, 2}};
  if (task.layout == "transposed") return {{1, 1, ranks}, {0, 1, 2}, {0, 2, 1}};
  return {{1, grid.columns, grid.rows}, {0, 1, 2}, {1, 2, 0}};
}

/// What a forward transform does with its input; a backward one may always destroy its own.
enum class Input { kept, destroyed, in_place };

struct P3dWay {
  Triple memory;  ///< the place of each dimension of the output in memory, 0 is the fastest
  Input input;
  [[nodiscard]] const char* about_input() const {
    const char* words[] = {"input kept", "input destroyed", "in place"};
    return words[static_cast<int>(input)];
  }
  [[nodiscard]] std::string name() const {
    return fmt::format("{}, {}{}{}", about_input(), memory[0], memory[1], memory[2]);
  }
};
constexpr P3dWay standard{{1, 2, 0}, Input::kept};  // as its example test3D_c2c.C

std::vector<P3dWay> best_ways(Kind kind) {
  std::vector<P3dWay> ways;
  for (const Triple& memory : {Triple{1, 2, 0}, Triple{0, 1, 2}, Triple{2, 1, 0}})
    for (const Input input : {Input::kept, Input::destroyed, Input::in_place})
      if (kind == c2c || input != Input::in_place)
        ways.push_back({memory, input});  // its examples have real transforms out of place only
  return ways;
}

/// The transforms along its dimensions 0, 1, 2.
template <class T>
Triple types(bool real, bool forward) {
  if constexpr (std::is_same_v<T, float>) {
    const int complex = forward ? p3dfft::CFFT_FORWARD_S : p3dfft::CFFT_BACKWARD_S;
    return {real ? (forward ? p3dfft::R2CFFT_S : p3dfft::C2RFFT_S) : complex, complex, complex};
  } else {
    const int complex = forward ? p3dfft::CFFT_FORWARD_D : p3dfft::CFFT_BACKWARD_D;
    return {real ? (forward ? p3dfft::R2CFFT_D : p3dfft::C2RFFT_D) : complex, complex, complex};
  }
}

/// A data grid and what this rank has of it.
class Piece {
 public:
  Piece(const Shape& shape, int halved, p3dfft::ProcGrid& processes, Triple map, Triple memory)
      : memory_(memory), grid_(extents(shape).data(), halved, &processes, map.data(), memory_.data()) {}

  [[nodiscard]] const p3dfft::DataGrid& grid() const { return grid_; }
  [[nodiscard]] Box box() const {
    Box box{Coord::filled(3, 0), Coord::filled(3, 0)};
    for (int d = 0; d < 3; ++d) {
      box.lo[2 - d] = grid_.GlobStart[d];
      box.hi[2 - d] = grid_.GlobStart[d] + grid_.Ldims[d];
    }
    return box;
  }
  /// Our axes, slowest in memory first.
  [[nodiscard]] std::vector<int> order() const {
    std::vector<int> order(3);
    for (std::size_t d = 0; d < 3; ++d) order[static_cast<std::size_t>(2 - memory_[d])] = 2 - static_cast<int>(d);
    return order;
  }

 private:
  static Triple extents(const Shape& shape) {
    return {static_cast<int>(shape[2]), static_cast<int>(shape[1]), static_cast<int>(shape[0])};
  }
  Triple memory_;
  p3dfft::DataGrid grid_;
};

template <class T, bool real>
class Pencils final : public Transform {
  using Complex = std::complex<T>;
  using Element = std::conditional_t<real, T, Complex>;

 public:
  Pencils(const Task& task, Grids grids, const P3dWay& way)
      : task_(task),
        way_(way),
        processes_(grids.processes.data(), MPI_COMM_WORLD),
        from_(task.shape, -1, processes_, grids.map_in, {0, 1, 2}),
        to_(task.spectrum(), real ? 0 : -1, processes_, grids.map_out, way.memory) {
    Triple forward = types<T>(real, true), backward = types<T>(real, false);
    const p3dfft::trans_type3D forward_types(forward.data()), backward_types(backward.data());
    forward_ = std::make_unique<p3dfft::transform3D<Element, Complex>>(from_.grid(), to_.grid(), &forward_types);
    backward_ = std::make_unique<p3dfft::transform3D<Complex, Element>>(to_.grid(), from_.grid(), &backward_types);
    const Index in_bytes = from_.box().count() * task.input_element(),
                out_bytes = to_.box().count() * task.spectrum_element();
    const bool in_place = way.input == Input::in_place;
    in_ = Array(static_cast<std::size_t>(in_place ? std::max(in_bytes, out_bytes) : in_bytes));
    if (!in_place) out_ = Array(static_cast<std::size_t>(out_bytes));
  }

  std::vector<LocalPart> input() override { return {dense(from_.box(), in_.data(), task_.input_element())}; }
  std::vector<LocalPart> spectrum() override {
    return {dense(to_.box(), out().data(), task_.spectrum_element(), to_.order())};
  }
  void forward() override { forward_->exec(as<Element>(in_), as<Complex>(out()), way_.input != Input::kept); }
  void backward() override { backward_->exec(as<Complex>(out()), as<Element>(in_), true); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    const auto& p = processes_.ProcDims;
    const auto order = to_.order();
    const bool natural = task_.layout == "natural", slabs = natural || task_.layout == "transposed";
    return {fmt::format("{}, {} x {} processes", way_.about_input(), p[2], p[1]),
            slabs ? "slabs along axis 0, C order" : "pencils along axis 2, C order",
            fmt::format("{}, memory order {},{},{}",
                        natural ? "slabs along axis 0"
                        : slabs ? "slabs along axis 1"
                                : "pencils along axis 0",
                        order[0], order[1], order[2])};
  }

 private:
  template <class U>
  static U* as(Array& array) {
    return reinterpret_cast<U*>(array.data());
  }
  [[nodiscard]] Array& out() { return way_.input == Input::in_place ? in_ : out_; }

  Task task_;
  P3dWay way_;
  p3dfft::ProcGrid processes_;
  Piece from_, to_;
  std::unique_ptr<p3dfft::transform3D<Element, Complex>> forward_;
  std::unique_ptr<p3dfft::transform3D<Complex, Element>> backward_;
  Array in_, out_;
};

std::unique_ptr<Transform> make(const Task& task, const Grids& grids, const P3dWay& way) {
  if (task.kind == r2c) {
    if (task.precision == f32) return std::make_unique<Pencils<float, true>>(task, grids, way);
    return std::make_unique<Pencils<double, true>>(task, grids, way);
  }
  if (task.precision == f32) return std::make_unique<Pencils<float, false>>(task, grids, way);
  return std::make_unique<Pencils<double, false>>(task, grids, way);
}

class P3dfft final : public Library {
 public:
  About about() const override {
    return {.library = "p3dfftpp",
            .version = PACKAGE_VERSION,
            .mpi = true,
            .grid = true,
            .layouts = {"natural", "transposed", "pencils"},
            .dims = {3}};
  }
  void load(const Task&) override { p3dfft::setup(); }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("P3DFFT++ has 3 dimensions");
    if (task.layout == "bricks" && comm.size() > 1) throw Unsupported("P3DFFT++ does not cut all three axes at once");
    if (task.kind == r2c && task.shape[2] % 2 != 0)
      throw Unsupported("P3DFFT++ takes half spectra back to even lengths only");
    if (product(task.shape) > std::numeric_limits<int>::max()) throw Unsupported("P3DFFT++ counts with 32 bits");
    const Grids grids = grids_for(task, comm.size());
    if (task.call == Call::standard) return make(task, grids, standard);
    std::vector<Way> ways;
    for (const P3dWay& way : best_ways(task.kind))
      ways.push_back({way.name(), [&task, grids, way] { return make(task, grids, way); }});
    return fastest(comm, "p3dfftpp", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<P3dfft>(); }

}  // namespace shardfft::peers
