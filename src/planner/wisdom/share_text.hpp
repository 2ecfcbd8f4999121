// A text of one rank for all.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective: the text of rank 0.
[[nodiscard]] inline std::string text_of_first(const Comm& comm, std::string text) {
  std::uint64_t size = text.size();
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  if (size > 0) comm.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

}  // namespace shardfft
