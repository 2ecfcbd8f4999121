// Convolutions, and arrays without their blur.
#pragma once

#include <cstddef>
#include <functional>

#include "shardfft/box.hpp"
#include "shardfft/files.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// What a convolution keeps: of the result's n + m - 1 points along each axis all; the n in the middle, from (m - 1) /
/// 2 on; or the array is periodic, and so is the result.
enum class ConvolutionMode { same, full, circular };

/// A convolution of an array with a kernel of as many axes.
struct Convolution {
  Shape array{}, kernel{};
  ConvolutionMode mode = ConvolutionMode::same;
  Precision precision = f64;
  bool complex = false;  ///< both; else both are real

  [[nodiscard]] Shape result() const;     ///< its extents
  [[nodiscard]] Coord kept_from() const;  ///< the first point that is kept, of all
};

/// How a convolution is done. Its bits depend on the way and on the tile, and these on extents alone.
struct ConvolutionWay {
  bool by_tiles = false;
  Shape tile{};                           ///< transformed at once: as large as the kernel needs
  Shape whole{};                          ///< transformed otherwise: so large that nothing wraps, unless circular
  double cost_tiles = 0, cost_whole = 0;  ///< operations in cache that would take as long, about
};
/// By cost. Throws Error(invalid_argument) for extents that do not fit each other.
[[nodiscard]] ConvolutionWay way_of(const Convolution& what);

/// Reads or writes a box of an array, its elements in C order, on any thread.
using ReadBox = std::function<void(const Box& box, std::byte* to)>;
using WriteBox = std::function<void(const Box& box, const std::byte* from)>;

/// Memory that convolve_tiles() takes with so many threads, the kernel included.
[[nodiscard]] Index bytes_of_tiles(const Convolution& what, const ConvolutionWay& way, int threads);
/// This rank's share of the tiles of a result, each made of the part of the array that it needs. Not collective.
///   kernel  whole, in C order
void convolve_tiles(const Convolution& what, const ConvolutionWay& way, View kernel, int rank, int ranks, int threads,
                    const ReadBox& read, const WriteBox& write);

/// Collective. Through the spectrum of the whole array.
///   kernel   whole, in C order, on every rank
///   in, out  in boxes of `layout`, of the array and of the result
void convolve_whole(const Comm& comm, const Convolution& what, const LayoutSpec& layout, View in, View kernel, View out,
                    int threads = 0);

/// Fills this rank's part of an array with a kernel among zeros: its element `centre` at index 0, the others around it,
/// where they wrap. `values`: whole, in C order.
void wrap_kernel(const Layout& layout, int rank, const Shape& kernel, const Coord& centre, View values, View to,
                 int element_bytes);

/// How a blurred array is sharpened.
struct Deconvolution {
  int iterations = 0;    ///< of Richardson and Lucy; 0: Wiener's filter
  double balance = 0.1;  ///< of Wiener's filter: how smooth the result is; 0: the inverse filter
};

/// Collective. What was blurred with a point spread function. Wiener's filter multiplies by conj(H) / (|H|^2 + balance
/// |L|^2), H the function's spectrum and L that of the Laplacian's second differences. Richardson and Lucy's iterations
/// begin at 1/2 and multiply by how much the blurred estimate lacks; they take arrays that are not negative.
///   plan    r2c on the host along all axes, made with options.apply = to_outputs; with `support` the array is zero
///           beyond it, otherwise periodic
///   blurred, out  in the input layout; not the same memory
///   psf     in the input layout of a plan without support, its centre at index 0, around which it wraps
///   error   invalid_argument
void deconvolve(Plan& plan, View blurred, View psf, View out, const Deconvolution& how);

namespace files {

/// Collective. convolve_whole() of arrays in files that may be larger than memory, with the same bits.
///   out    of what.result() and plan_dtype(); not committed
///   error  invalid_argument, and what apply() throws
void convolve(const Comm& comm, const File& in, const File& kernel, const File& out, const Convolution& what,
              const Options& options = {}, const OutOfCore& how = {});

/// Collective. convolve_tiles() of arrays in files, with the same bits: each rank reads and writes its share. There are
/// as many threads as fit into the memory.
///   out    of what.result() and plan_dtype(); not committed
///   error  invalid_argument; io_failed; out_of_memory
void convolve_tiles(const Comm& comm, const File& in, const File& kernel, const File& out, const Convolution& what,
                    const Options& options = {}, const OutOfCore& how = {});

/// Collective. deconvolve() of arrays in files that may be larger than memory, with the same bits: all are real.
/// Wiener's filter takes `blurred` to be periodic, the iterations take it to be zero beyond its ends.
///   psf    its centre is element m/2 along each axis, rounded down
///   out    as `blurred`, of plan_dtype(); not committed
///   error  invalid_argument, and what apply() throws
void deconvolve(const Comm& comm, const File& blurred, const File& psf, const File& out, Precision precision,
                const Deconvolution& what, const Options& options = {}, const OutOfCore& how = {});

}  // namespace files

}  // namespace shardfft
