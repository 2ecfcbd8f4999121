// Sums of squares: of each part by a block of threads, then of the parts of each unit. The order of the additions
// depends on the parts alone.
#pragma once

#include "device/kernels/codec/codec_elements.hpp"
#include "device/squares.hpp"

namespace shardfft::kernels {

/// Adds up what each thread has; in the last phase `all_lost` is the sum.
template <class T>
struct SquaresOfParts : ThreadsPerList {
  SumSquares task{};
  SHARDFFT_HD Index blocks() const { return task.parts; }

  SHARDFFT_HD void operator()(int phase, Index p, int thread, Shared& sums) const {
    const SquaresPart& part = task.part[p];
    const auto count = [&](ThreadShare) {
      const BlockSegment& box = part.elements;
      const auto base = reinterpret_cast<std::uintptr_t>(task.bases.start[static_cast<int>(box.base)]);
      ListSums mine;
      for (std::uint32_t e = static_cast<std::uint32_t>(thread); e < box.elements; e += sum_threads) {
        const T* x = reinterpret_cast<const T*>(base + static_cast<std::uintptr_t>(place_of(box, e)));
        for (int i = 0; i < (task.complex ? 2 : 1); ++i)
          mine.lost = add(mine.lost, mul(static_cast<double>(x[i]), static_cast<double>(x[i])));
      }
      return mine;
    };
    over_list(phase, thread, part.elements.elements, sums, count, [&](ThreadShare, std::uint64_t) {
      if (thread == 0) task.of_part[p] = part.weight * sums.all_lost;
    });
  }
};

struct SquaresOfUnits : ThreadsPerList {
  SumSquares task{};
  SHARDFFT_HD Index blocks() const { return task.units; }

  SHARDFFT_HD void operator()(int phase, Index u, int thread, Shared& sums) const {
    const Index first = task.first_part[u];
    const auto count = [&](ThreadShare mine) {
      ListSums sum;
      for (Index p = first + mine.from; p < first + mine.to; ++p) sum.lost += task.of_part[p];
      return sum;
    };
    over_list(phase, thread, task.first_part[u + 1] - first, sums, count, [&](ThreadShare, std::uint64_t) {
      if (thread == 0) task.sum[u] = sums.all_lost;
    });
  }
};

}  // namespace shardfft::kernels
