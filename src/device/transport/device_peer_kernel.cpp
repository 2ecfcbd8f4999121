// Devices that reach each other's memory: the kernel that makes a message stores it straight into the reader's inbox,
// on the reader's device. Nothing is copied, and the interconnect is busy while the kernel computes. After the fourth
// way of Nandapalan, Jaros et al. (PDCAT 2012), who swap in a kernel of its own.
#include "device/transport/device_host.hpp"
#include "device/transport/device_peers.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

class PeerKernelChannel final : public PeerChannel {
 public:
  using PeerChannel::PeerChannel;
  ~PeerKernelChannel() override { queue().finish(); }  // what it was asked for stores into inboxes, and reads this one

  Index private_bytes() const override { return 0; }
  void bind(std::byte*) override {}
  std::byte* out(int round, std::size_t i) const override { return inboxes().out(round, i); }
  bool is_far(int round, std::size_t i) const override { return inboxes().is_far(round_of(round).out[i].peer); }

 private:
  void await_readers(int round) override { await_readers_on(queue(), round); }
  void hand_over(int round, int chunk) override {
    if (sends_in(round, chunk)) queue().record(sent(round, chunk));
  }
};

struct PeerKernel final : Transport {
  std::string_view name() const override { return "peer_kernel"; }
  std::string refuses(const Comm& comm) const override { return why_not_peers(comm); }
  bool on_device() const override { return true; }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return std::make_unique<PeerKernelChannel>(*this, comm, traffic, device_of(comm, traffic, *this));
  }
};

}  // namespace

const Transport& peer_kernel_transport() {
  static const PeerKernel transport;
  return transport;
}

}  // namespace shardfft
