// occupy GIB: takes all memory of the first GPU but so much, in plain allocations, and holds it until it is ended.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  const std::size_t gib = std::size_t{1} << 30;
  const std::size_t spare = count > 1 ? std::strtoull(words[1], nullptr, 10) * gib : 0;
  std::size_t free = 0, all = 0, held = 0;
  void* memory = nullptr;
  cudaError_t said = cudaMemGetInfo(&free, &all);
  // In pieces, for what is free is not always one piece.
  for (; said == cudaSuccess && free >= spare + gib; said = cudaMemGetInfo(&free, &all)) {
    said = cudaMalloc(&memory, gib);
    if (said != cudaSuccess) break;
    held += gib;
  }
  if (spare == 0 || said != cudaSuccess) {
    std::fprintf(stderr, "occupy: takes the GiB to leave, at least 1; CUDA says: %s\n", cudaGetErrorString(said));
    return 1;
  }
  std::printf("occupy holds %zu GiB; %.1f GiB are left\n", held / gib, static_cast<double>(free) / gib);
  std::fflush(stdout);
  pause();
}
