// Messages between devices by NCCL or RCCL: for every chunk one group of sends and receives, on a queue beside the
// plan's.
//
//   plan's queue   store chunk | record "stored"                                       wait "moved" | read | record
//   "released" NCCL's queue                 wait "stored" | group of sends and receives | record "moved"           (the
//   next receives into the slot wait for "released")
//
// A rank receives into its own memory only, so nobody waits for the releases of others. Hosts tell each other over the
// control that they have asked for a chunk: so a rank that will never ask is an error of the others, whose devices
// would wait for it for ever. Both ends of NCCL's calls name the same size. Of messages that vary only the writer knows
// it, so hosts tell each other by the control first; then send() waits for the other ranks' hosts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "device/transport/device_control.hpp"
#include "device/transport/device_host.hpp"
#include "device/transport/nccl/nccl_calls.hpp"
#include "device/transport/nccl/nccl_library.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/backoff.hpp"
#include "support/handle.hpp"
#include "transport/buffers.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

void check(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw Error(Status::transport_failed, fmt::format("{} failed: {}", what, nccl::calls().GetErrorString(result)));
}

void abort_comm(ncclComm_t comm) { nccl::calls().CommAbort(comm); }
using NcclComm = Handle<ncclComm_t, abort_comm>;

/// Calls that are made together. An error on the way ends the group, too: a communicator cannot be aborted within one.
class NcclGroup {
 public:
  NcclGroup() { check(nccl::calls().GroupStart(), "ncclGroupStart"); }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;
  ~NcclGroup() {
    if (open_) nccl::calls().GroupEnd();
  }
  void end() {
    open_ = false;
    check(nccl::calls().GroupEnd(), "ncclGroupEnd");
  }

 private:
  bool open_ = true;
};

/// The location of a device: its bus address and its node. NCCL wants a separate device for every rank.
struct Seat {
  std::array<char, 32> bus{};
  std::int64_t node = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

void require_own_devices(const Comm& comm, const Device& device) {
  Seat mine{.node = comm.node(comm.rank())};
  collectively(comm, [&] {
    if (!nccl::bus_id(device.number(), mine.bus.data(), static_cast<int>(mine.bus.size())))
      throw Error(Status::device_failed,
                  fmt::format("the address of device {}:{} is not known", device.space(), device.number()));
  });
  std::vector<Seat> seats(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(seats)));
  for (std::size_t a = 0; a < seats.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (seats[a] == seats[b])
        throw Error(Status::unsupported, fmt::format("{} wants a device of its own for every rank, but ranks {} and {} "
                                                     "share one; take transport peer_kernel or via_host",
                                                     nccl::library_name, b, a));
}

/// Collective.
NcclComm make_comm(const Comm& comm, const Device& device) {
  require_own_devices(comm, device);
  ncclUniqueId id{};
  const nccl::CurrentDevice on(device.number());  // the current one becomes the communicator's
  collectively(comm, [&] {
    if (comm.rank() == 0) check(nccl::calls().GetUniqueId(&id), "ncclGetUniqueId");
    if (!on.ok())
      throw Error(Status::device_failed, fmt::format("device {}:{} cannot be used", device.space(), device.number()));
  });
  comm.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  ncclComm_t made = nullptr;
  collectively(comm,
               [&] { check(nccl::calls().CommInitRank(&made, comm.size(), id, comm.rank()), "ncclCommInitRank"); });
  return NcclComm(made);
}

class NcclChannel final : public DeviceControl {
 public:
  NcclChannel(const Transport& transport, const Comm& group, const Traffic& all, const std::shared_ptr<Device>& device)
      : DeviceControl(transport.name(), group, all),
        buffers_(all, group.rank(), /*overlap=*/true),
        last_moved_(buffers_.send_buffers()),
        device_(device->number()),
        comm_(make_comm(group, *device)) {
    collectively(group, [&] {
      moves_ = device->make_queue();
      stored_ = device->make_event();
      for (const Round& round : all.rounds) {
        NcclRound& state = rounds_.emplace_back();
        for (int chunk = 0; chunk < round.chunks; ++chunk) {
          state.calls.push_back(nccl_calls(round, chunk, group.rank(), group.size()));
          state.moved.push_back(device->make_event());
          state.wants_sizes.push_back(std::ranges::any_of(
              round.in, [&](const Message& m) { return m.chunk == chunk && m.varies && m.peer != group.rank(); }));
        }
        while (released_.size() <= static_cast<std::size_t>(round.slot)) released_.push_back(device->make_event());
      }
    });
  }

