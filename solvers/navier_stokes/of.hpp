// A flow in one precision: its arrays, and the right-hand side in each form.
#pragma once

#include <atomic>
#include <cmath>
#include <cstring>

#include "navier_stokes/impl.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::solvers {

/// `components` of complex numbers or reals, as this rank has them.
template <class T>
class Components {
 public:
  Components(const Comm& comm, Index numbers, int components) {
    collectively(comm, [&] { array_ = Array(static_cast<std::size_t>(numbers * components) * sizeof(T)); });
  }
  [[nodiscard]] T* data() { return array_.as<T>().data(); }
  [[nodiscard]] const T* data() const { return array_.as<T>().data(); }

 private:
  Array array_{};
};

/// Arrays of modes that a form needs beside three components.
int more_modes(Form form) { return form == Form::divergence ? 0 : 3; }

template <class T>
struct NavierStokes::Of final : Impl {
  Of(const Comm& group, const FlowProblem& flow, const Options& options)
      : Impl(group, flow, options),
        state_(comm, 2 * modes.component(), 3 + more_modes(problem.form)),
        rate_(comm, 2 * modes.component(), problem.form == Form::divergence ? 6 : 3),
        before_(comm, 2 * modes.component(), 3),
        sum_(comm, 2 * modes.component(), 3),
        velocity_(comm, points.count(), 3),
        others_(comm, points.count(), problem.fused ? 0 : 3),
        advection_(comm, points.count(), problem.form == Form::convective ? 3 : 0) {}

  void set(const Velocity& velocity) override {
    fill(points, problem, velocity, velocity_.data());
    transforms.forward(velocity_.data(), state_.data(), seconds);
    project(modes, state_.data());
    follow();
  }
  void restore(View from) override {
    std::memcpy(state_.data(), from.data, state().bytes);
    follow();
  }
  double rate(bool looks) override {
    if (problem.fused) return fused(looks);
    transforms.backward(state_.data(), velocity_.data(), seconds);
    std::int64_t start = now_ns();
    const double speed = looks ? largest_speed(points, velocity_.data()) : 0;
    seconds.points += lap(start);
    if (problem.form == Form::rotational) rotational();
    if (problem.form == Form::convective) convective();
    if (problem.form == Form::divergence) divergence();
    return speed;
  }
  void run(int stage, double dt) override {
    run_stage<T>(modes, problem, {state_.data(), rate_.data(), before_.data(), sum_.data()}, stage, dt);
  }
  FlowSums sums() override { return sums_of(modes, comm, state_.data()); }
  std::vector<double> spectrum() override { return spectrum_of(modes, comm, state_.data(), longest); }
  std::uint64_t hash() override { return hash_of(modes, comm, state_.data(), kept); }
  double speed() override {
    transforms.backward(state_.data(), velocity_.data(), seconds);
    return largest(comm, largest_speed(points, velocity_.data()));
  }
  [[nodiscard]] View state() const override {
    return {state_.data(), static_cast<std::size_t>(6 * modes.component()) * sizeof(T)};
  }

 private:
  [[nodiscard]] T* derived() { return state_.data() + 6 * modes.component(); }
  /// What lies behind the state belongs to it.
  void follow() {
    if (problem.form == Form::rotational) curl(modes, state_.data(), derived());
  }
  void rotational() {
    transforms.backward(derived(), others_.data(), seconds);
    std::int64_t start = now_ns();
    cross(points, velocity_.data(), others_.data());
    seconds.points += lap(start);
    transforms.forward(velocity_.data(), rate_.data(), seconds);
  }
  void convective() {
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t start = now_ns();
      derive(modes, state_.data(), axis, derived());
      seconds.modes += lap(start);
      transforms.backward(derived(), others_.data(), seconds);
      start = now_ns();
      advect(points, velocity_.data(), axis, others_.data(), advection_.data());
      seconds.points += lap(start);
    }
    transforms.forward(advection_.data(), rate_.data(), seconds);
  }
  void divergence() {
    std::int64_t start = now_ns();
    fluxes(points, velocity_.data(), others_.data());
    seconds.points += lap(start);
    transforms.forward(velocity_.data(), rate_.data(), seconds);
    transforms.forward(others_.data(), rate_.data() + 6 * modes.component(), seconds);
  }
  // Points are never stored. The largest velocity is that of all calls, which come from several threads.
  double fused(bool looks) {
    std::atomic<double> most = 0;
    const auto product = [&most, looks](const Modes& m) {
      T* c[6];
      for (int i = 0; i < 6; ++i) c[i] = m.reals<T>(i).data();
      if (looks) {
        const double square = largest_square(m.count, c[0], c[1], c[2]);
        double seen = most.load(std::memory_order_relaxed);
        while (!(square <= seen) && !std::isnan(seen) && !most.compare_exchange_weak(seen, square)) {}
      }
      cross_product(m.count, c[0], c[1], c[2], c[3], c[4], c[5]);
    };
    transforms.rate(state_.data(), rate_.data(), Operator(product), seconds);
    return std::sqrt(most.load());
  }

  Components<T> state_, rate_, before_, sum_;
  Components<T> velocity_, others_, advection_;
};

}  // namespace shardfft::solvers
