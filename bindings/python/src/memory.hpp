// Memory of Python's arrays.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "module.hpp"

namespace shardfft::python {

using ReadArray = nb::ndarray<nb::ro>;
using WrittenArray = nb::ndarray<>;

/// Memory from the first to the last element; strides may leave gaps.
template <class Array>
[[nodiscard]] View view_of(const Array& array) {
  if (array.size() == 0) return {};
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    if (array.stride(axis) < 0)
      throw Error(Status::invalid_argument,
                  "strides of an array are not negative; got one along axis " + std::to_string(axis) + "; copy it");
    last += (array.shape(axis) - 1) * static_cast<std::size_t>(array.stride(axis));
  }
  View view(array.data(), (last + 1) * array.itemsize());
  const nb::dlpack::dtype type = array.dtype();
  const bool complex = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex);
  if (complex || type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)) {
    view.scalar = static_cast<std::size_t>(type.bits) / 8 / (complex ? 2 : 1);
    view.complex = complex;
  }
  view.space = array.device_type() == nb::device::cuda::value     ? Space::cuda
               : array.device_type() == nb::device::rocm::value   ? Space::hip
               : array.device_type() == nb::device::oneapi::value ? Space::sycl
                                                                  : Space::host;
  if (view.space != Space::host) view.device = array.device_id();
  return view;
}

/// A view without a type, for calls that only move elements.
[[nodiscard]] inline View plain(View view) {
  view.scalar = 0;
  return view;
}

/// Why it is no array to read, or to write.
[[nodiscard]] std::string fault_of(nb::handle given, bool written);
/// Why it is none to compute with; empty where it is one.
[[nodiscard]] std::string fault_of_type(nb::handle given, nb::dlpack::dtype type);

/// What a call reads or writes, as Python gave it. What is no memory for it is an error of the call, on all ranks: on
/// one of them alone, the others would wait.
template <class Array>
class Given {
 public:
  explicit Given(nb::handle given) {
    if (!nb::try_cast(given, array_))
      fault_ = fault_of(given, std::is_same_v<Array, WrittenArray>);
    else
      look(given);
  }
  /// For calls that only move elements.
  [[nodiscard]] View view() const { return or_fault(fault_); }
  /// For calls that compute.
  [[nodiscard]] View numbers() const { return or_fault(fault_.empty() ? fault_of_type_ : fault_); }

 private:
  [[nodiscard]] View or_fault(const std::string& fault) const {
    return fault.empty() ? view_ : View(fault.c_str(), View::refused);
  }
  void look(nb::handle given) {
    fault_of_type_ = fault_of_type(given, array_.dtype());
    try {
      view_ = view_of(array_);
    } catch (const Error& error) { fault_ = error.what(); }
  }

  Array array_{};
  View view_{};
  std::string fault_{}, fault_of_type_{};
};
using Read = Given<ReadArray>;
using Written = Given<WrittenArray>;

struct FirstElement {
  std::byte* address = nullptr;
  bool is_aligned = false;  ///< as NumPy says of the whole array
};
/// The first element of a NumPy array. This is the quickest way: `__array_interface__` takes ten times as long.
[[nodiscard]] FirstElement first_element_of(nb::handle array);

/// Bytes that plans make, as an array of NumPy that keeps them.
[[nodiscard]] nb::object memory_of(Array array);

}  // namespace shardfft::python
