// How a length is computed: into which radices it is split, and how those that are large primes are. Arithmetic only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/native/step.hpp"
#include "shardfft/box.hpp"

namespace shardfft::native {

constexpr bool is_own_radix(Index radix) { return std::ranges::find(own_radices, radix) != std::end(own_radices); }

/// A way to transform `n` elements.
struct Decomposition {
  Index n = 1;
  std::vector<Index> radices{};  ///< their product is n; in the order of the passes
  double cost = 0;               ///< estimated vector operations per element

  /// "8x4x8", "(197 by rader 196 = 7x4x7)x2", "509 by bluestein 2 x 512 = 8 x (8x8)", "1" for nothing to do.
  [[nodiscard]] std::string describe() const;
};

enum class Method {
  direct,     ///< a butterfly
  rader,      ///< a cyclic convolution of length p - 1
  bluestein,  ///< a cyclic convolution of an even length >= 2p - 1
};

/// A way to transform a prime number of elements.
struct PrimeWay {
  Method method = Method::direct;
  Decomposition inner{};  ///< of the convolution or, Bluestein, of a block of it
  double cost = 0;        ///< as in Decomposition
};

/// Numbers in a vector of 64 bytes. What decides about bits suits these on every processor, so that all have the same.
template <class T>
inline constexpr Index widest = 64 / sizeof(T);

/// From so many lanes on it pays that two contiguous pencils share a vector, or that its halves overlap.
inline constexpr Index least_shared_lanes = 8;

/// A pencil of so many elements can do without a tile even if they do not fill its vectors.
inline constexpr Index least_along = 48;

/// What a decomposition is for.
struct Use {
  bool strided = false;  ///< pencils lie across planes (KernelRequest)
  Index lanes = 0;       ///< numbers in a vector of 64 bytes, if pencils may be contiguous in memory; 0: they are not
};

/// Whether one pencil of this length, contiguous in memory, fills vectors of so many numbers by itself, or of half as
/// many: its first pass does.
[[nodiscard]] bool fills_vectors(Index n, Index lanes);

/// The cheapest way by estimate; without a use the same on every machine. n >= 1.
[[nodiscard]] Decomposition decompose(Index n, const Use& use = {});

/// p prime
[[nodiscard]] PrimeWay prime_way(Index p);

}  // namespace shardfft::native
