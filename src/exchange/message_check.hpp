// What arrives is believed only once it was looked at: the heads and checksums of encoded messages, in memory of the
// host.
#pragma once

#include <cstring>
#include <string>

#include "exchange/message_form.hpp"

namespace shardfft {

/// Throws Error(transport_failed): the encoded message of rank `peer` was damaged, and how: "has another checksum than
/// its head".
[[noreturn]] void damaged_message(int peer, const std::string& how);
[[noreturn]] void damaged_payload(int peer);  ///< that a payload is not that of its checksum

/// What any bytes say, however they are aligned.
template <class Struct>
[[nodiscard]] Struct read_as(const std::byte* from) {
  Struct value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
[[nodiscard]] inline GroupEntry entry_of(const std::byte* message, std::size_t group) {
  return read_as<GroupEntry>(message + sizeof(MessageHeader) + group * sizeof(GroupEntry));
}

enum class Checksums : std::uint8_t { all, of_head };  ///< of_head: payloads are not there

/// Head, places of groups, checksums and indexes of a message of which `received` bytes came. `segment_at`:
/// form.segment_count() numbers, or none: where the payload of each segment begins, in bytes from where that of its
/// group does. Throws Error(transport_failed) when the message is not what its sender made.
void check_message(const std::byte* message, const MessageForm& form, int peer, Index received,
                   std::span<std::uint32_t> segment_at, Checksums checksums = Checksums::all);

}  // namespace shardfft
