// Lengths of f64, and how many elements a thread has of each: what cuFFTDx has an implementation for.
#include "device/gpu/cufftdx/run_fused.cuh"

namespace shardfft::cuda {
namespace {

constexpr FusedEntry entries[] = {
    fused_entry<double, 64, 8>,    fused_entry<double, 96, 12>,   fused_entry<double, 128, 8>,
    fused_entry<double, 160, 10>,  fused_entry<double, 192, 12>,  fused_entry<double, 224, 14>,
    fused_entry<double, 256, 8>,   fused_entry<double, 320, 10>,  fused_entry<double, 384, 12>,
    fused_entry<double, 448, 14>,  fused_entry<double, 512, 8>,   fused_entry<double, 640, 10>,
    fused_entry<double, 768, 12>,  fused_entry<double, 896, 14>,  fused_entry<double, 1024, 16>,
    fused_entry<double, 1280, 10>, fused_entry<double, 1536, 12>, fused_entry<double, 2048, 16>,
};

}  // namespace

FusedLaunch find_fused_f64(Index n) { return find_entry(entries, n); }

}  // namespace shardfft::cuda
