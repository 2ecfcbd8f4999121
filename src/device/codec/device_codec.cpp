#include "device/codec/device_codec.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "codec/registry.hpp"
#include "codec/rounding.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

std::span<const DeviceCodec> device_codecs() {
  static const std::array table = {
      DeviceCodec(lossless_codec(), BlockFormat::lossless),
      DeviceCodec(f32_codec(), BlockFormat::f32),
      DeviceCodec(f16_codec(), BlockFormat::f16),
      DeviceCodec(block_float_codec(), BlockFormat::block_float),
  };
  static_assert(table.size() == block_formats);
  return table;
}

const DeviceCodec* find_device_codec(std::uint8_t number) {
  const auto all = device_codecs();
  const auto found = std::ranges::find(all, number, &DeviceCodec::number);
  return found == all.end() ? nullptr : &*found;
}

const DeviceCodec* find_device_codec(BlockFormat format) {
  const auto all = device_codecs();
  const auto found = std::ranges::find(all, format, &DeviceCodec::format);
  return found == all.end() ? nullptr : &*found;
}

DeviceGroups::DeviceGroups(const std::shared_ptr<Device>& device, Queue& queue, std::span<const Group> groups)
    : groups_(static_cast<Index>(groups.size())) {
  std::vector<BlockGroup> table;
  std::vector<BlockTile> tiles;
  std::vector<std::uint32_t> group_of;
  for (const Group& group : groups) {
    if (group.blocks < 1 || group.blocks > BlockGroup::most_blocks || (!table.empty() && group.run < table.back().run))
      throw Error(Status::invalid_argument,
                  fmt::format("a group of blocks on a device has 1 to {} blocks, and its message is not one before "
                              "that of the group before; got {} blocks of message {}; "
                              "cut the array into smaller units",
                              BlockGroup::most_blocks, group.blocks, group.run));
    groups_of_run_.resize(group.run + 1);
    ++groups_of_run_.back();
    group_of.insert(group_of.end(), static_cast<std::size_t>(group.blocks), static_cast<std::uint32_t>(table.size()));
    const auto number = static_cast<std::uint32_t>(table.size()), count = static_cast<std::uint32_t>(group.blocks);
    table.push_back({.first = blocks_,
                     .index_at = group.index_at,
                     .blocks = count,
                     .run = group.run,
                     .first_tile = static_cast<std::uint32_t>(tiles.size())});
    for (std::uint32_t first = 0; first < count; first += BlockTile::most_blocks) tiles.push_back({number, first});
    blocks_ += group.blocks;
  }
  group_ = {device, queue, table, "tables of encoded groups"};
  group_of_ = {device, queue, group_of, "tables of encoded blocks"};
  tile_ = {device, queue, tiles, "tables of large groups"};
  of_tile_ = {device, tiles.size() * sizeof(TileSums), "sums of large groups"};
  tiles_ = static_cast<Index>(tiles.size());
  const auto blocks = static_cast<std::size_t>(blocks_);
  codes_ = {device, blocks, "widths of encoded blocks"};
  places_ = {device, blocks * sizeof(std::uint32_t), "places of encoded blocks"};
  lost_ = {device, blocks * sizeof(double), "losses of encoded blocks"};
  sums_ = {device, blocks * BlockTables::sums_of_block * sizeof(std::uint64_t), "checksums of encoded blocks"};
}

std::vector<BlockRun> DeviceGroups::runs(std::span<const BlockRun> memory) const {
  std::vector<BlockRun> all(memory.begin(), memory.end());
  std::uint32_t first = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    all[r].first_group = first;
    all[r].groups = r < groups_of_run_.size() ? groups_of_run_[r] : 0;
    first += all[r].groups;
  }
  return all;
}

BlockTables DeviceGroups::tables(const GroupsRun& round) const {
  return {.scalar = round.scalar,
          .dither = round.rounding == Rounding::dither,
          .blocks = blocks_,
          .groups = groups_,
          .tiles = tiles_,
          .runs = static_cast<Index>(groups_of_run_.size()),
          .group = group_.data(),
          .group_of = group_of_.data(),
          .tile = tile_.data(),
          .run = round.runs,
          .seed = round.seed,
          .codes = reinterpret_cast<std::uint8_t*>(codes_.data()),
          .places = reinterpret_cast<std::uint32_t*>(places_.data()),
          .lost = reinterpret_cast<double*>(lost_.data()),
          .sums = reinterpret_cast<std::uint64_t*>(sums_.data()),
          .of_tile = reinterpret_cast<TileSums*>(of_tile_.data())};
}

void DeviceGroups::encode(Queue& queue, const GroupsRun& round, EncodeBlocks task) const {
  task.tables = tables(round);
  task.unit = safe_unit(task.unit);
  queue.run(task);
}

void DeviceGroups::decode(Queue& queue, const GroupsRun& round, DecodeBlocks task) const {
  task.tables = tables(round);
  queue.run(task);
}

void DeviceGroups::sum(Queue& queue, const GroupsRun& round, const GroupMade* made, std::uint64_t* sum) const {
  queue.run(SumPayloads{.tables = tables(round), .made = made, .sum = sum});
}

}  // namespace shardfft
