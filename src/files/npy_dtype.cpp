#include <bit>

#include <fmt/format.h>

#include "files/npy.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

constexpr bool little = std::endian::native == std::endian::little;

bool known(char kind, int size) {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8;
    case 'c':
      return size == 8 || size == 16;
    default:
      return false;
  }
}

[[noreturn]] void refuse(std::string_view descr) {
  const bool longdouble =
      descr.find("f16") != descr.npos || descr.find("c32") != descr.npos || descr.find("f12") != descr.npos;
  throw Error(Status::unsupported,
              fmt::format("elements must be bool, integers, float16/32/64 or complex64/128; got dtype '{}'; {}", descr,
                          longdouble ? "store the array with astype('f8') or astype('c16')"
                                     : "store the numbers as a plain array, for example with astype('f8')"));
}

int parse_size(std::string_view digits, std::string_view descr) {
  if (digits.empty() || digits.size() > 3) refuse(descr);
  int size = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') refuse(descr);
    size = size * 10 + (c - '0');
  }
  return size;
}

}  // namespace

Dtype parse_dtype(std::string_view descr) {
  if (descr.size() < 2) refuse(descr);
  const bool has_order = std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  const std::string_view rest = has_order ? descr.substr(1) : descr;
  Dtype dtype{rest[0], parse_size(rest.substr(1), descr), false};
  if (!known(dtype.kind, dtype.size)) refuse(descr);
  dtype.swapped = has_order && dtype.size > 1 && descr[0] == (little ? '>' : '<');
  return dtype;
}

std::string to_string(const Dtype& dtype) {
  const char* other = little ? " (big-endian)" : " (little-endian)";
  const std::string word = dtype.kind == 'i'   ? "int"
                           : dtype.kind == 'u' ? "uint"
                           : dtype.kind == 'f' ? "float"
                                               : "complex";
  return dtype.kind == 'b' ? "bool" : fmt::format("{}{}{}", word, 8 * dtype.size, dtype.swapped ? other : "");
}

Dtype plan_dtype(Precision precision, bool complex) {
  const int scalar = precision == Precision::f32 ? 4 : 8;
  return {complex ? 'c' : 'f', complex ? 2 * scalar : scalar, false};
}

}  // namespace shardfft::files
