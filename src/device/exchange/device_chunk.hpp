// The encoded messages of one chunk of an exchange on a device: what they hold lies in planes at the start of a sweep's
// scratch, they themselves where the channel says.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "device/exchange/device_messages.hpp"
#include "device/exchange/device_staging.hpp"

namespace shardfft {

/// A message, and where the device writes or reads it.
struct PlacedMessage {
  const MessageForm* form = nullptr;
  std::byte* memory = nullptr;  ///< capacity() bytes that the device reaches
  std::byte* reader = nullptr;  ///< as in BlockRun
};

class DeviceChunk {
 public:
  /// `planes_at`: bytes of planes that others use.
  DeviceChunk(const DeviceStaging& staging, std::span<const PlacedMessage> messages, const Shape& global,
              std::size_t planes_at);

  /// The boxes of all messages, one after the other, each without gaps and aligned as memory of a device is.
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }
  [[nodiscard]] std::size_t planes_end() const { return planes_end_; }
  [[nodiscard]] const DeviceMessages& tables() const { return tables_; }
  /// What tables() are given for this chunk.
  [[nodiscard]] MessagesRun run(Rounding rounding, std::uint64_t seed, std::byte* planes) const;

 private:
  std::size_t planes_end_;  // moved on while the patches are made
  std::vector<Patch> patches_;
  DeviceMessages tables_;
  DeviceTable<BlockRun> runs_;
};

/// Messages of one chunk together, in the order of chunks.
template <class Message>
[[nodiscard]] std::vector<std::vector<Message>> by_chunk(std::vector<Message> messages) {
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.chunk < b.chunk; });
  std::vector<std::vector<Message>> chunks;
  for (Message& m : messages) {
    if (chunks.empty() || chunks.back().front().chunk != m.chunk) chunks.emplace_back();
    chunks.back().push_back(std::move(m));
  }
  return chunks;
}

/// What the host looks for when it is told a chunk's number; nullptr where the chunk has no messages.
template <class Chunk>
[[nodiscard]] Chunk* chunk_of(std::vector<Chunk>& chunks, int number) {
  const auto found =
      std::find_if(chunks.begin(), chunks.end(), [&](const Chunk& c) { return c.messages.front().chunk == number; });
  return found == chunks.end() ? nullptr : &*found;
}

}  // namespace shardfft
