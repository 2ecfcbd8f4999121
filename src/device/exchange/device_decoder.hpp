// Checks the encoded messages of an exchange that have arrived in memory of a device, and decodes them there for the
// sweep that reads them: to its tiles, or to planes before it.
//
//   queue   heads -> host |                      tables -> device | check | sweep: decode to a tile | transform,
//   scatter | decode to the next one ... host               waits | checks them, tables |
#pragma once

#include <memory>
#include <vector>

#include "device/codec/device_source.hpp"
#include "device/exchange/device_chunk.hpp"
#include "exchange/decoder.hpp"

namespace shardfft {

class DeviceDecoder final : public MessageReader, public DeviceSource {
 public:
  /// `messages`: of all chunks, in memory of the device. The codec is one of device_codecs(). `planes_at`: bytes of
  /// planes that others use.
  DeviceDecoder(std::shared_ptr<DeviceStaging> staging, std::vector<Decoder::Incoming> messages, const Shape& global,
                std::size_t planes_at);

  /// Patches of the decoded data of all chunks at once: one chunk of the next sweep may need several of these.
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }
  [[nodiscard]] std::size_t planes_end() const { return planes_end_; }
  void use(std::byte* planes) { planes_ = planes; }

  void open(int chunk, const Received& received) override;
  [[nodiscard]] std::unique_ptr<TilePart> part(const Patch& tile, const std::optional<TileTwiddles>& twiddles) override;
  void fill_planes() override;
  /// Waits for the device, unless that was done since the last message was opened.
  void check() override;

 private:
  struct IncomingChunk : DeviceChunk {
    IncomingChunk(const DeviceStaging& staging, std::vector<Decoder::Incoming> all, const Shape& global,
                  std::size_t planes_at, std::size_t first);
    std::vector<Decoder::Incoming> messages;
    std::size_t first_message;
    DeviceMemory memory{};  // of the groups: what they are, whether they are damaged; of the messages: how many are
    GroupMade* made = nullptr;
    std::uint64_t* sums = nullptr;  // of payloads
    std::uint8_t* damaged = nullptr;
    std::uint32_t* damaged_groups = nullptr;
    MessageHeader header{};  // of the last run: its rounding and seed
    bool waits = false;      // it has come, and nobody has decoded any of it
    [[nodiscard]] DecodeBlocks task() const {
      return {.made = made, .damaged = damaged, .damaged_groups = damaged_groups};
    }
  };
  class DecodedPart;
  struct PinnedIncoming;  // by the host, of one chunk
  struct Told;
  [[nodiscard]] MessageHeader check(const IncomingChunk& chunk, const PinnedIncoming& seen, const Received& received);
  void look(IncomingChunk& chunk, const PinnedIncoming& seen);

  std::shared_ptr<DeviceStaging> staging_;
  std::vector<Patch> patches_{};
  std::size_t planes_end_ = 0;
  std::vector<IncomingChunk> chunks_{};       // those that have messages
  std::vector<int> peers_{};                  // of the messages of all chunks
  std::vector<std::size_t> first_groups_{0};  // of each message, among all groups
  std::vector<std::uint64_t> expected_{};     // checksums, of all groups
  DeviceMemory told_{};
  std::byte* planes_ = nullptr;
  bool unchecked_ = false;
};

}  // namespace shardfft
