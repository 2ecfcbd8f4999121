#include "fuzz/one_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

namespace shardfft::testing {
namespace {

constexpr std::size_t head_bytes = 12;

struct Head {
  Scalar scalar;
  Rounding rounding;
  bool numbers, a_priori;
  int first, count;
  double share, parameter;
};

Head head_of(const Codec& codec, std::span<const std::uint8_t> input) {
  const bool small = codec.block_values() == 64;
  double parameter = 0;
  std::memcpy(&parameter, input.data() + 4, 8);
  return {.scalar = (input[0] & 1) != 0 ? Scalar::f32 : Scalar::f64,
          .rounding = (input[0] & 2) != 0 && codec.dithers() ? Rounding::dither : Rounding::nearest,
          .numbers = (input[0] & 4) != 0,
          .a_priori = (input[0] & 8) == 0,
          .first = input[1] % (small ? 8 : 2),
          .count = 1 + input[2] % (small ? 8 : 2),
          .share = std::ldexp(1.0, -(input[3] % 64)),
          .parameter = parameter};
}

/// Memory of exactly so many bytes, so that a sanitizer sees the first one behind it.
class Exact {
 public:
  explicit Exact(std::size_t bytes) : memory_(allocated(bytes)), bytes_(bytes) {}
  explicit Exact(std::span<const std::uint8_t> from) : Exact(from.size()) {
    if (!from.empty()) std::memcpy(memory_.get(), from.data(), from.size());
  }
  [[nodiscard]] std::byte* get() const { return memory_.get(); }
  [[nodiscard]] std::span<const std::byte> span() const { return {memory_.get(), bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  static std::byte* allocated(std::size_t bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, 64, std::max<std::size_t>(bytes, 1)) != 0) std::abort();
    return static_cast<std::byte*>(memory);
  }

  std::unique_ptr<std::byte, Free> memory_;
  std::size_t bytes_;
};

std::vector<std::uint64_t> keys_of(const Head& head) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(head.first + head.count));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 7 * i;
  return keys;
}

std::string decode_bytes(const Codec& codec, const Head& head, std::span<const std::uint8_t> bytes) {
  const std::size_t index_bytes =
      std::min(bytes.size(), static_cast<std::size_t>((head.first + head.count) * codec.index_bytes()));
  const Exact index(bytes.first(index_bytes)), payload(bytes.subspan(index_bytes));
  const Exact values(size_of(head.scalar) * static_cast<std::size_t>(head.count * codec.block_values()));
  const auto keys = keys_of(head);
  (void)codec.decode(
      index.span(), payload.span(), head.first, head.parameter, head.rounding,
      {.scalar = head.scalar, .count = head.count, .values = values.get(), .keys = keys.data() + head.first});
  return "";
}

long double number_at(const std::byte* values, Scalar scalar, std::size_t i) {
  if (scalar == Scalar::f32) {
    float x = 0;
    std::memcpy(&x, values + 4 * i, 4);
    return x;
  }
  double x = 0;
  std::memcpy(&x, values + 8 * i, 8);
  return x;
}

std::string compare(const Head& head, const Encoded& encoded, const Exact& given, const Exact& decoded, std::size_t n,
                    double unit, double error) {
  long double sum = 0;
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    const long double x = number_at(given.get(), head.scalar, i), y = number_at(decoded.get(), head.scalar, i);
    finite = finite && std::isfinite(x);
    if (std::isfinite(x))
      sum += (y - x) * (y - x);
    else if (std::isfinite(encoded.lost2) && !(std::isnan(x) ? std::isnan(y) : x == y))
      return "Inf or NaN was not kept, and the encoder does not say so";
  }
  const long double lost = std::sqrt(sum), told = std::sqrt(static_cast<long double>(encoded.lost2)) * unit;
  if (std::isfinite(encoded.lost2) && !(std::fabs(lost - told) <= 1e-5L * lost + 1e-6L * error + 1e-15L * unit))
    return "lost2 / unit^2 is " + std::to_string(static_cast<double>(told / unit)) + "^2 but " +
           std::to_string(static_cast<double>(lost / unit)) + "^2 was lost";
  if (finite && head.a_priori && lost > error) return "more was lost than the a priori parameter allows";
  return "";
}

