// One group through a codec and back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>

#include "codec/codec.hpp"
#include "codec/kinds_of_data.hpp"
#include "support/memory/buffer.hpp"

namespace shardfft::testing {

constexpr std::byte canary{0xA7};
constexpr std::size_t canaries = 64;

/// Numbers in the memory of a group: blocks of a codec, aligned as the seam asks.
class Group {
 public:
  Group(const Codec& codec, Scalar scalar, std::size_t n)
      : scalar_(scalar),
        size_(n),
        count_(static_cast<int>(n) / codec.block_values()),
        memory_(allocate(n * size_of(scalar) + 64, "a group")),
        keys_(static_cast<std::size_t>(count_)) {
    EXPECT_EQ(n % static_cast<std::size_t>(codec.block_values()), 0u);
    std::iota(keys_.begin(), keys_.end(), 1000u);
    std::memset(memory_.get(), 0x55, n * size_of(scalar));
  }
  Group(const Codec& codec, Scalar scalar, const Numbers& numbers) : Group(codec, scalar, numbers.size()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) put(i, numbers[i]);
  }

  template <class Byte>
  [[nodiscard]] Blocks<Byte> blocks(int first, int count, double unit = 1) const {
    const std::size_t at =
        size_of(scalar_) * size_ / static_cast<std::size_t>(std::max(count_, 1)) * static_cast<std::size_t>(first);
    return {
        .scalar = scalar_, .count = count, .values = memory_.get() + at, .keys = keys_.data() + first, .unit = unit};
  }
  template <class Byte>
  [[nodiscard]] Blocks<Byte> blocks(double unit = 1) const {
    return blocks<Byte>(0, count_, unit);
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * size_of(scalar_); }
  [[nodiscard]] const std::byte* data() const { return memory_.get(); }

  [[nodiscard]] Numbers numbers() const {
    Numbers x(size_);
    for (std::size_t i = 0; i < size_; ++i) x[i] = get(i);
    return x;
  }

 private:
  void put(std::size_t i, double x) {
    if (scalar_ == Scalar::f32) {
      const float y = static_cast<float>(x);
      std::memcpy(memory_.get() + 4 * i, &y, 4);
    } else {
      std::memcpy(memory_.get() + 8 * i, &x, 8);
    }
  }
  [[nodiscard]] double get(std::size_t i) const {
    if (scalar_ == Scalar::f32) {
      float y = 0;
      std::memcpy(&y, memory_.get() + 4 * i, 4);
      return y;
    }
    double y = 0;
    std::memcpy(&y, memory_.get() + 8 * i, 8);
    return y;
  }

  Scalar scalar_;
  std::size_t size_;
  int count_;
  Memory memory_;
  std::vector<std::uint64_t> keys_;
};

struct Bytes {
  std::vector<std::byte> index, payload;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

struct Made {
  Bytes bytes;
  Encoded encoded;
};

/// Encodes, and looks whether more was written than the seam allows.
inline Made encode(const Codec& codec, const Group& group, double parameter, Rounding rounding = Rounding::nearest,
                   double unit = 1) {
  const auto blocks = group.blocks<const std::byte>(unit);
  const std::size_t most = codec.most_bytes(blocks.scalar, blocks.count),
                    index_bytes =
                        static_cast<std::size_t>(codec.index_bytes()) * static_cast<std::size_t>(blocks.count);
  Made made;
  made.bytes.index.assign(index_bytes + canaries, canary);
  made.bytes.payload.assign(most + canaries, canary);
  made.encoded = codec.encode(blocks, parameter, rounding, made.bytes.index.data(), made.bytes.payload.data());
  const auto untouched = [](const std::vector<std::byte>& v) {
    return std::all_of(v.end() - static_cast<std::ptrdiff_t>(canaries), v.end(),
                       [](std::byte b) { return b == canary; });
  };
  EXPECT_TRUE(untouched(made.bytes.index)) << "wrote behind the index";
  EXPECT_TRUE(untouched(made.bytes.payload)) << "wrote behind most_bytes()";
  EXPECT_EQ(made.encoded.bytes % 8, 0u);
  EXPECT_LE(made.encoded.bytes, most);
  EXPECT_EQ(codec.payload_bytes(blocks.scalar, made.bytes.index.data(), blocks.count), made.encoded.bytes)
      << "the index says so";
  made.bytes.index.resize(index_bytes);
  made.bytes.payload.resize(made.encoded.bytes);
  return made;
}

/// All blocks; nullopt when the codec says no.
inline std::optional<Numbers> decode(const Codec& codec, Scalar scalar, std::size_t n, const Bytes& bytes,
                                     double parameter, Rounding rounding = Rounding::nearest) {
  const Group group(codec, scalar, n);
  // Copies of exactly that length, so that sanitizers see what is read behind the end.
  const Bytes arrived{std::vector<std::byte>(bytes.index), std::vector<std::byte>(bytes.payload)};
  if (!codec.decode(arrived.index, arrived.payload, 0, parameter, rounding, group.blocks<std::byte>()))
    return std::nullopt;
  return group.numbers();
}

struct Trip {
  Made made;
  Numbers given, decoded;
  double unit = 1;

  /// sqrt(sum of (decoded - given)^2) by other means than the codec's.
  [[nodiscard]] long double lost() const {
    long double sum = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const long double error = static_cast<long double>(decoded[i]) - given[i];
      sum += error * error;
    }
    return std::sqrt(sum);
  }
  [[nodiscard]] long double told() const { return std::sqrt(static_cast<long double>(made.encoded.lost2)) * unit; }
};

inline Trip round_trip(const Codec& codec, Scalar scalar, const Numbers& numbers, double parameter,
                       Rounding rounding = Rounding::nearest, double unit = 1) {
  const Group group(codec, scalar, numbers);
  Trip trip{.made = encode(codec, group, parameter, rounding, unit), .given = numbers, .decoded = {}, .unit = unit};
  auto decoded = decode(codec, scalar, numbers.size(), trip.made.bytes, parameter, rounding);
  EXPECT_TRUE(decoded.has_value()) << "does not decode what it encoded";
  trip.decoded = decoded.value_or(Numbers(numbers.size()));
  return trip;
}

/// body(codec, scalar) for everything that goes together.
template <class Body>
void for_every_codec(Body body) {
  for (const Codec* codec : codecs())
    for (const Scalar scalar : {Scalar::f32, Scalar::f64})
      if (codec->refuses(scalar).empty()) {
        SCOPED_TRACE(std::string(codec->name()) + (scalar == Scalar::f32 ? " of f32" : " of f64"));
        body(*codec, scalar);
      }
}

template <class Body>
void for_every_rounding(const Codec& codec, Body body) {
  body(Rounding::nearest);
  if (codec.dithers()) {
    SCOPED_TRACE("with dither");
    body(Rounding::dither);
  }
}

}  // namespace shardfft::testing
