// One pass over the data: tiles of pencils stream through cache, gather -> 1-D transform(s) -> scale -> scatter. A sweep with no transform moves data only.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "codec/stage.hpp"
#include "engine/engine.hpp"
#include "grid/patch.hpp"

namespace shardfft {

/// One transform of a sweep. Every box of the sweep is whole along `axis`.
struct SweepAxis {
  int axis = 0;
  std::shared_ptr<const Kernel> kernel{};
};

/// What a sweep does; plain data.
struct SweepSpec {
  Scalar scalar = Scalar::f64;
  bool complex_in = true, complex_out = true;
  std::vector<SweepAxis> axes{};          ///< 0: move; 1: pencils; 2 or more: planes that stay in cache between the axes
  std::vector<std::vector<Box>> chunks{};  ///< per chunk the boxes to do, in the input's index space
  std::vector<Patch> from{}, to{};         ///< cover those boxes, in the input's and the output's index space
  double scale = 1;
  int threads = 1;
  int tile = 0;         ///< pencils gathered together, a multiple of the kernel's is used; 0 means one kernel tile
  bool stream = false;  ///< stores bypass the cache where whole lines are written

  /// With a source, what it has and what `from` covers are brought together in a plane in cache, from which the first transform reads; with a sink, the last one writes into such a plane, from which
  /// the sink takes all and `to` what it covers. Neither is owned.
  Source* source = nullptr;
  Sink* sink = nullptr;
  Coord steps{};                  ///< then: the sweep goes by the global multiples of these; whole along its axes
  int source_axis = -1, sink_axis = -1;  ///< then: the axis that is contiguous in the plane; -1: the last
  [[nodiscard]] bool staged() const { return source != nullptr || sink != nullptr; }
};

/// Planes that a fused sweep which leaves out the array's last axis does at once, so that whole cache lines are read and written.
inline constexpr Index planes_together = 16;

/// The caller's two buffers of one run.
struct Buffers {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
};

/// A sweep that is ready to run. Nothing is allocated while it runs.
class Sweep {
 public:
  explicit Sweep(SweepSpec spec);
  ~Sweep();
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;

  /// Bytes of scratch for all threads, aligned to 64.
  [[nodiscard]] std::size_t scratch_bytes() const;
  /// `poll` is called now and then by the calling thread while the sweep runs (may be empty).
  void run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const;

  [[nodiscard]] Index bytes_read() const;     ///< per run over all chunks
  [[nodiscard]] Index bytes_written() const;
  [[nodiscard]] const SweepSpec& spec() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};


}  // namespace shardfft
