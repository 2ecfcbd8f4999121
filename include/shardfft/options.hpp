// How to compute it: options as fields, or by name and text, as in the environment and on the command line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// The place of one local box in the caller's memory.
struct Placement {
  Index offset = 0;  ///< elements from the start of the buffer to the box's first element
  Coord strides{};   ///< elements from one index to the next along each axis, positive
};

/// One axis that ranks share (docs/theory/sweeps.md): in four steps if its length has two factors, else as a
/// convolution. automatic: if it is the only one and long. always: also if short. The bits of the result depend on it.
enum class SplitAxis { automatic, never, always };

/// The place of the array between two sweeps within a node: buffers, or the caller's output if it has room.
enum class Intermediate { automatic, buffers, output };

/// Which sweeps use stores that bypass the cache; synthesis: only those from the spectrum back.
enum class NonTemporal { automatic, none, all, synthesis };

/// Whether memory that ranks of a node share lies in huge pages, if the system has them; automatic is on.
enum class HugePages { automatic, off, on };

/// Which of Plan::apply and Plan::apply_physical will be called: operators get the output of forward, or of backward.
/// Each has its own sweeps and messages.
enum class Apply { none, to_outputs, to_inputs };

/// Choices that are best left to the planner, by "", 0 and automatic unless a field says otherwise. A field that is not
/// set takes the value of its SHARDFFT_ variable.
struct ExpertOptions {
  std::string engine{};  ///< SHARDFFT_ENGINE: native, fftw, mkl; on a device library, fused
  /// SHARDFFT_TRANSPORT: shared_memory, mpi_p2p, mpi_alltoallv, mpi_rma, mixed, mpi_node, mixed_rma, threads, dry_run
  std::string transport{};
  std::string decomposition{};  ///< SHARDFFT_DECOMPOSITION: slab, pencil, brick
  Coord ranks_grid{};           ///< SHARDFFT_RANKS_GRID=2x3: process grid of the inner stages
  /// SHARDFFT_CODEC: none, f32, f16, mantissa:BITS, block_float, zfp, lossless. A codec named without a
  /// tolerance is used whatever it loses.
  std::string codec{};
  bool encode_near = false;  ///< exchanges within a node are encoded, too: slower, for tests and studies
  int chunks = 0;            ///< SHARDFFT_CHUNKS: parts of an exchange that overlap with the sweep before it
  int tile = 0;              ///< SHARDFFT_TILE: pencils gathered together, rounded up to the engine's
  /// Axes in the order of the forward transforms; backward is the reverse. Empty: last axis first, with the exceptions
  /// of docs/guide/exactness.md.
  std::vector<int> axis_order{};
  int fuse = -1;  ///< SHARDFFT_FUSE: axes done in one sweep: 1, 2, on a device also 3; -1 leaves it to the planner
  /// SHARDFFT_STREAMS: on a device, tiles in flight at once, 1 to 8: each in its own queue, or with arrays = "host"
  /// while others arrive and leave
  int streams = 0;
  SplitAxis split = SplitAxis::automatic;               ///< SHARDFFT_SPLIT
  Intermediate intermediate = Intermediate::automatic;  ///< SHARDFFT_INTERMEDIATE
  NonTemporal non_temporal = NonTemporal::automatic;    ///< SHARDFFT_NON_TEMPORAL
  HugePages huge_pages = HugePages::automatic;          ///< SHARDFFT_HUGE_PAGES
};

