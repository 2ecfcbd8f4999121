// The device side of codecs: groups in a device's memory are encoded and decoded there, to the same bits as by the
// codecs of the host, so that ranks with and without devices understand each other.
//
// A group chooses by itself among the tries it is given, since what it lost is known on the device only: the codec as
// it is for usual numbers, as it is for any, and at last without loss. So nothing returns to the host in between.
#pragma once

#include <span>

#include "codec/codec.hpp"
#include "device/table.hpp"

namespace shardfft {

/// A codec of the host that devices know as well.
class DeviceCodec {
 public:
  constexpr DeviceCodec(const Codec& host, BlockFormat format) : host_(&host), format_(format) {}
  [[nodiscard]] std::string_view name() const { return host_->name(); }
  [[nodiscard]] std::uint8_t number() const { return host_->number(); }
  [[nodiscard]] const Codec& host() const { return *host_; }
  [[nodiscard]] BlockFormat format() const { return format_; }
  /// To encode with the host's parameter where no more is lost than `allowed2` (as Encoded::lost2).
  [[nodiscard]] GroupTry attempt(double parameter, double allowed2) const {
    return {.parameter = parameter, .allowed2 = allowed2, .format = format_};
  }

 private:
  const Codec* host_;
  BlockFormat format_;
};

/// All of them. nullptr: devices do not know that codec.
[[nodiscard]] std::span<const DeviceCodec> device_codecs();
[[nodiscard]] const DeviceCodec* find_device_codec(std::uint8_t number);
[[nodiscard]] const DeviceCodec* find_device_codec(BlockFormat format);

/// What an encode and a decode of groups share.
struct GroupsRun {
  Scalar scalar = Scalar::f64;
  Rounding rounding = Rounding::nearest;
  std::uint64_t seed = 0;          ///< with dither
  const BlockRun* runs = nullptr;  ///< on the device
};

/// Groups of blocks of one size on one device: their tables and what kernels need beside them. For one encode or decode
/// at a time.
class DeviceGroups {
 public:
  struct Group {
    std::uint32_t run = 0;           ///< not smaller than that of the group before
    Index blocks = 0, index_at = 0;  ///< as in BlockGroup
  };
  /// Throws Error(invalid_argument) for more blocks than tables can count.
  DeviceGroups(const std::shared_ptr<Device>& device, Queue& queue, std::span<const Group> groups);

  [[nodiscard]] Index blocks() const { return blocks_; }
  [[nodiscard]] Index groups() const { return groups_; }

  /// The memory of each run, in order: to be made a table of, one for each slot of a channel.
  [[nodiscard]] std::vector<BlockRun> runs(std::span<const BlockRun> memory) const;

  /// Fields of EncodeBlocks and DecodeBlocks but `tables`, which are set here; all addresses are of the device.
  void encode(Queue& queue, const GroupsRun& round, EncodeBlocks task) const;
  void decode(Queue& queue, const GroupsRun& round, DecodeBlocks task) const;
  /// Checksums of the payloads of all groups, `sum`: [groups]; the host's, bit by bit.
  void sum(Queue& queue, const GroupsRun& round, const GroupMade* made, std::uint64_t* sum) const;

 private:
  [[nodiscard]] BlockTables tables(const GroupsRun& round) const;

  Index blocks_ = 0, groups_ = 0, tiles_ = 0;
  std::vector<std::uint32_t> groups_of_run_{};
  DeviceTable<BlockGroup> group_{};
  DeviceTable<std::uint32_t> group_of_{};
  DeviceTable<BlockTile> tile_{};
  DeviceMemory codes_{}, places_{}, lost_{}, sums_{}, of_tile_{};
};

}  // namespace shardfft
