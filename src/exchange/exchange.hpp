// Boxes changing owners, on top of a transport: which message holds which piece, and where in it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exchange/decoder.hpp"
#include "exchange/encoder.hpp"
#include "grid/patch.hpp"
#include "grid/pieces.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// What an exchange must do; the same on all ranks but for `me`.
struct ExchangeSpec {
  Layout from{}, to{};
  Chunks chunks{};
  Index element_bytes = 16;
  int me = 0;
  int slot = 0;
  bool skip_self = false;   ///< what stays on a rank does not go through its inbox
  bool whole_self = false;  ///< what stays on a rank is one message for each part, stored in chunks: who reads it needs
                            ///< all of the part anyway. Only where all stays
  std::function<bool(int)>
      near{};  ///< true for ranks that share memory with `me`: their messages are padded against cache conflicts
  bool looks_only = false;  ///< of a plan that never runs: sizes of encoded messages are upper limits
  const Codec* codec =
      nullptr;  ///< of the messages to and from those for which `encodes`; nullptr: no message is encoded
  std::function<bool(int)> encodes{};  ///< two ranks answer alike for each other; not asked for oneself
  NumberType type{};                   ///< with a codec: what an element is
  Blocking blocking{};                 ///< with a codec
  std::optional<Expected>
      saves_nothing{};  ///< why no message is encoded where some could be: of all messages that were looked at
  /// Bytes of an element where a run stores it in a shorter format (support/storage_format.hpp); 0: it never does. Such
  /// runs use the same messages, closer packed, of which less is sent.
  Index storage_bytes = 0;
};

/// One rank's view of an exchange.
class Exchange {
 public:
  explicit Exchange(ExchangeSpec spec);

  [[nodiscard]] const Round& round() const { return round_; }
  [[nodiscard]] const ExchangeSpec& spec() const { return spec_; }
  /// Patches that the sweep before the exchange writes, and patches that the sweep after it reads. The traffic is open
  /// as number `round`.
  [[nodiscard]] std::vector<Patch> outgoing(const Channel& channel, int round) const;
  [[nodiscard]] std::vector<Patch> incoming(const Channel& channel, int round) const;
  /// The patches of a run that stores narrow elements; needs storage_bytes.
  [[nodiscard]] std::vector<Patch> storage_outgoing(const Channel& channel, int round) const;
  [[nodiscard]] std::vector<Patch> storage_incoming(const Channel& channel, int round) const;
  /// Bytes of message `number` of Round::out in such a run.
  [[nodiscard]] Index storage_message_bytes(std::size_t number) const { return storage_bytes_out_[number]; }
  /// The encoded messages, likewise; the patches above leave them out.
  [[nodiscard]] std::vector<Encoder::Outgoing> encoded_outgoing(const Channel& channel, int round) const;
  [[nodiscard]] std::vector<Decoder::Incoming> encoded_incoming(const Channel& channel, int round) const;
  [[nodiscard]] std::vector<Box> encoded_boxes_out() const { return boxes_of(coded_out_); }
  [[nodiscard]] std::vector<Box> encoded_boxes_in() const { return boxes_of(coded_in_); }
  [[nodiscard]] bool encodes(int peer) const { return spec_.codec && peer != spec_.me && spec_.encodes(peer); }
  /// What stays on this rank, when skip_self; boxes only.
  [[nodiscard]] std::vector<Box> staying() const;

  /// Bytes of array elements sent to other ranks for which `counts(peer)`, before any encoding; padding is not counted.
  [[nodiscard]] Index payload(const std::function<bool(int)>& counts) const;
  /// Elements that the sweep before it stores in messages, those to this rank included.
  [[nodiscard]] Index elements_out() const;
  [[nodiscard]] Index messages(const std::function<bool(int)>& counts) const;

 private:
  struct Coded {
    std::size_t message;
    std::shared_ptr<const MessageForm>
        form;  // for whoever encodes or decodes it, too: with many units it takes long to make
  };
  [[nodiscard]] static std::vector<Box> boxes_of(const std::vector<Coded>& all);
  enum class ExchangeSide { out, in };
  template <class Visit>
  void for_messages(ExchangeSide side, Visit visit) const;
  [[nodiscard]] std::vector<Piece> pieces(ExchangeSide side) const;
  void add_message(ExchangeSide side, std::size_t number, std::span<const Piece> pieces);
  template <class Visit>
  Index place(std::span<const Piece> pieces, bool narrow, Visit visit) const;
  template <class Address>
  [[nodiscard]] std::vector<Patch> patches(ExchangeSide side, bool narrow, Address address) const;
  [[nodiscard]] Index lead(const Box& box, int fast) const;

  ExchangeSpec spec_;
  Round round_{};
  std::vector<int> order_{};                                 ///< of the axes in a message, slowest first
  std::vector<Index> elements_out_{}, storage_bytes_out_{};  ///< of each message
  std::vector<Coded> coded_out_{}, coded_in_{};
};

}  // namespace shardfft
