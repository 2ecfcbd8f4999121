#include "pipeline/report/observer.hpp"

#include <limits>
#include <utility>

namespace shardfft {
namespace {

constexpr std::int64_t not_begun = std::numeric_limits<std::int64_t>::max();

constexpr double short_run = 20e-6;  // seconds
constexpr int untimed_runs = 15;     // after each short one that is timed

}  // namespace

std::size_t Observer::add_line(StepReport line) {
  report_.push_back(std::move(line));
  return report_.size() - 1;
}

std::size_t Observer::most_spans() const {
  std::size_t n = 3;
  for (const Lines& step : steps_) n += 4 + 4 * static_cast<std::size_t>(step.chunks);
  return n;
}

void Observer::starts() {
  timed_ = recorder_ || times_ || untimed_ == 0;
  if (!timed_) {
    --untimed_;
    return;
  }
  for (StepReport& r : report_) r.seconds = 0, static_cast<LinkReport&>(r) = {.bytes_link = r.bytes_link};
  if (times_) times_->start();
  if (!recorder_) return;
  recorder_->begin_run();
  run_began_ = Recorder::now();
}

void Observer::ended() {
  if (timed_) {
    double seconds = 0;
    for (const StepReport& r : report_) seconds += r.seconds;
    untimed_ = seconds < short_run ? untimed_runs : 0;
  }
  if (!recorder_) return;
  recorder_->add({.what = Span::What::run, .label = name_, .begin_ns = run_began_, .end_ns = Recorder::now()});
}

Recording Observer::room(int step) { return recording(Span::What::room, lines(step).send); }

void Observer::has_room() {
  if (times_) times_->mark({});
}

void Observer::waits(int step, int chunk) {
  reads_clock();
  if (!recorder_) return;
  waits_since_ = Recorder::now();
  if (chunk > 0 && step_began_ < waits_since_) end_step_span(lines(step), 0, waits_since_);
}

void Observer::came(int step, bool all) {
  const Lines& of = lines(step);
  if (of.wait) spent(*of.wait);
  if (!recorder_) return;
  if (of.wait) add_wait(report_[*of.wait], all);
  step_began_ = Recorder::now();
}

void Observer::begins_chunk(int step, int chunk) {
  const Lines& of = lines(step);
  if (recorder_ && chunk % (of.chunks / of.parts) == 0) step_began_ = Recorder::now();
  reads_clock();
}

Recording Observer::sweeping(int step, int chunk) {
  const Lines& of = lines(step);
  return recording(Span::What::chunk, of.chunks > 1 ? std::optional(of.step) : std::nullopt, chunk);
}

Recording Observer::sending(int step, int chunk) {
  if (recorder_ && chunk == 0) next_flight_began_ = Recorder::now();
  return recording(Span::What::send, lines(step).send, chunk);
}

void Observer::did_chunk(int step, int chunk) {
  const Lines& of = lines(step);
  spent(of.step);
  if (!recorder_ || of.parts == 1 || (chunk + 1) % (of.chunks / of.parts) != 0) return;
  end_step_span(of, chunk + 1 == of.chunks ? report_[of.step].bytes_memory : 0, Recorder::now());
}

void Observer::finished(int step) {
  const Lines& of = lines(step);
  flight_began_ = next_flight_began_;
  if (recorder_ && of.parts == 1) end_step_span(of, report_[of.step].bytes_memory, Recorder::now());
}

Recording Observer::looking() {
  reads_clock();
  return recording(Span::What::step, norm_);
}

void Observer::looked() { spent(*norm_); }

void Observer::settle() {
  if (times_) times_->settle(report_);
}

Recording Observer::recording(Span::What what, std::optional<std::size_t> line, int chunk) const {
  if (!recorder_ || !line) return Recording(nullptr, what, {});
  return Recording(recorder_, what, report_[*line].label, chunk);
}

// On a device, what was asked for since the last mark; its time is known later.
void Observer::spent(std::size_t line) {
  if (times_)
    times_->mark(line);
  else if (timed_)
    report_[line].seconds += std::chrono::duration<double>(Clock::now() - began_).count();
}

// What the step did since it began or went on.
void Observer::end_step_span(const Lines& of, Index bytes, std::int64_t end) {
  recorder_->add({.what = Span::What::step,
                  .label = report_[of.step].label,
                  .bytes = bytes,
                  .begin_ns = std::exchange(step_began_, not_begun),
                  .end_ns = end});
}

// Rounds alternate with steps: one is in flight at a time, and its memory of when it began is free again when the next
// one begins.
void Observer::add_wait(const StepReport& exchange, bool last) {
  const std::int64_t now = Recorder::now();
  recorder_->add({.what = Span::What::wait, .label = exchange.label, .begin_ns = waits_since_, .end_ns = now});
  if (!last) return;
  recorder_->add({.what = Span::What::flight,
                  .label = exchange.label,
                  .bytes = exchange.bytes_network + exchange.bytes_shared,
                  .begin_ns = flight_began_,
                  .end_ns = now});
}

}  // namespace shardfft
