// FFTW in one process, with OpenMP threads.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fftw_api.hpp"
#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

template <class T>
struct FftwThreads;
template <>
struct FftwThreads<float> {
  static constexpr auto init = fftwf_init_threads;
  static constexpr auto use = fftwf_plan_with_nthreads;
};
template <>
struct FftwThreads<double> {
  static constexpr auto init = fftw_init_threads;
  static constexpr auto use = fftw_plan_with_nthreads;
};

/// Extents, and elements from one index to the next of input and output.
using Dims = std::vector<fftw_iodim64>;

/// Belongs to the transform that goes back.
Dims turned(Dims dims) {
  for (fftw_iodim64& dim : dims) std::swap(dim.is, dim.os);
  return dims;
}

template <class T>
class Local final : public Transform {
 public:
  Local(const Task& task, const FftwWay& way) : task_(task), way_(way), padded_(task.kind == r2c && way.in_place) {
    const auto complexes = static_cast<std::size_t>(product(task.spectrum_array()));
    in_ = FftwMemory<T>(task.kind == c2c || way.in_place ? 2 * complexes
                                                         : static_cast<std::size_t>(product(task.input_array())));
    if (!way.in_place) out_ = FftwMemory<T>(2 * complexes);
    make_plans();
    if (!task.scratch.empty() && (way.flags & FFTW_ESTIMATE) == 0) Fftw<T>::save(wisdom_file(task).c_str());
  }

  static std::string wisdom_file(const Task& task) {
    return fmt::format("{}/fftw_threads-{}.wisdom", task.scratch, name_of(task, 1));
  }

  std::vector<LocalPart> input() override {
    const Shape global = task_.input_array();
    Shape memory = global;
    if (padded_) memory[memory.dims() - 1] = 2 * task_.spectrum_array()[memory.dims() - 1];
    return {dense(whole(global), memory, in_.bytes(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(whole(task_.spectrum_array()), task_.spectrum_array(), out().bytes(), task_.spectrum_element())};
  }
  void forward() override { forward_.run(); }
  void backward() override { backward_.run(); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("{}, {} OpenMP threads", text_of(way_), task_.threads), in_one_process, in_one_process};
  }

 private:
  /// One plan for all fields. FFTW's guru interface takes any strides, and counts with 64 bits.
  void make_plans() {
    const LocalPart reals = input().front(), complexes = spectrum().front();
    const std::vector<int> axes = task_.transformed_of_array();
    Dims transformed, repeated;
    const auto add = [&](int axis, Dims& to) {
      to.push_back({task_.input_array()[axis], reals.strides[axis] / task_.input_element(),
                    complexes.strides[axis] / task_.spectrum_element()});
    };
    for (const int axis : axes) add(axis, transformed);
    for (int axis = 0; axis < task_.input_array().dims(); ++axis)
      if (std::ranges::find(axes, axis) == axes.end()) add(axis, repeated);
    forward_ = plan(transformed, repeated, true);
    backward_ = plan(turned(transformed), turned(repeated), false);
  }
  FftwPlan<T> plan(const Dims& transformed, const Dims& repeated, bool forward) const {
    const int rank = static_cast<int>(transformed.size()), loops = static_cast<int>(repeated.size());
    const auto *n = transformed.data(), *fields = repeated.data();
    const auto x = in_.as_complex(), y = out().as_complex();
    if (task_.kind == c2c)
      return FftwPlan<T>(Fftw<T>::plan_dft(rank, n, loops, fields, forward ? x : y, forward ? y : x,
                                           forward ? FFTW_FORWARD : FFTW_BACKWARD, way_.flags));
    if (forward) return FftwPlan<T>(Fftw<T>::plan_dft_r2c(rank, n, loops, fields, in_.get(), y, way_.flags));
    return FftwPlan<T>(
        Fftw<T>::plan_dft_c2r(rank, n, loops, fields, y, in_.get(), way_.flags & ~unsigned{FFTW_PRESERVE_INPUT}));
  }
  const FftwMemory<T>& out() const { return way_.in_place ? in_ : out_; }

  Task task_;
  FftwWay way_;
  bool padded_;
  FftwMemory<T> in_, out_;
  FftwPlan<T> forward_, backward_;
};

template <class T>
std::unique_ptr<Transform> plan_as(const Comm& comm, const Task& task) {
  FftwThreads<T>::init();
  FftwThreads<T>::use(task.threads);
  // The manual's first example: out of place, FFTW_ESTIMATE.
  if (task.call == Call::standard)
    return std::make_unique<Local<T>>(task, FftwWay{"out of place", false, FFTW_ESTIMATE});
  if (!task.scratch.empty()) Fftw<T>::load(Local<T>::wisdom_file(task).c_str());
  Fftw<T>::set_timelimit(task.plan_seconds / static_cast<double>(2 * std::size(fftw_best)));
  std::vector<Way> ways;
  for (const FftwWay& way : fftw_best)
    if (!way.in_place || task.can_be_in_place())
      ways.push_back({way.name, [&] { return std::make_unique<Local<T>>(task, way); }});
  return fastest(comm, "fftw_threads", task, ways);
}

class FftwThreadsLibrary final : public Library {
 public:
  About about() const override {
    return {.library = "fftw_threads",
            .version = std::string(fftw_version).substr(5),
            .threads = true,
            .batch = true,
            .axes = true,
            .layouts = every_layout,
            .dims = {1, 2, 3, 4}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    return task.precision == f32 ? plan_as<float>(comm, task) : plan_as<double>(comm, task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<FftwThreadsLibrary>(); }

}  // namespace shardfft::peers
