#include "device/emulated/capture.hpp"

#include <algorithm>
#include <map>

#include "device/emulated/queue.hpp"
#include "shardfft/error.hpp"

namespace shardfft::emulated {
namespace {

[[nodiscard]] Error wrong_capture(const char* what) {
  return Error(Status::device_failed, std::string("emulated device: ") + what);
}

class EmulatedGraph final : public Graph {
 public:
  explicit EmulatedGraph(std::shared_ptr<const Capture> capture) : capture_(std::move(capture)) {}
  [[nodiscard]] const std::shared_ptr<const Capture>& capture() const { return capture_; }

 private:
  std::shared_ptr<const Capture> capture_;
};

}  // namespace

PointRef Capture::mark(const LineRef& line) {
  auto point = std::make_shared<Point>(Point{.line = line.get(), .line_number = line->number, .capture = number});
  add(line, {.reaches = point});
  return point;
}

// From the end to the beginning: what of a line comes before something that the first line waits for.
bool Capture::is_joined() const {
  std::set<std::uint64_t> waited_for{first};
  std::set<const Point*> points;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->work.reaches && points.contains(step->work.reaches.get())) waited_for.insert(step->line);
    const bool counts = waited_for.contains(step->line);
    if (step->work.waits && counts) points.insert(step->work.waits.get());
    if (step->work.run && !counts) return false;
  }
  return true;
}

void Scheduler::begin(Capture& capture, const LineRef& line) {
  std::lock_guard lock(mutex_);
  if (line->capture) throw wrong_capture("a queue is captured once at a time; got one that is");
  capture.number = ++made_;
  capture.first = line->number;
  capture.lines.push_back(line);
  line->capture = &capture;
  captures_.push_back(&capture);
}

void Scheduler::end(Capture& capture, bool whole) {
  std::lock_guard lock(mutex_);
  for (const LineRef& line : capture.lines) line->capture = nullptr;
  capture.lines.clear();
  std::erase(captures_, &capture);
  if (whole && !capture.is_joined())
    throw wrong_capture("a queue that is captured waits in the end for all others that are; got one that it does not");
}

// Follows CUDA's rule: a queue that waits for a captured event joins the capture, and nothing else crosses its border.
void Scheduler::wait_in_capture(const LineRef& line, PointRef point) {
  if (point->capture == 0) throw wrong_capture("what is captured waits for what is captured; got an event from before");
  const auto its = std::ranges::find(captures_, point->capture, &Capture::number);
  if (its == captures_.end() || (line->capture && line->capture != *its))
    throw wrong_capture("an event that was captured is recorded anew before others wait for it; got one that is not");
  if (!line->capture) (*its)->lines.push_back(line);
  line->capture = *its;
  line->capture->add(line, {.waits = std::move(point)});
}

void Scheduler::launch(const LineRef& line, const std::shared_ptr<const Capture>& capture) {
  if (is_captured(line)) throw wrong_capture("graphs are not parts of graphs; got one launched in a captured queue");
  std::map<std::uint64_t, LineRef> lines{{capture->first, line}};
  std::map<const Point*, PointRef> points;
  for (const auto& [number, work] : capture->steps) {
    LineRef& own = lines[number];
    if (!own) own = make_line();
    if (work.waits) add_wait(own, points.at(work.waits.get()));
    if (work.reaches) points[work.reaches.get()] = mark(own);
    if (work.run)
      put(own, {.run = [still = std::weak_ptr(capture), run = work.run] {
            if (still.expired())
              throw wrong_capture(
                  "a graph lives until the queues have done with it; got one that was destroyed before");
            run();
          }});
  }
  std::lock_guard lock(mutex_);
  ++launches_;
}

void Scheduler::put(const LineRef& line, QueuedWork work) {
  std::lock_guard lock(mutex_);
  line->work.push_back(std::move(work));
}

bool Scheduler::is_captured(const LineRef& line) {
  std::lock_guard lock(mutex_);
  return line->capture != nullptr;
}

std::uint64_t Scheduler::launches() {
  std::lock_guard lock(mutex_);
  return launches_;
}

std::unique_ptr<Graph> graph_of(const LineRef& line, const std::function<void()>& calls) {
  const auto capture = std::make_shared<Capture>();
  scheduler().begin(*capture, line);
  try {
    calls();
  } catch (...) {
    scheduler().end(*capture, false);
    throw;
  }
  scheduler().end(*capture, true);
  return std::make_unique<EmulatedGraph>(capture);
}

std::shared_ptr<const Capture> capture_of(const Graph& graph) {
  return of_this_driver<const EmulatedGraph>(graph, "graphs").capture();
}

}  // namespace shardfft::emulated
