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
  knows_norm_ = norm_pending_ = sums_losses_ = votes_ = false;
  for (Step& step : steps_) step.begun = false;
  ++runs_;
  at_ = turn_ = 0;
  part_ = parts_known_ = 0;
}

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

bool Pipeline::enter(Step& step, bool block) {
  if (!step.begun && step.write >= 0) {
    if (!block && !channel_->ready(step.write)) return false;
    const Recording room = recording(Span::What::room, step.send_report);
    channel_->begin(step.write);
    if (times_) times_->mark({});
  }
  if (!step.begun) step.chunk = step.came = 0, step.norm2 = 0;
  if (!step.begun && &step == &steps_.front()) look_at_input();
  step.begun = true;
  return knows_norm(step, block);
}

// Waits for what `chunk` of a step reads. Encoded messages are looked at as soon as they are there.
bool Pipeline::has_come(Step& step, int chunk, bool block) {
  const int wanted = step.read < 0 ? 0 : step.needs[static_cast<std::size_t>(chunk)] + 1;
  if (step.came >= wanted) return true;
  const auto start = Clock::now();
  const std::int64_t waited_from = recorder_ ? Recorder::now() : 0;
  if (recorder_ && chunk > 0 && step_began_ < waited_from)  // the step goes on after the wait
    recorder_->add({.what = Span::What::step,
                    .label = report_[step.report].label,
                    .begin_ns = std::exchange(step_began_, std::numeric_limits<std::int64_t>::max()),
                    .end_ns = waited_from});
  if (block)
    channel_->wait(step.read, wanted - 1);
  else if (!channel_->arrived(step.read, wanted - 1))
    return false;
  for (; step.came < wanted; ++step.came)
    if (step.reader)
      step.reader->open(step.came, [&](std::size_t number) { return channel_->received(step.read, number); });
  if (step.wait_report) spent(*step.wait_report, start);
  if (recorder_ && step.wait_report) record_wait(step, waited_from, step.came > step.needs.back());
  if (recorder_) step_began_ = Recorder::now();
  return true;
}

// What was sent in the round that the step has read may still be on its way, and nobody would help it along once the
// run is over.
bool Pipeline::has_left(Step& step, bool block) {
  if (step.read < 0) return true;
  if (!block) return channel_->arrived(step.read);
  channel_->wait(step.read);
  return true;
}

// On a device, what was asked for since the last mark; its time is known later.
void Pipeline::spent(std::size_t line, Clock::time_point start) {
  if (times_)
    times_->mark(line);
  else
    report_[line].seconds += seconds_since(start);
}

void Pipeline::settle() {
  if (times_) times_->settle(report_);
}

// Rounds alternate with steps: one is in flight at a time, and its memory of when it began is free again when the next
// one begins.
void Pipeline::record_wait(const Step& step, std::int64_t waited_from, bool last) {
  const StepReport& exchange = report_[*step.wait_report];
  const std::int64_t now = Recorder::now();
  recorder_->add({.what = Span::What::wait, .label = exchange.label, .begin_ns = waited_from, .end_ns = now});
  if (last)
    recorder_->add({.what = Span::What::flight,
                    .label = exchange.label,
                    .bytes = exchange.bytes_network + exchange.bytes_shared,
                    .begin_ns = flight_began_,
                    .end_ns = now});
}

Recording Pipeline::recording(Span::What what, std::optional<std::size_t> line, int chunk) const {
  if (!recorder_ || !line) return Recording(nullptr, what, {});
  const StepReport& r = report_[*line];
  return Recording(recorder_, what, r.label, chunk);
}

