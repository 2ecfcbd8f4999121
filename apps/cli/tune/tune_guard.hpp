// Candidates that hang or crash.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "shardfft/comm.hpp"
#include "tune/running_time.hpp"

namespace shardfft::cli {

/// A hung collective cannot be ended from inside. So the guard writes down what is being tried, and when a candidate
/// takes too long it writes that down as well and ends this process, whose launcher then ends the others; the next run
/// of the same command leaves the candidate out. The same for one that crashes twice. Nothing is written where nothing
/// is kept (SHARDFFT_WISDOM=off). Jobs that tune the same at the same time write beside each other: only what a job
/// left that is no longer there counts as ended.
class TuneGuard {
 public:
  /// Collective. `key`: what is tuned, as wisdom calls it, so that the same command finds it and no other does.
  TuneGuard(const Comm& comm, std::string key, double seconds);
  ~TuneGuard();
  TuneGuard(const TuneGuard&) = delete;
  TuneGuard& operator=(const TuneGuard&) = delete;

  /// Starts the clock. Returns why the candidate is left out, the same on every rank, or nothing.
  [[nodiscard]] std::string before(const std::string& recipe);
  /// For tests: hangs where the recipe holds the text of SHARDFFT_TUNE_HANG.
  static void hang_if_told(const std::string& recipe);
  void after();
  /// All went well: forgets what this job wrote down, and what it knew of earlier ones.
  void finish();

  /// All that is written down about jobs and candidates, a text each; no two jobs write the same about what they try.
  [[nodiscard]] static std::set<std::string> notes();

 private:
  void watch();
  void end_process();

  bool first_;
  std::string key_, job_{};  ///< on rank 0
  std::chrono::duration<double> limit_;
  std::map<std::string, std::string> dropped_{};
  std::mutex lock_{};
  std::condition_variable changed_{};
  std::string running_{};
  RunningTime took_{};
  bool end_ = false;
  std::thread thread_{};
};

/// Exit status of a program whose guard ended it; the same command is worth another run.
inline constexpr int candidate_hung = 3;

}  // namespace shardfft::cli
