// A list of sweeps joined by exchanges, ready to run in one direction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/bind/bind.hpp"
#include "pipeline/bind/kernels.hpp"
#include "pipeline/errors/error_control.hpp"
#include "pipeline/report/observer.hpp"
#include "pipeline/route/route.hpp"
#include "pipeline/route/schedule.hpp"

namespace shardfft {

class Pipeline {
 public:
  /// `kernels`: of the host; nullptr where its sweeps need none.
  Pipeline(PipelineSpec spec, Kernels* kernels);
  Pipeline(const Pipeline&) = delete;

  [[nodiscard]] const PipelineSpec& spec() const { return spec_; }
  [[nodiscard]] const Route& route() const { return route_; }
  /// What it will exchange, in order.
  [[nodiscard]] std::vector<Round> rounds() const;
  /// Its rounds are numbers first_round, first_round + 1, ... of `channel`, which is bound. Both outlive the pipeline's
  /// runs.
  void bind(Channel& channel, int first_round, bool poll);
  /// Once bound.
  [[nodiscard]] std::size_t scratch_bytes() const { return bound_.scratch_bytes; }
  void use_scratch(std::byte* scratch);

  /// Whether it begins or ends with a step that only copies.
  [[nodiscard]] bool copies() const { return route_.steps.front().stage < 0 || route_.steps.back().stage < 0; }
  /// Those kinds of access that make a difference, once bound: reads_peers where the input must change owners before
  /// the first sweep, writes_peers where the output must after the last one or what sweeps hand on can lie in the
  /// outputs, neither where the channel has no arrays.
  [[nodiscard]] unsigned access() const { return bound_.access; }
  /// Comes before Channel::handshake() at the start of a run, with the access that this rank expects; another one
  /// works, too.
  void prepare(unsigned access);
  void start(const Buffers& buffers, unsigned access = by_copies);
  /// Runs as far as it can; with `block` to the end. Returns true when all is done.
  bool advance(bool block);
  [[nodiscard]] bool running() const { return running_; }

  /// nullptr in exact mode.
  [[nodiscard]] ErrorControl* errors() { return errors_.get(); }
  [[nodiscard]] const ErrorControl* errors() const { return errors_.get(); }
  /// What the last run took.
  [[nodiscard]] Observer& observer() { return observer_; }
  [[nodiscard]] const Observer& observer() const { return observer_; }
  /// One line per step, for people.
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] bool take(const Turn& turn, bool block);
  [[nodiscard]] bool make_room(int step, bool block);
  [[nodiscard]] bool has_come(int step, int chunk, bool block);
  void sweep_and_send(int step, int chunk);
  [[nodiscard]] bool finish(int step, bool block);
  [[nodiscard]] bool drain(bool block);
  [[nodiscard]] bool control_errors(const Turn& turn, bool block);
  void begin();
  [[nodiscard]] const Sweep* sweep(int step) const { return bound_.sweeps[access_][static_cast<std::size_t>(step)]; }
  [[nodiscard]] BoundStep& step(int number) { return bound_.steps[static_cast<std::size_t>(number)]; }

  // report.cpp
  void add_lines();
  void count_bytes();
  void count_encoded(int step);
  [[nodiscard]] std::string label_of(const SweepSpec& spec) const;
  [[nodiscard]] int callers_axis(int axis) const;

  PipelineSpec spec_;
  Route route_;
  std::vector<std::vector<SweepAxis>> axes_;  ///< of each stage
  std::unique_ptr<ErrorControl> errors_{};
  std::vector<Turn> turns_;
  Observer observer_{};

  Channel* channel_ = nullptr;
  BoundRoute bound_{};
  std::function<void()> poll_{}, no_poll_{};
  std::byte* scratch_ = nullptr;

  // State of a run.
  Buffers buffers_{};
  unsigned access_ = by_copies;
  unsigned counted_ = by_copies;  ///< the access of which the report tells
  bool running_ = false;
  std::size_t at_ = 0;  ///< the turn that is next
};

}  // namespace shardfft
