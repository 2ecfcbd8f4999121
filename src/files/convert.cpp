#include "files/convert.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

/// IEEE 754 binary16, which C++20 has no type for.
struct Half {
  std::uint16_t bits;
};

float widen(Half h) {
  const std::uint32_t sign = std::uint32_t{h.bits} >> 15 << 31, exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
  if (exponent == 0)
    return std::copysign(static_cast<float>(fraction) * 0x1p-24F, std::bit_cast<float>(sign | 0x3f800000U));
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}
/// NumPy's bool: every byte but 0 is true.
struct Bool {
  std::uint8_t bits;
};
float widen(Bool b) { return b.bits != 0 ? 1 : 0; }

template <class T>
T widen(T x) {
  return x;
}

template <class T>
T load(const std::byte* raw, bool swapped) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), raw, sizeof(T));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class From, class To, bool from_complex, bool to_complex, bool swapped>
void convert(const std::byte* raw, std::byte* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    if constexpr (to_complex) {
      std::array<To, 2> z{static_cast<To>(widen(load<From>(raw, swapped))), To{0}};
      if constexpr (from_complex) z[1] = static_cast<To>(load<From>(raw + sizeof(From), swapped));
      std::memcpy(out + i * Index{sizeof z}, z.data(), sizeof z);
    } else {
      const To x = static_cast<To>(widen(load<From>(raw, swapped)));
      std::memcpy(out + i * Index{sizeof x}, &x, sizeof x);
    }
    raw += from_complex ? 2 * sizeof(From) : sizeof(From);
  }
}

template <class From, bool from_complex = false>
Converter choose(bool swapped, Precision precision, bool to_complex) {
  const bool f32 = precision == Precision::f32;
  if (to_complex && swapped)
    return f32 ? convert<From, float, from_complex, true, true> : convert<From, double, from_complex, true, true>;
  if (to_complex)
    return f32 ? convert<From, float, from_complex, true, false> : convert<From, double, from_complex, true, false>;
  if constexpr (!from_complex) {
    if (swapped) return f32 ? convert<From, float, false, false, true> : convert<From, double, false, false, true>;
    return f32 ? convert<From, float, false, false, false> : convert<From, double, false, false, false>;
  }
  throw Error(
      Status::invalid_argument,
      "a real transform needs real elements; got complex ones; use --kind c2c, or store one part with numpy.real");
}

struct Entry {
  char kind;
  int size;
  Converter (*choose)(bool swapped, Precision precision, bool to_complex);
};
constexpr Entry entries[] = {
    {'b', 1, choose<Bool>},          {'u', 1, choose<std::uint8_t>},  {'u', 2, choose<std::uint16_t>},
    {'u', 4, choose<std::uint32_t>}, {'u', 8, choose<std::uint64_t>}, {'i', 1, choose<std::int8_t>},
    {'i', 2, choose<std::int16_t>},  {'i', 4, choose<std::int32_t>},  {'i', 8, choose<std::int64_t>},
    {'f', 2, choose<Half>},          {'f', 4, choose<float>},         {'f', 8, choose<double>},
    {'c', 8, choose<float, true>},   {'c', 16, choose<double, true>},
};

}  // namespace

Converter find_converter(const Dtype& from, Precision precision, bool to_complex) {
  for (const Entry& e : entries) {
    if (e.kind == from.kind && e.size == from.size) return e.choose(from.swapped, precision, to_complex);
  }
  throw Error(Status::unsupported,
              fmt::format("elements must be numbers; got kind '{}' of {} bytes", from.kind, from.size));
}

}  // namespace shardfft::files
