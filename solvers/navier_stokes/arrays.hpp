// The arrays of a flow, on the processor or on a device, and the right-hand side in each form.
#pragma once

#include <atomic>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>

#include "navier_stokes/impl.hpp"
#include "navier_stokes/loops.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::solvers {

/// Calls f with a zero of the flow's precision.
template <class F>
auto with_number(Precision precision, F f) {
  return precision == f32 ? f(float{}) : f(double{});
}

struct NavierStokes::Arrays final : Impl {
  Arrays(const Comm& group, const FlowProblem& flow, const Options& options)
      : Impl(group, flow, options),
        loops_(transforms.on_device() ? device_loops(problem, points, modes, transforms.plan())
                                      : host_loops(problem, points, modes)) {
    const bool convective = problem.form == Form::convective, divergence = problem.form == Form::divergence;
    const Index m = 2 * modes.component(), p = points.apart;
    share_out({{&state_, (divergence ? 3 : 6) * m},  // behind the state: its curl, or a derivative
               {&rate_, (divergence ? 6 : 3) * m},
               {&before_, 3 * m},
               {&sum_, 3 * m},
               {&velocity_, 3 * p},
               {&others_, (problem.fused ? 0 : 3) * p},
               {&advection_, (convective ? 3 : 0) * p}});
    if (problem.fused && transforms.on_device()) collectively(comm, [&] { product_.emplace(transforms.fused()); });
  }

  void set(const Velocity& velocity) override {
    with_number(problem.precision, [&](auto zero) {
      using T = decltype(zero);
      collectively(comm, [&] {
        Array copy(transforms.on_device() ? bytes_of(3 * points.apart) : 0);
        fill(points, problem, velocity, reinterpret_cast<T*>(transforms.on_device() ? copy.data() : velocity_));
        if (transforms.on_device()) transforms.plan().copy(copy, View(velocity_, copy.bytes()));
      });
    });
    transforms.forward(velocity_, state_, seconds);
    loops_->project(state_);
    follow();
  }
  void restore(View from) override {
    transforms.plan().copy(from, View(state_, state_bytes()));
    follow();
  }
  double rate(bool looks) override {
    if (product_) {
      transforms.rate(state_, rate_, product_->of(looks), seconds);
      return looks ? product_->largest_speed() : 0;
    }
    if (problem.fused) return with_number(problem.precision, [&](auto zero) { return fused<decltype(zero)>(looks); });
    transforms.backward(state_, velocity_, seconds);
    std::int64_t start = now_ns();
    const double speed = looks ? loops_->largest_speed(velocity_) : 0;
    seconds.points += lap(start);
    if (problem.form == Form::rotational) rotational();
    if (problem.form == Form::convective) convective();
    if (problem.form == Form::divergence) divergence();
    return speed;
  }
  void run(int stage, double dt) override { loops_->run_stage({state_, rate_, before_, sum_}, stage, dt); }
  FlowSums sums() override {
    return with_state([&](const auto* u) { return sums_of(modes, comm, u); });
  }
  std::vector<double> spectrum() override {
    return with_state([&](const auto* u) { return spectrum_of(modes, comm, u, longest); });
  }
  std::uint64_t hash() override {
    return with_state([&](const auto* u) { return hash_of(modes, comm, u, kept); });
  }
  double speed() override {
    transforms.backward(state_, velocity_, seconds);
    return all_max(comm, loops_->largest_speed(velocity_));
  }
  [[nodiscard]] std::size_t state_bytes() const override { return bytes_of(6 * modes.component()); }
  [[nodiscard]] View state() override {
    if (!transforms.on_device()) return {state_, state_bytes()};
    if (on_host_.bytes() == 0) on_host_ = Array(state_bytes());
    transforms.plan().copy(View(state_, state_bytes()), on_host_);
    return on_host_;
  }

 private:
  [[nodiscard]] std::size_t bytes_of(Index numbers) const {
    return static_cast<std::size_t>(numbers) * (problem.precision == f32 ? sizeof(float) : sizeof(double));
  }
  /// f(numbers) of the state, on the host.
  template <class F>
  std::invoke_result_t<F, const double*> with_state(F f) {
    const View here = state();
    return with_number(problem.precision, [&](auto zero) { return f(static_cast<const decltype(zero)*>(here.data)); });
  }
  [[nodiscard]] std::byte* derived() { return state_ + state_bytes(); }
  /// What lies behind the state belongs to it.
  void follow() {
    if (problem.form == Form::rotational) loops_->curl(state_, derived());
  }
  void rotational() {
    transforms.backward(derived(), others_, seconds);
    std::int64_t start = now_ns();
    loops_->cross(velocity_, others_);
    seconds.points += lap(start);
    transforms.forward(velocity_, rate_, seconds);
  }
  void convective() {
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t start = now_ns();
      loops_->derive(state_, axis, derived());
      seconds.modes += lap(start);
      transforms.backward(derived(), others_, seconds);
      start = now_ns();
      loops_->advect(velocity_, axis, others_, advection_);
      seconds.points += lap(start);
    }
    transforms.forward(advection_, rate_, seconds);
  }
  void divergence() {
    std::int64_t start = now_ns();
    loops_->fluxes(velocity_, others_);
    seconds.points += lap(start);
    transforms.forward(velocity_, rate_, seconds);
    transforms.forward(others_, rate_ + state_bytes(), seconds);
  }
  // Points are never stored. The largest velocity is that of all calls, which come from several threads.
  template <class T>
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
  void share_out(std::initializer_list<std::pair<std::byte**, Index>> arrays) {
    constexpr std::size_t page = 4096;
    const auto pages = [&](Index numbers) { return (bytes_of(numbers) + page - 1) / page * page; };
    std::size_t bytes = 0;
    for (const auto& [array, numbers] : arrays) bytes += pages(numbers);
    if (!transforms.on_device()) require_room(static_cast<Index>(bytes));
    collectively(comm, [&] { memory_ = transforms.on_device() ? transforms.plan().make_array(bytes) : Array(bytes); });
    std::byte* next = memory_.data();
    for (const auto& [array, numbers] : arrays) {
      *array = next;
      next += pages(numbers);
    }
  }

  std::unique_ptr<FlowLoops> loops_;
  std::optional<DeviceProduct> product_{};
  Array memory_{}, on_host_{};
  std::byte *state_ = nullptr, *rate_ = nullptr, *before_ = nullptr, *sum_ = nullptr;  // of modes
  std::byte *velocity_ = nullptr, *others_ = nullptr, *advection_ = nullptr;           // of points
};

}  // namespace shardfft::solvers
