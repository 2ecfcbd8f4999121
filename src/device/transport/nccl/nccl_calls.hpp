// What a rank asks of NCCL for one chunk of a round. Index arithmetic only.
#pragma once

#include <cstddef>
#include <vector>

#include "transport/transport.hpp"

namespace shardfft {

/// A send of message `message` out to `peer`, or a receive of message `message` in from it.
struct NcclCall {
  bool sends = false;
  int peer = 0;
  std::size_t message = 0;
  friend bool operator==(const NcclCall&, const NcclCall&) = default;
};

/// The calls of one group, in the order of a ring: in step k a rank sends to the k-th after it and receives from the
/// k-th before it. At most one message per pair and chunk, so the send and the receive that NCCL matches are those of
/// one message. What a rank sends to itself is not among them.
[[nodiscard]] inline std::vector<NcclCall> nccl_calls(const Round& round, int chunk, int me, int ranks) {
  std::vector<NcclCall> calls;
  const auto add = [&](const std::vector<Message>& messages, int peer, bool sends) {
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (messages[i].chunk == chunk && messages[i].peer == peer) calls.push_back({sends, peer, i});
  };
  for (int step = 1; step < ranks; ++step) {
    add(round.out, (me + step) % ranks, true);
    add(round.in, (me - step + ranks) % ranks, false);
  }
  return calls;
}

}  // namespace shardfft
