// Checks the encoded messages of an exchange that have arrived, and decodes them where the sweep after it wants them.
#pragma once

#include <atomic>
#include <deque>
#include <memory>

#include "codec/stage.hpp"
#include "exchange/message_ends.hpp"
#include "exchange/message_form.hpp"

namespace shardfft {

class Decoder final : public Source, public MessageReader {
 public:
  /// An encoded message that has arrived.
  struct Incoming {
    const std::byte* memory = nullptr;  ///< capacity() bytes, aligned to 64
    int peer = 0, chunk = 0;
    std::size_t number = 0;  ///< in Round::in
    std::shared_ptr<const MessageForm> form{};
  };
  /// `global`: of the array that is exchanged.
  Decoder(std::vector<Incoming> messages, NumberType type, const Shape& global);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t scratch_bytes() const override;

  void open(int chunk, const Received& received) override;
  void fill(const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch, bool non_temporal) override;
  void check() override;

 private:
  struct IncomingMessage {
    Incoming incoming;
    std::vector<std::uint32_t> first_block{};  ///< of each segment, in its group; always the same
    std::vector<std::uint32_t> segment_at{};   ///< bytes from the start of the group's payload to its own; of this run
    explicit IncomingMessage(Incoming i) : incoming(std::move(i)) {}
  };
  struct OpenGroup;    // a group, with what its message says of it
  class BlockReader;   // of a segment
  struct PlaneOfUnit;  // of a unit
  static void number_blocks(IncomingMessage& m);
  void decode_segment(const OpenGroup& group, Index segment, const PlaneOfUnit& place);

  std::deque<IncomingMessage> messages_{};
  NumberType type_;
  Shape global_;
  Index largest_segment_ = 0;
  std::atomic<int> damaged_from_{-1};  ///< a rank whose message could not be decoded
};

}  // namespace shardfft