  // What was asked for and never comes (a run broke off) is given up: the queues would wait for it for ever.
  ~NcclChannel() override {
    Backoff backoff(/*sleeps=*/true);
    for (int milliseconds = 0; milliseconds < 1000 && !is_idle(); milliseconds += backoff.pause()) {}
    const nccl::CurrentDevice on(device_);
    if (is_idle()) {
      nccl::calls().CommDestroy(comm_.get());
      comm_.forget();
    }
    comm_.reset();
    moves_->finish();
    queue().finish();
  }

  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override {
    return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i);
  }
  const std::byte* in(int round, std::size_t i) const override {
    return memory_ + buffers_.inbox_at(static_cast<std::size_t>(round)) + round_of(round).in[i].offset;
  }
  bool interleaves() const override {
    return false;
  }  // devices wait for each other, in the order in which their hosts asked

  // NCCL wants sizes at both ends, so hosts tell each other first. All send the same chunks in the same order.
  void send(int round, int chunk) override {
    DeviceControl::send(round, chunk);
    const NcclRound& state = at(round);
    if (state.wants_sizes[static_cast<std::size_t>(chunk)]) await_sizes(round, chunk);
    move(round, chunk);
  }

 private:
  struct NcclRound {
    std::vector<std::vector<NcclCall>> calls{};   ///< by chunk
    std::vector<std::unique_ptr<Event>> moved{};  ///< by chunk
    std::vector<bool> wants_sizes{};              ///< by chunk: other ranks' messages in it vary
  };
  [[nodiscard]] const NcclRound& at(int round) const { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] Event& released(int round) const { return *released_[static_cast<std::size_t>(round_of(round).slot)]; }
  [[nodiscard]] const Event*& last_moved(int round) {
    return last_moved_[buffers_.send_buffer(static_cast<std::size_t>(round))];
  }
  [[nodiscard]] bool is_idle() const noexcept {
    try {
      return moves_->idle();
    } catch (...) { return false; }
  }

  void await_readers(int) override {}
  void begin_stores(int round) override {
    moves_->wait(released(round));
    if (const Event* moved = last_moved(round)) queue().wait(*moved);
  }

  void hand_over(int, int) override {}
  void move(int round, int chunk) {
    const auto& calls = at(round).calls[static_cast<std::size_t>(chunk)];
    if (calls.empty()) return;
    queue().record(*stored_);
    moves_->wait(*stored_);
    auto* stream = static_cast<nccl::Stream>(moves_->native());
    const nccl::CurrentDevice on(device_);
    NcclGroup group;
    for (const NcclCall& call : calls) start(round, call, stream);
    group.end();
    Event& moved = *at(round).moved[static_cast<std::size_t>(chunk)];
    moves_->record(moved);
    last_moved(round) = &moved;
  }

  void start(int round, const NcclCall& call, nccl::Stream stream) const {
    const auto bytes =
        static_cast<std::size_t>(call.sends ? bytes_of(round, call.message) : received(round, call.message));
    if (call.sends)
      check(nccl::calls().Send(out(round, call.message), bytes, ncclInt8, call.peer, comm_.get(), stream), "ncclSend");
    else
      check(nccl::calls().Recv(const_cast<std::byte*>(in(round, call.message)), bytes, ncclInt8, call.peer, comm_.get(),
                               stream),
            "ncclRecv");
  }

  // This rank has asked for the chunk itself: send() comes before wait().
  void take(int round, int chunk) override {
    const auto& calls = at(round).calls[static_cast<std::size_t>(chunk)];
    if (std::any_of(calls.begin(), calls.end(), [](const NcclCall& call) { return !call.sends; }))
      queue().wait(*at(round).moved[static_cast<std::size_t>(chunk)]);
  }
  void give_back(int round) override { queue().record(released(round)); }

  MessageBuffers buffers_;
  std::vector<const Event*> last_moved_;  ///< by send buffer
  int device_;
  NcclComm comm_;
  std::unique_ptr<Queue> moves_{};
  std::unique_ptr<Event> stored_{};
  std::vector<NcclRound> rounds_{};
  std::vector<std::unique_ptr<Event>> released_{};  ///< by slot
  std::byte* memory_ = nullptr;
};

struct Nccl final : Transport {
  std::string_view name() const override { return "nccl"; }
  std::string library() const override {
    int version = 0;
    if (!nccl::why_not().empty()) return {};
    return nccl::calls().GetVersion(&version) == ncclSuccess
               ? fmt::format("{} {}.{}.{}", nccl::library_name, version / 10000, version / 100 % 100, version % 100)
               : std::string();
  }
  std::string refuses(const Comm& comm) const override { return why_no_host_transport(comm); }
  bool on_device() const override { return true; }
  std::string refuses(Device& device) const override {
    return device.space() == nccl::space
               ? nccl::why_not()
               : fmt::format("{} serves devices of {}, got one of {}", nccl::library_name, nccl::space, device.space());
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return std::make_unique<NcclChannel>(*this, comm, traffic, device_of(comm, traffic, *this));
  }
};

}  // namespace

const Transport& nccl_transport() {
  static const Nccl transport;
  return transport;
}

}  // namespace shardfft
