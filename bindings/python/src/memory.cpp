// Memory of Python's arrays.
#include "memory.hpp"

namespace shardfft::python {
namespace {

// How `__array_struct__` begins (NumPy's array interface protocol, access from C).
struct ArrayStruct {
  int two, dims;
  char kind;
  int item_bytes, flags;
  Py_intptr_t *shape, *strides;
  void* data;
};

std::string words_of(nb::handle given) {
  const std::string type = nb::type_name(given.type()).c_str();
  try {
    if (!nb::hasattr(given, "dtype")) return type;
    return type + " of dtype " + nb::str(nb::object(given.attr("dtype"))).c_str();
  } catch (const nb::python_error&) { return type; }  // the call says what is wrong on all ranks
}

}  // namespace

FirstElement first_element_of(nb::handle array) {
  constexpr int aligned = 0x100;  // NPY_ARRAY_ALIGNED
  static PyObject* const name = PyUnicode_InternFromString("__array_struct__");
  const nb::object capsule = nb::steal(PyObject_GetAttr(array.ptr(), name));
  if (!capsule.is_valid()) throw nb::python_error();
  const auto* told = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (told == nullptr) throw nb::python_error();
  return {static_cast<std::byte*>(told->data), (told->flags & aligned) != 0};
}

std::string fault_of(nb::handle given, bool written) {
  PyErr_Clear();  // of the attempt to read it
  std::string got = words_of(given);
  if (written && nb::ndarray_check(given)) got += ", which may not be written to";
  return "memory is an array of NumPy with numbers in the machine's byte order, or one of any library that knows "
         "DLPack; got " +
         got + "; convert it, or take one of make_input() or make_output()";
}

// Whole numbers have the size of floating-point ones, so nothing else would tell. Single bytes are memory of any type.
std::string fault_of_type(nb::handle given, nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const bool is_floating =
      type.code == static_cast<std::uint8_t>(Code::Float) || type.code == static_cast<std::uint8_t>(Code::Complex);
  const bool is_byte = type.code == static_cast<std::uint8_t>(Code::UInt) && type.bits == 8;
  if (is_floating || is_byte) return {};
  return "memory holds floating-point numbers; got " + words_of(given) +
         "; convert it, or take one of make_input() or make_output()";
}

nb::object memory_of(Array array) {
  auto* kept = new Array(std::move(array));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array*>(p); });
  const std::size_t shape[1] = {kept->bytes()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(kept->data(), 1, shape, owner), nb::rv_policy::reference);
}

}  // namespace shardfft::python
