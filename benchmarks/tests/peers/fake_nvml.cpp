// A driver with as many GPUs as FAKE_NVML_GPUS says, each of which has used FAKE_NVML_MILLIJOULES, the second one twice
// as much and so on; with FAKE_NVML_SILENT they do not tell.
#include <cstdlib>

namespace {

unsigned long long number(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

int begun = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() { return ++begun, 0; }
int nvmlShutdown() { return --begun, 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  return *count = static_cast<unsigned>(number("FAKE_NVML_GPUS")), begun > 0 ? 0 : 1;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  return *device = reinterpret_cast<void*>(static_cast<unsigned long>(index) + 1), 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  *millijoules = reinterpret_cast<unsigned long>(device) * number("FAKE_NVML_MILLIJOULES");
  return std::getenv("FAKE_NVML_SILENT") ? 3 : 0;
}
}
