#include "device/exchange/device_messages.hpp"

#include <cmath>
#include <cstring>

#include "device/exchange/device_elements.hpp"
#include "exchange/message_check.hpp"

namespace shardfft {
// What is known before anything is on the device.
struct MessageTables {
  std::vector<DeviceGroups::Group> groups{};
  std::vector<Index> values{}, stored{}, first_groups{0};
  std::vector<BlockSegment> segments{};
  std::vector<Patch> boxes{};
  std::vector<std::uint32_t> segment_of{};

  void add(const MessageForm& form, const PatchIndex& patches, const Shape& global) {
    for (const MessageForm::BoxGroup& group : form.groups()) {
      groups.push_back({.run = static_cast<std::uint32_t>(first_groups.size() - 1),
                        .blocks = group.blocks,
                        .index_at = group.index_at});
      values.push_back(group.box.count() * form.type().per_element());
      stored.push_back(group.blocks * block_numbers);
      const Cells cells = form.segments(group);
      for (Index s = 0; s < cells.count(); ++s) add(form, cells.cell(s), patches, global);
    }
    first_groups.push_back(static_cast<Index>(groups.size()));
  }
  void add(const MessageForm& form, const Box& box, const PatchIndex& patches, const Shape& global) {
    BlockSegment segment = elements_of(box, patch_with(patches, box), form.blocking().order);
    segment.first = static_cast<Index>(segment_of.size());
    segment.first_element = static_cast<std::uint64_t>(element_number(box.lo, global));
    segment_of.insert(segment_of.end(), static_cast<std::size_t>(form.blocks_of(box)),
                      static_cast<std::uint32_t>(segments.size()));
    segments.push_back(segment);
    boxes.push_back({.box = box});
  }
};

static MessageTables tables_of(std::span<const MessageForm* const> forms, std::span<const Patch> patches,
                               const Shape& global) {
  MessageTables tables;
  const PatchIndex index(patches);
  for (const MessageForm* form : forms) tables.add(*form, index, global);
  return tables;
}

DeviceMessages::DeviceMessages(const std::shared_ptr<Device>& device, Queue& queue,
                               std::span<const MessageForm* const> forms, std::span<const Patch> patches,
                               const Shape& global)
    : DeviceMessages(device, queue, forms, tables_of(forms, patches, global)) {}

DeviceMessages::DeviceMessages(const std::shared_ptr<Device>& device, Queue& queue,
                               std::span<const MessageForm* const> forms, MessageTables tables)
    : device_(device),
      values_(std::move(tables.values)),
      stored_(std::move(tables.stored)),
      first_groups_(std::move(tables.first_groups)),
      all_(std::move(tables.segments)),
      boxes_(std::move(tables.boxes)),
      box_index_(boxes_),
      groups_(device, queue, tables.groups),
      segment_(device, queue, all_, "elements of encoded blocks"),
      segment_of_(device, queue, tables.segment_of, "segments of encoded blocks") {
  for (const MessageForm* form : forms) {
    type_ = form->type();
    codec_ = &form->codec();
    order_ = form->blocking().order;
    payload_at_.push_back(form->payload_at());
  }
}

void DeviceMessages::set_tries(const ErrorBudget& terms, std::span<GroupTry> tries) const {
  const DeviceCodec& codec = *find_device_codec(codec_->number());
  const auto n = values_.size();
  for (std::size_t g = 0; g < n; ++g) {
    const EncodeAttempts attempts = encode_attempts(terms, type_.scalar, *codec_,
                                                    group_budget_of(terms, type_.scalar, values_[g], 0, 0), stored_[g]);
    for (std::size_t a = 0; a < 2; ++a) tries[a * n + g] = codec.attempt(attempts.parameter[a], attempts.allowed2);
    tries[2 * n + g] = {};  // loses nothing
  }
}

DeviceTable<BlockRun> DeviceMessages::place(Queue& queue, std::span<std::byte* const> memory,
                                            std::span<const Index> bytes, std::span<std::byte* const> readers) const {
  std::vector<BlockRun> runs;
  for (std::size_t m = 0; m < payload_at_.size(); ++m)
    runs.push_back({.memory = memory[m],
                    .payload_at = payload_at_[m],
                    .bytes = bytes[m],
                    .reader = readers.empty() ? nullptr : readers[m]});
  return {device_, queue, groups_.runs(runs), "addresses of encoded messages"};
}

BlockElements DeviceMessages::elements(const MessagesRun& run) const {
  return {.complex = type_.complex,
          .segments = static_cast<Index>(all_.size()),
          .segment = segment_.data(),
          .segment_of = segment_of_.data(),
          .bases = run.bases};
}

void DeviceMessages::encode(Queue& queue, const MessagesRun& run, EncodeBlocks task) const {
  if (groups_.blocks() == 0) return;
  task.elements = elements(run);
  groups_.encode(queue, round(run), task);
}

void DeviceMessages::decode(Queue& queue, const MessagesRun& run, DecodeBlocks task) const {
  if (groups_.blocks() == 0) return;
  if (task.step != DecodeStep::check) task.elements = elements(run);
  groups_.decode(queue, round(run), task);
}

void DeviceMessages::sum(Queue& queue, const MessagesRun& run, const GroupMade* made, std::uint64_t* sum) const {
  if (groups_.blocks() > 0) groups_.sum(queue, round(run), made, sum);
}

std::optional<DeviceMessages::BlocksOfTile> DeviceMessages::part_in(Queue& queue, const Patch& patch) const {
  std::vector<BlockSegment> segments;
  std::vector<std::uint32_t> segment_of, blocks;
  for (const std::size_t s : box_index_.meeting(patch.box)) {
    const Box& box = boxes_[s].box;
    if (intersect(box, patch.box) != box) return std::nullopt;
    BlockSegment segment = elements_of(box, patch, order_);
    segment.first = all_[s].first;
    segment.first_element = all_[s].first_element;
    const Index end = s + 1 < all_.size() ? all_[s + 1].first : groups_.blocks();
    for (Index b = segment.first; b < end; ++b) {
      blocks.push_back(static_cast<std::uint32_t>(b));
      segment_of.push_back(static_cast<std::uint32_t>(segments.size()));
    }
    segments.push_back(segment);
  }
  if (segments.empty()) return BlocksOfTile{};
  return BlocksOfTile{{device_, queue, segments, "elements of a tile's blocks"},
                      {device_, queue, segment_of, "segments of a tile's blocks"},
                      {device_, queue, blocks, "a tile's blocks"},
                      static_cast<Index>(segments.size()),
                      static_cast<Index>(blocks.size())};
}

void DeviceMessages::decode(Queue& queue, const MessagesRun& run, const BlocksOfTile& part, DecodeBlocks task) const {
  if (part.blocks == 0) return;
  task.step = DecodeStep::decode;
  task.elements = {.complex = type_.complex,
                   .segments = part.segments,
                   .segment = part.segment.data(),
                   .segment_of = part.segment_of.data(),
                   .bases = run.bases};
  task.decoded = part.blocks;
  task.block = part.block.data();
  groups_.decode(queue, round(run), task);
}

void seal_message(std::byte* message, const MessageForm& form, std::span<const GroupMade> made,
                  std::span<const std::uint64_t> sums, Rounding rounding, std::uint64_t seed, Index bytes) {
  for (std::size_t g = 0; g < made.size(); ++g) {
    const GroupEntry entry{.checksum = sums[g],
                           .parameter = made[g].parameter,
                           .at = made[g].at,
                           .bytes = made[g].bytes,
                           .codec = find_device_codec(made[g].format)->number()};
    std::memcpy(message + sizeof(MessageHeader) + g * sizeof entry, &entry, sizeof entry);
  }
  write_header(message, form, rounding, seed, bytes);
}

bool groups_of_message(const std::byte* message, const MessageForm& form, std::span<GroupMade> made,
                       std::span<std::uint64_t> sums) {
  for (std::size_t g = 0; g < form.groups().size(); ++g) {
    const GroupEntry entry = entry_of(message, g);
    const DeviceCodec* codec = find_device_codec(entry.codec);
    if (!codec || !can_be_summed(entry.bytes, static_cast<std::uint64_t>(form.groups()[g].blocks))) return false;
    sums[g] = entry.checksum;
    made[g] = {.parameter = entry.parameter, .at = entry.at, .bytes = entry.bytes, .format = codec->format()};
  }
  return true;
}

}  // namespace shardfft
