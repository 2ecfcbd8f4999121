#include <cstring>

#include "shardfft/view.hpp"
#include "support/memory/buffer.hpp"

namespace shardfft {

std::string_view name(Space space) {
  constexpr std::string_view names[] = {"unknown", "host", "cuda", "hip", "emulated", "sycl"};
  return names[static_cast<int>(space)];
}

Array::Array(std::size_t bytes) : data_(allocate(bytes, "an array"), FreeMemory()), bytes_(bytes) {
  std::memset(data_.get(), 0, bytes);
}

}  // namespace shardfft
