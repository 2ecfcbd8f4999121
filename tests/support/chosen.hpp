// How much random tests do, from which seed and on which device, where the environment does not choose.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace shardfft::testing {

/// Sanitizers look at every access: fewer problems show as much there, in as long a time.
#ifdef SHARDFFT_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// How many random problems there are: SHARDFFT_TEST_PROBLEMS, or so many, a quarter of them under sanitizers.
[[nodiscard]] inline int chosen_problems(int usually) {
  const char* set = std::getenv("SHARDFFT_TEST_PROBLEMS");
  return set ? std::atoi(set) : sanitized ? (usually + 3) / 4 : usually;
}

/// SHARDFFT_TEST_SEED, or this one.
[[nodiscard]] inline std::uint64_t chosen_seed(std::uint64_t usually) {
  const char* set = std::getenv("SHARDFFT_TEST_SEED");
  return set ? std::strtoull(set, nullptr, 10) : usually;
}

/// Where arrays of plans on devices are: the pretended device, or another one where a machine has it, as SHARDFFT_TEST_DEVICE=cuda.
[[nodiscard]] inline std::string space() {
  const char* set = std::getenv("SHARDFFT_TEST_DEVICE");
  return set ? set : "pretended";
}

}  // namespace shardfft::testing
