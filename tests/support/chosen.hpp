// How much random tests do, from which seed and on which device, where the environment does not choose.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace shardfft::testing {

/// Sanitizers look at every access: fewer problems show as much there, in as long a time. The thread sanitizer takes
/// twice as long as the others.
#if defined __SANITIZE_THREAD__
inline constexpr int one_problem_of = 12;
#elif defined SHARDFFT_SANITIZED
inline constexpr int one_problem_of = 8;
#else
inline constexpr int one_problem_of = 1;
#endif
inline constexpr bool sanitized = one_problem_of > 1;

/// How many random problems there are: SHARDFFT_TEST_PROBLEMS, or so many, under sanitizers `one_problem_of` them.
[[nodiscard]] inline int chosen_problems(int usually) {
  const char* set = std::getenv("SHARDFFT_TEST_PROBLEMS");
  return set ? std::atoi(set) : (usually + one_problem_of - 1) / one_problem_of;
}

/// Which of all the combinations that loops list are looked at: each of them, or under sanitizers the first and by lot
/// one of `one_problem_of`, the same in every run.
class Sample {
 public:
  [[nodiscard]] bool takes() { return random_() % one_problem_of == 0 || first_-- > 0; }

 private:
  std::mt19937_64 random_{};
  int first_ = 1;
};

/// SHARDFFT_TEST_SEED, or this one.
[[nodiscard]] inline std::uint64_t chosen_seed(std::uint64_t usually) {
  const char* set = std::getenv("SHARDFFT_TEST_SEED");
  return set ? std::strtoull(set, nullptr, 10) : usually;
}

/// The device of arrays of plans on devices: the emulated one, or another of this machine, as
/// SHARDFFT_TEST_DEVICE=cuda.
[[nodiscard]] inline std::string space() {
  const char* set = std::getenv("SHARDFFT_TEST_DEVICE");
  return set ? set : "emulated";
}

}  // namespace shardfft::testing
