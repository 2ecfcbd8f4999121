#include "device/exchange/device_encoder.hpp"

#include <algorithm>

namespace shardfft {

// In pinned memory: what the device made of a chunk.
struct DeviceEncoder::PinnedOutgoing {
  PinnedOutgoing(const OutgoingChunk& chunk, std::byte* start) {
    Parts parts(start);
    made = parts.take<GroupMade>(static_cast<std::size_t>(chunk.tables().groups()));
    sums = parts.take<std::uint64_t>(static_cast<std::size_t>(chunk.tables().groups()));
    sizes = parts.take<std::uint64_t>(chunk.messages.size());
    for (const Encoder::Outgoing& m : chunk.messages)
      heads.push_back(parts.take<std::byte>(static_cast<std::size_t>(m.form->payload_at())));
    bytes = parts.used();
  }
  GroupMade* made = nullptr;
  std::uint64_t *sums = nullptr, *sizes = nullptr;
  std::vector<std::byte*> heads{};
  std::size_t bytes = 0;
};

namespace {

std::size_t copy_bytes(const Encoder::Outgoing& message) {
  return message.far ? static_cast<std::size_t>(round_up(message.form->capacity(), Index{256})) : 0;
}

// Chunks share the copies, since all is done in the order of one queue.
std::size_t most_copy_bytes(const std::vector<std::vector<Encoder::Outgoing>>& chunks) {
  std::size_t most = 0;
  for (const auto& chunk : chunks) {
    std::size_t bytes = 0;
    for (const Encoder::Outgoing& message : chunk) bytes += copy_bytes(message);
    most = std::max(most, bytes);
  }
  return most;
}

std::vector<PlacedMessage> placed(const std::vector<Encoder::Outgoing>& messages, std::byte* copies) {
  std::vector<PlacedMessage> all;
  for (const Encoder::Outgoing& m : messages) {
    all.push_back({m.form.get(), m.far ? copies : m.memory, m.far ? m.memory : nullptr});
    copies += copy_bytes(m);
  }
  return all;
}

}  // namespace

DeviceEncoder::DeviceEncoder(std::shared_ptr<DeviceStaging> staging, std::vector<Encoder::Outgoing> messages,
                             const Shape& global, std::size_t planes_at, ErrorBudget::Basis basis)
    : staging_(std::move(staging)), planes_end_(planes_at) {
  std::size_t terms = 0;
  auto of_chunks = by_chunk(std::move(messages));
  if (const std::size_t bytes = most_copy_bytes(of_chunks); bytes > 0)
    copies_ = {staging_->device(), bytes, "copies of encoded messages for their checksums"};
  for (std::vector<Encoder::Outgoing>& of_one : of_chunks) {
    auto where = placed(of_one, copies_.data());
    const OutgoingChunk& chunk =
        chunks_.emplace_back(*staging_, std::move(of_one), std::move(where), global, planes_at, basis);
    for (const Encoder::Outgoing& m : chunk.messages) values_ += m.form->values();
    patches_.insert(patches_.end(), chunk.patches().begin(), chunk.patches().end());
    planes_end_ = std::max(planes_end_, chunk.planes_end());
    staging_->need(PinnedOutgoing(chunk, nullptr).bytes);
    terms += chunk.terms_bytes();
  }
  staging_->need(terms);
}

DeviceEncoder::OutgoingChunk::OutgoingChunk(const DeviceStaging& staging, std::vector<Encoder::Outgoing> all,
                                            std::vector<PlacedMessage> where, const Shape& global,
                                            std::size_t planes_at, ErrorBudget::Basis basis)
    : DeviceChunk(staging, where, global, planes_at), messages(std::move(all)), places(std::move(where)) {
  memory = memory_for_parts(staging.device(), "tables of encoded messages", [this](Parts& parts) {
    tries = parts.take<GroupTry>(count_of_tries());
    made = parts.take<GroupMade>(static_cast<std::size_t>(tables().groups()));
    sums = parts.take<std::uint64_t>(static_cast<std::size_t>(tables().groups()));
    sizes = parts.take<std::uint64_t>(messages.size());
  });
  if (basis != ErrorBudget::Basis::given) norms.emplace(norms_of(staging, basis));
}

// A unit is a box of a message: all of it is there at once.
DeviceEncoder::OutgoingChunk::Norms DeviceEncoder::OutgoingChunk::norms_of(const DeviceStaging& staging,
                                                                           ErrorBudget::Basis basis) const {
  std::vector<Box> units;
  std::vector<std::uint32_t> unit_of;
  for (const Encoder::Outgoing& m : messages) {
    const std::vector<Box> boxes = m.form->boxes();
    const std::size_t first = units.size();
    if (basis == ErrorBudget::Basis::own) units.insert(units.end(), boxes.begin(), boxes.end());
    for (const MessageForm::BoxGroup& group : m.form->groups()) {
      const auto box = std::ranges::find_if(boxes, [&](const Box& b) { return b.contains(group.box.lo); });
      if (basis == ErrorBudget::Basis::group) units.push_back(group.box);
      unit_of.push_back(static_cast<std::uint32_t>(basis == ErrorBudget::Basis::group
                                                       ? units.size() - 1
                                                       : first + static_cast<std::size_t>(box - boxes.begin())));
    }
  }
  const auto n = static_cast<Index>(units.size());
  return {.squares = {staging.device(), staging.queue(), tables().type(), units, patches(), {}},
          .shares = {staging.device(), staging.queue(), tables(), std::move(unit_of), n},
          .norm2 = {staging.device(), units.size() * sizeof(double), "norms of encoded groups"}};
}

void DeviceEncoder::OutgoingChunk::begin(Queue& queue, const ErrorBudget& terms, std::byte* pinned) const {
  if (norms) return norms->shares.begin(queue, tables(), terms, pinned);
  const std::span<GroupTry> own(reinterpret_cast<GroupTry*>(pinned), count_of_tries());
  tables().set_tries(terms, own);
  queue.copy(tries, own.data(), own.size_bytes());
}

const GroupTry* DeviceEncoder::OutgoingChunk::set_tries(Queue& queue, const MessagesRun& run) const {
  if (!norms) return tries;
  auto* norm2 = reinterpret_cast<double*>(norms->norm2.data());
  norms->squares.add_up(queue, run.bases, norm2);
  norms->shares.set(queue, norm2);
  return norms->shares.tries();
}

void DeviceEncoder::begin(const ErrorBudget& terms) {
  terms_ = terms;
  bytes_ = 0;
  lost2_ = 0;
  std::byte* pinned = staging_->lend();
  for (const OutgoingChunk& chunk : chunks_) {
    chunk.begin(staging_->queue(), terms, pinned);
    pinned += chunk.terms_bytes();
  }
  staging_->leave();
}

void DeviceEncoder::seal(int number, const Said& said) {
  const OutgoingChunk* chunk = chunk_of(chunks_, number);
  if (!chunk) return;
  encode(*chunk);
  const PinnedOutgoing seen(*chunk, staging_->lend());
  take_back(*chunk, seen);
  write_heads(*chunk, seen, said);
}

// Indexes that are shorter than they could be leave bytes behind, which are zero as in messages of the host: checksums
// are of them, too.
void DeviceEncoder::encode(const OutgoingChunk& chunk) {
  Queue& queue = staging_->queue();
  for (const PlacedMessage& place : chunk.places)
    queue.zero(place.memory, static_cast<std::size_t>(place.form->payload_at()));
  const MessagesRun run = chunk.run(terms_.rounding, terms_.seed, planes_);
  chunk.tables().encode(queue, run,
                        {.tries = DeviceMessages::tries_of_a_group,
                         .attempt = chunk.set_tries(queue, run),
                         .made = chunk.made,
                         .run_bytes = chunk.sizes,
                         .far = copies_.bytes() > 0});
  chunk.tables().sum(queue, run, chunk.made, chunk.sums);
}

void DeviceEncoder::take_back(const OutgoingChunk& chunk, const PinnedOutgoing& seen) {
  Queue& queue = staging_->queue();
  const auto groups = static_cast<std::size_t>(chunk.tables().groups());
  queue.copy(seen.made, chunk.made, groups * sizeof(GroupMade));
  queue.copy(seen.sums, chunk.sums, groups * sizeof(std::uint64_t));
  queue.copy(seen.sizes, chunk.sizes, chunk.messages.size() * sizeof(std::uint64_t));
  for (std::size_t m = 0; m < chunk.messages.size(); ++m)
    queue.copy(seen.heads[m], chunk.places[m].memory, static_cast<std::size_t>(chunk.places[m].form->payload_at()));
  staging_->finish();
}

void DeviceEncoder::write_heads(const OutgoingChunk& chunk, const PinnedOutgoing& seen, const Said& said) {
  for (std::size_t m = 0; m < chunk.messages.size(); ++m) {
    const Encoder::Outgoing& message = chunk.messages[m];
    const auto first = static_cast<std::size_t>(chunk.tables().first_groups()[m]);
    const std::span<const GroupMade> made(seen.made + first, message.form->groups().size());
    for (const GroupMade& group : made) lost2_ += group.format == BlockFormat::lossless ? 0 : group.lost2;
    const auto bytes = static_cast<Index>(seen.sizes[m]);
    seal_message(seen.heads[m], *message.form, made, {seen.sums + first, made.size()}, terms_.rounding, terms_.seed,
                 bytes);
    const std::size_t made_here = sizeof(MessageHeader) + made.size() * sizeof(GroupEntry);
    staging_->queue().copy(message.memory, seen.heads[m],
                           message.far ? static_cast<std::size_t>(message.form->payload_at()) : made_here);
    bytes_ += bytes;
    said(message.number, bytes);
  }
  staging_->leave();
}

}  // namespace shardfft
