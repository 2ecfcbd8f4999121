// A pipeline runs: step by step, chunk by chunk, blocking or not.
#include <chrono>
#include <limits>
#include <utility>

#include "pipeline/pipeline.hpp"

namespace shardfft {
// A copy that is left out reads or fills no inbox.
void Pipeline::prepare(unsigned way) {
  const bool first_is_left_out = way & ways_ & reads_peers, outputs_are_reached = way & ways_ & writes_peers;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool unread = (first_is_left_out && i == 1) || (outputs_are_reached && steps_[i].skips_inbox);
    if (steps_[i].read >= 0 && !unread) channel_->prepare(steps_[i].read);
  }
}

void Pipeline::start(const Buffers& buffers, unsigned way) {
  buffers_ = buffers;
  running_ = true;
  exactly_ = must_check_result() && !spec_.encoding.absolute && spec_.in_place;
  take_way((way & ways_) | (exactly_ ? all_wide : by_copies));
  begin_run();
  for (StepReport& r : report_) r.seconds = 0;
  if (times_) times_->start();
  if (recorder_) {
    recorder_->begin_run();
    run_began_ = Recorder::now();
  }
}

void Pipeline::begin_run() {
  begun_ = knows_norm_ = says_norm_ = sums_losses_ = votes_ = false;
  ++runs_;
  at_ = 0;
}

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

bool Pipeline::enter(Step& step, bool block) {
  if (!begun_ && step.write >= 0) {
    if (!block && !channel_->ready(step.write)) return false;
    const Recording room = recording(Span::What::room, step.send_report);
    channel_->begin(step.write);
    if (times_) times_->mark({});
  }
  if (!begun_) chunk_ = came_ = 0;
  if (!begun_ && at_ == 0) look_at_input();
  begun_ = true;
  return knows_norm(step, block);
}

// Waits for what `chunk` of a step reads. Encoded messages are looked at as soon as they are there.
bool Pipeline::has_come(Step& step, int chunk, bool block) {
  const int wanted = step.read < 0 ? 0 : step.needs[static_cast<std::size_t>(chunk)] + 1;
  if (came_ >= wanted) return true;
  const auto start = Clock::now();
  const std::int64_t waited_from = recorder_ ? Recorder::now() : 0;
  if (recorder_ && chunk > 0 && step_began_ < waited_from)  // the step goes on after the wait
    recorder_->add({.what = Span::What::step, .label = report_[step.report].label, .begin_ns = std::exchange(step_began_, std::numeric_limits<std::int64_t>::max()), .end_ns = waited_from});
  if (block)
    channel_->wait(step.read, wanted - 1);
  else if (!channel_->arrived(step.read, wanted - 1))
    return false;
  for (; came_ < wanted; ++came_)
    if (step.reader) step.reader->open(came_, [&](std::size_t number) { return channel_->received(step.read, number); });
  if (step.wait_report) spent(*step.wait_report, start);
  if (recorder_ && step.wait_report) record_wait(step, waited_from, came_ > step.needs.back());
  if (recorder_) step_began_ = Recorder::now();
  return true;
}

// What was sent in the round that the step has read may still be on its way, and nobody would help it along once the run is over.
bool Pipeline::has_left(Step& step, bool block) {
  if (step.read < 0) return true;
  if (!block) return channel_->arrived(step.read);
  channel_->wait(step.read);
  return true;
}

// On a device, what was asked for since the last mark; its time is known later.
void Pipeline::spent(std::size_t line, Clock::time_point start) {
  if (times_) times_->mark(line);
  else report_[line].seconds += seconds_since(start);
}

void Pipeline::settle() {
  if (times_) times_->settle(report_);
}

