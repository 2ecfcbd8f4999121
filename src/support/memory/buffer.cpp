#include "support/memory/buffer.hpp"

#include <sys/mman.h>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

constexpr std::size_t page = 4096, huge_page = std::size_t{1} << 21;

}  // namespace

std::byte* allocate(std::size_t bytes, const char* purpose) {
  const std::size_t unit = bytes >= 2 * huge_page ? huge_page : page;
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  void* memory = rounded >= bytes ? std::aligned_alloc(unit, rounded == 0 ? unit : rounded) : nullptr;
  if (!memory)
    throw Error(
        Status::out_of_memory,
        fmt::format("{}: {} bytes are needed and the system has no such block; use more ranks or a smaller shape",
                    purpose, bytes));
  if (unit == huge_page)
    madvise(memory, rounded, MADV_HUGEPAGE);  // advice only: without huge pages it is a few percent slower
  return static_cast<std::byte*>(memory);
}

}  // namespace shardfft
