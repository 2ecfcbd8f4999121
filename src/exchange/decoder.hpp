// Checks the encoded messages of an exchange that have arrived, and decodes them where the sweep after it wants them.
#pragma once

#include <atomic>
#include <deque>
#include <memory>

#include "codec/stage.hpp"
#include "exchange/message_form.hpp"

namespace shardfft {

class Decoder final : public Source {
 public:
  /// Where an encoded message is found.
  struct Incoming {
    const std::byte* memory = nullptr;  ///< capacity() bytes, aligned to 64
    int peer = 0, chunk = 0;
    std::size_t number = 0;             ///< in Round::in
    std::shared_ptr<const MessageForm> form{};
  };
  /// `global`: of the array that is exchanged.
  Decoder(std::vector<Incoming> messages, NumberType type, const Shape& global);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t scratch_bytes() const override;

  /// Messages of `chunk` have arrived, `received(number)` bytes of each. Throws Error(transport_failed) when one of them is damaged, and names its sender.
  template <class Received>
  void open(int chunk, Received received) {
    for (Message& m : messages_)
      if (m.incoming.chunk == chunk) open(m, received(m.incoming.number));
  }
  void fill(const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch) override;
  /// After a sweep: throws Error(transport_failed) when a message that looked whole could not be decoded.
  void check() const;

 private:
  struct Segment {
    std::uint32_t first_block = 0;  ///< in its group; always the same
    std::uint32_t at = 0;           ///< bytes from the start of the group's payload to its own; of this run
  };
  struct Message {
    Incoming incoming;
    std::vector<Segment> segments;
    explicit Message(Incoming i) : incoming(std::move(i)) {}
  };
  static void number_blocks(Message& m);
  void open(Message& m, Index received);
  void check_head(const Message& m, Index received) const;
  void open_group(Message& m, const MessageForm::Group& group, const GroupEntry& entry, const MessageHeader& header) const;
  void decode_segment(const Message& m, const MessageForm::Group& group, Index segment, const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch);

  std::deque<Message> messages_{};
  NumberType type_;
  Shape global_;
  Index largest_segment_ = 0;
  std::atomic<int> damaged_from_{-1};  ///< a rank whose message could not be decoded
};

}  // namespace shardfft
