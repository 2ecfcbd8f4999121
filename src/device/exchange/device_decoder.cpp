#include "device/exchange/device_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "exchange/message_check.hpp"

namespace shardfft {

// In pinned memory: what the host sees of what came in a chunk.
struct DeviceDecoder::PinnedIncoming {
  PinnedIncoming(const IncomingChunk& chunk, std::byte* start) {
    Parts parts(start);
    made = parts.take<GroupMade>(static_cast<std::size_t>(chunk.tables().groups()));
    for (const Decoder::Incoming& m : chunk.messages)
      heads.push_back(parts.take<std::byte>(static_cast<std::size_t>(m.form->payload_at())));
    bytes = parts.used();
  }
  GroupMade* made = nullptr;
  std::vector<std::byte*> heads{};
  std::size_t bytes = 0;
};

// In pinned memory: what the device says of the messages and groups of all chunks.
struct DeviceDecoder::Told {
  Told(const DeviceDecoder& decoder, std::byte* start) {
    Parts parts(start);
    damaged_groups = parts.take<std::uint32_t>(decoder.peers_.size());
    sums = parts.take<std::uint64_t>(decoder.expected_.size());
    bytes = parts.used();
  }
  std::uint32_t* damaged_groups = nullptr;
  std::uint64_t* sums = nullptr;
  std::size_t bytes = 0;
};

DeviceDecoder::DeviceDecoder(std::shared_ptr<DeviceStaging> staging, std::vector<Decoder::Incoming> messages,
                             const Shape& global, std::size_t planes_at)
    : staging_(std::move(staging)), planes_end_(planes_at) {
  for (std::vector<Decoder::Incoming>& of_one : by_chunk(std::move(messages))) {
    const IncomingChunk& chunk = chunks_.emplace_back(*staging_, std::move(of_one), global, planes_end_, peers_.size());
    for (const Decoder::Incoming& m : chunk.messages) {
      first_groups_.push_back(first_groups_.back() + m.form->groups().size());
      peers_.push_back(m.peer);
    }
    patches_.insert(patches_.end(), chunk.patches().begin(), chunk.patches().end());
    planes_end_ = chunk.planes_end();
    staging_->need(PinnedIncoming(chunk, nullptr).bytes);
  }
  expected_.resize(first_groups_.back());
  told_ = {staging_->device(), Told(*this, nullptr).bytes, "whether messages were damaged", MemoryKind::pinned};
  std::memset(told_.data(), 0, told_.bytes());
}

// What arrived is read only.
static std::vector<PlacedMessage> placed(const std::vector<Decoder::Incoming>& messages) {
  std::vector<PlacedMessage> all;
  for (const Decoder::Incoming& m : messages) all.push_back({m.form.get(), const_cast<std::byte*>(m.memory)});
  return all;
}

DeviceDecoder::IncomingChunk::IncomingChunk(const DeviceStaging& staging, std::vector<Decoder::Incoming> all,
                                            const Shape& global, std::size_t planes_at, std::size_t first)
    : DeviceChunk(staging, placed(all), global, planes_at), messages(std::move(all)), first_message(first) {
  memory = memory_for_parts(staging.device(), "tables of encoded messages", [this](Parts& parts) {
    made = parts.take<GroupMade>(static_cast<std::size_t>(tables().groups()));
    sums = parts.take<std::uint64_t>(static_cast<std::size_t>(tables().groups()));
    damaged = parts.take<std::uint8_t>(static_cast<std::size_t>(tables().groups()));
    damaged_groups = parts.take<std::uint32_t>(messages.size());
  });
}

void DeviceDecoder::open(int number, const Received& received) {
  IncomingChunk* chunk = chunk_of(chunks_, number);
  if (!chunk) return;
  const PinnedIncoming seen(*chunk, staging_->lend());
  for (std::size_t m = 0; m < chunk->messages.size(); ++m) {
    const Decoder::Incoming& message = chunk->messages[m];
    const Index bytes = std::min(received(message.number), message.form->payload_at());
    if (bytes > 0) staging_->queue().copy(seen.heads[m], message.memory, static_cast<std::size_t>(bytes));
  }
  staging_->finish();
  chunk->header = check(*chunk, seen, received);
  look(*chunk, seen);
}

// What all messages of a run say alike.
MessageHeader DeviceDecoder::check(const IncomingChunk& chunk, const PinnedIncoming& seen, const Received& received) {
  MessageHeader first;
  GroupMade* made = seen.made;
  for (std::size_t m = 0; m < chunk.messages.size(); ++m) {
    const Decoder::Incoming& message = chunk.messages[m];
    const std::size_t groups = message.form->groups().size();
    check_message(seen.heads[m], *message.form, message.peer,
                  std::min(received(message.number), message.form->capacity()), {}, Checksums::of_head);
    const std::span expected(expected_.data() + first_groups_[chunk.first_message + m], groups);
    if (!groups_of_message(seen.heads[m], *message.form, {made, groups}, expected))
      damaged_message(message.peer, "holds numbers of a codec that devices do not know, or more than were sent");
    made += groups;
    const auto header = read_as<MessageHeader>(seen.heads[m]);
    if (m == 0) first = header;
    if (header.rounding != first.rounding || header.seed != first.seed)
      damaged_message(message.peer, "is of another run than others");
  }
  return first;
}

void DeviceDecoder::look(IncomingChunk& chunk, const PinnedIncoming& seen) {
  Queue& queue = staging_->queue();
  queue.copy(chunk.made, seen.made, static_cast<std::size_t>(chunk.tables().groups()) * sizeof(GroupMade));
  DecodeBlocks task = chunk.task();
  task.step = DecodeStep::check;
  const MessagesRun run = chunk.run(chunk.header.rounding, chunk.header.seed, planes_);
  chunk.tables().decode(queue, run, task);
  chunk.tables().sum(queue, run, chunk.made, chunk.sums);
  const Told told(*this, told_.data());
  queue.copy(told.damaged_groups + chunk.first_message, chunk.damaged_groups,
             chunk.messages.size() * sizeof(std::uint32_t));
  queue.copy(told.sums + first_groups_[chunk.first_message], chunk.sums,
             static_cast<std::size_t>(chunk.tables().groups()) * sizeof(std::uint64_t));
  staging_->leave();
  unchecked_ = chunk.waits = true;
}

/// What messages of some chunks have of a tile.
class DeviceDecoder::DecodedPart final : public DeviceSource::TilePart {
 public:
  DecodedPart(Queue& queue, const std::optional<TileTwiddles>& twiddles) : queue_(queue), twiddles_(twiddles) {}
  void add(IncomingChunk& chunk, DeviceMessages::BlocksOfTile part) { parts_.emplace_back(&chunk, std::move(part)); }
  void fill(const MoveBases& bases) override {
    for (const auto& [chunk, part] : parts_) {
      chunk->waits = false;
      MessagesRun run = chunk->run(chunk->header.rounding, chunk->header.seed, nullptr);
      run.bases = bases;
      DecodeBlocks task = chunk->task();
      task.twiddles = twiddles_;
      chunk->tables().decode(queue_, run, part, task);
    }
  }

