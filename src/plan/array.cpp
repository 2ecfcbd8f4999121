#include <cstring>

#include "shardfft/view.hpp"
#include "support/buffer.hpp"

namespace shardfft {

Array::Array(std::size_t bytes) : data_(allocate(bytes, "an array"), FreeMemory()), bytes_(bytes) { std::memset(data_.get(), 0, bytes); }

}  // namespace shardfft
