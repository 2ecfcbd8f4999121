// What the transports have in common that store or copy into the inboxes of other ranks' devices.
#pragma once

#include <string>
#include <vector>

#include "device/transport/device_control.hpp"
#include "device/transport/device_inboxes.hpp"

namespace shardfft {

/// Empty when the ranks are threads of one process or processes of one node; else why devices cannot be shown to each
/// other.
[[nodiscard]] std::string why_not_peers(const Comm& comm);

/// Inboxes on the devices of all ranks, and the events around them.
class PeerChannel : public DeviceControl {
 public:
  /// Collective. Throws the same Error on all ranks.
  PeerChannel(const Transport& transport, const Comm& comm, const Traffic& traffic,
              const std::shared_ptr<Device>& device);

  [[nodiscard]] Index shared_bytes() const override { return inboxes_.bytes(); }
  [[nodiscard]] const std::byte* in(int round, std::size_t i) const override { return inboxes_.in(round, i); }

 protected:
  /// `queue` waits until the peers that read `round` have released its slot.
  void await_readers_on(Queue& queue, int round) const;
  void take(int round, int chunk) override;
  void give_back(int round) override;

  [[nodiscard]] const DeviceInboxes& inboxes() const { return inboxes_; }
  [[nodiscard]] Event& sent(int round, int chunk) const { return inboxes_.sent(comm().rank(), round, chunk); }
  /// Whether this rank sends something to another one in this chunk.
  [[nodiscard]] bool sends_in(int round, int chunk) const;

 private:
  DeviceInboxes inboxes_;
  std::vector<std::vector<int>> readers_{};  ///< by round: other ranks that read what this one writes, each once
};

}  // namespace shardfft
