#include "device/transport/device_peers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shardfft {
namespace {

std::vector<int> readers_of(const Round& round, int me) {
  std::vector<int> readers;
  for (const Message& m : round.out)
    if (m.peer != me && std::find(readers.begin(), readers.end(), m.peer) == readers.end()) readers.push_back(m.peer);
  return readers;
}

}  // namespace

std::string why_not_peers(const Comm& comm) {
  if (comm.kind() == "dry_run") return "serves ranks that exist, but the group is of kind dry_run";
  if (comm.nodes() > 1) return fmt::format("serves devices of one node, but the group is on {} nodes", comm.nodes());
  return {};
}

PeerChannel::PeerChannel(const Transport& transport, const Comm& group, const Traffic& all,
                         const std::shared_ptr<Device>& device)
    : DeviceControl(transport.name(), group, all), inboxes_(group, all, device) {
  for (const Round& round : all.rounds) readers_.push_back(readers_of(round, group.rank()));
}

void PeerChannel::await_readers_on(Queue& queue, int round) const {
  for (const int reader : readers_[static_cast<std::size_t>(round)])
    queue.wait(inboxes_.released(reader, round_of(round).slot));
}

// What a rank sends to itself was stored by the queue that reads it.
void PeerChannel::take(int round, int chunk) {
  for (const Message& m : round_of(round).in)
    if (m.chunk == chunk && m.peer != comm().rank()) queue().wait(inboxes_.sent(m.peer, round, chunk));
}

void PeerChannel::give_back(int round) { queue().record(inboxes_.released(comm().rank(), round_of(round).slot)); }

bool PeerChannel::sends_in(int round, int chunk) const {
  const auto& out = round_of(round).out;
  return std::any_of(out.begin(), out.end(),
                     [&](const Message& m) { return m.chunk == chunk && m.peer != comm().rank(); });
}

}  // namespace shardfft
