// What is asked (Problem) and what may be chosen (Options).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// c2c: complex to complex, exponent -1 forward, +1 backward.
/// r2c: forward takes reals to the half spectrum (exponent -1), backward takes it back (numpy.fft.rfftn, irfftn).
/// c2r: the same pair seen from the other side: forward takes the half spectrum to reals (exponent +1, as FFTW's c2r),
/// backward takes reals back. In the half spectrum, the last of `axes` has n/2 + 1 elements.
enum class Kind { c2c, r2c, c2r };
inline constexpr Kind c2c = Kind::c2c, r2c = Kind::r2c, c2r = Kind::c2r;

/// Of each real number: 4 or 8 bytes.
enum class Precision { f32, f64 };
inline constexpr Precision f32 = Precision::f32, f64 = Precision::f64;

/// Factor applied to the result: 1, 1/sqrt(N) or 1/N; N is the product of the transformed lengths.
enum class Scaling { none, by_sqrt_n, by_n };

struct Problem {
  Shape shape{};  ///< logical extents, real ones for r2c and c2r; 1 to 8 axes, each >= 1
  Kind kind = c2c;
  Precision precision = f64;
  std::vector<int> axes{};  ///< transformed axes, 1 to 4, negative ones count from the end; empty means all (the last 4
                            ///< at most are allowed). r2c and c2r: the last one is the real one
  Scaling forward = Scaling::none;
  Scaling backward = Scaling::by_n;
};

/// Where one local box lies in the caller's memory.
struct Placement {
  Index offset = 0;  ///< elements from the start of the buffer to the box's first element
  Coord strides{};   ///< elements from one index to the next along each axis, positive
};

/// Every field may be left alone. Text fields: "" means the planner chooses; the environment variable named beside a
/// field wins over "" but not over a given value.
struct Options {
  LayoutSpec input{}, output{};
  std::vector<Placement> input_memory{},
      output_memory{};  ///< one per local box of this rank; empty means box after box without gaps, in the layout's
                        ///< order (cyclic: one local array in that order)
  double tolerance =
      0;  ///< relative L2 error of the result allowed, on every input: exchanges between nodes may be encoded, and with
          ///< arrays = "host" what lies between two passes through the device; 0 is exact mode
  double tolerance_absolute = 0;  ///< instead: L2 norm of the error of the result
  double tolerance_linf =
      0;  ///< instead: largest error of any element of the result, relative to the root mean square of its elements
  std::string guarantee{};  ///< SHARDFFT_GUARANTEE: certified (the default), worst, statistical: see approximate.hpp
  std::string codec{};  ///< SHARDFFT_CODEC: none, f32, f16, bf16, mantissa:BITS, block_float, block_float_bytes, zfp,
                        ///< lossless; named without a tolerance it is used whatever it loses
  bool encode_near = false;  ///< exchanges within a node are encoded, too: for tests and studies, it is slower
  std::string engine{};      ///< SHARDFFT_ENGINE: native, fftw, mkl
  std::string transport{};   ///< SHARDFFT_TRANSPORT: shared_memory, mpi_p2p, mpi_alltoallv, mpi_rma, mixed, mixed_rma,
                             ///< threads, dry_run
  std::string decomposition{};  ///< SHARDFFT_DECOMPOSITION: slab, pencil, brick
  Coord ranks_grid{};           ///< SHARDFFT_RANKS_GRID=2x3: process grid of the inner stages
  int threads = 0;  ///< SHARDFFT_THREADS: OpenMP threads of this rank; 0 means all cores of the node / ranks on it
  int chunks = 0;   ///< SHARDFFT_CHUNKS: parts of an exchange that overlap with the sweep before it
  int tile = 0;     ///< SHARDFFT_TILE: pencils gathered together, rounded up to the engine's
  std::vector<int> axis_order{};  ///< order of the forward transforms, first one first, and backward the reverse; empty
                                  ///< means last axis first (docs/guide/exactness.md)
  bool in_place = false;          ///< input and output are the same memory
  bool destroy_input = false;  ///< the input may be overwritten: what lies between two sweeps of a transform to reals
                               ///< needs no memory of its own then (intermediate "output")
  bool padded_reals =
      false;  ///< r2c, c2r: rows of reals have room for those of the half spectrum, 2 (n/2 + 1) numbers for n, as in
              ///< FFTW's and cuFFT's transforms in place; instead of input_memory (c2r: output_memory)
  int fuse = -1;   ///< SHARDFFT_FUSE: axes done in one sweep: 1, 2; -1 means the planner chooses
  int split = -1;  ///< SHARDFFT_SPLIT: one axis is swept in two halves: 0 never, 1 wherever it has two factors; -1
                   ///< means where it is the only one and long (docs/theory/sweeps.md). Bits depend on it
  std::string
      intermediate{};  ///< SHARDFFT_INTERMEDIATE: where the array lies between two sweeps within a node: "buffers", or
                       ///< "output", the caller's, if it can lie there; "" means the planner chooses
  int non_temporal = -1;  ///< SHARDFFT_NON_TEMPORAL: non-temporal stores: 0, 1, or 2, only on the way from the spectrum
                          ///< back; -1 means the planner chooses
  int huge_pages = -1;   ///< SHARDFFT_HUGE_PAGES: memory that ranks of a node share lies in huge pages where the system
                         ///< has them: 0, 1; -1 means 1
  std::string effort{};  ///< SHARDFFT_EFFORT: model (the default: wisdom where there is an entry, else the model),
                         ///< measure, exhaustive (see docs/guide/tuning.md)
  double tune_seconds =
      0;  ///< SHARDFFT_TUNE_SECONDS: what measuring may take; 0 means 10 s (measure) or 120 s (exhaustive)
  bool wisdom =
      true;  ///< false: what earlier runs measured is not looked up; SHARDFFT_WISDOM=off says so for all plans
  std::string device{};  ///< SHARDFFT_DEVICE: "" transforms on the processor; cuda, hip: on a GPU, which the ranks of a
                         ///< node share out; cuda:1: on that one
  std::string arrays{};  ///< with a device, where the caller's arrays are: "device" (the default), or "host": they go
                         ///< through the device tile by tile and may be larger than it
  void* queue = nullptr;  ///< with arrays on a device, the caller's stream (cudaStream_t, hipStream_t) in whose order a
                          ///< run is done; nullptr: the default stream
  void* workspace = nullptr;        ///< caller's memory instead of the plan's own, aligned to 64; of a device where the
                                    ///< arrays are, aligned to 256
  std::size_t workspace_bytes = 0;  ///< at least plan.workspace_bytes(); the error says how much when it is too small
};

[[nodiscard]] std::string to_string(Kind kind);
[[nodiscard]] std::string to_string(Precision precision);
/// "512 x 512 x 512 r2c f64, axes 0 1 2"
[[nodiscard]] std::string to_string(const Problem& problem);

}  // namespace shardfft
