// MKL's DFTI in one process, with OpenMP threads (GNU's, as in the rest of the program).
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
std::vector<MKL_LONG> strides_of(const LocalPart& part, Index element, int first_axis) {
  std::vector<MKL_LONG> strides{0};
  for (int a = first_axis; a < part.strides.dims(); ++a) strides.push_back(part.strides[a] / element);
  return strides;
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
    return {fmt::format("DFTI, {}, {} OpenMP threads", in_place_ ? "in place" : "out of place", task_.threads),
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
    const auto space = strides_of(x, task_.input_element(), task_.first_axis()),
               frequency = strides_of(y, task_.spectrum_element(), task_.first_axis());
    require(DftiSetValue(d, DFTI_PLACEMENT, in_place_ ? DFTI_INPLACE : DFTI_NOT_INPLACE), "DFTI_PLACEMENT");
    require(DftiSetValue(d, DFTI_THREAD_LIMIT, static_cast<MKL_LONG>(task_.threads)), "DFTI_THREAD_LIMIT");
    if (task_.kind == r2c)
      require(DftiSetValue(d, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX), "DFTI_CONJUGATE_EVEN_STORAGE");
    require(DftiSetValue(d, DFTI_FWD_STRIDES, space.data()), "DFTI_FWD_STRIDES");
    require(DftiSetValue(d, DFTI_BWD_STRIDES, frequency.data()), "DFTI_BWD_STRIDES");
    if (task_.batch > 1) {
      require(DftiSetValue(d, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(task_.batch)),
              "DFTI_NUMBER_OF_TRANSFORMS");
      require(DftiSetValue(d, DFTI_FWD_DISTANCE, static_cast<MKL_LONG>(x.strides[0] / task_.input_element())),
              "DFTI_FWD_DISTANCE");
      require(DftiSetValue(d, DFTI_BWD_DISTANCE, static_cast<MKL_LONG>(y.strides[0] / task_.spectrum_element())),
              "DFTI_BWD_DISTANCE");
    }
    require(DftiCommitDescriptor(d), "DftiCommitDescriptor");
  }

  Task task_;
  bool in_place_;
  MklMemory in_, out_;
  Descriptor descriptor_;
};

class Mkl final : public Library {
 public:
  About about() const override {
    return {.library = "mkl",
            .version = mkl_version(),
            .threads = true,
            .batch = true,
            .layouts = every_layout,
            .dims = {1, 2, 3, 4}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    mkl_set_num_threads(task.threads);
    // The manual's first example: in place.
    if (task.call == Call::standard) return std::make_unique<Dfti>(task, true);
    return fastest(comm, "mkl", task,
                   {{"out of place", [&] { return std::make_unique<Dfti>(task, false); }},
                    {"in place", [&] { return std::make_unique<Dfti>(task, true); }}});
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Mkl>(); }

}  // namespace shardfft::peers