/// A field that is not set takes the value of its SHARDFFT_ variable, if it has one, else its default; often that is
/// the planner's choice. docs/guide/options.md explains all fields.
struct Options {
  LayoutSpec input{}, output{};  ///< who owns what, before and after
  /// Places of this rank's local boxes. Empty: box after box without gaps, in the layout's order; a cyclic layout is
  /// one local array in that order.
  std::vector<Placement> input_memory{}, output_memory{};
  /// Relative L2 error that the result may have, for every input; 0 is exact mode. Exchanges between nodes may be
  /// encoded, and, with arrays = "host", the array between two passes through the device.
  double tolerance = 0;
  double tolerance_absolute = 0;  ///< instead: L2 norm of the error
  double tolerance_linf = 0;      ///< instead: largest error of an element, relative to the root mean square of all
  std::string guarantee{};        ///< SHARDFFT_GUARANTEE: certified (the default), worst, statistical (approximate.hpp)
  int threads = 0;                ///< SHARDFFT_THREADS: threads of this rank; 0: its share of the node's cores
  bool in_place = false;          ///< input and output are the same memory
  bool destroy_input = false;     ///< the input may be overwritten; that can save memory on the way to reals
  /// r2c, c2r: a row of n reals has room for its half spectrum, 2 (n/2 + 1) numbers, as in FFTW and cuFFT in place;
  /// instead of input_memory (c2r: output_memory).
  bool padded_reals = false;
  Apply apply = Apply::none;
  /// With apply: elements of axis 0, which is not transformed, that an operator gets together, and returns. 0 and 0:
  /// each element by itself; otherwise components_out = 0 means components_in.
  int components_in = 0, components_out = 0;
  /// SHARDFFT_EFFORT: model (the default: wisdom if there is an entry, else the model), measure, exhaustive.
  std::string effort{};
  /// SHARDFFT_TUNE_SECONDS: time limit of measuring; 0 is 10 s (measure) or 120 s (exhaustive).
  double tune_seconds = 0;
  bool wisdom = true;  ///< false: earlier measurements are ignored; SHARDFFT_WISDOM=off does that for all plans
  /// SHARDFFT_DEVICE: cuda, hip, sycl: GPUs, over which the ranks of a node are distributed; cuda:1: that one; "":
  /// processor.
  std::string device{};
  /// With a device, where the caller's arrays are: "device" (the default), or "host": they go through the device tile
  /// by tile and may be larger than it.
  std::string arrays{};
  /// With arrays on a device, the caller's stream (cudaStream_t, hipStream_t, sycl::queue*) in whose order a run is
  /// done; nullptr is the default stream.
  void* queue = nullptr;
  /// The caller's memory instead of the plan's own, aligned to 64; on a device to 256, and in its memory.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;  ///< at least plan.workspace_bytes(); the error says how much if it is too small
  ExpertOptions expert{};           ///< choices that are best left to the planner
};

/// The section of docs/guide/options.md that a choice belongs to, and the commands of the program that have its flag.
enum class OptionGroup { arrays, devices, planner, effort, exactness };

/// How a value is written: true or false, 12, 1e-6, a word, 2x3, 0,2,1.
enum class OptionType { truth, whole, number, word, grid, axes };

/// Whether a measurement depends on it: never, always, or only where somebody chose: then what was measured without
/// that serves, too.
enum class InWisdom { no, asked, chosen };

/// All that is known of one choice. A new one is a row of the table, and the place that uses it.
struct OptionRow {
  std::string_view name{};      ///< of the field: "chunks"
  std::string_view variable{};  ///< "SHARDFFT_CHUNKS"; empty: none
  std::string_view flag{};      ///< of the program: "--chunks"; empty: none, or one that does more
  std::string_view help{};      ///< one line
  OptionGroup group = OptionGroup::planner;
  OptionType type = OptionType::whole;
  std::span<const std::string_view> words{};  ///< all that there are; empty: others say which exist
  double least = 0, most = 0;                 ///< of numbers
  double most_on_device = 0;                  ///< where that is more
  InWisdom in_wisdom = InWisdom::no;
  bool same_on_all_ranks = true;
};

/// All choices that have a name and a text: those of Options but for layouts, memory, queue and workspace.
[[nodiscard]] std::span<const OptionRow> option_table();

/// Sets one option. Errors use the name that the caller used.
///   name   of a row, its variable or its flag
///   text   in upper or lower case; empty: not set
///   error  invalid_argument: no such name, or a text or number that no plan allows
void set_option(Options& options, std::string_view name, std::string_view text);
/// The value as a text that set_option() accepts. Throws Error(invalid_argument) if there is no such name.
[[nodiscard]] std::string option_text(const Options& options, std::string_view name);
/// Throws Error(invalid_argument) if the value breaks a rule, including ranges that depend on the device. Plans check
/// all options.
void check_option(const Options& options, std::string_view name);

}  // namespace shardfft
