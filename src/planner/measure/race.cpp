#include "planner/measure/race.hpp"

#include <algorithm>
#include <limits>

namespace shardfft {
namespace {

constexpr std::size_t finalists = 3;
constexpr int first_runs = 2, more_runs = 3;  // in the first round; how many times as many in the next one
constexpr int least_runs_of_finalists = 18,
              visits_of_finalists = 3;  // a plan may be lucky with its memory: the last few are made anew, in turn
constexpr double hopeless = 2.5;        // times the best so far: not worth another run

class Race {
 public:
  Race(const std::function<Lap(std::size_t, int, double)>& lap, const std::function<bool()>& time_left,
       const std::function<bool()>& time_for_last_turns)
      : lap_(lap), time_left_(time_left), time_for_last_turns_(time_for_last_turns) {}

  RaceResult run(std::size_t candidates) {
    std::vector<Runner> field(candidates);
    for (std::size_t i = 0; i < candidates; ++i)
      field[i] = {.candidate = i, .rounds = 0, .seconds = std::numeric_limits<double>::infinity()};
    int runs = first_runs;
    while (round(field, runs)) {
      if (is_final(field) && runs >= least_runs_of_finalists) break;
      if (!is_final(field)) retire(field, std::max(finalists, field.size() / 3));
      runs *= more_runs;
    }
    if (!out_.finished) last_turns(field);
    retire(field, 0);
    std::stable_sort(out_.ranking.begin(), out_.ranking.end(), better);
    return std::move(out_);
  }

 private:
  static bool is_final(const std::vector<Runner>& field) {
    return field.size() <= finalists + 1;
  }  // the first candidate may be one too many

  static bool better(const Runner& a, const Runner& b) {
    if (a.dropped.empty() != b.dropped.empty()) return a.dropped.empty();
    if (a.rounds != b.rounds) return a.rounds > b.rounds;
    return a.seconds < b.seconds;
  }

  // False when time ran out or nobody is left.
  bool round(std::vector<Runner>& field, int runs) {
    if (field.empty()) return false;
    ++out_.rounds;
    double best = std::numeric_limits<double>::infinity();
    for (const Runner& r : field) best = std::min(best, r.seconds);
    const int visits = is_final(field) && runs >= visits_of_finalists ? visits_of_finalists : 1;
    for (int v = 0; v < visits; ++v)
      for (Runner& r : field) {
        if (best < std::numeric_limits<double>::infinity() && !time_left_()) return out_.finished = false;
        if (!r.dropped.empty()) continue;
        visit(r, v, runs / visits, hopeless * best);
        if (r.dropped.empty()) best = std::min(best, r.seconds);
      }
    return true;
  }

  // Repeats the fastest candidate and the first one. Without these turns a lead cannot be told from luck.
  void last_turns(std::vector<Runner>& field) {
    const auto ran = [](const Runner& r) { return r.rounds > 0 && r.dropped.empty(); };
    const auto first = std::ranges::find(field, std::size_t{0}, &Runner::candidate);
    if (first == field.end() || !ran(*first)) return;
    auto leader = first;
    for (auto r = field.begin(); r != field.end(); ++r)
      if (ran(*r) && r->seconds < leader->seconds) leader = r;
    if (leader == first || !time_for_last_turns_()) return;
    first->rounds = leader->rounds = out_.rounds++;  // one behind the round that begins
    for (int v = 0; v < visits_of_finalists; ++v)
      for (Runner* r : {&*first, &*leader}) {
        if ((v > 0 || r != &*first) && !time_for_last_turns_()) return;
        visit(*r, v, first_runs, std::numeric_limits<double>::infinity());
        if (!r->dropped.empty()) return;
      }
  }

  void visit(Runner& r, int visit, int runs, double limit) {
    ++out_.laps;
    if (visit == 0) r.turns.clear();
    const Lap lap = lap_(r.candidate, runs, limit);
    r.rounds += visit == 0;
    r.dropped = lap.dropped;
    if (!lap.dropped.empty()) return;
    r.seconds = std::min(r.seconds, lap.seconds);
    r.turns.push_back(lap.seconds);
  }

  // Keeps the `left` best and the first candidate in the field; the others go to the ranking.
  void retire(std::vector<Runner>& field, std::size_t left) {
    std::stable_sort(field.begin(), field.end(), better);
    std::vector<Runner> staying;
    for (Runner& r : field) {
      const bool stays = r.dropped.empty() && left > 0 && (staying.size() < left || r.candidate == 0);
      if (stays)
        staying.push_back(std::move(r));
      else if (r.rounds > 0)
        out_.ranking.push_back(std::move(r));
    }
    field = std::move(staying);
  }

  const std::function<Lap(std::size_t, int, double)>& lap_;
  const std::function<bool()>&time_left_, &time_for_last_turns_;
  RaceResult out_{};
};

}  // namespace

bool always_ahead(const Runner& a, const Runner& b) {
  const std::size_t both = std::min(a.turns.size(), b.turns.size());
  for (std::size_t i = 0; i < both; ++i)
    if (!(a.turns[i] < b.turns[i])) return false;
  return both >= visits_of_finalists;
}

RaceResult race(std::size_t candidates, const std::function<Lap(std::size_t, int, double)>& lap,
                const std::function<bool()>& time_left, const std::function<bool()>& time_for_last_turns) {
  return Race(lap, time_left, time_for_last_turns).run(candidates);
}

}  // namespace shardfft
