// Options, which are taken and left to the planner, and the grids that programs print.
#pragma once

#include "heffte_common.h"
#ifdef Heffte_ENABLE_GPU
#include "heffte_gpu.h"
#endif

namespace heffte {

enum class reshape_algorithm { alltoallv = 0, p2p_plined = 1, p2p = 2, alltoall = 3 };

/// All change how a result is computed, none what it is. The planner of shardfft chooses these itself.
struct plan_options {
  template <typename backend_tag>
    requires(backend::is_enabled<backend_tag>::value)
  plan_options(backend_tag) {}
  plan_options(bool reorder, reshape_algorithm alg, bool pencils)
      : use_reorder(reorder), algorithm(alg), use_pencils(pencils) {}

  bool use_reorder = true;
  reshape_algorithm algorithm = reshape_algorithm::alltoallv;
  bool use_pencils = true, use_gpu_aware = true;

  void use_num_subranks(int ranks) { subranks_ = ranks; }
  void use_subcomm(MPI_Comm) { subranks_ = 1; }
  int get_subranks() const { return subranks_; }

 private:
  int subranks_ = -1;
};

inline std::ostream& operator<<(std::ostream& out, const plan_options& options) {
  const char* names[] = {"alltoallv", "point-to-point-pipelined", "point-to-point", "alltoall"};
  return out << "options = (fft1d:" << (options.use_reorder ? "contiguous" : "strided")
             << ", mpi:" << names[static_cast<int>(options.algorithm)]
             << ", decomposition:" << (options.use_pencils ? "pencil" : "slab") << ", mpi:from-"
             << (options.use_gpu_aware ? "gpu" : "cpu") << ")";
}

template <typename backend_tag>
plan_options default_options() {
  return plan_options(backend_tag());
}

/// What is known before a plan is made: where it begins and ends. The stages between are the planner's; they are given
/// as the first and the last.
template <typename index>
struct logic_plan3d {
  std::vector<box3d<index>> in_shape[4], out_shape[4];
  std::array<index, 3> fft_sizes;
  std::array<int, 3> fft_direction;
  long long index_count;
  plan_options options;
  int mpi_rank;
};
template <typename index>
logic_plan3d<index> plan_operations(const ioboxes<index>& boxes, int r2c_direction, const plan_options& options,
                                    int mpi_rank) {
  const box3d<index> world = find_world(boxes.in);
  const int first = std::max(r2c_direction, 0);
  return {{boxes.in, boxes.in, boxes.in, boxes.in},
          {boxes.in, boxes.in, boxes.in, boxes.out},
          world.size,
          {first, (first + 1) % 3, (first + 2) % 3},
          world.count(),
          options,
          mpi_rank};
}

/// The number of parts along each axis, for in_shape[0] and each out_shape.
template <typename index>
std::vector<std::array<int, 3>> compute_grids(const logic_plan3d<index>& plan) {
  const auto grid_of = [](const std::vector<box3d<index>>& boxes) {
    std::array<int, 3> grid{};
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<index> starts;
      for (const auto& box : boxes)
        if (!box.empty()) starts.push_back(box.low[d]);
      std::sort(starts.begin(), starts.end());
      grid[d] = static_cast<int>(std::unique(starts.begin(), starts.end()) - starts.begin());
    }
    return grid;
  };
  std::vector<std::array<int, 3>> grids{grid_of(plan.in_shape[0])};
  for (const auto& shape : plan.out_shape) grids.push_back(grid_of(shape));
  return grids;
}

}  // namespace heffte
