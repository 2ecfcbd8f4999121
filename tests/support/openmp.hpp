// How many OpenMP threads a test may ask for.
#pragma once

namespace shardfft::testing {

/// `wanted`, but 1 under the thread sanitizer: gcc's OpenMP runtime is not instrumented, so its barriers would be
/// reported as races. Ranks are threads of their own there and are checked.
constexpr int threads_of_a_rank([[maybe_unused]] int wanted) {
#if defined(__SANITIZE_THREAD__)
  return 1;
#else
  return wanted;
#endif
}

}  // namespace shardfft::testing
