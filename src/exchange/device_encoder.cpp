#include "exchange/device_encoder.hpp"

#include <algorithm>
#include <numeric>

namespace shardfft {

std::vector<Patch> in_planes(const std::vector<Box>& boxes, Index element_bytes, std::size_t& at) {
  constexpr std::size_t aligned = 256;
  std::vector<Patch> patches;
  for (const Box& box : boxes) {
    std::vector<int> order(static_cast<std::size_t>(box.dims()));
    std::iota(order.begin(), order.end(), 0);
    patches.push_back({.box = box, .base = Base::plane, .offset = static_cast<Index>(at), .strides = packed_strides(box.shape(), order, element_bytes, false)});
    at += (static_cast<std::size_t>(box.count() * element_bytes) + aligned - 1) / aligned * aligned;
  }
  return patches;
}

// In pinned memory: what the device made of a chunk.
struct DeviceEncoder::Seen {
  Seen(const Chunk& chunk, std::byte* start) {
    Parts parts(start);
    made = parts.take<GroupMade>(static_cast<std::size_t>(chunk.tables->groups()));
    sizes = parts.take<std::uint64_t>(chunk.messages.size());
    for (const Encoder::Outgoing& m : chunk.messages) messages.push_back(parts.take<std::byte>(static_cast<std::size_t>(m.form->capacity())));
    bytes = parts.used();
  }
  GroupMade* made = nullptr;
  std::uint64_t* sizes = nullptr;
  std::vector<std::byte*> messages{};
  std::size_t bytes = 0;
};

DeviceEncoder::DeviceEncoder(std::shared_ptr<DeviceRoom> room, std::vector<Encoder::Outgoing> messages, NumberType type, const Shape& global, std::size_t planes_at)
    : room_(std::move(room)), type_(type), planes_end_(planes_at) {
  std::stable_sort(messages.begin(), messages.end(), [](const Encoder::Outgoing& a, const Encoder::Outgoing& b) { return a.chunk < b.chunk; });
  std::vector<Chunk> chunks;
  for (Encoder::Outgoing& m : messages) {
    values_ += m.form->values();
    if (chunks.empty() || chunks.back().number != m.chunk) chunks.push_back({.number = m.chunk});
    chunks.back().messages.push_back(std::move(m));
  }
  std::size_t tries = 0;
  for (Chunk& chunk : chunks) {
    std::size_t end = planes_at;
    std::vector<Box> boxes;
    for (const Encoder::Outgoing& m : chunk.messages)
      for (const Box& box : m.form->boxes()) boxes.push_back(box);
    const std::vector<Patch> patches = in_planes(boxes, type.element_bytes(), end);
    patches_.insert(patches_.end(), patches.begin(), patches.end());
    planes_end_ = std::max(planes_end_, end);
    add_chunk(std::move(chunk), patches, global);
    room_->need(Seen(chunks_.back(), nullptr).bytes);
    tries += DeviceMessages::tries_of_a_group * static_cast<std::size_t>(chunks_.back().tables->groups());
  }
  room_->need(tries * sizeof(GroupTry));
}

void DeviceEncoder::add_chunk(Chunk chunk, std::span<const Patch> patches, const Shape& global) {
  std::vector<const MessageForm*> forms;
  std::vector<std::byte*> memory;
  std::vector<Index> room;
  for (const Encoder::Outgoing& m : chunk.messages) {
    forms.push_back(m.form.get());
    memory.push_back(m.memory);
    room.push_back(m.form->capacity());
  }
  Queue& queue = room_->queue();
  chunk.tables = std::make_unique<DeviceMessages>(room_->device(), queue, forms, patches, global);
  chunk.runs = chunk.tables->place(queue, memory, room);
  const auto groups = static_cast<std::size_t>(chunk.tables->groups());
  const auto divide = [&](std::byte* start) {
    Parts parts(start);
    chunk.tries = parts.take<GroupTry>(DeviceMessages::tries_of_a_group * groups);
    chunk.made = parts.take<GroupMade>(groups);
    chunk.sizes = parts.take<std::uint64_t>(forms.size());
    return parts.used();
  };
  chunk.memory = {room_->device(), divide(nullptr), "tables of encoded messages"};
  (void)divide(chunk.memory.data());
  chunks_.push_back(std::move(chunk));
}

std::size_t DeviceEncoder::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const Chunk& chunk : chunks_) bytes = std::max(bytes, chunk.tables->scratch_bytes());
  return bytes;
}

