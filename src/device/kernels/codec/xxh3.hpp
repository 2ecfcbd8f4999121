// XXH3 with 64 bits, seed 0, of whole 64-bit words (Y. Collet, xxHash 0.8, "XXH3 specification"), in parts that threads
// share. More than 240 bytes are stripes of 64, each adding to eight lanes; 16 stripes are a chunk, after which lanes
// are mixed. What a chunk adds depends on nothing before it.
#pragma once

#include <cstdint>

#include "support/hd.hpp"

namespace shardfft::kernels::xxh3 {

inline constexpr int lanes = 8, stripes_in_chunk = 16, stripe_bytes = 64, chunk_bytes = stripes_in_chunk * stripe_bytes;
inline constexpr std::uint64_t longest_short = 240;  // bytes

inline constexpr std::uint64_t prime32_1 = 0x9E3779B1U, prime32_2 = 0x85EBCA77U, prime32_3 = 0xC2B2AE3DU,
                               prime64_1 = 0x9E3779B185EBCA87ULL, prime64_2 = 0xC2B2AE3D27D4EB4FULL,
                               prime64_3 = 0x165667B19E3779F9ULL, prime64_4 = 0x85EBCA77C2B2AE63ULL,
                               prime64_5 = 0x27D4EB2F165667C5ULL;

/// Constants as part of a kernel's arguments, which GPUs keep where indexed reads are fast.
struct Secret {
  std::uint64_t word[24] = {0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
                            0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
                            0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
                            0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
                            0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
                            0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af};
  std::uint64_t first[lanes] = {prime32_3, prime64_1, prime64_2, prime64_3,
                                prime64_4, prime32_2, prime64_5, prime32_1};  ///< of each lane
  /// The word that begins at a byte, not a multiple of 8.
  [[nodiscard]] SHARDFFT_HD std::uint64_t from_byte(int byte) const {
    const int shift = 8 * (byte % 8);
    return word[byte / 8] >> shift | word[byte / 8 + 1] << (64 - shift);
  }
};

SHARDFFT_HD inline std::uint64_t low_times_high(std::uint64_t x) { return (x & 0xFFFFFFFFU) * (x >> 32); }

/// What a stripe adds to a lane; `key`: the secret's word for it.
SHARDFFT_HD inline std::uint64_t stripe(const std::uint64_t* words, int lane, std::uint64_t key) {
  return words[lane ^ 1] + low_times_high(words[lane] ^ key);
}
SHARDFFT_HD inline std::uint64_t stripes(const std::uint64_t* words, int count, int lane, const Secret& secret) {
  std::uint64_t sum = 0;
  for (int s = 0; s < count; ++s) sum += stripe(words + s * lanes, lane, secret.word[s + lane]);
  return sum;
}

/// After each chunk.
SHARDFFT_HD inline std::uint64_t mixed(std::uint64_t sum, int lane, const Secret& secret) {
  return (sum ^ sum >> 47 ^ secret.word[16 + lane]) * prime32_1;
}
/// What comes after the chunks that others follow; `words`: of all, `count`.
SHARDFFT_HD inline std::uint64_t rest(const std::uint64_t* words, std::uint64_t count, int lane, const Secret& secret) {
  constexpr std::uint64_t chunk = chunk_bytes / 8;
  const std::uint64_t chunks = (count - 1) / chunk;
  const int whole = static_cast<int>((count - 1 - chunks * chunk) / lanes);
  return stripes(words + chunks * chunk, whole, lane, secret) +
         stripe(words + count - lanes, lane, secret.from_byte(121 + 8 * lane));
}

/// Both halves of the product, one xor the other.
SHARDFFT_HD inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t low = 0xFFFFFFFFU;
  const std::uint64_t ll = (a & low) * (b & low), hl = (a >> 32) * (b & low), lh = (a & low) * (b >> 32);
  const std::uint64_t middle = (ll >> 32) + (hl & low) + lh;
  const std::uint64_t high = (a >> 32) * (b >> 32) + (hl >> 32) + (middle >> 32);
  return high ^ (middle << 32 | (ll & low));
}
SHARDFFT_HD inline std::uint64_t avalanche(std::uint64_t x) {
  x = (x ^ x >> 37) * 0x165667919E3779F9ULL;
  return x ^ x >> 32;
}

