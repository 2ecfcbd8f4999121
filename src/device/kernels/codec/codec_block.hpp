// One block of 64 numbers, by one warp: what it takes and loses, its bytes, and the numbers from them. Lane l has
// numbers l and l + 32.
#pragma once

#include "device/blocks.hpp"
#include "device/kernels/codec/codec_cast.hpp"
#include "device/kernels/codec/codec_quantise.hpp"
#include "device/kernels/codec/codec_walk.hpp"

namespace shardfft::kernels {

template <class T>
inline constexpr std::uint8_t raw_code = 8 * sizeof(T);

/// How a block is encoded: of its group, but for the key.
struct BlockWay {
  BlockFormat format = BlockFormat::lossless;
  double parameter = 0;
  bool dither = false;
  std::uint64_t key = 0;
};

struct BlockCost {
  std::uint8_t code = 0;  ///< width code: bytes of payload / 8 are its lower 7 bits
  double lost = 0;        ///< sum of the squares of (decoded - given), in squares of what the format counts in
};

SHARDFFT_HD inline std::uint8_t cast_code(BlockFormat format) { return format == BlockFormat::f32 ? 32 : 16; }

/// Whether blocks may be of different sizes, and say so in an index.
SHARDFFT_HD inline bool has_index(BlockFormat format) {
  return format == BlockFormat::lossless || format == BlockFormat::block_float;
}

/// cast(Format()) with the type that belongs to it.
template <class Cast>
SHARDFFT_HD void with_cast(BlockFormat format, const Cast& cast) {
  if (format == BlockFormat::f32)
    cast(CastF32());
  else
    cast(CastF16());
}

template <class T>
SHARDFFT_HD BlockCost measure_lossless(const Warp& warp, const BlockNumbers<T>& x) {
  Lanes<bool> any;
  each_number(warp, [&](int i, int lane) { any[lane] = any[lane] || same_bits<BitsOf<T>>(x(i, lane)) != 0; });
  return {.code = warp.ballot(any) == 0 ? width_code::zeros : raw_code<T>};
}

template <class T>
SHARDFFT_HD BlockCost measure_cast(const Warp& warp, const BlockNumbers<T>& x, BlockFormat format, double parameter) {
  const T scale = static_cast<T>(parameter);
  Lanes<double> lost;
  with_cast(format, [&](auto cast) {
    using Format = decltype(cast);
    each_number(warp, [&](int i, int lane) {
      const double error = cast_error(Format::to(cast_number<Format>(x(i, lane), scale)), x(i, lane), scale);
      lost[lane] += error * error;
    });
  });
  return {.code = cast_code(format), .lost = warp.sum(lost)};
}

template <class T>
SHARDFFT_HD BlockCost measure_block_float(const Warp& warp, const BlockNumbers<T>& x, const Steps<T>& steps) {
  using Magic = coding::Magic<T>;
  constexpr bool has_easy = Magic::easy > 0;
  const T easy = Magic::easy, limit = Magic::limit;
  Lanes<T> largest;
  Lanes<double> lost, lost_easily;
  Lanes<bool> wrong, wrong_easily, given;
  each_number(warp, [&](int i, int lane) {
    const T v = x(i, lane), y = steps.in_steps(v, i), integer = rounded(y);
    const T size = integer < 0 ? -integer : integer;
    if (largest[lane] < size) largest[lane] = size;
    const T error = mul(sub(steps.decoded(integer, i), v), steps.inverse), easy_error = sub(integer, y);
    wrong[lane] = wrong[lane] || !is_finite(error);
    wrong_easily[lane] = wrong_easily[lane] || !is_finite(easy_error);
    given[lane] = given[lane] || v != 0;
    lost[lane] += static_cast<double>(error) * static_cast<double>(error);
    lost_easily[lane] += static_cast<double>(easy_error) * static_cast<double>(easy_error);
  });
  const T most = warp.max(largest);
  const bool easily = has_easy && most <= easy;
  if (!(most <= limit) || warp.ballot(easily ? wrong_easily : wrong) != 0) return {.code = raw_code<T>};
  if (steps.dither && warp.ballot(given) == 0) return {.code = width_code::zeros};
  const int width = width_of(most);
  const std::uint8_t code =
      width == 0 ? (steps.dither ? width_code::only_dither : width_code::zeros) : static_cast<std::uint8_t>(width);
  return {.code = code, .lost = warp.sum(easily ? lost_easily : lost)};
}

template <class T>
SHARDFFT_HD BlockCost measure(const Warp& warp, const BlockNumbers<T>& x, const BlockWay& way) {
  if (way.format == BlockFormat::lossless) return measure_lossless(warp, x);
  if (way.format != BlockFormat::block_float) return measure_cast(warp, x, way.format, way.parameter);
  return measure_block_float(warp, x, Steps<T>(way.parameter, way.dither, way.key));
}

/// What `lost` of a block counts in, in units: its factor is the square of that.
SHARDFFT_HD inline double loss_unit(BlockFormat format, double parameter, double unit) {
  if (format == BlockFormat::lossless) return 0;
  return format == BlockFormat::block_float ? parameter / unit : 1 / parameter / unit;
}

/// 64 integers of `width` bits: rows of bytes, then words of bits (codec/simd/planes-inl.h).
template <class Bits>
SHARDFFT_HD void pack_planes(const Warp& warp, const Lanes<Bits>& low, const Lanes<Bits>& high, int width,
                             std::uint8_t* to) {
  const int rows = width / 8, words = width % 8;
  for (int k = 0; k < rows; ++k)
    warp.each([&](int lane) {
      to[block_numbers * k + lane] = static_cast<std::uint8_t>(low[lane] >> (8 * k));
      to[block_numbers * k + lane + warp_lanes] = static_cast<std::uint8_t>(high[lane] >> (8 * k));
    });
  Lanes<std::uint64_t> mine;
  for (int j = 0; j < words; ++j) {
    Lanes<bool> l, h;
    warp.each([&](int lane) {
      l[lane] = (low[lane] >> (8 * rows + j) & 1) != 0;
      h[lane] = (high[lane] >> (8 * rows + j) & 1) != 0;
    });
    const std::uint64_t word = warp.ballot(l) | static_cast<std::uint64_t>(warp.ballot(h)) << warp_lanes;
    warp.each([&](int lane) {
      if (lane == j) mine[lane] = word;
    });
  }
  auto* top = reinterpret_cast<std::uint64_t*>(to + block_numbers * rows);
  warp.each([&](int lane) {
    if (lane < words) top[lane] = mine[lane];
  });
}

/// Number i of them, the upper bits zero.
template <class Bits>
SHARDFFT_HD Bits unpack_planes(const std::uint8_t* from, int width, int i) {
  const int rows = width / 8, words = width % 8;
  Bits q = 0;
  for (int k = 0; k < rows; ++k) q |= static_cast<Bits>(from[block_numbers * k + i]) << (8 * k);
  const auto* top = reinterpret_cast<const std::uint64_t*>(from + block_numbers * rows);
  for (int j = 0; j < words; ++j) q |= static_cast<Bits>(top[j] >> i & 1) << (8 * rows + j);
  return q;
}

/// Writes 8 * (code & 127) bytes, not none of them, at `to`, aligned to 8.
template <class T>
SHARDFFT_HD void pack(const Warp& warp, const BlockNumbers<T>& x, const BlockWay& way, std::uint8_t code,
                      std::byte* to) {
  if (way.format == BlockFormat::lossless || (way.format == BlockFormat::block_float && code == raw_code<T>)) {
    each_number(warp, [&](int i, int lane) { reinterpret_cast<BitsOf<T>*>(to)[i] = same_bits<BitsOf<T>>(x(i, lane)); });
  } else if (way.format == BlockFormat::block_float) {
    const Steps<T> steps(way.parameter, way.dither, way.key);
    Lanes<BitsOf<T>> low, high;
    warp.each([&](int lane) {
      low[lane] = rounded_bits(steps.in_steps(x(lane, lane), lane));
      high[lane] = rounded_bits(steps.in_steps(x(lane + warp_lanes, lane), lane + warp_lanes));
    });
    pack_planes(warp, low, high, code, reinterpret_cast<std::uint8_t*>(to));
  } else {
    const T scale = static_cast<T>(way.parameter);
    with_cast(way.format, [&](auto cast) {
      using Format = decltype(cast);
      each_number(warp, [&](int i, int lane) {
        reinterpret_cast<typename Format::Stored*>(to)[i] = cast_number<Format>(x(i, lane), scale);
      });
    });
  }
}

/// The numbers from what pack wrote, or from any bytes: is_code() holds, and 8 * (code & 127) bytes may be read at
/// `from`, aligned to 8.
template <class T>
SHARDFFT_HD void unpack(const Warp& warp, const std::byte* from, const BlockWay& way, std::uint8_t code,
                        BlockNumbers<T>& x) {
  if (code == width_code::zeros) {
    each_number(warp, [&](int i, int lane) { x(i, lane) = 0; });
  } else if (way.format == BlockFormat::lossless || (way.format == BlockFormat::block_float && code == raw_code<T>)) {
    each_number(warp, [&](int i, int lane) { x(i, lane) = same_bits<T>(reinterpret_cast<const BitsOf<T>*>(from)[i]); });
  } else if (way.format == BlockFormat::block_float) {
    const Steps<T> steps(way.parameter, way.dither, way.key);
    const int width = code & 127;
    each_number(warp, [&](int i, int lane) {
      const T integer =
          width == 0
              ? T(0)
              : number_of<T>(unpack_planes<BitsOf<T>>(reinterpret_cast<const std::uint8_t*>(from), width, i), width);
      x(i, lane) = steps.decoded(integer, i);
    });
  } else {
    const T down = inverse(static_cast<T>(way.parameter));
    with_cast(way.format, [&](auto cast) {
      using Format = decltype(cast);
      each_number(warp, [&](int i, int lane) {
        x(i, lane) = cast_back(Format::to(reinterpret_cast<const typename Format::Stored*>(from)[i]), down);
      });
    });
  }
}

/// Whether encode may have made such a code.
template <class T>
SHARDFFT_HD bool is_code(std::uint8_t code, BlockFormat format, bool dither) {
  if (!has_index(format)) return code == cast_code(format);
  if (code == width_code::zeros || code == raw_code<T>) return true;
  if (format == BlockFormat::lossless) return false;
  if (code == width_code::only_dither) return dither;
  return code <= coding::Magic<T>::most_width;
}

/// Whether a parameter is one that its codec gives: a step or a power of two, which as a number of type T is the same,
/// and is normal and has a normal inverse.
template <class T>
SHARDFFT_HD bool is_parameter(double parameter, BlockFormat format) {
  if (format == BlockFormat::lossless) return true;
  if (format == BlockFormat::block_float) {
    const double least = sizeof(T) == 4 ? coding::least_step_f32 : coding::least_step_f64;
    return parameter >= least && parameter <= 1 / least && static_cast<double>(static_cast<T>(parameter)) == parameter;
  }
  const auto bits = same_bits<std::uint64_t>(parameter);
  const int exponent = static_cast<int>(bits >> 52) - 1023,
            most = sizeof(T) == 4 ? coding::most_scale_exponent_f32 : coding::most_scale_exponent_f64;
  return (bits & 0xFFFFFFFFFFFFFU) == 0 && exponent >= -most &&
         exponent <= most;  // negative ones have an exponent of 1025 and more
}

/// Whether numbers of type T may be kept in such a format.
template <class T>
SHARDFFT_HD bool is_format(BlockFormat format) {
  return static_cast<int>(format) < block_formats && !(sizeof(T) == 4 && format == BlockFormat::f32);
}

}  // namespace shardfft::kernels
