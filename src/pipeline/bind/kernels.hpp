// The 1-D transforms of a plan's sweeps, each made once.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "pipeline/spec.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// Kernels by length and kind; each is made once for a plan.
class Kernels {
 public:
  /// `look_only`: they never run.
  explicit Kernels(const Engine& engine, bool look_only = false) : engine_(engine), look_only_(look_only) {}
  std::shared_ptr<const Kernel> get(const KernelRequest& request);
  [[nodiscard]] std::size_t table_bytes() const;  ///< of all that were made

 private:
  const Engine& engine_;
  bool look_only_;
  std::vector<std::pair<KernelRequest, std::shared_ptr<const Kernel>>> made_{};
};

/// The axes of each stage's sweep. `kernels`: of the host; nullptr where its sweeps need none.
[[nodiscard]] std::vector<std::vector<SweepAxis>> swept_axes(const PipelineSpec& spec, Kernels* kernels);

}  // namespace shardfft
