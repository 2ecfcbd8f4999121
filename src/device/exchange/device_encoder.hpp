// Encodes what a device's sweep computed into the messages of an exchange, on the device. The host learns how long they
// became, and writes their heads.
//
//   queue   sweep | encode -> message | checksums | sizes, indexes -> host |       head -> message | channel's copies
//   host                                                             waits | head | says the sizes, sends
//
// So the host waits for the device once for each chunk that it sends; peers and networks go on meanwhile.
//
// A message in the memory of another device is stored there at once, and nothing of it is read from there: payloads are
// stored a second time on this device, for their checksums, and heads are made here and copied whole.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/exchange/device_chunk.hpp"
#include "device/exchange/device_shares.hpp"
#include "device/exchange/device_squares.hpp"
#include "exchange/encoder.hpp"

namespace shardfft {

class DeviceEncoder final : public MessageWriter {
 public:
  /// `messages`: of all chunks, in memory that the device reaches. The codec is one of device_codecs(). `planes_at`:
  /// bytes of planes that others use. `basis`: of all ErrorBudget; units are the boxes of a message then.
  DeviceEncoder(std::shared_ptr<DeviceStaging> staging, std::vector<Encoder::Outgoing> messages, const Shape& global,
                std::size_t planes_at, ErrorBudget::Basis basis);

  /// Patches that the previous sweep stores to before encoding. Chunks share memory: each is encoded before the sweep
  /// runs the next.
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }
  [[nodiscard]] std::size_t planes_end() const { return planes_end_; }
  void use(std::byte* planes) { planes_ = planes; }

  void begin(const ErrorBudget& terms) override;
  void seal(int chunk, const Said& said) override;
  [[nodiscard]] double lost2() const override { return lost2_; }
  [[nodiscard]] Index bytes() const override { return bytes_; }
  [[nodiscard]] Index values() const override { return values_; }

 private:
  struct OutgoingChunk : DeviceChunk {
    OutgoingChunk(const DeviceStaging& staging, std::vector<Encoder::Outgoing> all, std::vector<PlacedMessage> where,
                  const Shape& global, std::size_t planes_at, ErrorBudget::Basis basis);
    [[nodiscard]] std::size_t count_of_tries() const {
      return DeviceMessages::tries_of_a_group * static_cast<std::size_t>(tables().groups());
    }
    /// Bytes of the host's that begin() copies from.
    [[nodiscard]] std::size_t terms_bytes() const {
      return norms ? norms->shares.pinned_bytes() : count_of_tries() * sizeof(GroupTry);
    }
    void begin(Queue& queue, const ErrorBudget& terms, std::byte* pinned) const;
    [[nodiscard]] const GroupTry* set_tries(Queue& queue, const MessagesRun& run) const;
    std::vector<Encoder::Outgoing> messages;
    std::vector<PlacedMessage> places;
    DeviceMemory memory{};  // tries, then what became of the groups and of the messages
    GroupTry* tries = nullptr;
    GroupMade* made = nullptr;
    std::uint64_t *sums = nullptr, *sizes = nullptr;
    struct Norms {  // where what may be lost follows from them
      DeviceSquares squares;
      DeviceShares shares;
      DeviceMemory norm2;
    };
    std::optional<Norms> norms{};

   private:
    [[nodiscard]] Norms norms_of(const DeviceStaging& staging, ErrorBudget::Basis basis) const;
  };
  struct PinnedOutgoing;  // by the host, of one chunk
  void encode(const OutgoingChunk& chunk);
  void take_back(const OutgoingChunk& chunk, const PinnedOutgoing& seen);
  void write_heads(const OutgoingChunk& chunk, const PinnedOutgoing& seen, const Said& said);

  std::shared_ptr<DeviceStaging> staging_;
  std::vector<Patch> patches_{};
  std::size_t planes_end_ = 0;
  DeviceMemory copies_{};                // of far messages of one chunk
  std::vector<OutgoingChunk> chunks_{};  // those that have messages
  std::byte* planes_ = nullptr;
  ErrorBudget terms_{};
  Index values_ = 0, bytes_ = 0;
  double lost2_ = 0;
};

}  // namespace shardfft
