// The inboxes of all ranks in the memory of their devices, and the events that belong to them, as every rank sees them:
// threads of one process show each other pointers, processes of a node names.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/transport/inbox_keeper.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// One rank's inbox, as others see it. Ranks hold each other's inboxes: a rank that leaves early frees no memory that
/// queues of others still use.
struct DeviceInbox {
  std::byte* memory = nullptr;
  std::vector<std::shared_ptr<Event>> sent{};      ///< by the rank; rounds one after the other, in each by chunk
  std::vector<std::shared_ptr<Event>> released{};  ///< by the rank; by slot
  std::shared_ptr<Device> device{};                ///< null where it is another process's
  std::shared_ptr<const void> owned{};             ///< the memory
};

class DeviceInboxes {
 public:
  /// Collective. Throws the same Error on all ranks, Error(unsupported) where a device does not reach another one or
  /// other processes cannot be shown its memory.
  DeviceInboxes(const Comm& comm, const Traffic& traffic, const std::shared_ptr<Device>& device);

  [[nodiscard]] Index bytes() const { return bytes_; }
  /// The place of outgoing message `i` in its reader's inbox.
  [[nodiscard]] std::byte* out(int round, std::size_t i) const { return out_[static_cast<std::size_t>(round)][i]; }
  [[nodiscard]] const std::byte* in(int round, std::size_t i) const { return in_[static_cast<std::size_t>(round)][i]; }
  /// Whether the inbox of `rank` is on another device, as far as is known.
  [[nodiscard]] bool is_far(int rank) const { return of(rank).device != mine_->device; }
  [[nodiscard]] Event& sent(int rank, int round, int chunk) const {
    return *of(rank).sent[first_sent_[static_cast<std::size_t>(round)] + static_cast<std::size_t>(chunk)];
  }
  [[nodiscard]] Event& released(int rank, int slot) const { return *of(rank).released[static_cast<std::size_t>(slot)]; }

 private:
  [[nodiscard]] const DeviceInbox& of(int rank) const { return *all_[static_cast<std::size_t>(rank)]; }
  void plan(const Traffic& traffic);
  void make_own(const std::shared_ptr<Device>& device, bool shareable);
  void see_threads(const Comm& comm, Device& device);
  void see_processes(const Comm& comm, const std::shared_ptr<Device>& device);
  void find_places(const Comm& comm, const Traffic& traffic);

  Index bytes_ = 0;
  std::vector<Index> slot_at_{};
  std::vector<std::size_t> first_sent_{};  ///< by round; and the end
  std::unique_ptr<InboxKeeper>
      keeper_{};  ///< between processes; declared before what is opened, so that it ends after that was closed
  std::shared_ptr<DeviceInbox> mine_{};
  std::vector<std::shared_ptr<const DeviceInbox>> all_{};
  std::vector<std::vector<std::byte*>> out_{};
  std::vector<std::vector<const std::byte*>> in_{};
};

}  // namespace shardfft
