// Memory that a run needs beyond what the process had before it.
#pragma once

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::peers {

/// Follows the largest resident memory of this process from its construction on. Pages that several ranks share are
/// counted once in the sum over ranks.
class MemoryWatch {
 public:
  MemoryWatch();
  /// Forgets peaks so far, for example of candidates that were tried and dropped; what counts as the growth's start
  /// stays.
  static void forget_peak();
  /// Collective. Growth of the peak since construction, summed over ranks, in bytes.
  [[nodiscard]] Index peak_growth(const Comm& comm) const;

 private:
  Index before_ = 0;
};

/// Collective. What of the ranks' memory, arrays and windows, lies in huge pages now, summed over ranks, in bytes. What
/// several of them share is counted about once.
[[nodiscard]] Index huge_page_bytes(const Comm& comm);

}  // namespace shardfft::peers
