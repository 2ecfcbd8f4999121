#include "outside.hpp"

#include <nanobind/ndarray.h>

namespace shardfft::python {

void PythonArray::copy(const Box& box, std::byte* memory) {
  const nb::gil_scoped_acquire held;
  const auto bytes = static_cast<std::size_t>(box.count() * info_.type.size);
  const nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> view(memory, {bytes}, nb::handle());
  std::string trouble;
  try {
    trouble =
        nb::cast<std::string>(copy_(tuple_of(box.lo), tuple_of(box.hi), nb::cast(view, nb::rv_policy::reference)));
  } catch (const nb::python_error& error) { trouble = error.what(); }
  if (!trouble.empty()) throw Error(Status::io_failed, name_ + ": " + trouble);
}

End read_end(const nb::object& given) {
  if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
  const auto all = nb::cast<nb::tuple>(given);
  return std::make_shared<PythonArray>(nb::cast<std::string>(all[0]), nb::cast<Numbers>(all[1]),
                                       nb::cast<std::string>(all[2]), nb::cast<nb::callable>(all[3]),
                                       nb::cast<Index>(all[4]));
}

files::File opened(const Comm& comm, const End& end) {
  if (const auto* path = std::get_if<std::string>(&end)) return files::File::open(comm, *path);
  return {comm, std::get<std::shared_ptr<PythonArray>>(end)};
}
files::File created(const Comm& comm, const End& end, const files::ArrayInfo& info) {
  if (const auto* path = std::get_if<std::string>(&end)) return files::File::create(comm, *path, info);
  return {comm, std::get<std::shared_ptr<PythonArray>>(end)};
}

}  // namespace shardfft::python
