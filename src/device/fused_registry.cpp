#include "device/fused.hpp"

namespace shardfft {

const FusedKernels* find_fused(std::string_view space) {
  for (const FusedKernels* kernels : {
#if SHARDFFT_WITH_CUFFTDX
           &cuda_fused(),
#endif
#if SHARDFFT_WITH_EMULATED
           &emulated_fused(),
#endif
           static_cast<const FusedKernels*>(nullptr)})
    if (kernels && kernels->space() == space) return kernels;
  return nullptr;
}

}  // namespace shardfft
