// When the work of emulated devices is done: as late as somebody must see it, and in an order drawn by lot among those
// that are allowed.
//
// What a queue is asked for waits in a list. Somebody who must see results names a point; then, one at a time, some
// queue's first piece of work is done, until the point is reached and no further. Which queue is next is drawn anew for
// every step, or follows an order drawn for this wait, or serves this wait only. So what was not made to wait for
// something runs before it sooner or later.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

namespace shardfft::emulated {

/// What went wrong. It goes with the data: every line that waited for what failed has it, until somebody who waited for
/// that line was told.
struct QueueFailure {
  std::exception_ptr error{};
  std::set<std::uint64_t> told{};  ///< numbers of lines
};
using FailureRef = std::shared_ptr<QueueFailure>;

struct Capture;
struct Line;

/// A place in the work of a queue. Everything here and in Line is the scheduler's to read and write.
struct Point {
  Line* line = nullptr;  ///< whose work reaches it; there as long as it is not reached
  std::uint64_t line_number = 0;
  std::uint64_t capture = 0;  ///< number of the one that it is a part of, and where alone it has a meaning
  bool reached = false;
  FailureRef failure{};  ///< of work before it
};
using PointRef = std::shared_ptr<Point>;

/// One piece of work: something to do, a point to be reached, or a point to wait for.
struct QueuedWork {
  std::function<void()> run{};
  PointRef reaches{}, waits{};
};

/// The work of one queue that is not done.
struct Line : std::enable_shared_from_this<Line> {
  std::uint64_t number = 0;  ///< no other line has or had it
  std::deque<QueuedWork> work{};
  FailureRef failure{};
  Capture* capture = nullptr;  ///< that takes what this line is asked for
};
using LineRef = std::shared_ptr<Line>;

/// One for the process: queues of all devices wait for each other. Safe to call from any thread; work runs in the
/// thread that waits, one piece at a time.
class Scheduler {
 public:
  Scheduler();
  [[nodiscard]] LineRef make_line();
  /// `launches`: a vendor's library would be asked for it with a launch.
  void add(const LineRef& line, std::function<void()> run, bool launches = true);
  /// What follows in the line waits for the point.
  void add_wait(const LineRef& line, PointRef point);
  /// Adds a point at the end of the line, or finds the one that is there.
  [[nodiscard]] PointRef mark(const LineRef& line);
  /// Works until the point is reached. Throws what went wrong before it, once for each line.
  void reach(const PointRef& point);
  /// reach() for callers that cannot report an error. The next caller reports it.
  void finish(const PointRef& point);
  /// Works a little, perhaps not at all; whether the point is reached. Called often enough it becomes true. Throws as
  /// reach().
  [[nodiscard]] bool poll(const PointRef& point);
  /// From now on what the line is asked for becomes a step of the capture (capture.hpp), until its end.
  void begin(Capture& capture, const LineRef& line);
  /// Takes all lines out of it. With `whole`, throws Error(device_failed) unless its first line waits for all others.
  void end(Capture& capture, bool whole);
  /// All its steps: those of its first line on `line`, the others on lines of their own.
  void launch(const LineRef& line, const std::shared_ptr<const Capture>& capture);
  [[nodiscard]] bool is_captured(const LineRef& line);
  /// Those so far, and launches of graphs.
  [[nodiscard]] std::uint64_t launches();
  /// body() while no work is done.
  template <class Body>
  auto between_work(Body body) {
    std::lock_guard lock(mutex_);
    return body();
  }
  /// Other draws from now on.
  void reseed(std::uint64_t seed);

 private:
  enum class Mood { any_queue, favourites, only_needed };
  void wait_in_capture(const LineRef& line, PointRef point);
  void put(const LineRef& line, QueuedWork work);
  void work_until_reached(const Point& point);
  [[nodiscard]] Mood draw_mood();
  [[nodiscard]] std::vector<Line*> ready() const;
  [[nodiscard]] Line* next(Mood mood, const Point& point);
  void step(Mood mood, const Point& point);

  std::mutex mutex_{};
  std::vector<LineRef> lines_{};
  std::vector<Capture*> captures_{};  ///< that have begun and not ended
  std::uint64_t made_ = 0;            ///< lines and captures
  std::uint64_t launches_ = 0;
  std::mt19937_64 lots_{};
};

[[nodiscard]] Scheduler& scheduler();

}  // namespace shardfft::emulated
