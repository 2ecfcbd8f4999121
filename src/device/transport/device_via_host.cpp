// The pipeline between nodes of Takahashi's lecture on parallel FFTs (2018): while chunk k is computed, chunk k - 1 is
// copied from the device, chunk k - 2 is under way between the hosts, and what came is copied to the device.
//
//   plan's queue   store chunk | record "stored"                                                       wait "fetched" |
//   read copies out                   wait "stored" | device -> inner.out() | record "copied" host inner.send ...
//   inner.wait copies in                                                                           inner.in() -> device
//   | record "fetched"
//
// Messages to oneself stay on the device.
#include "device/transport/device_via_host.hpp"

#include <algorithm>
#include <utility>

#include "device/transport/device_deferred.hpp"
#include "device/transport/device_host.hpp"
#include "device/transport/device_pins.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_threads.hpp"
#include "transport/buffers.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// What goes from host to host, and the number there of every message; -1 for those to oneself.
struct Between {
  Between(const Traffic& all, int me) {
    for (const Round& round : all.rounds) {
      Round& part = traffic.rounds.emplace_back();
      part.chunks = round.chunks;
      part.slot = round.slot;
      out.push_back(divide(round.out, part.out, me));
      in.push_back(divide(round.in, part.in, me));
      for (Message& m : part.in) m.offset = std::exchange(part.inbox_bytes, part.inbox_bytes + m.bytes);
    }
  }
  static std::vector<std::ptrdiff_t> divide(const std::vector<Message>& all, std::vector<Message>& others, int me) {
    std::vector<std::ptrdiff_t> numbers;
    for (const Message& m : all) {
      numbers.push_back(m.peer == me ? -1 : static_cast<std::ptrdiff_t>(others.size()));
      if (m.peer != me) others.push_back(m);
    }
    return numbers;
  }

  Traffic traffic;
  std::vector<std::vector<std::ptrdiff_t>> out, in;  ///< by round, then message
};

class ViaHostChannel final : public DeferredChannel {
 public:
  ViaHostChannel(const Comm& group, const Traffic& all, const std::shared_ptr<Device>& device, Between between,
                 std::unique_ptr<Channel> opened)
      : DeferredChannel(group, *all.on->queue, all, std::move(opened)),
        me_(group.rank()),
        traffic_(all),
        between_(std::move(between)),
        buffers_(all, me_, /*overlap=*/true),
        last_copied_(buffers_.send_buffers()) {
    std::shared_ptr<const DevicePins> mine;
    collectively(group, [&] {
      DeviceMemory memory(device, static_cast<std::size_t>(inner().private_bytes()), "messages between hosts",
                          MemoryKind::pinned);
      const DevicePins::Range is_pinned{memory.data(), memory.data() + memory.bytes()};
      bind_inner(std::move(memory));
      mine = std::make_shared<const DevicePins>(device, made_by_inner(is_pinned));
      make_queues(*device);
    });
    const auto pins_of = shared_by_all(group, mine);
    for (int r = 0; r < group.size(); ++r)  // those whose memory this rank keeps, too
      if (group.node(r) == group.node(me_)) pins_.push_back(pins_of[static_cast<std::size_t>(r)]);
  }
  ~ViaHostChannel() override {
    for (Queue* q : {&queue(), copies_out_.get(), copies_in_.get()}) q->finish();
  }

