// What a plan runs on, as far as the model needs it. Decided by rank 0, the same on all ranks.
#pragma once

#include <array>
#include <string>

#include "engine/engine.hpp"
#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// In-cache rates of one engine in one precision, one core, in nominal operations per second.
struct Rates {
  static constexpr std::array<Index, 6> lengths{64, 128, 256, 512, 1024, 2048};
  std::array<double, lengths.size()> of_power{};  ///< of these powers of two
  double of_mixed = 0.7;   ///< of lengths with factors 3, 5 and 7, as a share of the neighbouring powers of two
  double of_prime = 0.25;  ///< of lengths with larger prime factors, likewise

  [[nodiscard]] double at(Index n) const;
};

/// What an exchange costs through one way, beside the sweeps' own stores.
struct ExchangeCost {
  static constexpr std::array<Index, 3> sizes{1 << 10, 1 << 16,
                                              1 << 20};  ///< bytes of a message to each other rank, as measured
  double epoch_s = 0;                                    ///< of an exchange, however small
  double message_s = 0;                                  ///< of each message
  double bytes_per_s = 0;                                ///< of one rank, out; 0 where the sweep moves them
  std::array<double, sizes.size()> all_to_all_s{};       ///< with messages of these sizes; 0 where it was not measured
};

/// Defaults are orders of magnitude of current servers, to be replaced by what can be found out or measured. Plain
/// bytes: it is broadcast.
struct Machine {
  static constexpr int most_engines = 4;

  Index l2_bytes = 1 << 20;          ///< per core
  Index l3_bytes = 32 << 20;         ///< of the third-level cache that a core shares with others
  int cores = 1;                     ///< that this process may use
  bool measured = false;             ///< what one node does
  bool exchanges_measured = false;   ///< between just as many ranks on as many nodes
  double memory_bytes_per_s = 13e9;  ///< of one core: bytes read plus bytes written, with non-temporal stores
  double node_bytes_per_s = 200e9;   ///< of all cores of a node together
  double cache_bytes_per_s = 45e9;   ///< of one core, between levels of its own cache
  double codec_bytes_per_s = 8e9;    ///< of encoding, or decoding, by one core, with what it adds to a sweep
  double team_s = 2e-6;              ///< of waking the threads of a rank for one sweep
  std::array<Rates, most_engines> f64{}, f32{};             ///< by number in the registry
  ExchangeCost stores{.epoch_s = 2e-6, .message_s = 2e-7};  ///< inside a node, into the reader's memory
  ExchangeCost mpi_near{.epoch_s = 4e-6, .message_s = 1e-6, .bytes_per_s = 4e9};  ///< inside a node, through MPI
  ExchangeCost mpi_far{.epoch_s = 6e-6, .message_s = 5e-6, .bytes_per_s = 2e9};   ///< to other nodes

  Machine();
  [[nodiscard]] const Rates& rates(int engine, Scalar scalar) const;
};

/// Looks at this machine, and at what was measured of it before (machine_file()), with these ranks as far as exchanges
/// go. Cores are those of the process's affinity mask. Takes milliseconds.
[[nodiscard]] Machine this_machine(const Comm& comm);

/// "2 nodes of 4 ranks"
[[nodiscard]] std::string ranks_text(const Comm& comm);

/// "Intel(R) Xeon(R) Processor, 2 cores, L2 2048 KiB": as in wisdom, where equal nodes share entries.
[[nodiscard]] std::string processor_text();

/// Ranks on the node of `rank`, which is one of them.
[[nodiscard]] int ranks_on_node(const Comm& comm, int rank);

/// A rank's share of the cores of its node, at least 1.
[[nodiscard]] int core_share(const Comm& comm, const Machine& machine, int rank);

/// Threads of a rank when nobody says: OMP_NUM_THREADS, else its share of the cores of its node.
[[nodiscard]] int default_threads(const Comm& comm, const Machine& machine, int rank);

}  // namespace shardfft