std::string encode_numbers(const Codec& codec, const Head& head, std::span<const std::uint8_t> bytes) {
  if (!codec.refuses(head.scalar).empty() || bytes.empty()) return "";
  const std::size_t n = static_cast<std::size_t>(head.count * codec.block_values());
  const Exact given(size_of(head.scalar) * n), decoded(size_of(head.scalar) * n);
  for (std::size_t at = 0; at < given.span().size(); ++at)
    given.get()[at] = static_cast<std::byte>(bytes[at % bytes.size()]);
  long double norm2 = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (const long double x = number_at(given.get(), head.scalar, i); std::isfinite(x)) norm2 += x * x;
  const auto norm = static_cast<double>(std::sqrt(norm2) * (1 + 1e-15L));
  if (!std::isfinite(norm)) return "";
  const double parameter = codec.parameter(
      head.scalar,
      {.error = head.share * norm, .norm = norm, .values = static_cast<Index>(n), .a_priori = head.a_priori});
  if (std::isnan(parameter)) return "";

  const double unit = norm == 0 ? 1 : std::clamp(std::ldexp(1.0, std::ilogb(norm)), 0x1p-1000, 0x1p1000);
  const auto keys = keys_of(head);
  const Exact index(static_cast<std::size_t>(head.count * codec.index_bytes())),
      payload(codec.most_bytes(head.scalar, head.count));
  const Encoded encoded = codec.encode(
      {.scalar = head.scalar, .count = head.count, .values = given.get(), .keys = keys.data(), .unit = unit}, parameter,
      head.rounding, index.get(), payload.get());
  const std::span<const std::uint8_t> made(reinterpret_cast<const std::uint8_t*>(payload.get()), encoded.bytes);
  if (!codec.decode(index.span(), Exact(made).span(), 0, parameter, head.rounding,
                    {.scalar = head.scalar, .count = head.count, .values = decoded.get(), .keys = keys.data()}))
    return "does not decode what it encoded";
  return compare(head, encoded, given, decoded, n, unit, head.share * norm);
}

std::vector<std::uint8_t> input_of(std::uint8_t what, std::uint8_t count, double parameter) {
  std::vector<std::uint8_t> input{what, 0, static_cast<std::uint8_t>(count - 1), 10};
  input.resize(head_bytes);
  std::memcpy(input.data() + 4, &parameter, 8);
  return input;
}

std::uint8_t what_of(Scalar scalar, Rounding rounding) {
  return static_cast<std::uint8_t>((scalar == Scalar::f32 ? 1 : 0) | (rounding == Rounding::dither ? 2 : 0));
}

void fill(std::byte* values, Scalar scalar, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = i / 64 % 3 == 1                ? 0.0
                     : i == n - 10 && seed % 2 == 0 ? std::numeric_limits<double>::infinity()
                                                    : normal(random);
    const auto y = static_cast<float>(x);
    scalar == Scalar::f32 ? std::memcpy(values + 4 * i, &y, 4) : std::memcpy(values + 8 * i, &x, 8);
  }
}

}  // namespace

std::string try_input(const Codec& codec, std::span<const std::uint8_t> input) {
  if (input.size() < head_bytes) return "";
  const Head head = head_of(codec, input);
  if (!codec.refuses(head.scalar).empty()) return "";
  return head.numbers ? encode_numbers(codec, head, input.subspan(head_bytes))
                      : decode_bytes(codec, head, input.subspan(head_bytes));
}

std::vector<std::uint8_t> encoded_input(const Codec& codec, Scalar scalar, Rounding rounding, unsigned seed) {
  const int count = codec.block_values() == 64 ? 4 : 1;
  const std::size_t n = static_cast<std::size_t>(count * codec.block_values());
  const Exact values(n * size_of(scalar));
  fill(values.get(), scalar, n, seed);
  const double norm = std::sqrt(static_cast<double>(n));
  const double parameter =
      codec.parameter(scalar, {.error = 0.01 * norm, .norm = norm, .values = static_cast<Index>(n)});
  auto input = input_of(what_of(scalar, rounding), static_cast<std::uint8_t>(count), parameter);
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(count));
  std::vector<std::byte> index(static_cast<std::size_t>(count * codec.index_bytes())),
      payload(codec.most_bytes(scalar, count));
  const Encoded encoded = codec.encode({.scalar = scalar, .count = count, .values = values.get(), .keys = keys.data()},
                                       parameter, rounding, index.data(), payload.data());
  const auto append = [&](std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) input.push_back(std::to_integer<std::uint8_t>(b));
  };
  append(index);
  append(std::span(payload).first(encoded.bytes));
  return input;
}

std::vector<std::uint8_t> numbers_input(Scalar scalar, Rounding rounding, unsigned seed) {
  auto input = input_of(static_cast<std::uint8_t>(what_of(scalar, rounding) | 4), 4, 0);
  const Exact values(32 * size_of(scalar));
  fill(values.get(), scalar, 32, seed);
  for (const std::byte b : values.span()) input.push_back(std::to_integer<std::uint8_t>(b));
  return input;
}

}  // namespace shardfft::testing
