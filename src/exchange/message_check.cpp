#include "exchange/message_check.hpp"

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {

void damaged_message(int peer, const std::string& how) {
  throw Error(Status::transport_failed, fmt::format("an encoded message is what its sender made; that of rank {} {}; "
                                                    "it was damaged on its way, or the ranks run different builds",
                                                    peer, how));
}

void damaged_payload(int peer) { damaged_message(peer, "has another checksum than one of its groups"); }

namespace {

void check_head(const std::byte* message, const MessageForm& form, int peer, Index received) {
  if (received < form.payload_at())
    damaged_message(peer, fmt::format("has {} bytes and its head alone needs {}", received, form.payload_at()));
  const auto header = read_as<MessageHeader>(message);
  if (header.magic != message_magic)
    damaged_message(peer, fmt::format("begins with {:#x} instead of {:#x}", header.magic, message_magic));
  if (header.groups != form.groups().size())
    damaged_message(peer, fmt::format("has {} groups instead of {}", header.groups, form.groups().size()));
  const auto bytes = static_cast<Index>(header.bytes);
  if (bytes < form.payload_at() || bytes > received)
    damaged_message(peer, fmt::format("says that it has {} bytes, and {} came", header.bytes, received));
  if (header.checksum != head_checksum(message, form)) damaged_message(peer, "has another checksum than its head");
  if (header.rounding != Rounding::nearest && header.rounding != Rounding::dither)
    damaged_message(peer, "rounds in a way that is not known");
}

// Computes where the payload of each segment begins, from the index of the blocks before it.
void check_group(const std::byte* message, const MessageForm& form, int peer, const MessageForm::BoxGroup& group,
                 const GroupEntry& entry, std::uint64_t bytes, std::span<std::uint32_t> segment_at,
                 Checksums checksums) {
  const Codec* codec = find_codec(entry.codec);
  if (!codec || (codec != &form.codec() && codec != &exact_codec()))
    damaged_message(peer, fmt::format("holds numbers of codec {}, which is not expected", entry.codec));
  const auto payload_at = static_cast<std::uint64_t>(form.payload_at());
  if (entry.at < payload_at || entry.at % 8 != 0 || entry.at > bytes || entry.bytes > bytes - entry.at)
    damaged_message(peer, fmt::format("has a group at byte {} of {} bytes, outside of it", entry.at, entry.bytes));
  if (checksums == Checksums::all && checksum_of({message + entry.at, entry.bytes}) != entry.checksum)
    damaged_payload(peer);
  const std::byte* index = message + group.index_at;
  const Cells cells = form.segments(group);
  std::uint64_t at = 0;
  for (Index s = 0; s < cells.count(); ++s) {
    const Index blocks = form.blocks_of(cells.cell(s));
    if (!segment_at.empty())
      segment_at[static_cast<std::size_t>(group.first_segment + s)] = static_cast<std::uint32_t>(at);
    at += codec->payload_bytes(form.type().scalar, index, static_cast<int>(blocks * form.blocks_in_block(*codec)));
    index += form.index_bytes(*codec, blocks);
    if (at > entry.bytes) damaged_message(peer, "has a group that is shorter than its index says");
  }
}

}  // namespace

void check_message(const std::byte* message, const MessageForm& form, int peer, Index received,
                   std::span<std::uint32_t> segment_at, Checksums checksums) {
  check_head(message, form, peer, received);
  const auto bytes = read_as<MessageHeader>(message).bytes;
  const auto& groups = form.groups();
  for (std::size_t g = 0; g < groups.size(); ++g)
    check_group(message, form, peer, groups[g], entry_of(message, g), bytes, segment_at, checksums);
}

}  // namespace shardfft
