// Lengths of f32, and how many elements a thread has of each: what cuFFTDx has an implementation for.
#include "device/gpu/cufftdx/run_fused.cuh"

namespace shardfft::cuda {
namespace {

constexpr FusedEntry entries[] = {
    fused_entry<float, 64, 16>,   fused_entry<float, 96, 12>,   fused_entry<float, 128, 16>,
    fused_entry<float, 160, 20>,  fused_entry<float, 192, 12>,  fused_entry<float, 224, 14>,
    fused_entry<float, 256, 16>,  fused_entry<float, 320, 20>,  fused_entry<float, 384, 12>,
    fused_entry<float, 448, 14>,  fused_entry<float, 512, 16>,  fused_entry<float, 640, 20>,
    fused_entry<float, 768, 24>,  fused_entry<float, 896, 28>,  fused_entry<float, 1024, 16>,
    fused_entry<float, 1280, 20>, fused_entry<float, 1536, 12>, fused_entry<float, 2048, 16>,
};

}  // namespace

FusedLaunch find_fused_f32(Index n) { return find_entry(entries, n); }

}  // namespace shardfft::cuda
