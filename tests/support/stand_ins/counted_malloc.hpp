// malloc under observation: counts what is allocated while a counter is on, and fails on demand. For one test program;
// not with sanitizers, which have a malloc of their own.
#pragma once

#include <cstddef>

namespace shardfft::testing {

/// Allocations of all threads since it was made.
class CountAllocations {
 public:
  CountAllocations();
  ~CountAllocations();
  [[nodiscard]] long count() const;
  [[nodiscard]] long bytes() const;  ///< of all of them together, whether they were given back or not
};

/// While it lives, aligned allocations of at least `bytes` fail on this thread.
class FailLargeAllocations {
 public:
  explicit FailLargeAllocations(std::size_t bytes);
  ~FailLargeAllocations();
};

}  // namespace shardfft::testing
