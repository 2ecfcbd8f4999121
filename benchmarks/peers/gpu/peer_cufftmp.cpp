// cuFFTMp: one GPU for each rank, slabs along the first axis in; out in slabs along the second axis (transposed), or
// along the first (natural) after a copy between the GPUs. In place, reals padded to 2 (n/2 + 1) a row.
#include <cufftMp.h>  // first: it wants a cufft.h of its own version
#include <mpi.h>

#include <algorithm>

#include "peer_cufft_spread.hpp"

namespace shardfft::peers {
namespace {

/// cuFFTMp's rule: the first n % ranks slabs hold one row more.
Box slab(const Shape& array, int axis, const Comm& comm) {
  Box box = whole(array);
  const Index most = array[axis] / comm.size(), more = array[axis] % comm.size(), rank = comm.rank();
  box.lo[axis] = rank * most + std::min(rank, more);
  box.hi[axis] = box.lo[axis] + most + (rank < more ? 1 : 0);
  return box;
}

int device_of(const Comm& comm) {
  int before = 0;
  for (int rank = 0; rank < comm.rank(); ++rank) before += comm.node(rank) == comm.node(comm.rank()) ? 1 : 0;
  return before % gpus();
}

/// `device` made current before anything of cuFFT is.
std::vector<int> using_device(int device) {
  require(cudaSetDevice(device), "cudaSetDevice");
  return {device};
}

class OfManyProcesses final : public OnSeveralGpus {
 public:
  OfManyProcesses(const Comm& comm, const Task& task)
      : OnSeveralGpus(task, {slab(task.shape, 0, comm), slab(task.spectrum(), task.layout == "natural" ? 0 : 1, comm)},
                      using_device(device_of(comm))) {
    make_plan(forward_plan(), forward_type(task));
    if (task.kind == r2c) make_plan(backward_plan(), backward_type(task));
  }
  Description describe() const override {
    return {"one GPU a rank, in place", "slabs along axis 0", natural() ? "slabs along axis 0" : "slabs along axis 1"};
  }

 private:
  void make_plan(cufftHandle plan, cufftType type) {
    std::size_t work_bytes = 0;
    std::vector<int> n;
    for (const Index extent : task().shape) n.push_back(static_cast<int>(extent));
    require(cufftMpAttachComm(plan, CUFFT_COMM_MPI, &world_), "cufftMpAttachComm");
    require(n.size() == 2 ? cufftMakePlan2d(plan, n[0], n[1], type, &work_bytes)
                          : cufftMakePlan3d(plan, n[0], n[1], n[2], type, &work_bytes),
            "cufftMakePlan");
  }
  MPI_Comm world_ = MPI_COMM_WORLD;
};

class CufftMp final : public Library {
 public:
  About about() const override {
    const std::string reason = why_not_on_gpus(1);
    return {.library = "cufftmp",
            .version = cufft_version(),
            .mpi = true,
            .layouts = {"natural", "transposed"},
            .available = reason.empty(),
            .reason = reason};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() < 2 || task.shape.dims() > 3) throw Unsupported("transforms 2 or 3 axes");
    if (std::min(task.shape[0], task.shape[1]) < comm.size())
      throw Unsupported("needs a row of both first axes for each rank");
    return std::make_unique<OfManyProcesses>(comm, task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<CufftMp>(); }

}  // namespace shardfft::peers
