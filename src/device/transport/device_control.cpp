#include "device/transport/device_control.hpp"

#include <cstring>

#include "device/transport/device_host.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

constexpr Index control_bytes = 64;

/// Rounds whose messages only say that a real one came; their first bytes hold its size.
Traffic control_traffic(const Traffic& traffic) {
  Traffic control;
  for (Round round : traffic.rounds) {
    for (Message& m : round.out) m.bytes = control_bytes, m.varies = false;
    round.inbox_bytes = 0;
    for (Message& m : round.in) {
      m = {m.peer, m.chunk, round.inbox_bytes, control_bytes, false};
      round.inbox_bytes += control_bytes;
    }
    control.rounds.push_back(std::move(round));
  }
  return control;
}

}  // namespace

DeviceControl::DeviceControl(std::string_view transport, const Comm& comm, const Traffic& traffic)
    : transport_(transport), comm_(comm), traffic_(traffic), control_(open_on_host(comm, control_traffic(traffic))) {
  collectively(comm, [&] {
    if (const Index bytes = control_->private_bytes(); bytes > 0)
      control_memory_ = Memory(allocate(static_cast<std::size_t>(bytes), "the order of messages between devices"));
    control_->bind(control_memory_.get());
    for (const Round& round : traffic_.rounds)
      for (ControlRound& use = uses_.emplace_back(); const Message& m : round.out) use.bytes.push_back(m.bytes);
  });
}

void DeviceControl::begin(int round) {
  control_->begin(round);
  uses_[static_cast<std::size_t>(round)].taken = 0;
  const Round& r = round_of(round);
  for (std::size_t i = 0; i < r.out.size(); ++i)
    if (r.out[i].varies) say_size(round, i, r.out[i].bytes);
  await_readers(round);
  begin_stores(round);
}

void DeviceControl::shrink(int round, std::size_t i, Index bytes) { say_size(round, i, bytes); }

void DeviceControl::say_size(int round, std::size_t i, Index bytes) {
  uses_[static_cast<std::size_t>(round)].bytes[i] = bytes;
  std::memcpy(control_->out(round, i), &bytes, sizeof bytes);
}

void DeviceControl::send(int round, int chunk) {
  hand_over(round, chunk);
  control_->send(round, chunk);
}

void DeviceControl::take_up_to(int round, int end) {
  for (int& taken = uses_[static_cast<std::size_t>(round)].taken; taken < end; ++taken) take(round, taken);
}

bool DeviceControl::arrived(int round) {
  if (!control_->arrived(round)) return false;
  take_up_to(round, round_of(round).chunks);
  return true;
}

bool DeviceControl::arrived(int round, int chunk) {
  if (!control_->arrived(round, chunk)) return false;
  take_up_to(round, chunk + 1);
  return true;
}

void DeviceControl::wait(int round) {
  control_->wait(round);
  take_up_to(round, round_of(round).chunks);
}

void DeviceControl::wait(int round, int chunk) {
  control_->wait(round, chunk);
  take_up_to(round, chunk + 1);
}

Index DeviceControl::received(int round, std::size_t i) const {
  const Message& m = round_of(round).in[i];
  Index bytes = m.bytes;
  if (m.varies) std::memcpy(&bytes, control_->in(round, i), sizeof bytes);
  return bytes;
}

void DeviceControl::release(int round) {
  give_back(round);
  control_->release(round);
}

void DeviceControl::drain(int round) {
  control_->drain(round);
  await_readers(round);
}

}  // namespace shardfft
