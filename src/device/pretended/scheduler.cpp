#include "device/pretended/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "device/pretended/variables.hpp"
#include "shardfft/error.hpp"

namespace shardfft::pretended {
namespace {

void tell(const Point& point) {
  if (!point.failure || std::exchange(point.failure->told, true)) return;
  std::rethrow_exception(point.failure->error);
}

// Failures go with the data: who waits for the point of another line, has what went wrong there.
void run_first(Line& line) {
  const Work work = std::move(line.work.front());
  line.work.pop_front();
  if (line.failure && line.failure->told) line.failure = nullptr;
  try {
    if (work.run) work.run();
  } catch (...) {
    if (!line.failure) line.failure = std::make_shared<Failure>(std::current_exception());
  }
  if (work.waits && !line.failure) line.failure = work.waits->failure;
  if (work.reaches) work.reaches->reached = true, work.reaches->failure = line.failure;
}

}  // namespace

Scheduler::Scheduler() : lots_(number_from("SHARDFFT_PRETENDED_SEED", 1)) {}

LineRef Scheduler::make_line() {
  std::lock_guard lock(mutex_);
  std::erase_if(lines_, [](const LineRef& line) { return line.use_count() == 1 && line->work.empty(); });  // their queues are gone
  return lines_.emplace_back(std::make_shared<Line>());
}

void Scheduler::add(const LineRef& line, std::function<void()> run) {
  std::lock_guard lock(mutex_);
  line->work.push_back({.run = std::move(run)});
}

void Scheduler::add_wait(const LineRef& line, PointRef point) {
  std::lock_guard lock(mutex_);
  line->work.push_back({.waits = std::move(point)});
}

PointRef Scheduler::mark(const LineRef& line) {
  std::lock_guard lock(mutex_);
  if (!line->work.empty() && line->work.back().reaches) return line->work.back().reaches;
  auto point = std::make_shared<Point>(line->work.empty(), line->failure);
  if (!point->reached) line->work.push_back({.reaches = point});
  return point;
}

void Scheduler::reach(const PointRef& point) {
  std::lock_guard lock(mutex_);
  const Mood mood = draw_mood();
  while (!point->reached) step(mood, *point);
  tell(*point);
}

bool Scheduler::poll(const PointRef& point) {
  std::lock_guard lock(mutex_);
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

// The line that reaches the point, the lines that reach what those wait for, and so on.
std::vector<const Line*> Scheduler::needed(const Point& point) const {
  std::vector<const Line*> lines;
  std::vector<const Point*> points = {&point};
  while (!points.empty()) {
    const Point* next = points.back();
    points.pop_back();
    for (const LineRef& line : lines_) {
      const auto reaches = std::ranges::find_if(line->work, [&](const Work& work) { return work.reaches.get() == next; });
      if (reaches == line->work.end() || std::ranges::count(lines, line.get()) > 0) continue;
      lines.push_back(line.get());
      for (const Work& work : line->work)
        if (work.waits && !work.waits->reached) points.push_back(work.waits.get());
    }
  }
  return lines;
}

std::vector<Line*> Scheduler::ready(bool only_needed, const Point& point) {
  const auto wanted = only_needed ? needed(point) : std::vector<const Line*>{};
  std::vector<Line*> lines;
  for (const LineRef& line : lines_) {
    const bool can = !line->work.empty() && (!line->work.front().waits || line->work.front().waits->reached);
    if (can && (!only_needed || std::ranges::count(wanted, line.get()) > 0)) lines.push_back(line.get());
  }
  return lines;
}

void Scheduler::step(Mood mood, const Point& point) {
  const auto lines = ready(mood == Mood::only_needed, point);
  if (lines.empty()) throw Error(Status::internal, "pretended device: queues wait for each other; a point waits for points that were marked before it only");
  run_first(*lines[mood == Mood::favourites ? 0 : lots_() % lines.size()]);
}

Scheduler& scheduler() {
  static auto* one = new Scheduler;
  return *one;
}

}  // namespace shardfft::pretended
