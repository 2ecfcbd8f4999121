// Arrays of other libraries (CuPy, PyTorch, JAX, NumPy), as DLPack describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "shardfft/error.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

/// A view of a tensor without gaps in C order. `T` has the fields of DLPack's DLTensor (dlpack.h is not needed here):
/// data, device.device_type, device.device_id, ndim, dtype.code, dtype.bits, dtype.lanes, shape, strides, byte_offset.
/// Takes float32, float64, complex64 and complex128 on the host (kDLCPU, kDLCUDAHost, kDLROCMHost), on CUDA, ROCm and
/// oneAPI devices. Throws Error(invalid_argument, unsupported) on this rank alone: several ranks call it within
/// collectively(). The tensor keeps owning its memory.
template <class T>
[[nodiscard]] View view_of(const T& tensor) {
  enum { cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, rocm_host = 11, one_api = 14 };  // as in DLPack's specification
  enum { floating = 2, complex = 5 };
  const int code = static_cast<int>(tensor.dtype.code), bits = static_cast<int>(tensor.dtype.bits),
            where = static_cast<int>(tensor.device.device_type);
  const bool known = tensor.dtype.lanes == 1 && ((code == floating && (bits == 32 || bits == 64)) ||
                                                 (code == complex && (bits == 64 || bits == 128)));
  if (!known)
    throw Error(Status::invalid_argument,
                "a tensor holds float32, float64, complex64 or complex128; got DLPack's type code " +
                    std::to_string(code) + " with " + std::to_string(bits) + " bits in " +
                    std::to_string(tensor.dtype.lanes) + " lanes; convert it first");
  std::int64_t elements = 1, expected = 1;
  for (int a = 0; a < tensor.ndim; ++a) {
    const std::int64_t extent = tensor.shape[a], most = std::int64_t{1} << 58;
    if (extent < 0 || (extent > 0 && elements > most / extent))
      throw Error(Status::invalid_argument,
                  "a tensor has extents of 0 or more, and at most 2^58 elements; got extent " + std::to_string(extent) +
                      " along axis " + std::to_string(a) + "; give the tensor's own shape");
    elements *= extent;
  }
  for (int a = tensor.ndim - 1; tensor.strides && elements > 0 && a >= 0; --a) {
    if (tensor.shape[a] != 1 && tensor.strides[a] != expected)
      throw Error(Status::invalid_argument, "a tensor is in C order without gaps; got stride " +
                                                std::to_string(tensor.strides[a]) + " along axis " + std::to_string(a) +
                                                " instead of " + std::to_string(expected) +
                                                "; copy it, or say how it lies with options.input_memory");
    expected *= tensor.shape[a];
  }
  const auto* start = static_cast<const std::byte*>(tensor.data);
  View view(start ? start + tensor.byte_offset : nullptr,  // of a tensor without memory the offset means nothing
            static_cast<std::size_t>(elements) * static_cast<std::size_t>(bits / 8));
  view.scalar = static_cast<std::size_t>(code == complex ? bits / 16 : bits / 8);
  view.complex = code == complex;
  view.device = static_cast<int>(tensor.device.device_id);
  if (where == cpu || where == cuda_host || where == rocm_host)
    view.space = Space::host;
  else if (where == cuda || where == rocm || where == one_api)
    view.space = where == cuda ? Space::cuda : where == rocm ? Space::hip : Space::sycl;
  else
    throw Error(Status::unsupported,
                "a tensor is on the host, a CUDA, a ROCm or a oneAPI device; got DLPack's device type " +
                    std::to_string(where) + "; copy it to one of these");
  return view;
}

}  // namespace shardfft
