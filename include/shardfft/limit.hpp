// The time that no transform on this machine can beat unless its array stays in cache.
#pragma once

#include <limits>
#include <string>

#include "shardfft/comm.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// Both parts are measured where the transform is, by as many threads: max of the two is the limit.
struct Limit {
  double copy_s = 0;            ///< two passes over the array: read and written twice with non-temporal stores
  double arithmetic_s = 0;      ///< all 1-D transforms at the engines' in-cache rate
  double copy_bytes_per_s = 0;  ///< of all threads together, bytes read plus bytes written
  double arithmetic_flops_per_s =
      0;  ///< of all threads together, nominal: 5 n log2 n for each complex pencil, half for real ones
  [[nodiscard]] double seconds() const { return copy_s > arithmetic_s ? copy_s : arithmetic_s; }
};

/// Of the input, or of the reals of a half spectrum: the array that the limit speaks of.
[[nodiscard]] double array_bytes(const Problem& problem);

/// Collective. Each of `comm`'s ranks works with `threads` threads on its equal share of the array; with `nodes` > 1,
/// this many times as many ranks share it and only those of one node are in `comm`. The copy is of the share itself, up
/// to 256 MiB, best of several; a rate is that of the fastest engine that needs no measured plans, best of several, all
/// threads at once; times are those of the slowest rank. Takes a fraction of a second, and not much more than `most_s`.
/// Throws on every rank Error(out_of_memory), and Error(unsupported) where the cores are so busy that this is not
/// enough.
[[nodiscard]] Limit measure_limit(const Comm& comm, const Problem& problem, int threads, int nodes = 1,
                                  double most_s = std::numeric_limits<double>::infinity());

/// Bytes read plus bytes written per second by `threads` threads of this process that copy 256 MiB with non-temporal
/// stores, best of several.
[[nodiscard]] double measure_copy_bandwidth(int threads);

/// The same on a device. Collective. Two passes over the array: of arrays on the device at the rate at which each
/// rank's device copies within itself, of arrays on the host at that at which it copies from and to pinned memory at
/// once; up to 1 GiB, best of several, all ranks at once. Arithmetic is not counted. Takes 2 GiB of each device at
/// most. Throws Error(out_of_memory).
[[nodiscard]] Limit measure_device_limit(const Comm& comm, const Problem& problem, const std::string& device,
                                         bool arrays_there);

}  // namespace shardfft
