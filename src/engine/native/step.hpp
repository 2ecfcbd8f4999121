// What a native kernel is made of: steps over a tile in the lanes format, one after the other.
#pragma once

#include "engine/memory_pencils.hpp"
#include "support/fixed.hpp"

namespace shardfft::native {

template <class T>
class Passes;

template <class T>
struct Convolution;

/// A pass joins `radix` transforms of length `done`, which lie one after the other, into one of length radix * done, in
/// place.
template <class T>
struct PassArgs {
  Index radix = 1;
  Index done = 1;
  bool swapped = false;       ///< real and imaginary parts change places, which makes a forward pass a backward one
  const T* table = nullptr;   ///< of the butterflies k < done: twiddle_table
  const T* matrix = nullptr;  ///< radices without a butterfly of their own: cosines and sines
  const Convolution<T>* convolution = nullptr;  ///< large prime radices
};

/// `blocks` times, one after the other in `x`.
template <class T>
using Pass = void (*)(const PassArgs<T>&, Index blocks, T* x);

/// The pass with done == 1. It fetches: its butterfly number i is made of in[offsets[i] + j * apart], j < radix (in
/// elements), and put at out[i * radix]. `in` and `out` may be the same when a butterfly fetches from where it puts.
template <class T>
using FirstPass = void (*)(const PassArgs<T>&, const Index* offsets, Index butterflies, Index apart, const T* in,
                           T* out);

/// A first pass that reads elements in memory, from row `at` on, and a last pass (one block) that writes them:
/// butterflies first .. last - 1 out of `done`.
template <class T>
using FirstPassOfRows = void (*)(const PassArgs<T>&, const Index* offsets, Index butterflies, Index apart,
                                 const RowSource& in, Index at, T* out);
template <class T>
using LastPassToRows = void (*)(const PassArgs<T>&, Index first, Index last, const T* x, const RowTarget& out);

/// A pass that is the first one and the last one, from memory, or where `in` is null from the tile.
template <class T>
using OnlyPassToRows = void (*)(const PassArgs<T>&, const RowSource* in, const T* tile, const RowTarget& out);

/// Butterflies of the first pass over one pencil whose elements are neighbours in memory, or over two: `count` of each,
/// with inputs as many elements apart. Each half of a vector has its own columns: vectors begin with columns min(i
/// step, last) < count, counted from `from`, of which column c goes to out + places[c].
template <class T>
struct FirstColumns {
  Index count = 0, step = 0, last = 0;
  const T* from[2]{};
  T* out[2]{};
  const Index* places[2]{};
};

/// One pencil between two passes: the real part of element k is at k * step, its imaginary part `im` scalars behind.
/// With a step of 2, parts lie in turns of a vector, and k counts whole vectors.
struct PencilFormat {
  Index step = 2, im = 0;
};

/// That first pass. Then others, with results `to` scalars behind what they are made of, and the last one (one block).
/// Tables have a constant for each lane. The last vector of a length that is no multiple of the lanes repeats some
/// elements: such a pass does not work in place.
template <class T>
using FirstContiguousPass = void (*)(const PassArgs<T>&, const PencilFormat&, const FirstColumns<T>& columns);
template <class T>
using ContiguousPass = void (*)(const PassArgs<T>&, const PencilFormat&, Index blocks, T* x, Index to);
template <class T>
using LastContiguousPass = void (*)(const PassArgs<T>&, const PencilFormat&, const T* x,
                                    const ContiguousPencil& pencil);

/// One butterfly of a prime radix by convolution: in[j * from], j < radix, each times twiddles[j] (radix of them; null
/// for none) are transformed to out[u * to]. `in` and `out` may be the same; `scratch` holds Convolution::scratch
/// elements.
template <class T>
using PrimeButterfly = void (*)(const PassArgs<T>&, const T* twiddles, const T* in, Index from, T* out, Index to,
                                T* scratch);

/// A prime radix p that is computed as a cyclic convolution: convolution-inl.h. Complex tables hold re, im pairs.
template <class T>
struct Convolution {
  PrimeButterfly<T> run = nullptr;
  Index scratch = 0;  ///< elements
  Index inner = 0;    ///< length of its transforms
  const Passes<T>* forward = nullptr;
  const Passes<T>* backward = nullptr;
  const T* filter =
      nullptr;  ///< transform of what is convolved with, divided by the length; Bluestein: in the order of the blocks
  const Index* order = nullptr;       ///< Rader: powers of a generator modulo p
  const T* chirp = nullptr;           ///< Bluestein: c_k, k < p
  const T* odd_chirp = nullptr;       ///< c_k v^k
  const T* odd_chirp_back = nullptr;  ///< c_k v^-k
  const T* begin = nullptr;           ///< twiddles of the blocks: plain_twiddles
  const T* end = nullptr;             ///< twiddle_table
};

/// Numbers that a step needs; which of them, each routine says. Complex tables hold re, im pairs.
template <class T>
struct StepArgs {
  Index n = 0;  ///< complex elements of the transform that the step belongs to
  const T* table = nullptr;
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

/// The half spectrum of 2n reals from the transform of as many numbers as halves, and the reverse, for elements that
/// are neighbours in memory: contiguous_real-inl.h. `im`: from real parts to imaginary parts of `x`.
template <class T>
using SplitContiguous = void (*)(const StepArgs<T>&, const T* x, Index im, const T* ahead, T* to, T scale);
template <class T>
using JoinContiguous = void (*)(const StepArgs<T>&, const T* from, T* to);
#ifndef SHARDFFT_RADICES  // fewer of them: cmake/options.cmake
#define SHARDFFT_RADICES 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16
#endif
inline constexpr int own_radices[] = {SHARDFFT_RADICES};  ///< with a butterfly of their own
inline constexpr int max_own_radix = 16;
/// Whether pencils that are contiguous in memory have code of such a radix: 11 and 13 take compilers longest, and few
/// lengths have them.
constexpr bool runs_along_pencils(Index radix) { return radix != 11 && radix != 13; }
inline constexpr int max_radix = 127;  ///< of another odd radix for `pass_any`; beyond it is a convolution

/// Into how many blocks Bluestein's algorithm divides a half of its spectrum: a radix whose butterflies keep to the
/// registers.
inline constexpr int half_blocks = 8;

/// The code of one instruction set for one scalar type.
template <class T>
struct Routines {
  int lanes = 0;       ///< pencils of a tile
  bool fused = false;  ///< multiply-adds round once: bits are those of all processors that have such
  FirstPass<T> first[max_own_radix + 1]{};  ///< by radix; null where there is none
  Pass<T> pass[max_own_radix + 1]{};
  FirstPassOfRows<T> first_of_rows[max_own_radix + 1]{};
  LastPassToRows<T> last_to_rows[max_own_radix + 1]{};
  OnlyPassToRows<T> only_to_rows[max_own_radix + 1]{};
  FirstContiguousPass<T> first_contiguous[max_own_radix + 1]{};
  ContiguousPass<T> contiguous[max_own_radix + 1]{};
  LastContiguousPass<T> last_contiguous[max_own_radix + 1]{};
  SplitContiguous<T> split_contiguous = nullptr;  ///< split_real for the pencil of a row
  JoinContiguous<T> join_contiguous = nullptr;    ///< join_real
  FirstPass<T> first_any = nullptr;
  Pass<T> pass_any = nullptr;
  PrimeButterfly<T> rader = nullptr;
  PrimeButterfly<T> bluestein = nullptr;
  Routine<T> split_real = nullptr;   ///< after a forward transform of n = half the real length: n + 1 elements of the
                                     ///< half spectrum; in place
  Routine<T> join_real = nullptr;    ///< before a backward transform of n: the reverse; in place
  Routine<T> widen_real = nullptr;   ///< n reals to n complex elements without imaginary parts
  Routine<T> widen_half = nullptr;   ///< n/2 + 1 elements of a half spectrum of odd n to all n
  Routine<T> narrow_real = nullptr;  ///< n complex elements to their real parts
};

/// Code of the best instruction set of this machine (as Highway chooses it at this moment).
template <class T>
const Routines<T>& routines();
template <>
const Routines<float>& routines<float>();
template <>
const Routines<double>& routines<double>();
/// For filters; one set for all processors.
template <>
const Routines<Fixed>& routines<Fixed>();

/// Code for vectors of half as many lanes, with the same bits; null where this machine or build has none.
template <class T>
const Routines<T>* narrower(const Routines<T>& than);
template <>
const Routines<float>* narrower(const Routines<float>& than);
template <>
const Routines<double>* narrower(const Routines<double>& than);
template <>
const Routines<Fixed>* narrower(const Routines<Fixed>& than);

}  // namespace shardfft::native
