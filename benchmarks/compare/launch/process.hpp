// Runs another program in a process group of its own, under a time limit, and leaves none of its processes behind.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace shardfft::compare {

struct ProcessRequest {
  std::vector<std::string> words{};                                ///< program (looked for in PATH) and arguments
  std::vector<std::pair<std::string, std::string>> environment{};  ///< added to that of this process
  double limit_s = 600;
  bool keep_output = false;  ///< collect standard output; else it goes to /dev/null
};

struct ProcessOutcome {
  std::string start_error{};  ///< why the program could not be started; empty: it was
  bool timed_out = false;
  int exit_status = 0;  ///< when it ended by itself
  int signal = 0;       ///< that ended it; 0: none
  double wall_s = 0;
  std::string output{},
      errors{};  ///< standard output, at most 1 MiB from its start, where kept; standard error, its last 16 KiB
  [[nodiscard]] bool good() const { return start_error.empty() && !timed_out && signal == 0 && exit_status == 0; }
};

/// Waits until the program has ended or its time is over; then its process group and all that descends from it (the
/// ranks of a launcher too) is ended: first asked (SIGTERM), after 3 seconds forced. The program also ends when this
/// process dies. Throws Interrupted when this process was asked to end, after the program was.
[[nodiscard]] ProcessOutcome run_process(const ProcessRequest& request);

/// One line that says why `outcome` is not good: exit status or signal, and the last line of standard error that a
/// launcher did not write, else the launcher's first sentence.
[[nodiscard]] std::string reason_of(const ProcessOutcome& outcome, double limit_s);

}  // namespace shardfft::compare
