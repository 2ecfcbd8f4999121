// A flow in one precision: its arrays, and the right-hand side in each form.
#pragma once

#include <atomic>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "navier_stokes/impl.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::solvers {

template <class T>
struct NavierStokes::Of final : Impl {
  Of(const Comm& group, const FlowProblem& flow, const Options& options) : Impl(group, flow, options) {
    const bool convective = problem.form == Form::convective, divergence = problem.form == Form::divergence;
    const Index m = 2 * modes.component(), p = points.apart;
    share_out({{&state_, (divergence ? 3 : 6) * m},  // behind the state: its curl, or a derivative
               {&rate_, (divergence ? 6 : 3) * m},
               {&before_, 3 * m},
               {&sum_, 3 * m},
               {&velocity_, 3 * p},
               {&others_, (problem.fused ? 0 : 3) * p},
               {&advection_, (convective ? 3 : 0) * p}});
  }

  void set(const Velocity& velocity) override {
    fill(points, problem, velocity, velocity_);
    transforms.forward(velocity_, state_, seconds);
    project(modes, state_);
    follow();
  }
  void restore(View from) override {
    std::memcpy(state_, from.data, state().bytes);
    follow();
  }
  double rate(bool looks) override {
    if (problem.fused) return fused(looks);
    transforms.backward(state_, velocity_, seconds);
    std::int64_t start = now_ns();
    const double speed = looks ? largest_speed(points, velocity_) : 0;
    seconds.points += lap(start);
    if (problem.form == Form::rotational) rotational();
    if (problem.form == Form::convective) convective();
    if (problem.form == Form::divergence) divergence();
    return speed;
  }
  void run(int stage, double dt) override { run_stage<T>(modes, problem, {state_, rate_, before_, sum_}, stage, dt); }
  FlowSums sums() override { return sums_of(modes, comm, state_); }
  std::vector<double> spectrum() override { return spectrum_of(modes, comm, state_, longest); }
  std::uint64_t hash() override { return hash_of(modes, comm, state_, kept); }
  double speed() override {
    transforms.backward(state_, velocity_, seconds);
    return all_max(comm, largest_speed(points, velocity_));
  }
  [[nodiscard]] View state() const override {
    return {state_, static_cast<std::size_t>(6 * modes.component()) * sizeof(T)};
  }

 private:
  [[nodiscard]] T* derived() { return state_ + 6 * modes.component(); }
  /// What lies behind the state belongs to it.
  void follow() {
    if (problem.form == Form::rotational) curl(modes, state_, derived());
  }
  void rotational() {
    transforms.backward(derived(), others_, seconds);
    std::int64_t start = now_ns();
    cross(points, velocity_, others_);
    seconds.points += lap(start);
    transforms.forward(velocity_, rate_, seconds);
  }
  void convective() {
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t start = now_ns();
      derive(modes, state_, axis, derived());
      seconds.modes += lap(start);
      transforms.backward(derived(), others_, seconds);
      start = now_ns();
      advect(points, velocity_, axis, others_, advection_);
      seconds.points += lap(start);
    }
    transforms.forward(advection_, rate_, seconds);
  }
  void divergence() {
    std::int64_t start = now_ns();
    fluxes(points, velocity_, others_);
    seconds.points += lap(start);
    transforms.forward(velocity_, rate_, seconds);
    transforms.forward(others_, rate_ + 6 * modes.component(), seconds);
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
    transforms.rate(state_, rate_, Operator(product), seconds);
    return std::sqrt(most.load());
  }

  /// All arrays are one piece of memory, each from a page of its own on. Collective.
  void share_out(std::initializer_list<std::pair<T**, Index>> arrays) {
    constexpr Index page = 4096 / sizeof(T);
    Index numbers = 0;
    for (const auto& [array, count] : arrays) numbers += (count + page - 1) / page * page;
    require_room(numbers * Index{sizeof(T)});
    collectively(comm, [&] { memory_ = Array(static_cast<std::size_t>(numbers) * sizeof(T)); });
    T* next = memory_.as<T>().data();
    for (const auto& [array, count] : arrays) {
      *array = next;
      next += (count + page - 1) / page * page;
    }
  }

  Array memory_{};
  T *state_ = nullptr, *rate_ = nullptr, *before_ = nullptr, *sum_ = nullptr;  // of modes
  T *velocity_ = nullptr, *others_ = nullptr, *advection_ = nullptr;           // of points
};

}  // namespace shardfft::solvers
