// The memory of this rank that a channel asks for.
#pragma once

#include <cstdlib>
#include <memory>

#include "transport/transport.hpp"

namespace shardfft {

/// Aligned to 64 bytes.
struct PrivateMemory {
  explicit PrivateMemory(Channel& channel)
      : bytes(static_cast<std::byte*>(
                  std::aligned_alloc(64, static_cast<std::size_t>(channel.private_bytes() / 64 * 64 + 64))),
              std::free) {
    channel.bind(bytes.get());
  }
  std::unique_ptr<std::byte, decltype(&std::free)> bytes;
};

}  // namespace shardfft
