// Signals that end the program while it waits for a child: noted, so that the child's processes can be ended first.
#pragma once

#include <csignal>
#include <iterator>

namespace shardfft::compare {

/// A signal asked the program to end; raise it again when everything is tidied up.
struct Interrupted {
  int signal;
};

/// While it lives, the signals that end a job are noted instead of deadly, and they and SIGCHLD make `wake_fd`
/// readable. One at a time.
class Attention {
 public:
  Attention();
  ~Attention();
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  [[nodiscard]] int wake_fd() const;
  void drain() const;                      ///< makes wake_fd unreadable until the next signal
  [[nodiscard]] int asked_to_end() const;  ///< the signal; 0: none so far

 private:
  static constexpr int watched[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGCHLD};
  struct sigaction before_[std::size(watched)]{};
};

}  // namespace shardfft::compare
