// The bits of exact mode, against a list that is the same for all processors (docs/guide/exactness.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Hashes of the results of one problem, with engine `native` and noise as input. Kind, precision, shape, and what
/// differs from the defaults: "r2c f32 30x40 axes=0 modes=20x21 kinds=cosine2,fourier support=30x9 split". With the
/// name of an operator, it is applied twice: "c2c f64 16x20 gaussian".
struct ListedBits {
  std::string_view problem{};
  std::uint64_t forward = 0;   ///< of the result of forward; of the first application
  std::uint64_t backward = 0;  ///< of the result of backward from there; of the second one
  friend bool operator==(const ListedBits&, const ListedBits&) = default;
};

/// The list.
[[nodiscard]] std::span<const ListedBits> listed_bits();
/// Collective. What this machine, and these ranks, give. `threads` as in Options. Throws Error(invalid_argument) for
/// another word.
[[nodiscard]] ListedBits bits_here(const Comm& comm, std::string_view problem, int threads = 0);
/// Elements of a problem's array.
[[nodiscard]] Index elements_of(const ListedBits& bits);
/// Whether this processor has fused multiply-adds. Without them bits are others, the same on all such processors.
[[nodiscard]] bool fuses_multiply_adds();
/// Whether the list is to hold here: with fused multiply-adds, in a build with code for all radices (SHARDFFT_RADICES).
[[nodiscard]] bool has_listed_bits();

}  // namespace shardfft
