// What transports between devices have in common: the order among the hosts.
//
// Queues of different ranks know of each other through events only, and an event can be waited for only once it was
// recorded. So beside the messages, which are in the memory of devices, runs a channel in host memory, the *control*,
// with the same rounds, peers and chunks, whose messages have 64 bytes. It says that a peer has *asked its queue* for
// something; what the device is to wait for is an event:
//
//   writer's host    record "sent" on its queue ; control.send          reader's host    control.wait ; its queue waits
//   for "sent" ; the sweep is asked for reader's host    record "released" ; control.release                writer's
//   host    control.begin ; its queue waits for "released" ; the next sweep is asked for
//
// One event "sent" per round and chunk and one "released" per slot serve every run: an event is never recorded again
// before everybody has asked to wait for its last record.
// - "released" of a slot: its owner records it again after wait() in the slot's next use, so after every writer of that
// use has sent, and a writer asks to wait for it in begin(), before it sends. A rank that
//   writes nothing to this owner in that use does not wait for it.
// - "sent" of a round: the writer records it again in the round's next use, after begin(), which returns once all its
// readers have released the slot; a reader releases after wait(), which has asked to wait. A queue's wait() means the
// last record made before the call, so what is recorded later does not matter to it. What the control's counters say
// happens between threads of hosts in their order (release, acquire), so no two hosts touch an event at the same time.
//
// Messages are in the memory of Traffic::on's device, and all is done in the order of its queue. So bind() is given
// memory of that device, out() and in() are addresses that its queues reach, and all calls of a Channel speak of what
// the queue was asked for, not of what is done: send() comes after the message's stores were asked for, wait() returns
// when the queue will do what follows only once the messages are there, release() comes after the reads were asked for.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "support/memory/buffer.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// A channel whose order among hosts is the control's. Derived classes ask the device for what belongs to each call.
class DeviceControl : public Channel {
 public:
  /// Collective. Throws the same Error on all ranks.
  DeviceControl(std::string_view transport, const Comm& comm, const Traffic& traffic);

  [[nodiscard]] std::string_view path_to(int) const override { return transport_; }
  void prepare(int round) override { control_->prepare(round); }
  void handshake(const Comm& comm, std::byte mine, std::span<std::byte> all) override {
    control_->handshake(comm, mine, all);
  }
  [[nodiscard]] bool ready(int round) override { return control_->ready(round); }
  void begin(int round) override;
  void shrink(int round, std::size_t i, Index bytes) override;
  void send(int round, int chunk) override;
  void progress(int round) override { control_->progress(round); }
  [[nodiscard]] bool arrived(int round) override;
  [[nodiscard]] bool arrived(int round, int chunk) override;
  void wait(int round) override;
  void wait(int round, int chunk) override;
  [[nodiscard]] Index received(int round, std::size_t i) const override;
  void release(int round) override;
  void drain(int round) override;
  void start_sum(std::span<const double> mine) override { control_->start_sum(mine); }
  [[nodiscard]] bool summed(std::span<double> total) override { return control_->summed(total); }
  [[nodiscard]] bool interleaves() const override { return control_->interleaves(); }
  void end(bool in_run, std::shared_ptr<const void>) override { control_->end(in_run, control_memory_); }

 protected:
  /// The readers have asked for their last reads of the slot: what stores into it must wait for those. Also when
  /// nothing is to be stored (drain).
  virtual void await_readers(int round) = 0;
  /// After await_readers(), when the round begins.
  virtual void begin_stores(int) {}
  /// The messages of `chunk` were stored by what the queue was asked for.
  virtual void hand_over(int round, int chunk) = 0;
  /// All of `chunk` was handed over by their writers: what the queue is asked for from now on must wait for it. Once in
  /// a use, in the order of chunks.
  virtual void take(int round, int chunk) = 0;
  /// The inbox of `round` was read by what the queue was asked for.
  virtual void give_back(int round) = 0;

  /// Waits until the peers' hosts have sent `chunk`, after this one has: then received() is known of what comes in it.
  void await_sizes(int round, int chunk) { control_->wait(round, chunk); }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  [[nodiscard]] const Round& round_of(int round) const { return traffic_.rounds[static_cast<std::size_t>(round)]; }
  [[nodiscard]] const Comm& comm() const { return comm_; }
  [[nodiscard]] Queue& queue() const { return *traffic_.on->queue; }
  /// What message `i` out has in this use.
  [[nodiscard]] Index bytes_of(int round, std::size_t i) const {
    return uses_[static_cast<std::size_t>(round)].bytes[i];
  }

 private:
  struct ControlRound {
    int taken = 0;               ///< chunks
    std::vector<Index> bytes{};  ///< of messages out
  };
  void take_up_to(int round, int end);
  void say_size(int round, std::size_t i, Index bytes);

  std::string_view transport_;
  Comm comm_;
  Traffic traffic_;
  std::shared_ptr<std::byte> control_memory_{};  ///< outlives the control
  std::unique_ptr<Channel> control_;
  std::vector<ControlRound> uses_;  ///< by round: the current one
};

}  // namespace shardfft
