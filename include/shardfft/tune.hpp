// Measuring which choices are fastest, and remembering them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// One candidate of a tuning run.
struct TuneRow {
  std::string recipe{};  ///< its choices in words: "native shared_memory slab threads default chunks 1 tile least fuse
                         ///< 2 intermediate buffers stream 1"
  Coord grid{};          ///< process grid of the stage that is cut most; empty for one rank
  int tile = 0, chunks = 1;  ///< pencils gathered together (0: it never ran), parts of an exchange
  double seconds = 0;  ///< measured: mean of a forward and a backward run of the slowest rank, the best of all runs
  double model_seconds = 0;  ///< what the model had expected
  int rounds = 0;            ///< in which it took part
  bool untuned = false;      ///< the model's own choice
  std::string dropped{};     ///< why it is out: an error, a wrong result, a time-out; empty when it is not
};

struct TuneReport {
  std::vector<TuneRow> rows{};  ///< the chosen one first; dropped ones last; what there was no time for is missing
  int candidates = 0, rounds = 0, laps = 0;
  bool finished = true;  ///< false when the time ran out
  bool listed = true;    ///< false when it ran out before all candidates were known; `candidates` are those that were
  std::string key{};     ///< under which wisdom keeps it
  std::string wisdom_file{};  ///< empty when nothing is kept
  std::string notice{};       ///< why the file could not be written
};

/// What a program may want to do beside it. Called on every rank at the same places; any may be empty.
struct TuneHooks {
  /// Before a candidate is visited. Returns why it shall be dropped at once, the same on every rank, or nothing.
  std::function<std::string(const TuneRow& candidate)> before{};
  std::function<void(const TuneRow& candidate)> after{};
  std::function<bool()> time_left{};     ///< instead of options.tune_seconds; rank 0's answer counts
  std::function<bool()> time_to_list{};  ///< the same for the listing of the candidates, asked on rank 0 before each;
                                         ///< empty beside time_left: there is time for all
};

/// The time that tuning with these options and the environment may take: tune_seconds, or what the effort has without
/// them. Throws Error(invalid_argument) for invalid options.
[[nodiscard]] double seconds_to_tune(const Options& options);

/// Collective. Under which wisdom keeps what tune() finds, as in TuneReport::key. Throws the same Error on every rank
/// when the problem or the options are wrong.
[[nodiscard]] std::string tuning_key(const Comm& comm, const Problem& problem, const Options& options = {});

/// Collective. Measures candidates with data of its own (as much memory as an input and an output beside each
/// candidate's plan), checks the results of each of them in both directions, keeps the fastest in the wisdom of this
/// process and of its file, where plans find them. `options`: as for the plan; what is given there is not varied;
/// effort "" is measure. A candidate that ends in an Error before it runs, or whose result differs, is dropped. Throws
/// the same Error on every rank; transport_failed when a run dies under way.
[[nodiscard]] TuneReport tune(const Comm& comm, const Problem& problem, const Options& options = {},
                              const TuneHooks& hooks = {});

}  // namespace shardfft
