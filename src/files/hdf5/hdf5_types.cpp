#include "files/hdf5/hdf5_types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

constexpr H5T_order_t native_order = std::endian::native == std::endian::little ? H5T_ORDER_LE : H5T_ORDER_BE;
constexpr H5T_order_t other_order = native_order == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;

const char* word_of(H5T_class_t kind) {
  switch (kind) {
    case H5T_INTEGER:
      return "integers of more than 64 bits";
    case H5T_FLOAT:
      return "floats that float64 does not hold";
    case H5T_TIME:
      return "times";
    case H5T_STRING:
      return "texts";
    case H5T_OPAQUE:
      return "opaque bytes";
    case H5T_COMPOUND:
      return "other compounds";
    case H5T_REFERENCE:
      return "references";
    case H5T_ENUM:
      return "an enumeration of more than 64 bits";
    case H5T_VLEN:
      return "lists of any length";
    case H5T_ARRAY:
      return "an array in each element";
    case H5T_BITFIELD:
      return "fields of more than 64 bits";
    default:
      return "others";
  }
}

[[noreturn]] void refuse(H5T_class_t kind) {
  throw Error(Status::unsupported,
              fmt::format("elements must be integers, floats up to float64, enumerations, or compounds {{r, i}} of two "
                          "such floats; got {}; store it with h5py as one of these",
                          word_of(kind)));
}

H5 ordered(hid_t type, H5T_order_t order) {
  H5 copy(H5Tcopy(type), H5Tclose);
  H5Tset_order(copy, order);
  return copy;
}

H5 integer_type(std::size_t size, bool is_signed) {
  H5 type(H5Tcopy(is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8), H5Tclose);
  H5Tset_precision(type, 8 * size);  // and the size with it
  return type;
}

H5 bits_type(std::size_t size) {
  H5 type(H5Tcopy(H5T_NATIVE_B8), H5Tclose);
  H5Tset_precision(type, 8 * size);
  return type;
}

/// binary16, binary32 and binary64 of IEEE 754.
struct Ieee {
  std::size_t size = 0, fraction_bits = 0;
  std::int64_t least = 0, beyond = 0;  ///< exponents of the smallest normal number, and of the first one too large
};
constexpr std::array<Ieee, 3> ieee{{{2, 10, -14, 16}, {4, 23, -126, 128}, {8, 52, -1022, 1024}}};

H5 float_type(std::size_t size) {
  H5 type(H5Tcopy(size == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT), H5Tclose);
  if (size > 2) return type;
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_ebias(type, 15);
  H5Tset_size(type, 2);
  return type;
}

/// Bytes of the narrowest float that holds all values of a type.
std::optional<std::size_t> float_size(hid_t type) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_norm(type) == H5T_NORM_MSBSET ||  // HDF5 does not convert it
      H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) < 0 || exponent_bits > 11)
    return {};
  const auto bias = static_cast<std::int64_t>(H5Tget_ebias(type));
  for (const Ieee& f : ieee)
    if (H5Tget_size(type) <= f.size && fraction_bits <= f.fraction_bits && 1 - bias >= f.least &&
        (std::int64_t{1} << exponent_bits) - bias - 1 <= f.beyond)
      return f.size;
  return {};
}

/// Bytes of the narrowest integer of at least the size of a type.
std::optional<std::size_t> whole_size(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (size > 8 && H5Tget_precision(type) > 64) return {};
  return std::min<std::size_t>(std::bit_ceil(size), 8);
}

/// `memory` gets the order of bytes in the file: HDF5 1.10 swaps whole integers, also those of fewer bits than that.
Hdf5Numbers one_number(hid_t type, char kind, std::size_t size, H5 memory) {
  const bool swapped = H5Tget_order(type) == other_order;
  if (swapped) H5Tset_order(memory, other_order);
  const bool as_stored = H5Tequal(type, memory) > 0;
  return {{kind, static_cast<int>(size), swapped && size > 1}, std::move(memory), as_stored};
}

std::string member_name(hid_t type, unsigned i) {
  char* name = H5Tget_member_name(type, i);
  const std::string text = name ? name : "";
  H5free_memory(name);
  return text;
}

