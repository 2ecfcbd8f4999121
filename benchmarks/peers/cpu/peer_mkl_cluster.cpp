// MKL's cluster transforms (CDFT): slabs along axis 0 in; natural or transposed out. Reals are padded to 2 (n/2 + 1) a
// row.
#include <mkl_cdft.h>

#include <fmt/format.h>

#include "mkl_api.hpp"
#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

struct Free {
  void operator()(DFTI_DESCRIPTOR_DM_HANDLE d) const { DftiFreeDescriptorDM(&d); }
};
using Descriptor = std::unique_ptr<_DFTI_DESCRIPTOR_DM, Free>;

/// Without a workspace of the caller, CDFT allocates one in every run.
struct CdftWay {
  const char* name;
  bool in_place, workspace;
};
constexpr CdftWay best_ways[] = {{"out of place, workspace", false, true}, {"in place, workspace", true, true}};

class Cluster final : public Transform {
 public:
  Cluster(const Task& task, const CdftWay& way) : task_(task), way_(way), transposed_(task.layout == "transposed") {
    create();
    const Index bytes = value(CDFT_LOCAL_SIZE) * task.spectrum_element();
    in_ = MklMemory(bytes);
    if (!way.in_place) out_ = MklMemory(bytes);
    if (way.workspace) {
      workspace_ = MklMemory(bytes);
      require(DftiSetValueDM(descriptor_.get(), CDFT_WORKSPACE, workspace_.get()), "CDFT_WORKSPACE");
    }
    require(DftiCommitDescriptorDM(descriptor_.get()), "DftiCommitDescriptorDM");
  }

  std::vector<LocalPart> input() override {
    Shape memory = task_.shape;
    if (task_.kind == r2c) memory[memory.dims() - 1] = 2 * task_.spectrum()[memory.dims() - 1];
    return {slab(task_.shape, memory, 0, value(CDFT_LOCAL_X_START), value(CDFT_LOCAL_NX), in_.get(),
                 task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {slab(task_.spectrum(), task_.spectrum(), transposed_ ? 1 : 0, value(CDFT_LOCAL_OUT_X_START),
                 value(CDFT_LOCAL_OUT_NX), out(), task_.spectrum_element())};
  }
  void forward() override {
    require(way_.in_place ? DftiComputeForwardDM(descriptor_.get(), in_.get())
                          : DftiComputeForwardDM(descriptor_.get(), in_.get(), out()),
            "DftiComputeForwardDM");
  }
  void backward() override {
    require(way_.in_place ? DftiComputeBackwardDM(descriptor_.get(), in_.get())
                          : DftiComputeBackwardDM(descriptor_.get(), out(), in_.get()),
            "DftiComputeBackwardDM");
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("CDFT, {}, {} OpenMP threads a rank", way_.name, task_.threads), "slabs along axis 0",
            transposed_ ? "slabs along axis 1, axis 0 fastest in memory" : "slabs along axis 0"};
  }

 private:
  [[nodiscard]] std::byte* out() const { return way_.in_place ? in_.get() : out_.get(); }
  void create() {
    const std::vector<MKL_LONG> n = mkl_lengths(task_);
    DFTI_DESCRIPTOR_DM_HANDLE d = nullptr;
    require(DftiCreateDescriptorDM(MPI_COMM_WORLD, &d, mkl_precision(task_), mkl_domain(task_),
                                   static_cast<MKL_LONG>(n.size()), n.data()),
            "DftiCreateDescriptorDM");
    descriptor_.reset(d);
    require(DftiSetValueDM(d, DFTI_PLACEMENT, way_.in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE), "DFTI_PLACEMENT");
    if (transposed_) require(DftiSetValueDM(d, DFTI_TRANSPOSE, DFTI_ALLOW), "DFTI_TRANSPOSE");
  }
  [[nodiscard]] Index value(CDFT_CONFIG_PARAM name) const {
    MKL_LONG found = 0;
    require(DftiGetValueDM(descriptor_.get(), name, &found), "DftiGetValueDM");
    return found;
  }
  /// Cut along `cut`, which is also the slowest axis in memory. CDFT's transposed order is 1, 2, ..., 0 (seen with MKL
  /// 2026.0: only this one verifies).
  static LocalPart slab(const Shape& global, const Shape& memory, int cut, Index first, Index count, std::byte* data,
                        Index element) {
    Box box = whole(global);
    box.lo[cut] = first;
    box.hi[cut] = first + count;
    std::vector<int> order;
    for (int i = 0; i < global.dims(); ++i) order.push_back((cut + i) % global.dims());
    return dense(box, memory, data, element, order);
  }

  Task task_;
  CdftWay way_;
  bool transposed_;
  MklMemory in_, out_, workspace_;
  Descriptor descriptor_;
};

class MklCluster final : public Library {
 public:
  About about() const override {
    return {.library = "mkl_cluster",
            .version = mkl_version(),
            .mpi = true,
            .threads = true,
            .layouts = {"natural", "transposed"}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    const bool served = task.layout == "natural" || task.layout == "transposed" || comm.size() == 1;
    if (!served) throw Unsupported("MKL's cluster FFT knows slabs only (natural, transposed)");
    if (task.shape.dims() < 2)
      throw Unsupported("MKL's one-dimensional cluster FFT has layouts of its own; 2 dimensions or more");
    mkl_set_num_threads(task.threads);
    // The manual's first example: in place, and no workspace.
    if (task.call == Call::standard) return std::make_unique<Cluster>(task, CdftWay{"in place", true, false});
    std::vector<Way> ways;
    for (const CdftWay& way : best_ways)
      ways.push_back({way.name, [&] { return std::make_unique<Cluster>(task, way); }});
    return fastest(comm, "mkl_cluster", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<MklCluster>(); }

}  // namespace shardfft::peers
