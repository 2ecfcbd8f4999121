// Kernels as functors over blocks of threads, and how the host runs them.
//
// A block functor K is trivially copyable and holds all that a launch needs. A block of K::threads threads works in
// K::phases phases with a barrier between them; nothing survives a phase but Shared, whose content is not defined when
// a block begins. On a GPU: a loop over blocks with a stride of the grid, __syncthreads() between phases and before the
// next block.
#pragma once

#include <concepts>
#include <cstring>
#include <memory>
#include <type_traits>

#include "shardfft/box.hpp"

namespace shardfft {

/// Shared of functors that keep nothing between threads.
struct NoShared {};

template <class K>
concept BlockFunctor = std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<typename K::Shared> &&
                       requires(const K kernel, Index block, int number, typename K::Shared& shared) {
                         { K::threads } -> std::convertible_to<int>;
                         { K::phases } -> std::convertible_to<int>;
                         { kernel.blocks() } -> std::same_as<Index>;
                         kernel(number, block, number, shared);
                       };

/// One thread after the other. Shared begins as bytes that make no sensible number.
template <BlockFunctor K>
void run_on_host(const K& kernel) {
  const auto shared = std::make_unique<typename K::Shared>();
  std::memset(static_cast<void*>(shared.get()), 0xff, sizeof *shared);
  const Index blocks = kernel.blocks();
  for (Index block = 0; block < blocks; ++block)
    for (int phase = 0; phase < K::phases; ++phase)
      for (int thread = 0; thread < K::threads; ++thread) kernel(phase, block, thread, *shared);
}

}  // namespace shardfft
