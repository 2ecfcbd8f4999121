#include "exchange/device_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "exchange/device_encoder.hpp"
#include "exchange/message_check.hpp"

namespace shardfft {

// In pinned memory: what came in a chunk.
struct DeviceDecoder::Seen {
  Seen(const Chunk& chunk, std::byte* start) {
    Parts parts(start);
    made = parts.take<GroupMade>(static_cast<std::size_t>(chunk.tables->groups()));
    for (const Decoder::Incoming& m : chunk.messages) messages.push_back(parts.take<std::byte>(static_cast<std::size_t>(m.form->capacity())));
    bytes = parts.used();
  }
  GroupMade* made = nullptr;
  std::vector<std::byte*> messages{};
  std::size_t bytes = 0;
};

DeviceDecoder::DeviceDecoder(std::shared_ptr<DeviceRoom> room, std::vector<Decoder::Incoming> messages, NumberType type, const Shape& global, std::size_t planes_at)
    : room_(std::move(room)), type_(type), planes_end_(planes_at) {
  std::stable_sort(messages.begin(), messages.end(), [](const Decoder::Incoming& a, const Decoder::Incoming& b) { return a.chunk < b.chunk; });
  std::vector<Chunk> chunks;
  for (Decoder::Incoming& m : messages) {
    if (chunks.empty() || chunks.back().number != m.chunk) chunks.push_back({.number = m.chunk, .first_message = peers_.size()});
    peers_.push_back(m.peer);
    chunks.back().messages.push_back(std::move(m));
  }
  for (Chunk& chunk : chunks) {
    std::vector<Box> boxes;
    for (const Decoder::Incoming& m : chunk.messages)
      for (const Box& box : m.form->boxes()) boxes.push_back(box);
    const std::vector<Patch> patches = in_planes(boxes, type.element_bytes(), planes_end_);
    patches_.insert(patches_.end(), patches.begin(), patches.end());
    add_chunk(std::move(chunk), patches, global);
    room_->need(Seen(chunks_.back(), nullptr).bytes);
  }
  told_ = {room_->device(), peers_.size() * sizeof(std::uint32_t), "whether messages were damaged", DeviceMemory::Kind::pinned};
  std::memset(told_.data(), 0, told_.bytes());
}

void DeviceDecoder::add_chunk(Chunk chunk, std::span<const Patch> patches, const Shape& global) {
  std::vector<const MessageForm*> forms;
  std::vector<std::byte*> memory;
  std::vector<Index> room;
  for (const Decoder::Incoming& m : chunk.messages) {
    forms.push_back(m.form.get());
    memory.push_back(const_cast<std::byte*>(m.memory));
    room.push_back(m.form->capacity());
  }
  Queue& queue = room_->queue();
  chunk.tables = std::make_unique<DeviceMessages>(room_->device(), queue, forms, patches, global);
  chunk.runs = chunk.tables->place(queue, memory, room);
  const auto groups = static_cast<std::size_t>(chunk.tables->groups());
  const auto divide = [&](std::byte* start) {
    Parts parts(start);
    chunk.made = parts.take<GroupMade>(groups);
    chunk.damaged = parts.take<std::uint8_t>(groups);
    chunk.damaged_groups = parts.take<std::uint32_t>(forms.size());
    return parts.used();
  };
  chunk.memory = {room_->device(), divide(nullptr), "tables of encoded messages"};
  (void)divide(chunk.memory.data());
  chunks_.push_back(std::move(chunk));
}

std::size_t DeviceDecoder::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const Chunk& chunk : chunks_) bytes = std::max(bytes, chunk.tables->scratch_bytes());
  return bytes;
}

void DeviceDecoder::open(int number, const Received& received) {
  const auto chunk = std::find_if(chunks_.begin(), chunks_.end(), [&](const Chunk& c) { return c.number == number; });
  if (chunk == chunks_.end()) return;
  const Seen seen(*chunk, room_->lend());
  for (std::size_t m = 0; m < chunk->messages.size(); ++m) {
    const Decoder::Incoming& message = chunk->messages[m];
    const Index bytes = std::min(received(message.number), message.form->capacity());
    if (bytes > 0) room_->queue().copy(seen.messages[m], message.memory, static_cast<std::size_t>(bytes));
  }
  room_->finish();
  decode(*chunk, seen, check(*chunk, seen, received));
}

// What all messages of a run say alike.
MessageHeader DeviceDecoder::check(const Chunk& chunk, const Seen& seen, const Received& received) const {
  MessageHeader first;
  GroupMade* made = seen.made;
  for (std::size_t m = 0; m < chunk.messages.size(); ++m) {
    const Decoder::Incoming& message = chunk.messages[m];
    const std::size_t groups = message.form->groups().size();
    check_message(seen.messages[m], *message.form, message.peer, std::min(received(message.number), message.form->capacity()), {});
    if (!groups_of_message(seen.messages[m], *message.form, {made, groups})) damaged_message(message.peer, "holds numbers of a codec that devices do not know");
    made += groups;
    const auto header = read_as<MessageHeader>(seen.messages[m]);
    if (m == 0) first = header;
    if (header.rounding != first.rounding || header.seed != first.seed) damaged_message(message.peer, "is of another run than others");
  }
  return first;
}

void DeviceDecoder::decode(const Chunk& chunk, const Seen& seen, const MessageHeader& header) {
  Queue& queue = room_->queue();
  queue.copy(chunk.made, seen.made, static_cast<std::size_t>(chunk.tables->groups()) * sizeof(GroupMade));
  DeviceMessages::Run run{.rounding = header.rounding, .seed = header.seed, .messages = chunk.runs.data(), .scratch = scratch_};
  run.bases.start[static_cast<int>(MoveBase::work)] = planes_;
  chunk.tables->decode(queue, run, {.made = chunk.made, .damaged = chunk.damaged, .damaged_groups = chunk.damaged_groups});
  queue.copy(told_.data() + chunk.first_message * sizeof(std::uint32_t), chunk.damaged_groups, chunk.messages.size() * sizeof(std::uint32_t));
  room_->leave();
  unchecked_ = true;
}

void DeviceDecoder::check() {
  if (!unchecked_) return;
  (void)room_->lend();  // waits for the queue's last use of it, or a later one
  unchecked_ = false;
  const auto* groups = reinterpret_cast<const std::uint32_t*>(told_.data());
  for (std::size_t m = 0; m < peers_.size(); ++m)
    if (groups[m] > 0) damaged_message(peers_[m], "cannot be decoded");
}

}  // namespace shardfft
