// Runs block functors (device/kernels/launch.hpp) as kernels. Compiled on the device's side only.
#pragma once

#include <sycl/sycl.hpp>

#include "device/kernels/launch.hpp"

namespace shardfft::on_sycl {

using LocalMemory = sycl::local_accessor<sycl::vec<double, 2>, 1>;

template <class K>
void run_blocks(const K& kernel, const LocalMemory& local) {
  const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  auto& shared = reinterpret_cast<typename K::Shared&>(local[0]);
  const Index blocks = kernel.blocks();
  for (Index block = static_cast<Index>(item.get_group(0)); block < blocks;
       block += static_cast<Index>(item.get_group_range(0)))
    for (int phase = 0; phase < K::phases; ++phase) {
      kernel(phase, block, static_cast<int>(item.get_local_id(0)), shared);
      if constexpr (K::phases > 1) sycl::group_barrier(item.get_group());  // before the next phase, and the next block
    }
}

}  // namespace shardfft::on_sycl
