// MKL's DFTI in one process, with OpenMP threads (GNU's, as in the rest of the program).
#include <algorithm>

#include <fmt/format.h>

#include "mkl_api.hpp"
#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

struct Free {
  void operator()(DFTI_DESCRIPTOR* d) const { DftiFreeDescriptor(&d); }
};
using Descriptor = std::unique_ptr<DFTI_DESCRIPTOR, Free>;

/// Elements from one index to the next along each transformed axis, after the offset 0, as DFTI wants them.
std::vector<MKL_LONG> strides_of(const LocalPart& part, Index element, const std::vector<int>& axes) {
  std::vector<MKL_LONG> strides{0};
  for (const int axis : axes) strides.push_back(part.strides[axis] / element);
  return strides;
}

/// How often a transform is repeated, and elements from one to the next in the input and in the spectrum.
struct Repeats {
  MKL_LONG count = 1, input = 0, spectrum = 0;
};

/// DFTI knows one distance: axes that are not transformed must lie in memory as if they were one.
Repeats repeats_of(const Task& task, const LocalPart& x, const LocalPart& y) {
  const std::vector<int> axes = task.transformed_of_array();
  Repeats all;
  for (int axis = task.input_array().dims() - 1; axis >= 0; --axis) {
    if (std::ranges::find(axes, axis) != axes.end()) continue;
    const MKL_LONG input = x.strides[axis] / task.input_element(), spectrum = y.strides[axis] / task.spectrum_element();
    if (all.count == 1)
      all.input = input, all.spectrum = spectrum;
    else if (input != all.count * all.input || spectrum != all.count * all.spectrum)
      throw Unsupported("DFTI repeats transforms at one distance; these axes need several");
    all.count *= task.input_array()[axis];
  }
  return all;
}

class Dfti final : public Transform {
 public:
  Dfti(const Task& task, bool in_place) : task_(task), in_place_(in_place) {
    const Index spectrum_bytes = product(task.spectrum_array()) * task.spectrum_element();
    in_ = MklMemory(in_place ? spectrum_bytes : product(task.input_array()) * task.input_element());
    if (!in_place) out_ = MklMemory(spectrum_bytes);
    create();
    commit();
  }

  std::vector<LocalPart> input() override {
    Shape memory = task_.input_array();
    if (task_.kind == r2c && in_place_) memory[memory.dims() - 1] = 2 * task_.spectrum_array()[memory.dims() - 1];
    return {dense(whole(task_.input_array()), memory, in_.get(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(whole(task_.spectrum_array()), out(), task_.spectrum_element())};
  }
  void forward() override {
    DFTI_DESCRIPTOR* d = descriptor_.get();
    require(in_place_ ? DftiComputeForward(d, in_.get()) : DftiComputeForward(d, in_.get(), out()),
            "DftiComputeForward");
  }
  void backward() override {
    DFTI_DESCRIPTOR* d = descriptor_.get();
    require(in_place_ ? DftiComputeBackward(d, in_.get()) : DftiComputeBackward(d, out(), in_.get()),
            "DftiComputeBackward");
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("DFTI, {}, {} OpenMP threads, of which it takes {}", in_place_ ? "in place" : "out of place",
                        task_.threads, threads_),
            in_one_process, in_one_process};
  }

 private:
  [[nodiscard]] std::byte* out() const { return in_place_ ? in_.get() : out_.get(); }

  void create() {
    const std::vector<MKL_LONG> n = mkl_lengths(task_);
    const auto dims = static_cast<MKL_LONG>(n.size());
    DFTI_DESCRIPTOR* d = nullptr;
    require(dims == 1 ? DftiCreateDescriptor(&d, mkl_precision(task_), mkl_domain(task_), dims, n[0])
                      : DftiCreateDescriptor(&d, mkl_precision(task_), mkl_domain(task_), dims, n.data()),
            "DftiCreateDescriptor");
    descriptor_.reset(d);
  }
  void commit() {
    DFTI_DESCRIPTOR* d = descriptor_.get();
    const LocalPart x = input().front(), y = spectrum().front();
    const auto space = strides_of(x, task_.input_element(), task_.transformed_of_array()),
               frequency = strides_of(y, task_.spectrum_element(), task_.transformed_of_array());
    const Repeats repeats = repeats_of(task_, x, y);
    require(DftiSetValue(d, DFTI_PLACEMENT, in_place_ ? DFTI_INPLACE : DFTI_NOT_INPLACE), "DFTI_PLACEMENT");
    require(DftiSetValue(d, DFTI_THREAD_LIMIT, static_cast<MKL_LONG>(task_.threads)), "DFTI_THREAD_LIMIT");
    if (task_.kind == r2c)
      require(DftiSetValue(d, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX), "DFTI_CONJUGATE_EVEN_STORAGE");
    require(DftiSetValue(d, DFTI_FWD_STRIDES, space.data()), "DFTI_FWD_STRIDES");
    require(DftiSetValue(d, DFTI_BWD_STRIDES, frequency.data()), "DFTI_BWD_STRIDES");
    if (repeats.count > 1) {
      require(DftiSetValue(d, DFTI_NUMBER_OF_TRANSFORMS, repeats.count), "DFTI_NUMBER_OF_TRANSFORMS");
      require(DftiSetValue(d, DFTI_FWD_DISTANCE, repeats.input), "DFTI_FWD_DISTANCE");
      require(DftiSetValue(d, DFTI_BWD_DISTANCE, repeats.spectrum), "DFTI_BWD_DISTANCE");
    }
    require(DftiCommitDescriptor(d), "DftiCommitDescriptor");
    require(DftiGetValue(d, DFTI_THREAD_LIMIT, &threads_), "DFTI_THREAD_LIMIT");
  }

  Task task_;
  bool in_place_;
  MklMemory in_, out_;
  Descriptor descriptor_;
  MKL_LONG threads_ = 0;  ///< that DFTI takes at most, as it says after committing
};

class Mkl final : public Library {
 public:
  About about() const override {
    return {.library = "mkl",
            .version = mkl_version(),
            .threads = true,
            .batch = true,
            .axes = true,
            .layouts = every_layout,
            .dims = {1, 2, 3, 4}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    mkl_set_num_threads(task.threads);
    // The manual's first example: in place.
    if (task.call == Call::standard) return std::make_unique<Dfti>(task, task.can_be_in_place());
    std::vector<Way> ways{{"out of place", [&] { return std::make_unique<Dfti>(task, false); }}};
    if (task.can_be_in_place()) ways.push_back({"in place", [&] { return std::make_unique<Dfti>(task, true); }});
    return fastest(comm, "mkl", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Mkl>(); }

}  // namespace shardfft::peers
