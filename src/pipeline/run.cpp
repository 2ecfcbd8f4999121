// A pipeline runs: one turn after the other, as the schedule says, blocking or not.
#include <utility>

#include "pipeline/pipeline.hpp"

namespace shardfft {

// A copy that is left out reads or fills no inbox.
void Pipeline::prepare(unsigned access) {
  if (route_.exchanges.empty()) return;
  const bool first_is_left_out = access & bound_.access & reads_peers,
             outputs_are_reached = access & bound_.access & writes_peers;
  for (std::size_t i = 0; i < bound_.steps.size(); ++i) {
    const BoundStep& step = bound_.steps[i];
    const bool unread = (first_is_left_out && i == 1) || (outputs_are_reached && step.skips_inbox);
    if (step.read->round() >= 0 && !unread) channel_->prepare(step.read->round());
  }
}

void Pipeline::start(const Buffers& buffers, unsigned access) {
  buffers_ = buffers;
  running_ = true;
  access_ = access & bound_.access;
  if (errors_) errors_->start(buffers.factor);
  begin();
  observer_.starts();
}

void Pipeline::begin() {
  at_ = 0;
  if (errors_ && errors_->exact()) access_ |= full_width;
  for (const BoundStep& step : bound_.steps) step.read->begin();
  if (access_ != counted_) count_bytes();
}

bool Pipeline::advance(bool block) {
  while (running_) {
    for (; at_ < turns_.size(); ++at_)
      if (!take(turns_[at_], block)) return false;
    running_ = errors_ && errors_->repeats();
    if (!running_) observer_.ended();
    if (!running_) break;
    errors_->begin();
    begin();
  }
  return true;
}

// True when that turn is done; else it is taken again, and goes on where it stopped.
bool Pipeline::take(const Turn& turn, bool block) {
  switch (turn.what) {
    case Turn::Action::room:
      return make_room(turn.step, block);
    case Turn::Action::chunk:
      if (!has_come(turn.step, turn.number, block)) return false;
      sweep_and_send(turn.step, turn.number);
      return true;
    case Turn::Action::finish:
      return finish(turn.step, block);
    case Turn::Action::drain:
      return drain(block);
    default:
      return control_errors(turn, block);
  }
}

bool Pipeline::make_room(int number, bool block) {
  WriteEnd& end = *step(number).write;
  if (!block && !end.ready()) return false;
  {
    const Recording room = observer_.room(number);
    end.begin();
  }
  observer_.has_room();
  return true;
}

bool Pipeline::has_come(int number, int chunk, bool block) {
  ReadEnd& end = *step(number).read;
  if (end.has(chunk)) return true;
  observer_.waits(number, chunk);
  if (!end.comes(chunk, block)) return false;
  observer_.came(number, end.has_all());
  return true;
}

void Pipeline::sweep_and_send(int number, int chunk) {
  BoundStep& now = step(number);
  observer_.begins_chunk(number, chunk);
  if (const Sweep* s = sweep(number)) {
    const Recording sweeping = observer_.sweeping(number, chunk);
    const bool exchanges = now.write->round() >= 0 || now.read->round() >= 0;
    s->run(chunk, buffers_, scratch_, exchanges ? poll_ : no_poll_);
    if (observer_.is_timed()) s->add_link_seconds(observer_.line(observer_.lines(number).step));
  }
  now.read->check();  // nothing leaves that was made of what could not be decoded
  if (now.write->round() >= 0) {
    const Recording sending = observer_.sending(number, chunk);
    now.write->send(chunk);
  }
  observer_.did_chunk(number, chunk);
}

bool Pipeline::finish(int number, bool block) {
  if (!step(number).read->release(block)) return false;
  observer_.finished(number);
  count_encoded(number);
  return true;
}

// A caller's input that peers read must stay as it is until they have.
bool Pipeline::drain(bool block) {
  if (!(access_ & reads_peers)) return true;
  WriteEnd& end = *step(0).write;
  if (!block && !end.ready()) return false;
  const Recording room = observer_.room(0);
  channel_->drain(end.round());
  return true;
}

// The errors may find that nothing may be lost from now on.
bool Pipeline::control_errors(const Turn& turn, bool block) {
  if (turn.what == Turn::Action::look && errors_->looks_at_input()) {
    const Recording looking = observer_.looking();
    if (!errors_->take(turn, buffers_, block)) return false;
    observer_.looked();
    return true;
  }
  if (!errors_->take(turn, buffers_, block)) return false;
  if (errors_->exact() && !(access_ & full_width)) {
    access_ |= full_width;
    count_bytes();
  }
  return true;
}

}  // namespace shardfft
