// Checks the encoded messages of an exchange that have arrived in memory of a device, and decodes them there before the sweep that reads them.
//
//   queue   message -> host |                      tables -> device | decode | sweep
//   host               waits | checks as ever, tables |
#pragma once

#include <memory>
#include <vector>

#include "exchange/decoder.hpp"
#include "exchange/device_chunk.hpp"

namespace shardfft {

class DeviceDecoder final : public MessageReader {
 public:
  /// `messages`: of all chunks, in memory of the device. The codec is one of device_codecs(). `planes_at`: bytes of planes that others use.
  DeviceDecoder(std::shared_ptr<DeviceRoom> room, std::vector<Decoder::Incoming> messages, const Shape& global, std::size_t planes_at);

  /// Where the sweep after it finds what was decoded; of all chunks at once, since one of the sweep's may want several of these.
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }
  [[nodiscard]] std::size_t planes_end() const { return planes_end_; }
  [[nodiscard]] std::size_t scratch_bytes() const;  ///< behind all planes
  /// The scratch, which begins with `planes` bytes of planes.
  void use(std::byte* scratch, std::size_t planes) { planes_ = scratch, scratch_ = scratch + planes; }

  void open(int chunk, const Received& received) override;
  /// Waits for the device, unless that was done since the last message was opened.
  void check() override;

 private:
  struct Chunk : DeviceChunk {
    Chunk(const DeviceRoom& room, std::vector<Decoder::Incoming> all, const Shape& global, std::size_t planes_at, std::size_t first);
    std::vector<Decoder::Incoming> messages;
    std::size_t first_message;
    DeviceMemory memory{};  // of the groups: what they are, whether they are damaged; of the messages: how many are
    GroupMade* made = nullptr;
    std::uint8_t* damaged = nullptr;
    std::uint32_t* damaged_groups = nullptr;
  };
  struct Seen;  // by the host, of one chunk
  [[nodiscard]] MessageHeader check(const Chunk& chunk, const Seen& seen, const Received& received) const;
  void decode(const Chunk& chunk, const Seen& seen, const MessageHeader& header);

  std::shared_ptr<DeviceRoom> room_;
  std::vector<Patch> patches_{};
  std::size_t planes_end_ = 0;
  std::vector<Chunk> chunks_{};  // those that have messages
  std::vector<int> peers_{};     // of the messages of all chunks
  DeviceMemory told_{};          // pinned: how many groups of each message are damaged
  std::byte *planes_ = nullptr, *scratch_ = nullptr;
  bool unchecked_ = false;
};

}  // namespace shardfft
