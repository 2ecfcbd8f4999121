// What was fastest: measurements that outlive the process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "planner/options/variant.hpp"
#include "planner/problem/problem.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// A variant and the seconds of one run of the slowest rank (mean of forward and backward, the best of several).
struct Measured {
  Tuning variant{};
  double seconds = 0;
};

struct WisdomEntry {
  std::string key{};                 ///< what it is about, for people too
  std::string date{};                ///< "2026-11-20"
  std::string effort{};              ///< measure or exhaustive
  std::vector<Measured> measured{};  ///< fastest first, not empty
  double model_seconds = 0;          ///< measured with the model's own choices
  int tried = 0, candidates = 0;     ///< how many of how many had their turn; 0: not written down
  bool complete = true;              ///< false when the time ran out before the tuning came to its end
  double tune_seconds = 0;           ///< the time that there was
};

/// An entry of a file that makes no sense.
struct DamagedEntry {
  std::string key{}, why{};
};

/// All that a measurement depends on, in one line: problem, layouts, ranks on nodes, threads, MPI, processor, version,
/// and what was given. `threads`: of rank 0 when nobody says.
[[nodiscard]] std::string wisdom_key(const Comm& comm, const CheckedProblem& problem, const Options& given,
                                     int threads);

/// Short name of an entry: 8 hexadecimal digits of its key's FNV-1a hash.
[[nodiscard]] std::string id_of(const std::string& key);

/// The entry of a key, from this process or from the file; on this rank, not collective. A file that cannot be used is
/// one notice and no entry.
[[nodiscard]] std::optional<WisdomEntry> recall(const std::string& key);
/// Keeps an entry in this process and in the file. Where the one that is known is of a more thorough tuning, that one
/// stays, which is one notice. Returns why the file could not be written, or nothing.
[[nodiscard]] std::string remember(const WisdomEntry& entry);

/// Collective. What rank 0 knows about the key, or about the same without what was given.
[[nodiscard]] std::optional<WisdomEntry> recall_on_all(const Comm& comm, const CheckedProblem& problem,
                                                       const Options& given, int threads);

/// No plan could be made with the entry of this key: one notice, once in a process, that says how to forget it.
/// The next one that is kept takes its place.
void give_up(const std::string& key, const std::string& why);

/// The fastest variant of the entry that agrees with `given`, can run here, and has an engine that may be taken: the
/// default one or the one given, any where the effort is to measure. nullptr when there is none.
[[nodiscard]] const Measured* fastest_allowed(const WisdomEntry& entry, const Comm& comm, const Options& given);

/// A file of wisdom as a whole, for the program. Each throws Error(io_failed).
/// Damaged entries are left out, and told where somebody asks.
[[nodiscard]] std::vector<WisdomEntry> all_entries(const std::filesystem::path& file,
                                                   std::vector<DamagedEntry>* damaged = nullptr);
/// Removes the entries with these keys, damaged or not; returns how many there were.
int forget(const std::filesystem::path& file, const std::vector<std::string>& keys);
/// Takes the entries over; of two with the same key the later date wins, of the same date the faster one, and any over
/// a damaged one. Returns how many were taken.
int merge(const std::filesystem::path& file, const std::vector<WisdomEntry>& more);

/// An entry as one line of JSON, as rank 0 tells it to the others.
[[nodiscard]] std::string to_text(const WisdomEntry& entry);

/// Today, as entries are dated: "2026-11-20".
[[nodiscard]] std::string today();

}  // namespace shardfft