  std::string_view path_to(int peer) const override { return peer == me_ ? "via_host" : inner().path_to(peer); }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return inner().private_bytes() + inner().shared_bytes(); }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override {
    return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i);
  }
  const std::byte* in(int round, std::size_t i) const override { return inbox(round) + round_of(round).in[i].offset; }

  void shrink(int round, std::size_t i, Index bytes) override {
    at(round).bytes[i] = bytes;
    if (const auto number = between_.out[static_cast<std::size_t>(round)][i]; number >= 0)
      inner().shrink(round, static_cast<std::size_t>(number), bytes);
  }
  Index received(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    const auto number = between_.in[r][i];
    return number >= 0 ? inner().received(round, static_cast<std::size_t>(number))
                       : rounds_[r].bytes[rounds_[r].own_out[i]];
  }

 private:
  struct ViaHostRound {
    std::vector<Index> bytes{};          ///< of messages out, in this use
    std::vector<std::size_t> own_out{};  ///< by message in: the same message out, of those to oneself
    std::vector<std::unique_ptr<Event>> copied{}, fetched{};  ///< by chunk
    const Event* last_fetched = nullptr;                      ///< of this use
  };

  [[nodiscard]] ViaHostRound& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] const Round& round_of(int round) const { return traffic_.rounds[static_cast<std::size_t>(round)]; }
  [[nodiscard]] std::byte* inbox(int round) const {
    return memory_ + buffers_.inbox_at(static_cast<std::size_t>(round));
  }
  [[nodiscard]] const Event*& last_copied(int round) {
    return last_copied_[buffers_.send_buffer(static_cast<std::size_t>(round))];
  }
  [[nodiscard]] Event& released(int round) const { return *released_[static_cast<std::size_t>(round_of(round).slot)]; }

  // Threads as ranks: the reader pins what all of them write to.
  [[nodiscard]] std::vector<DevicePins::Range> made_by_inner(const DevicePins::Range& pinned) const {
    std::vector<DevicePins::Range> ranges;
    const auto add = [&](std::byte* start, Index bytes) {
      if (start < pinned.first || start >= pinned.second) ranges.emplace_back(start, start + bytes);
    };
    const auto& rounds = between_.traffic.rounds;
    for (int r = 0; r < static_cast<int>(rounds.size()); ++r) {
      const Round& round = rounds[static_cast<std::size_t>(r)];
      for (std::size_t i = 0; i < round.in.size(); ++i)
        add(const_cast<std::byte*>(inner().in(r, i)), round.in[i].bytes);
      for (std::size_t i = 0; i < round.out.size() && comm().kind() == "mpi"; ++i)
        add(inner().out(r, i), round.out[i].bytes);
    }
    return ranges;
  }

  void make_queues(Device& device) {
    copies_out_ = device.make_queue();
    copies_in_ = device.make_queue();
    stored_ = device.make_event();
    for (const Round& round : traffic_.rounds) {
      ViaHostRound& state = rounds_.emplace_back();
      for (const Message& m : round.out) state.bytes.push_back(m.bytes);
      std::size_t own = 0;
      for (const Message& m : round.in) {
        while (m.peer == me_ && round.out[own].peer != me_) ++own;
        state.own_out.push_back(m.peer == me_ ? own++ : 0);
      }
      for (int chunk = 0; chunk < round.chunks; ++chunk)
        for (auto* events : {&state.copied, &state.fetched}) events->push_back(device.make_event());
      while (released_.size() <= static_cast<std::size_t>(round.slot)) released_.push_back(device.make_event());
    }
  }

  // Copies in wait for the last reads of the slot; stores for the copies out of the send buffer before.
  void begin_stores(int round) override {
    ViaHostRound& state = at(round);
    state.last_fetched = nullptr;
    for (std::size_t i = 0; i < state.bytes.size(); ++i) state.bytes[i] = round_of(round).out[i].bytes;
    copies_in_->wait(released(round));
    if (const Event* copied = last_copied(round)) queue().wait(*copied);
  }

  const Event* hand_over(int round, int chunk) override {
    queue().record(*stored_);
    copies_out_->wait(*stored_);
    const auto& out_messages = round_of(round).out;
    bool any = false;
    for (std::size_t i = 0; i < out_messages.size(); ++i) {
      const auto number = between_.out[static_cast<std::size_t>(round)][i];
      if (out_messages[i].chunk != chunk || number < 0) continue;
      any = true;
      if (at(round).bytes[i] > 0)
        copies_out_->copy(inner().out(round, static_cast<std::size_t>(number)), out(round, i),
                          static_cast<std::size_t>(at(round).bytes[i]));
    }
    if (!any) return nullptr;
    Event* copied = at(round).copied[static_cast<std::size_t>(chunk)].get();
    copies_out_->record(*copied);
    return last_copied(round) = copied;
  }

  void take(int round, int chunk) override {
    const auto& in_messages = round_of(round).in;
    bool any = false;
    for (std::size_t i = 0; i < in_messages.size(); ++i) {
      const auto number = between_.in[static_cast<std::size_t>(round)][i];
      if (in_messages[i].chunk != chunk || number < 0) continue;
      any = true;
      if (const Index bytes = received(round, i); bytes > 0)
        copies_in_->copy(inbox(round) + in_messages[i].offset, inner().in(round, static_cast<std::size_t>(number)),
                         static_cast<std::size_t>(bytes));
    }
    if (!any) return;
    Event* fetched = at(round).fetched[static_cast<std::size_t>(chunk)].get();
    copies_in_->record(*fetched);
    queue().wait(*fetched);
    at(round).last_fetched = fetched;
  }

  // The peers' hosts may store into inner.in() as soon as it is released, so the copies from there must be done. The
  // plan's queue goes on meanwhile: it has all that reads them.
  void give_back(int round) override {
    queue().record(released(round));
    if (const Event* fetched = at(round).last_fetched) help_until_done(comm(), *fetched);
  }

  int me_;
  Traffic traffic_;
  Between between_;
  MessageBuffers buffers_;
  std::vector<const Event*> last_copied_;            ///< by send buffer
  std::vector<std::shared_ptr<const void>> pins_{};  ///< of all threads of the node: one that leaves may not take away
                                                     ///< what another one's copy is on its way to
  std::unique_ptr<Queue> copies_out_{}, copies_in_{};
  std::unique_ptr<Event> stored_{};
  std::vector<ViaHostRound> rounds_{};
  std::vector<std::unique_ptr<Event>> released_{};  ///< by slot
  std::byte* memory_ = nullptr;
};

}  // namespace

std::string ViaHost::refuses(const Comm& comm) const {
  return over_ ? over_->refuses(comm) : why_no_host_transport(comm);
}

std::unique_ptr<Channel> ViaHost::open(const Comm& comm, const Traffic& traffic) const {
  const auto device = device_of(comm, traffic, *this);
  Between between(traffic, comm.rank());
  auto inner = over_ ? over_->open(comm, between.traffic) : open_on_host(comm, between.traffic);
  return std::make_unique<ViaHostChannel>(comm, traffic, device, std::move(between), std::move(inner));
}

const Transport& via_host_transport() {
  static const ViaHost transport;
  return transport;
}

}  // namespace shardfft
