// What a transform would take on a machine that is not here: predicted from a few rates of it by the planner's model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shardfft/comm.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// A machine of equal nodes. A rank is one core, or one GPU. Rates are in bytes or operations per second, times in
/// seconds.
struct Cluster {
  std::string name{}, about{};
  std::vector<std::string> sources{};  ///< where the numbers come from
  Index nodes = 1;                     ///< that there are
  Index ranks_per_node = 1;            ///< cores, or GPUs
  double copy_bytes_per_s = 0;         ///< of a node: bytes read plus bytes written, all ranks at once
  double rank_copy_bytes_per_s = 0;    ///< of one rank alone; 0: its share of the node's
  double engine_flops_per_s = 0;       ///< of a rank, transforms of 256 points in cache, f64, nominal operations
  double engine_flops_per_s_f32 = 0;   ///< 0: twice as many
  double near_bytes_per_s = 0;         ///< of a rank, to others of its node; 0: sweeps store into their memory
  double link_bytes_per_s = 0;         ///< of a node into the network, one direction
  double latency_s = 0;                ///< of an exchange between nodes, however small
  double message_gap_s = 0;            ///< of a rank, between two messages to other nodes while all send to all
  double taper = 1;                    ///< what the network above a switch carries, as a share of the links below
  double nodes_below_taper = 1;        ///< nodes that reach each other below that switch
  Index gap_ranks = 0;                 ///< of the run that message_gap_s was fitted to; 0: it was fitted to none
};

/// A machine file, or what `shardfft info --json` wrote. `origin` is named in errors: "summit.json". Throws
/// Error(invalid_argument) for anything that makes no sense.
[[nodiscard]] Cluster parse_cluster(const std::string& text, const std::string& origin);
/// What parse_cluster() reads.
[[nodiscard]] std::string to_text(const Cluster& cluster);
/// This machine as far as it was measured. Not collective.
[[nodiscard]] Cluster this_cluster(const Comm& comm);

/// What a run takes more time for.
struct CostTerm {
  std::string name{};  ///< compute, copies, bandwidth, taper, messages, latency
  double seconds = 0;  ///< by which the run would be shorter without it
};

/// One transform of the busiest rank.
struct Prediction {
  int ranks = 1, nodes = 1, ranks_per_node = 1, threads = 1;
  double seconds = 0;              ///< of one transform from input to output layout
  double least_s = 0, most_s = 0;  ///< with the best and the worst rates that are likely
  std::vector<CostTerm> terms{};   ///< the largest first: that one limits
  std::string decomposition{};     ///< slab, pencil, brick
  std::string grids{};             ///< process grids of the sweeps
  std::string codec{};             ///< of messages between nodes: "none", "block_float, certified"
  double bits = 0;                 ///< of a real number between nodes
  double node_bytes = 0;           ///< that the busiest node sends to others
  double messages = 0;             ///< that the busiest rank sends to other nodes
  double idle_ranks = 0;           ///< that own nothing in the widest stage
  bool extrapolates = false;       ///< more than 16 times as many ranks as the gap was fitted to
};

/// Predictions for one number of ranks, which are numbered node by node. Threads of a rank are the cores of the node
/// shared among its ranks. Time and memory of the first prediction grow with the number of ranks: for a million half a
/// second and 50 MB, of arrays of one axis 1.5 GB. Others share its counts.
class Predictor {
 public:
  ///   ranks           1 to 1,000,000
  ///   ranks_per_node  0: one on each core
  /// Throws Error(invalid_argument).
  Predictor(const Cluster& cluster, int ranks, int ranks_per_node = 0);
  /// Throws Error as plans do.
  [[nodiscard]] Prediction predict(const Problem& problem, const Options& options) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// One prediction.
[[nodiscard]] inline Prediction predict(const Cluster& cluster, const Problem& problem, const Options& options,
                                        int ranks, int ranks_per_node = 0) {
  return Predictor(cluster, ranks, ranks_per_node).predict(problem, options);
}

}  // namespace shardfft
