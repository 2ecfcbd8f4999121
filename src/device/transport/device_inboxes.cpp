#include "device/transport/device_inboxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

/// What a rank tells about a message that comes to it: from whom, where in its inbox, how large. Rounds one after the
/// other, in each as in Round::in.
struct InboxPlace {
  std::int64_t peer = 0, at = 0, bytes = 0;
};

/// Collective: the lists of all ranks, which may differ in length.
template <class T>
std::vector<std::vector<T>> lists_of_all(const Comm& comm, const std::vector<T>& mine) {
  const auto lengths = all_values(comm, static_cast<std::int64_t>(mine.size()));
  const auto most = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::vector<T> padded = mine, all(most * lengths.size());
  padded.resize(most);
  comm.allgather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::vector<T>> lists;
  for (std::size_t r = 0; r < lengths.size(); ++r)
    lists.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(r * most),
                       all.begin() + static_cast<std::ptrdiff_t>(r * most) + lengths[r]);
  return lists;
}

bool in_one_process(const Comm& comm) { return comm.kind() == "threads" || comm.kind() == "local"; }

}  // namespace

DeviceInboxes::DeviceInboxes(const Comm& comm, const Traffic& traffic, const std::shared_ptr<Device>& device) {
  plan(traffic);
  collectively(comm, [&] { make_own(device, /*shareable=*/!in_one_process(comm)); });
  if (in_one_process(comm))
    see_threads(comm, *device);
  else
    see_processes(comm, device);
  find_places(comm, traffic);
}

void DeviceInboxes::plan(const Traffic& traffic) {
  std::vector<Index> slot_bytes;
  first_sent_.push_back(0);
  for (const Round& round : traffic.rounds) {
    const auto slot = static_cast<std::size_t>(round.slot);
    slot_bytes.resize(std::max(slot_bytes.size(), slot + 1));
    slot_bytes[slot] = std::max(slot_bytes[slot], round_up(round.inbox_bytes, device_line));
    first_sent_.push_back(first_sent_.back() + static_cast<std::size_t>(round.chunks));
  }
  for (const Index bytes : slot_bytes) slot_at_.push_back(std::exchange(bytes_, bytes_ + bytes));
}

void DeviceInboxes::make_own(const std::shared_ptr<Device>& device, bool shareable) {
  const auto memory = std::make_shared<DeviceMemory>(device, static_cast<std::size_t>(std::max<Index>(bytes_, 256)),
                                                     "the inbox of a plan");
  mine_ = std::make_shared<DeviceInbox>();
  mine_->memory = memory->data();
  mine_->device = device;
  mine_->owned = memory;
  for (std::size_t i = 0; i < first_sent_.back(); ++i) mine_->sent.push_back(device->make_event(shareable));
  for (std::size_t i = 0; i < slot_at_.size(); ++i) mine_->released.push_back(device->make_event(shareable));
}

void DeviceInboxes::see_threads(const Comm& comm, Device& device) {
  for (const auto& inbox : shared_by_all(comm, mine_))
    all_.push_back(std::static_pointer_cast<const DeviceInbox>(inbox));
  collectively(comm, [&] {
    for (std::size_t r = 0; r < all_.size(); ++r)
      if (!device.reaches(*all_[r]->device))
        throw Error(Status::unsupported, fmt::format("ranks write into the memory of each other's devices, but {}:{} "
                                                     "does not reach {}:{} of rank {}; take transport via_host",
                                                     device.space(), device.number(), all_[r]->device->space(),
                                                     all_[r]->device->number(), r));
  });
}

// The keeper sees to it that nobody frees what another one still has open; it is there before anything is opened, also
// for a rank that fails on the way.
void DeviceInboxes::see_processes(const Comm& comm, const std::shared_ptr<Device>& device) {
  std::vector<SharedName> names;
  collectively(comm, [&] {
    names.push_back(device->share(mine_->memory));
    for (const auto* events : {&mine_->sent, &mine_->released})
      for (const auto& event : *events) names.push_back(event->share());
  });
  const auto all_names = lists_of_all(comm, names);
  keeper_ = std::make_unique<InboxKeeper>(comm, mine_);
  collectively(comm, [&] {
    for (std::size_t r = 0; r < all_names.size(); ++r) {
      if (static_cast<int>(r) == comm.rank()) {
        all_.push_back(mine_);
        continue;
      }
      auto inbox = std::make_shared<DeviceInbox>();
      inbox->memory = device->open_shared(all_names[r].front());
      inbox->owned =
          std::shared_ptr<std::byte>(inbox->memory, [device](std::byte* memory) { device->close_shared(memory); });
      for (std::size_t i = 1; i < all_names[r].size(); ++i)
        (i <= first_sent_.back() ? inbox->sent : inbox->released)
            .push_back(device->open_event(all_names[r][i], inbox->memory));
      all_.push_back(std::move(inbox));
    }
  });
}

void DeviceInboxes::find_places(const Comm& comm, const Traffic& traffic) {
  std::vector<InboxPlace> mine;
  for (const Round& round : traffic.rounds) {
    auto& places = in_.emplace_back();
    for (const Message& m : round.in) {
      mine.push_back({m.peer, slot_at_[static_cast<std::size_t>(round.slot)] + m.offset, m.bytes});
      places.push_back(mine_->memory + mine.back().at);
    }
  }
  auto theirs = lists_of_all(comm, mine);
  for (auto& places : theirs) std::erase_if(places, [&](const InboxPlace& place) { return place.peer != comm.rank(); });
  collectively(comm, [&] {
    std::vector<std::size_t> next(theirs.size());  // what is left is in the order in which it is sent
    for (std::size_t r = 0; r < traffic.rounds.size(); ++r) {
      auto& places = out_.emplace_back();
      for (const Message& m : traffic.rounds[r].out) {
        const auto peer = static_cast<std::size_t>(m.peer);
        const InboxPlace place = next[peer] < theirs[peer].size() ? theirs[peer][next[peer]++] : InboxPlace{};
        if (place.bytes != m.bytes)
          throw Error(Status::internal, fmt::format("round {}: rank {} sends {} bytes to rank {}, which expects {}", r,
                                                    comm.rank(), m.bytes, m.peer, place.bytes));
        places.push_back(of(m.peer).memory + place.at);
      }
    }
  });
}

}  // namespace shardfft
