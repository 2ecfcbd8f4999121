#include "exchange/device_messages.hpp"

#include <cmath>
#include <cstring>

#include "exchange/device_elements.hpp"
#include "exchange/message_check.hpp"

namespace shardfft {
// What is known before anything is on the device.
struct MessageTables {
  std::vector<DeviceGroups::Group> groups{};
  std::vector<Index> values{}, stored{}, first_groups{0};
  std::vector<BlockSegment> segments{};
  std::vector<std::uint32_t> segment_of{};

  void add(const MessageForm& form, const PatchIndex& patches, const Shape& global) {
    for (const MessageForm::Group& group : form.groups()) {
      groups.push_back({.run = static_cast<std::uint32_t>(first_groups.size() - 1), .blocks = group.blocks, .index_at = group.index_at});
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
    segment_of.insert(segment_of.end(), static_cast<std::size_t>(form.blocks_of(box)), static_cast<std::uint32_t>(segments.size()));
    segments.push_back(segment);
  }
};

static MessageTables tables_of(std::span<const MessageForm* const> forms, std::span<const Patch> patches, const Shape& global) {
  MessageTables tables;
  const PatchIndex index(patches);
  for (const MessageForm* form : forms) tables.add(*form, index, global);
  return tables;
}

DeviceMessages::DeviceMessages(const std::shared_ptr<Device>& device, Queue& queue, std::span<const MessageForm* const> forms, std::span<const Patch> patches, const Shape& global)
    : DeviceMessages(device, queue, forms, tables_of(forms, patches, global)) {}

DeviceMessages::DeviceMessages(const std::shared_ptr<Device>& device, Queue& queue, std::span<const MessageForm* const> forms, MessageTables tables)
    : device_(device), values_(std::move(tables.values)), stored_(std::move(tables.stored)), first_groups_(std::move(tables.first_groups)), segments_(static_cast<Index>(tables.segments.size())), groups_(device, queue, tables.groups),
      segment_(device, queue, tables.segments, "elements of encoded blocks"), segment_of_(device, queue, tables.segment_of, "segments of encoded blocks") {
  for (const MessageForm* form : forms) {
    type_ = form->type();
    codec_ = &form->codec();
    payload_at_.push_back(form->payload_at());
  }
}

// Blocks of numbers, then their keys.
std::size_t DeviceMessages::scratch_bytes() const { return static_cast<std::size_t>(groups_.blocks()) * (block_numbers * size_of(type_.scalar) + sizeof(std::uint64_t)); }

std::uint64_t* DeviceMessages::keys(const Run& run) const { return reinterpret_cast<std::uint64_t*>(run.scratch + static_cast<std::size_t>(groups_.blocks()) * block_numbers * size_of(type_.scalar)); }

void DeviceMessages::set_tries(const Terms& terms, std::span<GroupTry> tries) const {
  const DeviceCodec& codec = *find_device_codec(codec_->number());
  const auto n = values_.size();
  for (std::size_t g = 0; g < n; ++g) {
    const Ladder ladder = ladder_of(terms, type_.scalar, *codec_, allowance_of(terms, type_.scalar, values_[g], 0, 0), stored_[g]);
    for (std::size_t a = 0; a < 2; ++a) tries[a * n + g] = codec.attempt(ladder.parameter[a], ladder.allowed2);
    tries[2 * n + g] = {};  // loses nothing
  }
}

DeviceTable<BlockRun> DeviceMessages::place(Queue& queue, std::span<std::byte* const> memory, std::span<const Index> bytes) const {
  std::vector<BlockRun> runs;
  for (std::size_t m = 0; m < payload_at_.size(); ++m) runs.push_back({.memory = memory[m], .payload_at = payload_at_[m], .bytes = bytes[m]});
  return {device_, queue, groups_.runs(runs), "addresses of encoded messages"};
}

void DeviceMessages::make_keys(Queue& queue, const Run& run) const {
  if (run.rounding != Rounding::dither || groups_.blocks() == 0) return;
  queue.run(BlockKeys{.blocks = groups_.blocks(), .segments = segments_, .segment = segment_.data(), .segment_of = segment_of_.data(), .seed = run.seed,
                      .keys = keys(run)});
}

void DeviceMessages::move_elements(Queue& queue, const Run& run, BlockElements::Way way) const {
  queue.run(BlockElements{.way = way, .scalar = type_.scalar, .complex = type_.complex, .blocks = groups_.blocks(), .segments = segments_, .segment = segment_.data(),
                          .segment_of = segment_of_.data(), .bases = run.bases, .values = run.scratch});
}

void DeviceMessages::encode(Queue& queue, const Run& run, EncodeBlocks task) const {
  if (groups_.blocks() == 0) return;
  make_keys(queue, run);
  move_elements(queue, run, BlockElements::Way::gather);
  task.values = run.scratch;
  groups_.encode(queue, {type_.scalar, run.rounding, keys(run), run.messages}, task);
}

void DeviceMessages::decode(Queue& queue, const Run& run, DecodeBlocks task) const {
  if (groups_.blocks() == 0) return;
  make_keys(queue, run);
  task.values = run.scratch;
  groups_.decode(queue, {type_.scalar, run.rounding, keys(run), run.messages}, task);
  move_elements(queue, run, BlockElements::Way::scatter);
}

void seal_message(std::byte* message, const MessageForm& form, std::span<const GroupMade> made, Rounding rounding, std::uint64_t seed, Index bytes) {
  for (std::size_t g = 0; g < made.size(); ++g) {
    const GroupEntry entry{.checksum = checksum_of({message + made[g].at, made[g].bytes}), .parameter = made[g].parameter, .at = made[g].at, .bytes = made[g].bytes,
                           .codec = find_device_codec(made[g].format)->number()};
    std::memcpy(message + sizeof(MessageHeader) + g * sizeof entry, &entry, sizeof entry);
  }
  write_header(message, form, rounding, seed, bytes);
}

bool groups_of_message(const std::byte* message, const MessageForm& form, std::span<GroupMade> made) {
  for (std::size_t g = 0; g < form.groups().size(); ++g) {
    const GroupEntry entry = entry_of(message, g);
    const DeviceCodec* codec = find_device_codec(entry.codec);
    if (!codec) return false;
    made[g] = {.parameter = entry.parameter, .at = entry.at, .bytes = entry.bytes, .format = codec->format()};
  }
  return true;
}

}  // namespace shardfft
