// The machine that a program runs on: caches, cores and threads that there are, memory that is left, and what was
// measured of it.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

struct ProcessorCache {
  int level = 0;
  bool data_only = false;  ///< holds no instructions
  Index bytes = 0;         ///< of all of it, however many cores share it
};

/// Those that hold data, from the core outwards; none where the system does not tell. The C library's
/// sysconf(_SC_LEVEL3_CACHE_SIZE) is no substitute: glibc 2.36 multiplies AMD's third level by the cores that share it.
[[nodiscard]] std::vector<ProcessorCache> processor_caches(
    const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

/// Bytes of the one of that level; `otherwise` where there is none.
[[nodiscard]] Index cache_bytes(int level, Index otherwise);

/// What the planner knows of a node, from the system and from measure_and_keep().
struct KnownMachine {
  bool measured = false;          ///< the rates below, here and by this version of shardfft; else orders of magnitude
  int cores = 1;                  ///< that this process may use
  Index l2_bytes = 0;             ///< of a core
  Index l3_bytes = 0;             ///< that a core shares with others
  double memory_bytes_per_s = 0;  ///< of one core: bytes read plus bytes written, with non-temporal stores
  double node_bytes_per_s = 0;    ///< of all cores of a node together
  double cache_bytes_per_s = 0;   ///< of one core, between levels of its own cache
};
/// Takes milliseconds. Not collective.
[[nodiscard]] KnownMachine known_machine(const Comm& comm);

/// Collective, a second or two: measures rank 0's node, exchanges among these ranks, and devices of every kind, and
/// keeps it for the plans of later runs. Returns, on rank 0, a line for each part that could not be kept. Throws Error.
std::vector<std::string> measure_and_keep(const Comm& comm);

/// How fast a device of a node and another memory of it trade arrays. Rates count bytes that arrive, in a swap those of
/// both directions together.
struct PairRates {
  std::string space{};         ///< of the devices: "cuda"; "emulated", whose numbers say nothing of hardware
  int one = 0;                 ///< a device
  int other = -1;              ///< another device, -1: pinned memory of the host
  std::string way{};           ///< as the transport of that name; "copy" between a device and the host
  int streams = 1;             ///< of each device; each has its share of the array
  double there_bytes_per_s{};  ///< from `one` to `other`, alone
  double back_bytes_per_s{};   ///< from `other` to `one`, alone
  double swap_bytes_per_s{};   ///< both at once
};
/// Collective. Rank 0 measures all pairs of what its process sees, devices of every kind; the others get nothing. Pairs
/// that do not reach each other have the way "via_host" alone. Throws Error, the same on all ranks.
[[nodiscard]] std::vector<PairRates> measure_pairs(const Comm& comm);

/// Threads of this rank where a plan is not told: SHARDFFT_THREADS, OMP_NUM_THREADS, else its share of the node's
/// cores.
[[nodiscard]] int usual_threads(const Comm& comm);

/// What a rank is about to take.
struct MemoryNeed {
  Index own = 0;     ///< private memory of this rank
  Index shared = 0;  ///< its part of what all ranks of the node map
  Index mapped = 0;  ///< memory that has its addresses already, and no pages yet
};

/// Collective. Empty if it fits into this node and process; else why it does not, by the lowest rank that lacks room,
/// the same on all ranks.
[[nodiscard]] std::string why_no_room(const Comm& comm, const MemoryNeed& need);

/// Collective. What every rank could take at once, as why_no_room() counts: bytes of each, those of the poorest rank.
[[nodiscard]] Index memory_for_each(const Comm& comm);

/// "12.9 GB"
[[nodiscard]] std::string gigabytes(Index bytes);

}  // namespace shardfft
