// cuFFT over all GPUs of one process (cufftXt), complex transforms in place. Natural order out for the layout natural;
// with the others the spectrum stays in cuFFT's shuffled order on the GPUs, and is put in order only where it is looked
// at.
#include <numeric>

#include "peer_cufft_spread.hpp"

namespace shardfft::peers {
namespace {

std::vector<int> all_gpus() {
  std::vector<int> devices(static_cast<std::size_t>(gpus()));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

class OfOneProcess final : public OnSeveralGpus {
 public:
  explicit OfOneProcess(const Task& task)
      : OnSeveralGpus(task, {whole(task.shape), whole(task.spectrum())}, all_gpus()) {
    std::vector<int> numbers = devices();
    std::vector<std::size_t> work_bytes(numbers.size());
    std::vector<long long> n(task.shape.begin(), task.shape.end());
    require(cufftXtSetGPUs(forward_plan(), static_cast<int>(numbers.size()), numbers.data()), "cufftXtSetGPUs");
    require(cufftMakePlanMany64(forward_plan(), static_cast<int>(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0,
                                forward_type(task), 1, work_bytes.data()),
            "cufftMakePlanMany64");
  }
  Description describe() const override {
    return {fmt::format("{} GPUs of one process, in place", devices().size()), in_one_process,
            natural() ? in_one_process : "cuFFT's shuffled order: cut along the second axis"};
  }
};

class CufftXt final : public Library {
 public:
  About about() const override {
    const std::string reason = why_not_on_gpus(2);
    return {.library = "cufftxt",
            .version = cufft_version(),
            .kinds = {"c2c"},
            .layouts = every_layout,
            .available = reason.empty(),
            .reason = reason};
  }
  std::unique_ptr<Transform> plan(const Comm&, const Task& task) override {
    if (task.kind != c2c || task.shape.dims() < 2 || task.shape.dims() > 3)
      throw Unsupported("over several GPUs: complex, 2 or 3 axes");
    return std::make_unique<OfOneProcess>(task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<CufftXt>(); }

}  // namespace shardfft::peers
