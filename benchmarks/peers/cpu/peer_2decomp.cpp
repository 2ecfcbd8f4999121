// 2DECOMP&FFT: pencils along the last axis (its x) in, along axis 0 (its z) out. Its calls are in peer_2decomp.f90.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"
#include "shardfft/view.hpp"

extern "C" {
int shardfft_2decomp_real_bytes();
void shardfft_2decomp_plan(int nx, int ny, int nz, int rows, int columns, int real, int* in_start, int* in_end,
                           int* out_start, int* out_end);
void shardfft_2decomp_run(void* from, void* to, const int* from_size, const int* to_size, int direction, int real);
void shardfft_2decomp_end();
}

namespace shardfft::peers {
namespace {

constexpr int forwards = -1, backwards = 1;

/// First and last indices along x, y, z, counted from 1.
struct Bounds {
  std::array<int, 3> start{}, end{};
  [[nodiscard]] Box box() const {
    Box b{Coord::filled(3, 0), Coord::filled(3, 0)};
    for (int d = 0; d < 3; ++d) {
      b.lo[2 - d] = start[static_cast<std::size_t>(d)] - 1;
      b.hi[2 - d] = end[static_cast<std::size_t>(d)];
    }
    return b;
  }
  [[nodiscard]] std::array<int, 3> size() const {
    return {end[0] - start[0] + 1, end[1] - start[1] + 1, end[2] - start[2] + 1};
  }
};

class Pencils final : public Transform {
 public:
  /// 0 x 0: the library searches.
  Pencils(const Task& task, ProcessGrid grid) : task_(task), grid_(grid), real_(task.kind == r2c) {
    const auto n = [&](int axis) { return static_cast<int>(task.shape[axis]); };
    shardfft_2decomp_plan(n(2), n(1), n(0), grid.columns, grid.rows, real_, in_bounds_.start.data(),
                          in_bounds_.end.data(), out_bounds_.start.data(), out_bounds_.end.data());
    in_ = Array(static_cast<std::size_t>(in_bounds_.box().count() * task.input_element()));
    out_ = Array(static_cast<std::size_t>(out_bounds_.box().count() * task.spectrum_element()));
  }
  ~Pencils() override { shardfft_2decomp_end(); }
  Pencils(const Pencils&) = delete;
  Pencils& operator=(const Pencils&) = delete;

  std::vector<LocalPart> input() override { return {dense(in_bounds_.box(), in_.data(), task_.input_element())}; }
  std::vector<LocalPart> spectrum() override {
    return {dense(out_bounds_.box(), out_.data(), task_.spectrum_element())};
  }
  void forward() override { run(in_, out_, in_bounds_, out_bounds_, forwards); }
  void backward() override { run(out_, in_, out_bounds_, in_bounds_, backwards); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {grid_.rows > 0 ? grid_.text() : "its own choice of the grid of processes", "pencils along axis 2, C order",
            "pencils along axis 0, C order"};
  }

 private:
  void run(Array& from, Array& to, const Bounds& from_bounds, const Bounds& to_bounds, int direction) const {
    const auto a = from_bounds.size(), b = to_bounds.size();
    shardfft_2decomp_run(from.data(), to.data(), a.data(), b.data(), direction, real_);
  }

  Task task_;
  ProcessGrid grid_;
  bool real_;
  Bounds in_bounds_, out_bounds_;
  Array in_, out_;
};

/// The grid that was asked for, or those that cut two axes where the number of ranks allows it. None where the library
/// would end the program because a process would own nothing.
std::vector<ProcessGrid> grids(int ranks, const Task& task) {
  std::vector<ProcessGrid> found;
  const auto named = named_grid(task);
  const auto fits = [&](int rows, int columns) {
    return columns <= std::min(task.spectrum()[2], task.shape[1]) && rows <= std::min(task.shape[1], task.shape[0]);
  };
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0 && fits(rows, ranks / rows) && (!named || named->rows == rows))
      found.push_back({rows, ranks / rows});
  std::erase_if(found, [&](const ProcessGrid& g) {
    const auto cuts_two = [](const ProcessGrid& h) { return h.rows > 1 && h.columns > 1; };
    return !cuts_two(g) && std::any_of(found.begin(), found.end(), cuts_two);
  });
  return found;
}

class Decomp final : public Library {
 public:
  About about() const override {
    return {.library = "2decomp",
            .version = SHARDFFT_2DECOMP_VERSION,
            .mpi = true,
            .grid = true,
            .precisions = {shardfft_2decomp_real_bytes() == 8 ? "f64" : "f32"},
            .layouts = {"pencils"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("2DECOMP&FFT has 3 dimensions");
    if (task.real_bytes() != shardfft_2decomp_real_bytes())
      throw Unsupported("2DECOMP&FFT was built for the other precision");
    if (task.layout != "pencils" && comm.size() > 1) throw Unsupported("2DECOMP&FFT knows pencils only");
    if (product(task.shape) > std::numeric_limits<int>::max()) throw Unsupported("2DECOMP&FFT counts with 32 bits");
    const std::vector<ProcessGrid> found = grids(comm.size(), task);
    if (found.empty()) throw Unsupported("2DECOMP&FFT needs an element for every process");
    if (task.call == Call::standard) return std::make_unique<Pencils>(task, named_grid(task).value_or(ProcessGrid{}));
    std::vector<Way> ways;
    for (const ProcessGrid& grid : found)
      ways.push_back({grid.text(), [&task, grid] { return std::make_unique<Pencils>(task, grid); }});
    return fastest(comm, "2decomp", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Decomp>(); }

}  // namespace shardfft::peers
