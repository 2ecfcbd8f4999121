// SWFFT (HACC): bricks in; its forward transform leaves pencils along axis 2, which the call of the benchmark takes
// back to bricks, as the library's own redistribution does. One thread a rank.
#include <Dfft.hpp>
#undef I

#include <array>

#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "shardfft/view.hpp"

namespace shardfft::peers {
namespace {

constexpr int last_axis = 2;

class Bricks final : public Transform {
 public:
  explicit Bricks(const Task& task)
      : task_(task),
        extents_{static_cast<int>(task.shape[0]), static_cast<int>(task.shape[1]), static_cast<int>(task.shape[2])},
        distribution_(MPI_COMM_WORLD, extents_.data()),
        dfft_(distribution_) {
    for (Array& array : arrays_) array = Array(dfft_.local_size() * sizeof(complex_t));
    dfft_.makePlans(complex(0), complex(1), complex(0), complex(1), FFTW_MEASURE);
    box_ = whole(task.shape);
    for (int axis = 0; axis < 3; ++axis) {
      box_.lo[axis] = Index{dfft_.self_rspace(axis)} * dfft_.local_ng_rspace(axis);
      box_.hi[axis] = box_.lo[axis] + dfft_.local_ng_rspace(axis);
    }
  }

  std::vector<LocalPart> input() override { return {dense(box_, arrays_[0].data(), task_.input_element())}; }
  std::vector<LocalPart> spectrum() override { return {dense(box_, arrays_[1].data(), task_.spectrum_element())}; }
  void forward() override {
    dfft_.forward(complex(0));
    distribution_.redistribute_2_to_3(complex(0), complex(1), last_axis);
  }
  void backward() override {
    distribution_.redistribute_3_to_2(complex(1), complex(0), last_axis);
    dfft_.backward(complex(0));
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override { return {"FFTW_MEASURE", "bricks, C order", "bricks, C order"}; }

 private:
  complex_t* complex(std::size_t array) { return reinterpret_cast<complex_t*>(arrays_[array].data()); }

  Task task_;
  std::array<int, 3> extents_;
  hacc::Distribution distribution_;
  hacc::Dfft dfft_;
  Box box_;
  std::array<Array, 2> arrays_;
};

class Swfft final : public Library {
 public:
  About about() const override {
    return {.library = "swfft",
            .version = SHARDFFT_SWFFT_VERSION,
            .mpi = true,
            .kinds = {"c2c"},
            .precisions = {"f64"},
            .layouts = {"bricks"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("SWFFT has 3 dimensions");
    if (task.kind != c2c || task.precision != f64) throw Unsupported("SWFFT has complex numbers of double precision");
    if (task.layout != "bricks" && comm.size() > 1) throw Unsupported("this adapter knows SWFFT's bricks");
    for (const Index n : task.shape)
      if (n % comm.size() != 0) throw Unsupported("this adapter gives SWFFT extents that the number of ranks divides");
    return std::make_unique<Bricks>(task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Swfft>(); }

}  // namespace shardfft::peers
