// Kernels that the SYCL runtime's own compiler makes of this project's sources when they are used for the first time.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <sycl/sycl.hpp>

#include "device/kernels/codec/codec_walk.hpp"
#include "device/kernels/launch.hpp"

namespace shardfft::on_sycl {

/// Units of a block's shared memory.
using LocalUnit = sycl::vec<double, 2>;

/// What the compiler is told of a block functor (device/kernels/launch.hpp).
struct KernelSource {
  const std::type_info& type;
  const char* header;  ///< that defines the type
  std::size_t bytes;   ///< of an object, which must be as many there
  bool has_warps;      ///< asks for sub-groups of 32
};

/// The kernels of one device. Any thread may call.
class KernelTable {
 public:
  /// `folders`: where else the compiler looks for headers.
  KernelTable(const sycl::device& device, const sycl::context& context, const std::vector<std::string>& folders = {});

  /// Runs the functor as a kernel, after what the queue was asked for before. The grid may have fewer blocks than the
  /// work: each goes on with a stride of the grid.
  template <BlockFunctor K>
  void launch(sycl::queue& queue, const K& kernel, const char* header) {
    const Index blocks = kernel.blocks();
    if (blocks == 0) return;
    const sycl::kernel compiled = find({typeid(K), header, sizeof(K), has_warps<K>});
    const auto groups = static_cast<std::size_t>(std::min(blocks, most_groups_)), threads = std::size_t{K::threads};
    queue.submit([&](sycl::handler& handler) {
      constexpr std::size_t units = (sizeof(typename K::Shared) + sizeof(LocalUnit) - 1) / sizeof(LocalUnit);
      handler.set_args(kernel, sycl::local_accessor<LocalUnit, 1>(units, handler));
      handler.parallel_for(sycl::nd_range<1>(groups * threads, threads), compiled);
    });
  }

 private:
  template <class K>
  static constexpr bool has_warps =
      std::is_base_of_v<kernels::WarpPerBlock, K> || std::is_base_of_v<kernels::ThreadsPerList, K>;

  [[nodiscard]] sycl::kernel find(const KernelSource& source);
  [[nodiscard]] sycl::kernel compile(const KernelSource& source) const;

  sycl::device device_;
  sycl::context context_;
  Index most_groups_;
  std::vector<std::string> options_;  ///< of the compiler
  std::mutex lock_{};
  std::map<std::string, sycl::kernel> compiled_{};  ///< by the functor's mangled name
};

}  // namespace shardfft::on_sycl
