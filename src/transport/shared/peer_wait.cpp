#include "transport/shared/peer_wait.hpp"

#include <fmt/format.h>

#include <string>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"

namespace shardfft {

void PeerWait::require_alive(int rank, const Word& word, std::uint64_t target, int& grace_left) const {
  const bool closed = words_.closed(rank).value.load(std::memory_order_acquire) != 0;
  const auto done = [&] { return word.load(std::memory_order_acquire) >= target; };
  if (done()) return;  // it sent and left; the words below would be made for nothing, and running allocates nothing
  if (closed && grace_left-- > 0)
    return comm_.impl().check_peers();  // it may be leaving because of an error that says more, as soon as it is known
  const std::string end = closed ? "it has given up the plan" : segments_.what_ended(rank);
  if (!end.empty() && !done())
    throw Error(Status::transport_failed,
                fmt::format("{}: rank {} will send nothing more: {}", transport_, name_of(comm_, rank).rank, end));
  comm_.impl().check_peers();
}

}  // namespace shardfft