/// The type {FALSE = 0, TRUE = 1} of h5py, of integers of any size.
bool is_bool(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  const H5 base(H5Tget_super(type), H5Tclose);
  for (unsigned i = 0; i < 2; ++i) {
    const std::string name = member_name(type, i);
    std::array<std::byte, 32> value{};
    if ((name != "FALSE" && name != "TRUE") || H5Tget_size(base) > value.size() ||
        H5Tget_member_value(type, i, value.data()) < 0 ||
        H5Tconvert(base, H5T_NATIVE_INT64, 1, value.data(), nullptr, H5P_DEFAULT) < 0 ||
        std::bit_cast<std::array<std::int64_t, 4>>(value)[0] != (name == "TRUE" ? 1 : 0))
      return false;
  }
  return true;
}

Hdf5Numbers whole_numbers(hid_t type) {
  const auto size = whole_size(type);
  if (!size) refuse(H5T_INTEGER);
  const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
  return one_number(type, is_signed ? 'i' : 'u', *size, integer_type(*size, is_signed));
}

/// HDF5 converts the elements of an enumeration as the integers that they are.
Hdf5Numbers enumerated(hid_t type) {
  const H5 base(H5Tget_super(type), H5Tclose);
  if (!whole_size(base)) refuse(H5T_ENUM);
  if (!is_bool(type)) return whole_numbers(base);
  return one_number(base, 'b', 1,
                    integer_type(1, H5Tget_sign(base) != H5T_SGN_NONE));  // too large ones do not become 0
}

H5 complex_type(hid_t real, const std::string& re, const std::string& im) {
  H5 type(H5Tcreate(H5T_COMPOUND, 2 * H5Tget_size(real)), H5Tclose);
  H5Tinsert(type, re.c_str(), 0, real);
  H5Tinsert(type, im.c_str(), H5Tget_size(real), real);
  return type;
}

struct Names {
  const char *re, *im;
};
constexpr Names names_of_parts[] = {{"r", "i"}, {"re", "im"}, {"real", "imag"}, {"real", "imaginary"}};

/// Two floats in any order and places, found by their names.
Hdf5Numbers complex_numbers(hid_t type) {
  if (H5Tget_nmembers(type) == 2)
    for (const Names& names : names_of_parts) {
      const int re = H5Tget_member_index(type, names.re), im = H5Tget_member_index(type, names.im);
      if (re < 0 || im < 0) continue;
      const H5 real(H5Tget_member_type(type, static_cast<unsigned>(re)), H5Tclose),
          imaginary(H5Tget_member_type(type, static_cast<unsigned>(im)), H5Tclose);
      const auto a = float_size(real), b = float_size(imaginary);
      if (!a || !b) continue;
      const std::size_t half = std::max({*a, *b, std::size_t{4}});
      const H5 scalar = float_type(half);
      H5 memory = complex_type(scalar, names.re, names.im),
         other = complex_type(ordered(scalar, other_order), names.re, names.im);
      const bool swapped = H5Tequal(type, other) > 0, as_stored = swapped || H5Tequal(type, memory) > 0;
      return {{'c', static_cast<int>(2 * half), swapped}, std::move(swapped ? other : memory), as_stored};
    }
  refuse(H5T_COMPOUND);
}

}  // namespace

Hdf5Numbers numbers_of(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) return whole_numbers(type);
  if (kind == H5T_ENUM) return enumerated(type);
  if (kind == H5T_COMPOUND) return complex_numbers(type);
  const auto size = kind == H5T_FLOAT ? float_size(type) : kind == H5T_BITFIELD ? whole_size(type) : std::nullopt;
  if (!size) refuse(kind);
  return kind == H5T_FLOAT ? one_number(type, 'f', *size, float_type(*size))
                           : one_number(type, 'u', *size, bits_type(*size));
}

H5 type_for(const Dtype& dtype) {
  const bool complex = dtype.kind == 'c';
  H5 real = float_type(static_cast<std::size_t>(complex ? dtype.size / 2 : dtype.size));
  return complex ? complex_type(real, "r", "i") : std::move(real);
}

}  // namespace shardfft::files
