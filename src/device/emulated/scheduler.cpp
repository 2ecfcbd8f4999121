#include "device/emulated/scheduler.hpp"

#include <algorithm>

#include "device/emulated/capture.hpp"
#include "device/emulated/variables.hpp"
#include "shardfft/error.hpp"

namespace shardfft::emulated {
namespace {

void tell(const Point& point) {
  if (point.failure && point.failure->told.insert(point.line_number).second)
    std::rethrow_exception(point.failure->error);
}

void require_known(const Point& point) {
  if (point.capture != 0)
    throw Error(Status::device_failed,
                "emulated device: what is captured is not done; got somebody who waits for it or asks");
}

[[nodiscard]] bool can_go_on(const Line& line) {
  return !line.work.empty() && (!line.work.front().waits || line.work.front().waits->reached);
}

// The line of the point, or of what that line waits for, and so on.
[[nodiscard]] Line* needed_for(const Point& point) {
  Line* line = point.line;
  while (!line->work.empty() && !can_go_on(*line)) line = line->work.front().waits->line;
  return line;
}

void run_first(Line& line) {
  const QueuedWork work = std::move(line.work.front());
  line.work.pop_front();
  if (line.failure && line.failure->told.contains(line.number)) line.failure = nullptr;
  try {
    if (work.run) work.run();
  } catch (...) {
    if (!line.failure) line.failure = std::make_shared<QueueFailure>(QueueFailure{.error = std::current_exception()});
  }
  if (work.waits && !line.failure) line.failure = work.waits->failure;
  if (work.reaches) work.reaches->reached = true, work.reaches->failure = line.failure;
}

}  // namespace

Scheduler::Scheduler() : lots_(number_from("SHARDFFT_EMULATED_SEED", 1)) {}

LineRef Scheduler::make_line() {
  std::lock_guard lock(mutex_);
  std::erase_if(lines_, [](const LineRef& line) {
    return line.use_count() == 1 && line->work.empty();
  });  // their queues are gone
  const LineRef line = lines_.emplace_back(std::make_shared<Line>());
  line->number = ++made_;
  return line;
}

void Scheduler::add(const LineRef& line, std::function<void()> run, bool launches) {
  std::lock_guard lock(mutex_);
  if (line->capture) return line->capture->add(line, {.run = std::move(run)});
  launches_ += launches ? 1 : 0;
  line->work.push_back({.run = std::move(run)});
}

void Scheduler::add_wait(const LineRef& line, PointRef point) {
  std::lock_guard lock(mutex_);
  if (line->capture || point->capture != 0) return wait_in_capture(line, std::move(point));
  line->work.push_back({.waits = std::move(point)});
}

PointRef Scheduler::mark(const LineRef& line) {
  std::lock_guard lock(mutex_);
  if (line->capture) return line->capture->mark(line);
  if (!line->work.empty() && line->work.back().reaches) return line->work.back().reaches;
  auto point = std::make_shared<Point>(
      Point{.line = line.get(), .line_number = line->number, .reached = line->work.empty(), .failure = line->failure});
  if (!point->reached) line->work.push_back({.reaches = point});
  return point;
}

void Scheduler::work_until_reached(const Point& point) {
  const Mood mood = draw_mood();
  while (!point.reached) step(mood, point);
}

void Scheduler::reach(const PointRef& point) {
  std::lock_guard lock(mutex_);
  require_known(*point);
  work_until_reached(*point);
  tell(*point);
}

void Scheduler::finish(const PointRef& point) {
  std::lock_guard lock(mutex_);
  require_known(*point);
  work_until_reached(*point);
}

bool Scheduler::poll(const PointRef& point) {
  std::lock_guard lock(mutex_);
  require_known(*point);
  const Mood mood = draw_mood();
  for (auto steps = lots_() % 4; steps > 0 && !point->reached; --steps) step(mood, *point);
  if (point->reached) tell(*point);
  return point->reached;
}

void Scheduler::reseed(std::uint64_t seed) {
  std::lock_guard lock(mutex_);
  lots_.seed(seed);
}

Scheduler::Mood Scheduler::draw_mood() {
  const auto mood = static_cast<Mood>(lots_() % 3);
  if (mood == Mood::favourites) std::shuffle(lines_.begin(), lines_.end(), lots_);
  return mood;
}

std::vector<Line*> Scheduler::ready() const {
  std::vector<Line*> lines;
  for (const LineRef& line : lines_)
    if (can_go_on(*line)) lines.push_back(line.get());
  return lines;
}

Line* Scheduler::next(Mood mood, const Point& point) {
  if (mood == Mood::only_needed) return needed_for(point);
  const auto lines = ready();
  return lines.empty() ? nullptr : lines[mood == Mood::favourites ? 0 : lots_() % lines.size()];
}

void Scheduler::step(Mood mood, const Point& point) {
  Line* line = next(mood, point);
  if (!line || !can_go_on(*line))
    throw Error(
        Status::internal,
        "emulated device: queues wait for each other; a point waits for points that were marked before it only");
  run_first(*line);
}

Scheduler& scheduler() {
  static auto* one = new Scheduler;
  return *one;
}

}  // namespace shardfft::emulated
