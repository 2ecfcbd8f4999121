// Who is fastest: successive halving, by callbacks alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace shardfft {

/// What one visit to a candidate gave.
struct Lap {
  double seconds = 0;     ///< of the best run of the slowest rank
  std::string dropped{};  ///< why the candidate is out; empty when it is not
};

struct Runner {
  std::size_t candidate = 0;
  int rounds = 0;      ///< in which it took part
  double seconds = 0;  ///< best of all its laps
  std::vector<double>
      turns{};  ///< seconds of each of its laps in its last round, in the order in which the candidates took turns
  std::string dropped{};
};

struct RaceResult {
  std::vector<Runner> ranking{};  ///< those that came furthest first, the faster first among them, dropped ones last;
                                  ///< candidates that were not visited are missing
  int rounds = 0, laps = 0;
  bool finished = true;  ///< false when time ran out
};

/// True when `a` was faster than `b` in every turn that both had in their last round, and these were as many as the
/// last few have: then chance had little to do with it.
[[nodiscard]] bool always_ahead(const Runner& a, const Runner& b);

/// Visits all candidates, best guess first, then again and again the better third of them with more runs, until few are
/// left, which are visited in turn. Candidate 0 is the one to be beaten: it stays to the end unless it is dropped. Even
/// when there is no time, one is measured. When time runs out before the end, the fastest so far and candidate 0 take
/// their last turns, as far as `time_for_last_turns` goes.
///   lap(candidate, runs, limit)  measures; it may give up once a run takes longer than `limit` seconds. Throws what
///   ends the race. time_left()                  asked before every lap once there is a result time_for_last_turns()
///   asked before each of these
/// All ranks get the same answers from all three, and so the same result.
[[nodiscard]] RaceResult race(std::size_t candidates,
                              const std::function<Lap(std::size_t candidate, int runs, double limit)>& lap,
                              const std::function<bool()>& time_left, const std::function<bool()>& time_for_last_turns);

}  // namespace shardfft
