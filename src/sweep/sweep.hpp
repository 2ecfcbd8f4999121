// One pass over the data: tiles of pencils stream through cache, gather -> 1-D transform(s) -> scale -> scatter. A
// sweep with no transform moves data only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/stage.hpp"
#include "engine/axis_transform.hpp"
#include "grid/cyclic_axis.hpp"
#include "support/storage_format.hpp"
#include "support/tuning.hpp"
#include "sweep/adjoint_weights.hpp"
#include "sweep/operator_pass.hpp"
#include "sweep/row_chirp.hpp"
#include "sweep/twiddles.hpp"

namespace shardfft {

/// One transform of a sweep, and its kernel. `other` is set only for the second half of a split axis: its index numbers
/// the powers of the twiddles.
struct SweepAxis : AxisTransform {
  std::shared_ptr<const Kernel> kernel{};  ///< of the host; other sweeps do without
  CyclicMap other_map{};                   ///< order of the other half by owner
  /// Factors that the host multiplies pencils by before the transform; nullptr: none.
  std::shared_ptr<const Twiddles> twiddles{};
  double scale = 1;  ///< factor on the results of this transform
  AdjointWeights weights{};
  /// Factors that the host multiplies pencils by before the transform, after it; nullptr: none.
  std::shared_ptr<const RowChirp> chirp_before{}, chirp_after{};
  int chirp_rows = -1;  ///< axis whose index numbers the rows of these
};

/// What a sweep does; plain data.
struct SweepSpec {
  Scalar scalar = Scalar::f64;
  bool complex_in = true, complex_out = true;
  std::vector<SweepAxis> axes{};  ///< 0: move; 1: pencils; 2 or more: planes that stay in cache between the axes
  std::vector<std::vector<Box>> chunks{};  ///< per chunk the boxes to do, in the input's index space
  std::vector<Patch> from{}, to{};         ///< cover those boxes, in the input's and the output's index space
  bool looks_only = false;                 ///< of a plan that never runs: no tables that are as long as an axis
  /// All choices of the plan. Of `tile` a multiple of the kernel's pencils is used, and of 0 as many as suit the sweep.
  Tuning tuning{};
  /// Whether stores bypass the cache if whole lines are written.
  [[nodiscard]] bool non_temporal() const { return tuning.non_temporal == NonTemporal::all; }
  /// Tiles of a sweep that are found once, when it is made (sweep/host/recorded_tiles.hpp). If there are more, or what
  /// they do differs from run to run, they are found in every run.
  Index most_recorded = 4096;

  /// Beside `from` and `to`: a source brings its boxes to a plane in cache, from where the first transform reads them,
  /// and the last one writes the boxes of a sink to such a plane. Neither is owned.
  Source* source = nullptr;
  Sink* sink = nullptr;
  std::vector<Box> source_boxes{}, sink_boxes{};
  /// Axes of these planes, slowest first; empty: natural order.
  std::vector<int> source_order{}, sink_order{};
  Coord steps{};  ///< then: the sweep goes by the global multiples of these; whole along its axes
  /// Storage formats of `from` and `to`, if shorter than the computation's format. Not owned. Strides of those patches
  /// count such elements.
  const ScaledStorage* from_narrow = nullptr;
  const ScaledStorage* to_narrow = nullptr;
  /// Between two of its transforms; each unit of the sweep is whole along the axis of components.
  std::optional<OperatorPass> operates{};
  /// Its last axis is the last one of all: the factor of the run joins that axis's own.
  bool takes_factor = false;
  /// Factor on the result, of all axes together; that of the run aside.
  [[nodiscard]] double scale() const;
  [[nodiscard]] bool staged() const { return source != nullptr || sink != nullptr; }
};

/// Planes that a fused sweep which leaves out the array's last axis does at once, so that whole cache lines are read
/// and written.
inline constexpr Index planes_together = 16;

/// Whether a last axis of so many elements has a sweep of its own, in which pencils are rows of memory; the axis before
/// it can then take both as rows (sweep/joined_axes.hpp). Longer ones fill tiles well enough, and whole vectors do. Of
/// the longest vectors that there are, so that plans do not depend on the processor.
[[nodiscard]] constexpr bool is_short_row(Index elements, Scalar scalar) {
  const Index vector = 64 / static_cast<Index>(size_of(scalar));
  return elements > 1 && elements % vector != 0 && elements < vector + vector / 4;
}

/// What the caller gives to one run. Patches of the input are written only in plans that may.
struct Buffers {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  double factor = 1;                   ///< on the results, beside the plan's own
  bool adjoint = false;                ///< of a run that is the adjoint of the opposite one: with AdjointWeights
  const Operator* operates = nullptr;  ///< of sweeps with a place for one
};

struct LinkReport;

/// A sweep that is ready to run. Nothing is allocated while it runs. Some places queue the work and return.
class Sweep {
 public:
  virtual ~Sweep() = default;
  /// Bytes of scratch that run() is to be given, of all threads together, in the memory that holds the patches. Aligned
  /// to 64, on a device to 256.
  [[nodiscard]] virtual std::size_t scratch_bytes() const = 0;
  /// `poll` is called now and then by the calling thread while the sweep runs (may be empty).
  virtual void run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const = 0;
  [[nodiscard]] virtual const SweepSpec& spec() const = 0;
  /// Per run over all chunks, read and written by every pass over memory; counted when the sweep is made.
  [[nodiscard]] virtual Index bytes_memory() const;
  /// What a place does otherwise than the processor, behind what is read and written: "; 3 tiles as they lie".
  [[nodiscard]] virtual std::string about() const { return {}; }
  /// Bytes between two memories, per run over all chunks, that `link` is to show.
  virtual void count_link(LinkReport&) const {}
  virtual void add_link_seconds(LinkReport&) const {}  ///< of the last run()
};

/// Bytes of an element of `from`, and of `to`, as stored.
[[nodiscard]] Index element_bytes_in(const SweepSpec& spec);
[[nodiscard]] Index element_bytes_out(const SweepSpec& spec);
[[nodiscard]] Index bytes_read(const SweepSpec& spec);  ///< per run over all chunks
[[nodiscard]] Index bytes_written(const SweepSpec& spec);
/// The box in the output's index space.
[[nodiscard]] Box after(const SweepSpec& spec, Box unit);

/// On the processor: tiles of pencils stream through its cache. Each axis needs its kernel.
[[nodiscard]] std::unique_ptr<Sweep> make_host_sweep(SweepSpec spec);

}  // namespace shardfft
