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
  /// Nominal operations of all threads together: 5 n log2 n for each complex pencil, half for real ones.
  double arithmetic_flops_per_s = 0;
  [[nodiscard]] double seconds() const { return copy_s > arithmetic_s ? copy_s : arithmetic_s; }
};

/// Bytes of the array that the limit speaks of: the input, or the reals of a half spectrum.
[[nodiscard]] double array_bytes(const Problem& problem);

/// Collective. Each rank works with `threads` threads on its equal share of the array. With `nodes` > 1 that many nodes
/// share it, and `comm` is one of them. Copies the share, up to 256 MiB; computes with the fastest engine that needs no
/// measured plans, all threads at once. Each is the best of several, and times are the slowest rank's. Takes a fraction
/// of a second, and not much more than `most_s`. Throws Error(out_of_memory), or Error(unsupported) if the cores are
/// too busy for that, on every rank.
[[nodiscard]] Limit measure_limit(const Comm& comm, const Problem& problem, int threads, int nodes = 1,
                                  double most_s = std::numeric_limits<double>::infinity());

/// Bytes read plus bytes written per second by `threads` threads of this process that copy 256 MiB with non-temporal
/// stores, best of several.
[[nodiscard]] double measure_copy_bandwidth(int threads);

/// Collective. The same on a device, all ranks at once: two passes over the array, at the rate at which each device
/// copies within itself, or, if the array is the host's, from and to pinned memory at once. Up to 1 GiB, best of
/// several. Arithmetic is not counted. Takes 2 GiB of each device at most. Throws Error(out_of_memory).
[[nodiscard]] Limit measure_device_limit(const Comm& comm, const Problem& problem, const std::string& device,
                                         bool arrays_there);

}  // namespace shardfft
