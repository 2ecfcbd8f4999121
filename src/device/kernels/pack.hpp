// A few scalars that are read and written at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "shardfft/error.hpp"
#include "support/hd.hpp"

namespace shardfft {

/// `count` scalars, one access of 4, 8 or 16 bytes; addresses are multiples of that: a GPU fails otherwise, and so does
/// the host.
template <class T, int count>
struct alignas(sizeof(T) * count) Pack {
  T of[count];

  // A compiler for GPUs makes one instruction of the copy of an aligned struct; on the host memory may hold what other
  // types wrote.
  static SHARDFFT_HD Pack load(const std::byte* from) {
#if SHARDFFT_ON_DEVICE
    return *reinterpret_cast<const Pack*>(from);
#else
    check(from);
    Pack pack;
    std::memcpy(&pack, from, sizeof pack);
    return pack;
#endif
  }
  SHARDFFT_HD void store(std::byte* to) const {
#if SHARDFFT_ON_DEVICE
    *reinterpret_cast<Pack*>(to) = *this;
#else
    check(to);
    std::memcpy(to, this, sizeof *this);
#endif
  }
  SHARDFFT_HD void multiply(T factor) {
    SHARDFFT_UNROLL
    for (int i = 0; i < count; ++i) of[i] *= factor;
  }
  /// Negates the scalars with odd numbers, the imaginary parts of complex numbers. The first scalar has number `first`.
  SHARDFFT_HD void negate_odd(int first) {
    SHARDFFT_UNROLL
    for (int i = 0; i < count; ++i)
      if ((first + i) % 2 != 0) of[i] = -of[i];
  }

 private:
  static void check(const std::byte* memory) {
    if (reinterpret_cast<std::uintptr_t>(memory) % sizeof(Pack) != 0)
      throw Error(
          Status::device_failed,
          "a GPU reads and writes at multiples of the bytes that it reads or writes at once; got another address");
  }
};

}  // namespace shardfft