/// `lane`: sums of all eight; `bytes`: of all.
SHARDFFT_HD inline std::uint64_t merged(const std::uint64_t* lane, std::uint64_t bytes, const Secret& secret) {
  std::uint64_t sum = bytes * prime64_1;
  for (int i = 0; i < lanes; i += 2)
    sum += folded_product(lane[i] ^ secret.from_byte(11 + 8 * i), lane[i + 1] ^ secret.from_byte(19 + 8 * i));
  return avalanche(sum);
}

SHARDFFT_HD inline std::uint64_t swapped_bytes(std::uint64_t x) {
  x = (x & 0x00FF00FF00FF00FFULL) << 8 | (x >> 8 & 0x00FF00FF00FF00FFULL);
  x = (x & 0x0000FFFF0000FFFFULL) << 16 | (x >> 16 & 0x0000FFFF0000FFFFULL);
  return x << 32 | x >> 32;
}
SHARDFFT_HD inline std::uint64_t rotated(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

/// Hash of at most two words.
SHARDFFT_HD inline std::uint64_t of_few(const std::uint64_t* words, int count, const Secret& secret) {
  const std::uint64_t* key = secret.word;
  if (count == 0) {
    std::uint64_t x = key[7] ^ key[8];
    x = (x ^ x >> 33) * prime64_2;
    x = (x ^ x >> 29) * prime64_3;
    return x ^ x >> 32;
  }
  if (count == 1) {
    constexpr std::uint64_t factor = 0x9FB21C651E98DF25ULL;
    std::uint64_t x = rotated(words[0], 32) ^ key[1] ^ key[2];
    x = (x ^ rotated(x, 49) ^ rotated(x, 24)) * factor;
    x = (x ^ ((x >> 35) + 8)) * factor;
    return x ^ x >> 28;
  }
  const std::uint64_t low = words[0] ^ key[3] ^ key[4], high = words[1] ^ key[5] ^ key[6];
  return avalanche(16 + swapped_bytes(low) + high + folded_product(low, high));
}

SHARDFFT_HD inline std::uint64_t of_pair(const std::uint64_t* words, std::uint64_t key, std::uint64_t next_key) {
  return folded_product(words[0] ^ key, words[1] ^ next_key);
}

/// Hash of at most `longest_short` bytes.
SHARDFFT_HD inline std::uint64_t of_short(const std::uint64_t* words, int count, const Secret& secret) {
  if (count <= 2) return of_few(words, count, secret);
  const std::uint64_t* key = secret.word;
  std::uint64_t sum = 8 * static_cast<std::uint64_t>(count) * prime64_1;
  if (count <= 16) {  // pairs from both ends, which may meet
    for (int i = 0; 4 * i < count; ++i) {
      sum += of_pair(words + 2 * i, key[4 * i], key[4 * i + 1]);
      sum += of_pair(words + count - 2 * (i + 1), key[4 * i + 2], key[4 * i + 3]);
    }
    return avalanche(sum);
  }
  for (int i = 0; i < 8; ++i) sum += of_pair(words + 2 * i, key[2 * i], key[2 * i + 1]);
  sum = avalanche(sum);
  for (int i = 8; i < count / 2; ++i)
    sum += of_pair(words + 2 * i, secret.from_byte(16 * (i - 8) + 3), secret.from_byte(16 * (i - 8) + 11));
  return avalanche(sum + of_pair(words + count - 2, secret.from_byte(119), secret.from_byte(127)));
}

}  // namespace shardfft::kernels::xxh3
