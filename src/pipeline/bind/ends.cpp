#include "pipeline/bind/ends.hpp"

#include "pipeline/errors/error_control.hpp"

namespace shardfft {

bool Inbox::comes(int chunk, bool block) {
  if (block)
    channel_.wait(round_, wanted(chunk) - 1);
  else if (!channel_.arrived(round_, wanted(chunk) - 1))
    return false;
  for (; came_ < wanted(chunk); ++came_) open(came_);
  return true;
}

// What this rank sent in the round may still be on its way, and nobody would help it along once the run is over.
bool Inbox::release(bool block) {
  if (block)
    channel_.wait(round_);
  else if (!channel_.arrived(round_))
    return false;
  channel_.release(round_);
  return true;
}

void Outbox::send(int chunk) {
  const auto after = static_cast<std::size_t>(chunk);
  for (int c = chunk == 0 ? 0 : sends_[after - 1]; c < sends_[after]; ++c) {
    seal(c);
    channel_.send(round_, c);
  }
}

void NarrowOutbox::seal(int chunk) {
  if (errors_.exact()) return;
  const auto& messages = exchange_.round().out;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].chunk == chunk && messages[i].varies)
      channel_.shrink(round_, i, exchange_.storage_message_bytes(i));
}

}  // namespace shardfft
