// What a flow is, whatever its precision.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "navier_stokes/modes.hpp"
#include "navier_stokes/points.hpp"
#include "navier_stokes/transforms.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"

namespace shardfft::solvers {

/// Collective. Throws on every rank Error(mismatch) unless all ranks give the same problem, and Error(invalid_argument)
/// for one that cannot be computed.
[[nodiscard]] const FlowProblem& checked(const Comm& comm, const FlowProblem& problem);
[[noreturn]] inline void refuse(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got {}; {}", rule, got, remedy));
}

/// Times the largest velocity at the start: a flow without forces does not get there.
inline constexpr double blown_up = 1000;

/// What does not depend on the precision.
struct NavierStokes::Impl {
  Impl(const Comm& group, const FlowProblem& flow, const Options& options)
      : comm(group),
        problem(checked(group, flow)),
        kept(kept_modes(problem)),
        longest(longest_wave(problem, kept)),
        transforms(comm, problem, options),
        modes(make_modes(problem, transforms.modes(), kept, threads_of(options))),
        points{transforms.points(), transforms.points_apart(), modes.threads} {}
  virtual ~Impl() = default;

  virtual void set(const Velocity& velocity) = 0;
  virtual void restore(View state) = 0;
  /// The right-hand side of the state, but for what run_stage adds. If `looks`, returns the largest velocity of this
  /// rank.
  virtual double rate(bool looks) = 0;
  virtual void run(int stage, double dt) = 0;
  virtual FlowSums sums() = 0;
  virtual std::vector<double> spectrum() = 0;
  virtual std::uint64_t hash() = 0;
  virtual double speed() = 0;              ///< collective
  [[nodiscard]] virtual View state() = 0;  ///< on the host
  [[nodiscard]] virtual std::size_t state_bytes() const = 0;

  void begin(double at, Index after) {
    time = at, steps = after;
    start_speed = speed();
  }
  void step(double dt) {
    std::int64_t begin = now_ns();
    for (int stage = 1; stage <= 4; ++stage) {
      const double speed = rate(stage == 1);
      if (stage == 1) agree_on_step(dt, speed);
      std::int64_t start = now_ns();
      run(stage, dt);
      seconds.modes += lap(start);
    }
    seconds.total += lap(begin);
    time += dt, ++steps;
  }
  /// The largest stable step for the inviscid and the viscous part. The scheme is stable up to 2.83 and 2.79 on the
  /// axes.
  [[nodiscard]] double stable_step(double speed) const {
    const double flow = 2.83 / (speed * longest), viscous = 2.79 / (problem.viscosity * longest * longest);
    return std::min(flow, viscous);
  }
  /// Collective, in one message: throws the same Error on every rank unless all take one positive step and the largest
  /// velocity is bounded.
  void agree_on_step(double dt, double speed) {
    const std::array<double, 2> mine{dt, speed};
    std::vector<std::array<double, 2>> all(static_cast<std::size_t>(comm.size()));
    comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    double most = speed;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto [step, fastest] = all[rank];
      if (std::bit_cast<std::uint64_t>(step) != std::bit_cast<std::uint64_t>(all[0][0]))
        throw Error(Status::mismatch, fmt::format("a time step is the same on every rank; got {} on rank 0 and {} on "
                                                  "rank {}; take rank 0's on all of them",
                                                  all[0][0], step, rank));
      most = std::isnan(most) || fastest <= most ? most : fastest;
    }
    if (!(dt > 0 && std::isfinite(dt)))
      refuse("a time step must be positive", fmt::format("{:g}", dt), "choose one below stable_step()");
    require_bounded(most);
    last_dt = dt;
  }
  void require_bounded(double speed) const {
    if (speed <= blown_up * start_speed) return;
    refuse(fmt::format(
               "velocities must stay bounded; after step {} (time {:.6g}) the largest is {:.3g}, at the start it was "
               "{:.3g}, for which steps of at most {:.3g} are stable",
               steps, time, speed, start_speed, stable_step(start_speed)),
           fmt::format("dt = {:g}", last_dt),
           problem.dealias ? "take a smaller step" : "take a smaller step, or dealias");
  }
  /// Collective: for arrays of so many bytes on this rank.
  void require_room(Index bytes) const {
    if (const std::string why = why_no_room(comm, {.own = bytes}); !why.empty())
      throw Error(Status::out_of_memory,
                  fmt::format("there is no room for arrays of {} on a rank: {}; use more nodes, fewer points or f32",
                              gigabytes(bytes), why));
  }
  [[nodiscard]] int threads_of(const Options& options) const {
    return options.threads > 0 ? options.threads : usual_threads(comm);
  }

  Comm comm;
  FlowProblem problem;
  Coord kept;
  double longest;
  FlowTransforms transforms;
  ModeGrid modes;
  PointGrid points;
  FlowSeconds seconds{};
  double time = 0, start_speed = 0, last_dt = 0;
  Index steps = 0;
};

}  // namespace shardfft::solvers
