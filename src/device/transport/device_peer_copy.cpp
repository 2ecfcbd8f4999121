// Devices copy messages into each other's inboxes: the sweep stores into memory of its own device, and queues beside
// the plan's copy from there while the next chunk is computed.
//
// Two of the ways to swap between two devices of Nandapalan, Jaros et al. (PDCAT 2012):
//   peer_copy  both directions from device to device (their third: "direct D2D memory copy");
//   staged     one direction through memory of the host and the other from device to device (their second: "staged CPU
//   swap"), which gives both paths half of the work. Theirs does the one after the other,
//              because the direct copy goes where the first data were; here every message has a place of its own, so
//              both go at once. What goes to a higher rank goes through the host.
// Their first, everything through the host, is via_host; their fourth, a kernel that stores there, peer_kernel.
#include <algorithm>

#include "device/transport/device_copies.hpp"
#include "device/transport/device_host.hpp"
#include "device/transport/device_peers.hpp"
#include "support/comm/agree.hpp"
#include "transport/buffers.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// The send buffers alone: MessageBuffers would add inboxes, which are not private here.
Traffic without_inboxes(Traffic traffic) {
  for (Round& round : traffic.rounds) round.inbox_bytes = 0;
  return traffic;
}

class PeerCopyChannel final : public PeerChannel {
 public:
  PeerCopyChannel(const Transport& transport, const Comm& group, const Traffic& all,
                  const std::shared_ptr<Device>& device, bool staged)
      : PeerChannel(transport, group, all, device),
        me_(group.rank()),
        staged_(staged),
        buffers_(without_inboxes(all), me_, /*overlap=*/true),
        last_copied_(buffers_.send_buffers()) {
    collectively(group, [&] {
      copies_ = std::make_unique<CopyQueues>(device, copy_settings(), staged);
      stored_ = device->make_event();
    });
    for (const Round& round : all.rounds) order_.push_back(in_a_ring(round, group.size()));
  }
  ~PeerCopyChannel() override {
    queue().finish();
    copies_.reset();
  }

  Index private_bytes() const override { return buffers_.bytes(); }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    return round_of(round).out[i].peer == me_ ? inboxes().out(round, i) : memory_ + buffers_.out_at(r, i);
  }

 private:
  /// Messages to others: first to the next rank, last to the one before me, so that not all copy to the same one.
  std::vector<std::size_t> in_a_ring(const Round& round, int ranks) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (round.out[i].peer != me_) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return (round.out[a].peer - me_ + ranks) % ranks < (round.out[b].peer - me_ + ranks) % ranks;
    });
    return order;
  }

  /// The last record of the send buffer's copies, which are done in their order.
  [[nodiscard]] const Event*& last_copied(int round) {
    return last_copied_[buffers_.send_buffer(static_cast<std::size_t>(round))];
  }

  // Only copies go to other ranks, so only they wait for those.
  void await_readers(int round) override {
    copies_->wait_for([&](Queue& lane) { await_readers_on(lane, round); });
  }
  void begin_stores(int round) override {
    if (const Event* copied = last_copied(round)) queue().wait(*copied);
  }
  void hand_over(int round, int chunk) override {
    if (!sends_in(round, chunk)) return;
    queue().record(*stored_);
    copies_->wait(*stored_);
    for (const std::size_t i : order_[static_cast<std::size_t>(round)])
      if (round_of(round).out[i].chunk == chunk) copy(round, i);
    copies_->record(sent(round, chunk));
    last_copied(round) = &sent(round, chunk);
  }
  void copy(int round, std::size_t i) {
    std::byte* to = inboxes().out(round, i);
    const auto bytes = static_cast<std::size_t>(bytes_of(round, i));
    if (staged_ && round_of(round).out[i].peer > me_)
      copies_->copy_through_host(to, out(round, i), bytes);
    else
      copies_->copy(to, out(round, i), bytes);
  }

  int me_;
  bool staged_;
  MessageBuffers buffers_;
  std::vector<const Event*> last_copied_;  ///< by send buffer
  std::unique_ptr<CopyQueues> copies_{};
  std::unique_ptr<Event> stored_{};  ///< a queue's wait() is for the last record before it: one event serves all chunks
  std::vector<std::vector<std::size_t>> order_{};  ///< by round
  std::byte* memory_ = nullptr;
};

struct PeerCopy final : Transport {
  PeerCopy(std::string_view its_name, bool is_staged) : name_(its_name), staged_(is_staged) {}
  std::string_view name() const override { return name_; }
  std::string refuses(const Comm& comm) const override { return why_not_peers(comm); }
  bool on_device() const override { return true; }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return std::make_unique<PeerCopyChannel>(*this, comm, traffic, device_of(comm, traffic, *this), staged_);
  }

 private:
  std::string_view name_;
  bool staged_;
};

}  // namespace

const Transport& peer_copy_transport() {
  static const PeerCopy transport("peer_copy", false);
  return transport;
}

const Transport& staged_transport() {
  static const PeerCopy transport("staged", true);
  return transport;
}

}  // namespace shardfft
