// What a native kernel is made of: steps over a tile in the lanes format, one after the other.
#pragma once

#include "shardfft/box.hpp"

namespace shardfft::native {

/// A pass joins `radix` transforms of length `done`, which lie one after the other, into one of length radix * done, in place.
template <class T>
struct PassArgs {
  Index radix = 1;
  Index done = 1;
  bool swapped = false;        ///< real and imaginary parts change places, which makes a forward pass a backward one
  const T* table = nullptr;    ///< twiddles: for every k < done those of theta = exp(-2 pi i k / (radix done))
  const T* matrix = nullptr;   ///< radices without a butterfly of their own: cosines and sines
};

/// `blocks` times, one after the other in `x`.
template <class T>
using Pass = void (*)(const PassArgs<T>&, Index blocks, T* x);

/// The pass with done == 1. It fetches: its butterfly number i is made of in[offsets[i] + j * apart], j < radix (in elements), and put at out[i * radix].
/// `in` and `out` may be the same when a butterfly fetches from where it puts.
template <class T>
using FirstPass = void (*)(const PassArgs<T>&, const Index* offsets, Index butterflies, Index apart, const T* in, T* out);

template <class T>
class Passes;

/// Numbers that a step needs; which of them, each routine says. Complex tables hold re, im pairs.
template <class T>
struct StepArgs {
  Index n = 0;            ///< complex elements of the transform that the step belongs to
  Index inner = 0;        ///< length of the convolution of Bluestein's or Rader's algorithm
  bool swapped = false;   ///< as in PassArgs
  const T* table = nullptr;
  const Index* order = nullptr;  ///< Rader: powers of a generator
  const Passes<T>* passes = nullptr;
};

template <class T>
using Routine = void (*)(const StepArgs<T>&, const T* in, T* out);

template <class T>
struct Step {
  Routine<T> run = nullptr;
  StepArgs<T> args{};
  bool moves = true;  ///< false: in place, `in` and `out` are the same
};

/// Radices with a butterfly of their own; any other odd radix up to max_radix goes through `pass_any`.
inline constexpr int own_radices[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16};
inline constexpr int max_own_radix = 16;
inline constexpr int max_radix = 127;

/// The code of one instruction set for one scalar type.
template <class T>
struct Routines {
  int lanes = 0;                           ///< pencils of a tile
  FirstPass<T> first[max_own_radix + 1]{};  ///< by radix; null where there is none
  Pass<T> pass[max_own_radix + 1]{};
  FirstPass<T> first_any = nullptr;
  Pass<T> pass_any = nullptr;
  Routine<T> split_real = nullptr;    ///< after a forward transform of n = half the real length: n + 1 elements of the half spectrum; in place
  Routine<T> join_real = nullptr;     ///< before a backward transform of n: the reverse; in place
  Routine<T> widen_real = nullptr;    ///< n reals to n complex elements without imaginary parts
  Routine<T> widen_half = nullptr;    ///< n/2 + 1 elements of a half spectrum of odd n to all n
  Routine<T> narrow_real = nullptr;   ///< n complex elements to their real parts
  Routine<T> chirp_in = nullptr;      ///< n elements times the table, then zeros up to `inner`; in place
  Routine<T> chirp_filter = nullptr;  ///< `inner` elements times the table; in place
  Routine<T> chirp_out = nullptr;     ///< n elements times the table; in place
  Routine<T> rader_in = nullptr, rader_filter = nullptr, rader_out = nullptr;
};

/// Code of the best instruction set of this machine (as Highway chooses it at this moment).
template <class T>
const Routines<T>& routines();
template <>
const Routines<float>& routines<float>();
template <>
const Routines<double>& routines<double>();
template <>
const Routines<long double>& routines<long double>();

/// Smallest prime by which a butterfly of length `radix` is split into smaller ones: 2 for even ones, 3 for 9, else the radix itself.
constexpr int split_prime(int radix) { return radix % 2 == 0 ? 2 : radix % 3 == 0 ? 3 : radix; }

/// Of the radix/p evaluation points at which p parts are combined, how many need twiddles of their own; the others differ by a factor of -i.
constexpr int combined_points(int radix) { return radix % 4 == 0 ? radix / 4 : radix / split_prime(radix); }

/// Complex twiddles of one butterfly, in the order in which it uses them.
constexpr int twiddle_count(int radix) {
  const int p = split_prime(radix), rest = radix / p;
  return (rest > 1 ? twiddle_count(rest) : 0) + combined_points(radix) * (p - 1);
}

}  // namespace shardfft::native