void Pipeline::perform_chunk(Step& step, int chunk) {
  const auto start = Clock::now();
  {
    const Recording part =
        recording(Span::What::chunk, step.chunks > 1 ? std::optional(step.report) : std::nullopt, chunk);
    if (const Sweep* sweep = step.sweep(way_))
      sweep->run(chunk, buffers_, scratch_, step.write >= 0 || step.read >= 0 ? poll_ : no_poll_);
  }
  if (step.write < 0 && step.reader) step.reader->check();
  if (step.write >= 0) {
    const Recording part = recording(Span::What::send, step.send_report, chunk);
    if (recorder_ && chunk == 0) next_flight_began_ = Recorder::now();
    if (step.reader) step.reader->check();  // nothing leaves that was made of what could not be decoded
    for (int c = chunk == 0 ? 0 : step.sends[static_cast<std::size_t>(chunk) - 1];
         c < step.sends[static_cast<std::size_t>(chunk)]; ++c) {
      if (step.writer)
        step.writer->seal(c, [&](std::size_t number, Index bytes) { channel_->shrink(step.write, number, bytes); });
      shrink_storage(step, c);
      channel_->send(step.write, c);
    }
  }
  spent(step.report, start);
}

// Up to, not including, chunk number `chunks`.
bool Pipeline::perform(Step& step, int chunks, bool block) {
  for (; step.chunk < chunks; ++step.chunk) {
    const bool begins = step.chunk % (step.chunks / step.parts) == 0;  // a part
    if (!has_come(step, step.chunk, block)) return false;
    if (recorder_ && begins) step_began_ = Recorder::now();
    if (step.chunk == 0) begin_encoding(step);
    perform_chunk(step, step.chunk);
  }
  return true;
}

// The step that is due, or two of them part by part. All that is waited for is remembered, so that it goes on where it
// stopped.
bool Pipeline::perform_together(bool block) {
  const std::size_t members = steps_[at_].goes_on ? 2 : 1;
  const int parts = steps_[at_].parts;
  for (; part_ < parts; ++part_, turn_ = 0)
    for (; turn_ < members; ++turn_) {
      Step& step = steps_[at_ + turn_];
      if (!enter(step, block) || !perform(step, step.chunks / parts * (part_ + 1), block)) return false;
      say_norm(step);
      if (parts > 1) record_step(step, part_ + 1 == parts);
    }
  for (; turn_ < members; ++turn_) {
    if (!has_left(steps_[at_ + turn_], block)) return false;
    finish(steps_[at_ + turn_]);
  }
  at_ += members;
  turn_ = 0;
  part_ = 0;
  return true;
}

// What it did since it began or went on.
void Pipeline::record_step(const Step& step, bool all_done) {
  if (!recorder_) return;
  const StepReport& line = report_[step.report];
  recorder_->add({.what = Span::What::step,
                  .label = line.label,
                  .bytes = all_done ? line.bytes_memory : 0,
                  .begin_ns = step_began_,
                  .end_ns = Recorder::now()});
  step_began_ = std::numeric_limits<std::int64_t>::max();
}

void Pipeline::finish(Step& step) {
  if (step.read >= 0) channel_->release(step.read);
  flight_began_ = next_flight_began_;
  if (step.parts == 1) record_step(step, /*all_done=*/true);
  if (step.writer && step.send_report)
    report_[*step.send_report].bytes_network = step.plain_network + step.writer->bytes();
  look_at_result(step);
}

// A caller's input that peers read must stay as it is until they have.
bool Pipeline::drain_inputs(bool block) {
  if (!(way_ & reads_peers)) return true;
  if (!block && !channel_->ready(first_round_)) return false;
  const Recording room = recording(Span::What::room, steps_.front().send_report);
  channel_->drain(first_round_);
  return true;
}

bool Pipeline::advance(bool block) {
  const bool was_running = running_;
  while (running_) {
    while (at_ < steps_.size())
      if (!perform_together(block)) return false;
    if (!drain_inputs(block) || !within_tolerance(block)) return false;
    running_ = at_ < steps_.size();
  }
  if (recorder_ && was_running && !running_)
    recorder_->add({.what = Span::What::run, .label = name_, .begin_ns = run_began_, .end_ns = Recorder::now()});
  return !running_;
}

std::size_t Pipeline::most_spans() const {
  std::size_t n = 3;
  for (const Step& step : steps_) n += 4 + 4 * static_cast<std::size_t>(step.chunks);
  return n;
}

}  // namespace shardfft
