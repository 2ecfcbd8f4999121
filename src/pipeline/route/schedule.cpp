#include "pipeline/route/schedule.hpp"

namespace shardfft {
namespace {

using enum Turn::Action;

class RouteScheduler {
 public:
  RouteScheduler(const std::vector<RouteStep>& steps, bool approximate) : steps_(steps), approximate_(approximate) {}

  std::vector<Turn> turns() {
    const int steps = static_cast<int>(steps_.size());
    for (int first = 0, next = 0; first < steps; first = next) {
      next = first + (step(first).goes_on ? 2 : 1);
      for (int part = 0; part < step(first).parts; ++part)
        for (int s = first; s < next; ++s) add_part(s, part);
      for (int s = first; s < next; ++s) add(finish, s);
    }
    if (approximate_) add(result, steps - 1);
    add(drain, 0);
    if (approximate_) add(vote, steps - 1);
    return turns_;
  }

 private:
  void add_part(int s, int part) {
    if (part == 0 && step(s).writes >= 0) add(room, s);
    if (approximate_ && part == 0 && s == 0) add(look, s);
    if (approximate_) add(budget, s, part);
    const int chunks = step(s).chunks.count / step(s).parts;
    for (int c = chunks * part; c < chunks * (part + 1); ++c) add(chunk, s, c);
    if (approximate_ && step(s).measures_norm) add(sum, s, part);
  }
  void add(Turn::Action what, int step, int number = 0) { turns_.push_back({what, step, number}); }
  [[nodiscard]] const RouteStep& step(int s) const { return steps_[static_cast<std::size_t>(s)]; }

  const std::vector<RouteStep>& steps_;
  bool approximate_;
  std::vector<Turn> turns_{};
};

}  // namespace

std::vector<Turn> schedule(const std::vector<RouteStep>& steps, bool approximate) {
  return RouteScheduler(steps, approximate).turns();
}

}  // namespace shardfft
