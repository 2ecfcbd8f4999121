// Messages that a transport of the host sends once a device has done what comes before them.
//
// send() does not wait for the device: it notes what is to be sent, and after which event. The note is looked at in
// every call that may wait and in progress(), so what a rank owes to others leaves while the rank itself waits for
// something else, also when that is another channel of the same thread: a rank would otherwise wait for ever for one
// that waits for it. What a device does never waits for a host, only for what was asked for before, so every note's
// time comes. What waits elsewhere (in a channel of host memory, in the caller's own barrier) does not look: a run that
// was started is helped along by its own calls only, as always.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "device/device.hpp"
#include "support/comm/backoff.hpp"
#include "support/comm/comm_impl.hpp"
#include "transport/transport.hpp"

namespace shardfft {

class DeferredSends {
 public:
  /// Chunks are sent over `channel`, which outlives this, in the order in which they are added; `most` of them wait at
  /// once.
  DeferredSends(Channel& channel, std::size_t most);
  DeferredSends(const DeferredSends&) = delete;
  ~DeferredSends();

  /// `after`: nullptr when there is nothing to wait for.
  void add(int round, int chunk, const Event* after);
  /// Sends what may be sent now.
  void help();
  /// Nothing more is sent.
  void give_up();
  /// Whether chunks 0 .. chunk of `round` are still to be sent.
  [[nodiscard]] bool holds(int round, int chunk) const;
  [[nodiscard]] bool empty() const { return first_ == waiting_.size(); }
  [[nodiscard]] std::thread::id owner() const { return owner_; }

 private:
  struct DeferredSend {
    int round = 0, chunk = 0;
    const Event* after = nullptr;
  };
  Channel& channel_;
  std::vector<DeferredSend> waiting_{};
  std::size_t first_ = 0;                 ///< those before it are sent
  std::atomic<std::thread::id> owner_{};  ///< whose calls help: the thread that added last
};

/// Sends what may be sent now in all channels of this thread. True while something is left.
bool help_deferred_sends();

/// Helps until done(), or until nothing is left to help with: then a call that waits holds nobody up. Throws
/// Error(transport_failed) when a rank is known to have failed.
template <class Done>
void help_until(const Comm& comm, Done done) {
  Backoff backoff(/*sleeps=*/false);
  while (help_deferred_sends() && !done())
    if (backoff.pause()) comm.impl().check_peers();
}

/// Waits for the device, helping.
void help_until_done(const Comm& comm, const Event& event);

/// A channel of the host behind a queue. Derived classes say what the device has to do before a message can be sent and
/// after it came.
class DeferredChannel : public Channel {
 public:
  /// `inner` carries the same rounds and chunks; it may lack messages to oneself.
  DeferredChannel(const Comm& comm, Queue& queue, const Traffic& traffic, std::unique_ptr<Channel> inner);

  void prepare(int round) override { inner_->prepare(round); }
  void handshake(const Comm& comm, std::byte mine, std::span<std::byte> all) override;
  [[nodiscard]] bool ready(int round) override;
  void begin(int round) override;
  void send(int round, int chunk) override;
  void progress(int round) override;
  [[nodiscard]] bool arrived(int round) override;
  [[nodiscard]] bool arrived(int round, int chunk) override;
  void wait(int round) override;
  void wait(int round, int chunk) override;
  void release(int round) override;
  void drain(int round) override;
  void start_sum(std::span<const double> mine) override { inner_->start_sum(mine); }
  [[nodiscard]] bool summed(std::span<double> total) override;
  [[nodiscard]] bool interleaves() const override { return inner_->interleaves(); }
  void end(bool in_run, std::shared_ptr<const void> memory) override;

 protected:
  /// Whether inner.begin() may be called, and waits for it. For what its memory is still used for.
  [[nodiscard]] virtual bool may_begin(int) { return true; }
  virtual void await_begin(int) {}
  /// After inner.begin(): stores of the round must wait for what is still read where they go.
  virtual void begin_stores(int) {}
  /// Asks the device for what comes before the chunk can be sent; returns the event after it, or nullptr.
  [[nodiscard]] virtual const Event* hand_over(int round, int chunk) = 0;
  /// All of `chunk` has come to the host: what the queue is asked for from now on finds it. Once in a use, in the order
  /// of chunks.
  virtual void take(int, int) {}
  /// The queue was asked to read the inbox; when this returns, inner.release() may be called.
  virtual void give_back(int round) = 0;

  /// Binds `inner` to memory of this channel, which is there until inner is gone.
  void bind_inner(DeviceMemory memory);

  [[nodiscard]] Channel& inner() const { return *inner_; }
  [[nodiscard]] const Comm& comm() const { return comm_; }
  [[nodiscard]] Queue& queue() const { return queue_; }

 private:
  struct DeferredRound {
    int chunks = 1, sent = 0, taken = 0;  ///< the last two in this use
    std::vector<bool> own{};              ///< by chunk: this rank sends something to itself
  };
  [[nodiscard]] DeferredRound& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  void take_up_to(int round, int end);

  Comm comm_;
  Queue& queue_;
  std::vector<DeferredRound> rounds_{};
  std::shared_ptr<DeviceMemory> memory_of_inner_{};
  std::unique_ptr<Channel> inner_;
  DeferredSends deferred_;
};

}  // namespace shardfft
