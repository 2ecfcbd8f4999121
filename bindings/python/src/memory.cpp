// Memory of Python's arrays.
#include "memory.hpp"

namespace shardfft::python {

nb::object memory_of(Array array) {
  auto* kept = new Array(std::move(array));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array*>(p); });
  const std::size_t shape[1] = {kept->bytes()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(kept->data(), 1, shape, owner), nb::rv_policy::reference);
}

}  // namespace shardfft::python