 private:
  Queue& queue_;
  std::optional<TileTwiddles> twiddles_;
  std::vector<std::pair<IncomingChunk*, DeviceMessages::BlocksOfTile>> parts_{};
};

std::unique_ptr<DeviceSource::TilePart> DeviceDecoder::part(const Patch& tile,
                                                            const std::optional<TileTwiddles>& twiddles) {
  auto all = std::make_unique<DecodedPart>(staging_->queue(), twiddles);
  for (IncomingChunk& chunk : chunks_) {
    auto part = chunk.tables().part_in(staging_->queue(), tile);
    if (!part) return nullptr;
    if (part->blocks > 0) all->add(chunk, std::move(*part));
  }
  return all;
}

void DeviceDecoder::fill_planes() {
  for (IncomingChunk& chunk : chunks_) {
    if (!std::exchange(chunk.waits, false)) continue;
    DecodeBlocks task = chunk.task();
    task.step = DecodeStep::decode;
    chunk.tables().decode(staging_->queue(), chunk.run(chunk.header.rounding, chunk.header.seed, planes_), task);
  }
}

// What is damaged is told when nothing reads or writes it any more.
void DeviceDecoder::check() {
  if (!unchecked_) return;
  (void)staging_->lend();  // waits for the queue's last use of it, or a later one
  unchecked_ = false;
  const Told told(*this, told_.data());
  for (std::size_t m = 0; m < peers_.size(); ++m) {
    const std::span sums(told.sums + first_groups_[m], told.sums + first_groups_[m + 1]);
    const bool altered = !std::ranges::equal(sums, std::span(expected_).subspan(first_groups_[m], sums.size()));
    if (!altered && told.damaged_groups[m] == 0) continue;
    staging_->queue().finish();
    altered ? damaged_payload(peers_[m]) : damaged_message(peers_[m], "cannot be decoded");
  }
}

}  // namespace shardfft