// Rounds alternate with steps: one is in flight at a time, and its memory of when it began is free again when the next one begins.
void Pipeline::record_wait(const Step& step, std::int64_t waited_from, bool last) {
  const StepReport& exchange = report_[*step.wait_report];
  const std::int64_t now = Recorder::now();
  recorder_->add({.what = Span::What::wait, .label = exchange.label, .begin_ns = waited_from, .end_ns = now});
  if (last)
    recorder_->add({.what = Span::What::flight, .label = exchange.label, .bytes = exchange.bytes_network + exchange.bytes_shared, .begin_ns = flight_began_, .end_ns = now});
}

Recording Pipeline::recording(Span::What what, std::optional<std::size_t> line, int chunk) const {
  if (!recorder_ || !line) return Recording(nullptr, what, {});
  const StepReport& r = report_[*line];
  return Recording(recorder_, what, r.label, chunk);
}

void Pipeline::perform_chunk(Step& step, int chunk) {
  const auto start = Clock::now();
  {
    const Recording part = recording(Span::What::chunk, step.chunks > 1 ? std::optional(step.report) : std::nullopt, chunk);
    if (const Sweep* sweep = step.sweep(way_)) sweep->run(chunk, buffers_, scratch_, step.write >= 0 || step.read >= 0 ? poll_ : no_poll_);
  }
  if (step.write < 0 && step.reader) step.reader->check();
  if (step.write >= 0) {
    const Recording part = recording(Span::What::send, step.send_report, chunk);
    if (recorder_ && chunk == 0) next_flight_began_ = Recorder::now();
    if (step.writer) step.writer->seal(chunk, [&](std::size_t number, Index bytes) { channel_->shrink(step.write, number, bytes); });
    shrink_narrow(step, chunk);
    if (step.reader) step.reader->check();  // nothing leaves that was made of what could not be decoded
    channel_->send(step.write, chunk);
  }
  spent(step.report, start);
}

bool Pipeline::perform(Step& step, bool block) {
  for (; chunk_ < step.chunks; ++chunk_) {
    if (!has_come(step, chunk_, block)) return false;
    if (chunk_ == 0) {
      if (recorder_) step_began_ = Recorder::now();
      begin_encoding(step);
    }
    perform_chunk(step, chunk_);
  }
  if (!has_left(step, block)) return false;
  finish(step);
  return true;
}

void Pipeline::finish(Step& step) {
  if (step.read >= 0) channel_->release(step.read);
  flight_began_ = next_flight_began_;
  const StepReport& line = report_[step.report];
  if (recorder_) recorder_->add({.what = Span::What::step, .label = line.label, .bytes = line.bytes_memory, .begin_ns = step_began_, .end_ns = Recorder::now()});
  if (step.writer && step.send_report) report_[*step.send_report].bytes_network = step.plain_network + step.writer->bytes();
  look_at_result(step);
  if (!step.looks || !sums_norm_) return;
  const double mine = step.encoder->norm2();
  channel_->start_sum(std::span(&mine, 1));
}

// A caller's input that peers read must stay as it is until they have.
bool Pipeline::leave(bool block) {
  if (!(way_ & reads_peers)) return true;
  if (!block && !channel_->ready(first_round_)) return false;
  const Recording room = recording(Span::What::room, steps_.front().send_report);
  channel_->drain(first_round_);
  return true;
}

bool Pipeline::advance(bool block) {
  const bool was_running = running_;
  while (running_) {
    for (; at_ < steps_.size(); ++at_) {
      if (!enter(steps_[at_], block) || !perform(steps_[at_], block)) return false;
      begun_ = false;
    }
    if (!leave(block) || !is_kept(block)) return false;
    running_ = at_ < steps_.size();
  }
  if (recorder_ && was_running && !running_) recorder_->add({.what = Span::What::run, .label = name_, .begin_ns = run_began_, .end_ns = Recorder::now()});
  return !running_;
}

std::size_t Pipeline::most_spans() const {
  std::size_t n = 3;
  for (const Step& step : steps_) n += 4 + 4 * static_cast<std::size_t>(step.chunks);
  return n;
}

}  // namespace shardfft
