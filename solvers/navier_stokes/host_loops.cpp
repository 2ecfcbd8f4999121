#include "navier_stokes/loops.hpp"

namespace shardfft::solvers {
namespace {

template <class T>
class HostLoops final : public FlowLoops {
 public:
  HostLoops(const FlowProblem& problem, const PointGrid& points, const ModeGrid& modes)
      : problem_(problem), points_(points), modes_(modes) {}

  double largest_speed(const void* u) override { return solvers::largest_speed(points_, of(u)); }
  void cross(void* u, const void* w) override { cross_at(points_, of(u), of(w)); }
  void advect(const void* u, int axis, const void* gradient, void* rate) override {
    solvers::advect(points_, of(u), axis, of(gradient), of(rate));
  }
  void fluxes(void* u, void* rest) override { solvers::fluxes(points_, of(u), of(rest)); }
  void project(void* state) override { solvers::project(modes_, of(state)); }
  void curl(const void* state, void* result) override { solvers::curl(modes_, of(state), of(result)); }
  void derive(const void* state, int axis, void* result) override {
    solvers::derive(modes_, of(state), axis, of(result));
  }
  void run_stage(const FlowArrays<void>& a, int stage, double dt) override {
    solvers::run_stage<T>(modes_, problem_, {of(a.state), of(a.rate), of(a.before), of(a.sum)}, stage, dt);
  }

 private:
  static T* of(void* array) { return static_cast<T*>(array); }
  static const T* of(const void* array) { return static_cast<const T*>(array); }
  const FlowProblem& problem_;
  const PointGrid& points_;
  const ModeGrid& modes_;
};

}  // namespace

std::unique_ptr<FlowLoops> host_loops(const FlowProblem& problem, const PointGrid& points, const ModeGrid& modes) {
  if (problem.precision == f32) return std::make_unique<HostLoops<float>>(problem, points, modes);
  return std::make_unique<HostLoops<double>>(problem, points, modes);
}

}  // namespace shardfft::solvers
