// What is done to arrays between transforms, where they lie: on the processor, or on the device of a plan.
#pragma once

#include <memory>

#include "navier_stokes/modes.hpp"
#include "navier_stokes/points.hpp"
#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::solvers {

/// Arrays of numbers of the flow's precision: fields of three components, of points or of modes.
class FlowLoops {
 public:
  virtual ~FlowLoops() = default;
  /// The largest speed on this rank; not finite if a speed is not.
  virtual double largest_speed(const void* u) = 0;
  virtual void cross(void* u, const void* w) = 0;  ///< u becomes u x w
  /// rate -= u_axis gradient; for axis 0 it begins at zero.
  virtual void advect(const void* u, int axis, const void* gradient, void* rate) = 0;
  virtual void fluxes(void* u, void* rest) = 0;  ///< u becomes xx xy xz, and `rest` yy yz zz
  virtual void project(void* state) = 0;         ///< leaves the part without divergence
  virtual void curl(const void* state, void* result) = 0;
  virtual void derive(const void* state, int axis, void* result) = 0;
  virtual void run_stage(const FlowArrays<void>& arrays, int stage, double dt) = 0;  ///< as in modes.hpp
};

/// What fused flows do at points on a device, which are never stored.
class DeviceProduct {
 public:
  /// `fused`: from six components to three; outlives it.
  explicit DeviceProduct(const Plan& fused);
  /// u x w; if `looks`, it keeps |u|^2, too.
  [[nodiscard]] const Operator& of(bool looks) const { return looks ? looks_ : product_; }
  /// The largest speed on this rank in the last run that looked.
  [[nodiscard]] double largest_speed() const;

 private:
  const Plan& fused_;
  Index points_;
  Array squares_;
  Operator product_, looks_;
};

/// All of them outlive it.
[[nodiscard]] std::unique_ptr<FlowLoops> host_loops(const FlowProblem& problem, const PointGrid& points,
                                                    const ModeGrid& modes);
/// By formulas, for arrays of a plan on a device. Returns from each when it is done.
[[nodiscard]] std::unique_ptr<FlowLoops> device_loops(const FlowProblem& problem, const PointGrid& points,
                                                      const ModeGrid& modes, const Plan& plan);

}  // namespace shardfft::solvers
