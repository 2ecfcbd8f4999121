// Encoded messages that a device makes and reads: where the elements of each group are in the rank's arrays, in whole
// blocks in the order of MessageForm, so that a host's Encoder and Decoder at the other end see no difference. Heads
// (header, entries) are the host's, which sees no payloads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/codec/device_codec.hpp"
#include "exchange/group_budget.hpp"
#include "grid/patch_index.hpp"

namespace shardfft {

/// One encode or decode of all messages.
struct MessagesRun {
  Rounding rounding = Rounding::nearest;
  std::uint64_t seed = 0;              ///< of this run and exchange, the same on all ranks
  MoveBases bases{};                   ///< of the patches
  const BlockRun* messages = nullptr;  ///< DeviceMessages::place()
};

/// The messages of one direction of an exchange that a rank encodes, or decodes, at once.
class DeviceMessages {
 public:
  /// `patches`: where the rank's boxes lie; each segment lies in one of them, or Error(internal) is thrown. `global`:
  /// of the array that is exchanged. All forms have the same codec, of block_numbers.
  DeviceMessages(const std::shared_ptr<Device>& device, Queue& queue, std::span<const MessageForm* const> forms,
                 std::span<const Patch> patches, const Shape& global);

  /// The table of addresses of the messages, for one slot of a channel; `bytes`: that came, or room that there is.
  /// `readers`: as in BlockRun, of each message; or none.
  [[nodiscard]] DeviceTable<BlockRun> place(Queue& queue, std::span<std::byte* const> memory,
                                            std::span<const Index> bytes,
                                            std::span<std::byte* const> readers = {}) const;

  /// Encodes the elements, from where they lie, into the messages: indexes and payloads. Fields of EncodeBlocks but
  /// `elements` and `tables`.
  void encode(Queue& queue, const MessagesRun& run, EncodeBlocks task) const;
  /// The reverse, or (DecodeStep::check) the first half of it. Fields of DecodeBlocks but `elements` and `tables`.
  void decode(Queue& queue, const MessagesRun& run, DecodeBlocks task) const;
  /// The checksums of all groups, [groups], of what was encoded or has arrived.
  void sum(Queue& queue, const MessagesRun& run, const GroupMade* made, std::uint64_t* sum) const;

  /// Blocks that fill a part of the array which lies elsewhere.
  struct BlocksOfTile {
    DeviceTable<BlockSegment> segment{};
    DeviceTable<std::uint32_t> segment_of{}, block{};
    Index segments = 0, blocks = 0;
  };
  /// Blocks of the segments that meet the patch; nothing if a segment continues outside.
  [[nodiscard]] std::optional<BlocksOfTile> part_in(Queue& queue, const Patch& patch) const;
  /// The second half, of these. `run.bases`: of that patch.
  void decode(Queue& queue, const MessagesRun& run, const BlocksOfTile& part, DecodeBlocks task) const;

  /// Writes the tries of all groups, [3][groups], as the host's Encoder does them, when the norm is known
  /// (Basis::given), or nothing depends on it. For other bases there is DeviceShares.
  void set_tries(const ErrorBudget& terms, std::span<GroupTry> tries) const;
  static constexpr int tries_of_a_group = 3;

  [[nodiscard]] Index groups() const { return groups_.groups(); }
  [[nodiscard]] const std::vector<Index>& values() const { return values_; }  ///< real numbers of each group
  [[nodiscard]] const std::vector<Index>& stored() const {
    return stored_;
  }  ///< the same with those that fill up its blocks
  [[nodiscard]] const Codec& codec() const { return *codec_; }
  [[nodiscard]] NumberType type() const { return type_; }
  /// Groups of message m are first_groups()[m] ... first_groups()[m + 1] - 1.
  [[nodiscard]] const std::vector<Index>& first_groups() const { return first_groups_; }

 private:
  DeviceMessages(const std::shared_ptr<Device>& device, Queue& queue, std::span<const MessageForm* const> forms,
                 struct MessageTables tables);
  [[nodiscard]] GroupsRun round(const MessagesRun& run) const {
    return {type_.scalar, run.rounding, run.seed, run.messages};
  }
  [[nodiscard]] BlockElements elements(const MessagesRun& run) const;

  std::shared_ptr<Device> device_;
  NumberType type_{};
  const Codec* codec_ = &exact_codec();
  std::vector<Index> values_{}, stored_{}, first_groups_{0}, payload_at_{};
  std::vector<int> order_{};  // of the elements of a segment
  std::vector<BlockSegment> all_{};
  std::vector<Patch> boxes_{};  // of the segments; they lie nowhere
  PatchIndex box_index_{};
  DeviceGroups groups_;
  DeviceTable<BlockSegment> segment_{};
  DeviceTable<std::uint32_t> segment_of_{};
};

/// Host memory: writes the head of a message of which indexes are there. `made`, `sums`: of its groups and their
/// payloads; `bytes`: of the whole message.
void seal_message(std::byte* message, const MessageForm& form, std::span<const GroupMade> made,
                  std::span<const std::uint64_t> sums, Rounding rounding, std::uint64_t seed, Index bytes);
/// Host memory, a message whose head was checked (check_message): its groups as a device wants them, to `made`, and
/// what their checksums must be. False when one of them is of a codec that devices do not know, or longer than any.
[[nodiscard]] bool groups_of_message(const std::byte* message, const MessageForm& form, std::span<GroupMade> made,
                                     std::span<std::uint64_t> sums);

}  // namespace shardfft