void DeviceEncoder::begin(const Terms& terms) {
  terms_ = terms;
  bytes_ = 0;
  lost2_ = 0;
  auto* tries = reinterpret_cast<GroupTry*>(room_->lend());
  for (const Chunk& chunk : chunks_) {
    const std::span<GroupTry> own(tries, DeviceMessages::tries_of_a_group * static_cast<std::size_t>(chunk.tables->groups()));
    chunk.tables->set_tries(terms, own);
    room_->queue().copy(chunk.tries, own.data(), own.size_bytes());
    tries += own.size();
  }
  room_->leave();
}

void DeviceEncoder::seal(int number, const Said& said) {
  const auto chunk = std::find_if(chunks_.begin(), chunks_.end(), [&](const Chunk& c) { return c.number == number; });
  if (chunk == chunks_.end()) return;
  encode(*chunk);
  const Seen seen(*chunk, room_->lend());
  take_back(*chunk, seen);
  write_heads(*chunk, seen, said);
}

// Indexes that are shorter than they could be leave bytes behind, which are zero as in messages of the host: checksums are of them, too.
void DeviceEncoder::encode(const Chunk& chunk) {
  Queue& queue = room_->queue();
  for (const Encoder::Outgoing& m : chunk.messages) queue.zero(m.memory, static_cast<std::size_t>(m.form->payload_at()));
  DeviceMessages::Run run{.rounding = terms_.rounding, .seed = terms_.seed, .messages = chunk.runs.data(), .scratch = scratch_};
  run.bases.start[static_cast<int>(MoveBase::work)] = planes_;
  chunk.tables->encode(queue, run, {.tries = DeviceMessages::tries_of_a_group, .attempt = chunk.tries, .made = chunk.made, .run_bytes = chunk.sizes});
}

void DeviceEncoder::take_back(const Chunk& chunk, const Seen& seen) {
  Queue& queue = room_->queue();
  queue.copy(seen.made, chunk.made, static_cast<std::size_t>(chunk.tables->groups()) * sizeof(GroupMade));
  queue.copy(seen.sizes, chunk.sizes, chunk.messages.size() * sizeof(std::uint64_t));
  room_->finish();
  for (std::size_t m = 0; m < chunk.messages.size(); ++m) queue.copy(seen.messages[m], chunk.messages[m].memory, seen.sizes[m]);
  room_->finish();
}

void DeviceEncoder::write_heads(const Chunk& chunk, const Seen& seen, const Said& said) {
  for (std::size_t m = 0; m < chunk.messages.size(); ++m) {
    const Encoder::Outgoing& message = chunk.messages[m];
    const auto first = static_cast<std::size_t>(chunk.tables->first_groups()[m]);
    const std::span<const GroupMade> made(seen.made + first, message.form->groups().size());
    for (const GroupMade& group : made) lost2_ += group.format == BlockFormat::lossless ? 0 : group.lost2;
    const auto bytes = static_cast<Index>(seen.sizes[m]);
    seal_message(seen.messages[m], *message.form, made, terms_.rounding, terms_.seed, bytes);
    room_->queue().copy(message.memory, seen.messages[m], sizeof(MessageHeader) + made.size() * sizeof(GroupEntry));
    bytes_ += bytes;
    said(message.number, bytes);
  }
  room_->leave();
}

}  // namespace shardfft
