#include "gpu_energy.hpp"

#include <dlfcn.h>

#include "energy.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::peers {

// NVML's functions by their names, so that a program which was built elsewhere finds the driver of the machine that it
// runs on.
class GpuEnergyCounter::Nvml {
 public:
  explicit Nvml(const char* library) : handle_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    const auto begin = find<int()>("nvmlInit_v2");
    const auto count = find<int(unsigned*)>("nvmlDeviceGetCount_v2");
    const auto device = find<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
    energy_ = find<int(Device, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
    end_ = find<int()>("nvmlShutdown");
    if (!begin || !count || !device || !energy_ || !end_ || begin() != success) return;
    begun_ = true;
    unsigned devices = 0;
    if (count(&devices) != success) return;
    for (unsigned i = 0; i < devices; ++i)
      if (Device d = nullptr; device(i, &d) == success) devices_.push_back(d);
    if (devices_.size() != devices) devices_.clear();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (begun_) end_();
    if (handle_) ::dlclose(handle_);
  }

  /// Energy of each GPU so far; empty if there is none, or one does not tell (those before Volta).
  [[nodiscard]] std::vector<unsigned long long> millijoules() const {
    std::vector<unsigned long long> all(devices_.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      if (energy_(devices_[i], &all[i]) != success) return {};
    return all;
  }

 private:
  using Device = void*;
  static constexpr int success = 0;

  template <class Function>
  Function* find(const char* name) const {
    return handle_ ? reinterpret_cast<Function*>(::dlsym(handle_, name)) : nullptr;
  }

  void* handle_;
  int (*energy_)(Device, unsigned long long*) = nullptr;
  int (*end_)() = nullptr;
  bool begun_ = false;
  std::vector<Device> devices_{};
};

GpuEnergyCounter::GpuEnergyCounter(const Comm& comm, const char* library)
    : comm_(comm), reads_(is_first_of_node(comm)), nvml_(reads_ ? std::make_unique<Nvml>(library) : nullptr) {
  if (nvml_) begin_ = nvml_->millijoules();
}

GpuEnergyCounter::~GpuEnergyCounter() = default;

void GpuEnergyCounter::start() {
  if (!begin_.empty()) begin_ = nvml_->millijoules();
}

void GpuEnergyCounter::stop() {
  if (begin_.empty()) return;
  const std::vector<unsigned long long> end = nvml_->millijoules();
  for (std::size_t i = 0; i < end.size(); ++i) millijoules_ += static_cast<double>(end[i] - begin_[i]);
  if (end.empty()) begin_.clear();  // it tells no more
}

std::optional<double> GpuEnergyCounter::joules() const {
  const Index blind = all_sum(comm_, Index{reads_ && begin_.empty()});
  const double sum = all_sum(comm_, millijoules_ * 1e-3);
  return blind > 0 ? std::nullopt : std::optional(sum);
}

}  // namespace shardfft::peers
