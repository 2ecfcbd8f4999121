// The inside of a plan.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "pipeline/pipeline.hpp"
#include "plan/callable.hpp"
#include "plan/chirp/chirp_filters.hpp"
#include "plan/home.hpp"
#include "plan/run_gate.hpp"
#include "planner/decide/recipe.hpp"
#include "shardfft/error.hpp"
#include "shardfft/plan.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/memory/buffer.hpp"
#include "support/memory/memory_room.hpp"
#include "verify/verify.hpp"

namespace shardfft {

/// What would have been chosen next.
struct RunnerUp {
  std::string recipe{}, changes{};  ///< all choices, and those that differ from the plan's
  double seconds = 0;
  bool measured = false;
};

/// An array of a plan on this rank.
struct PlanArray : CallerArray {
  std::size_t bytes = 0;  ///< least length of its buffer
};

struct PlanArrays {
  PlanArray input{}, output{};    ///< of forward
  PlanArray applied{}, middle{};  ///< with options.apply: what apply() leaves, what operators see

  /// The two arrays of a run, and the call that starts it.
  struct EndsOfRun {
    const PlanArray &from, &to;
    const char* call;
  };
  /// `applies`: of a run with an operator.
  [[nodiscard]] EndsOfRun ends(Direction direction, bool applies = false) const;
  /// Whether the elements of input and output have the same places on this rank. Tiles, which are whole along the real
  /// axis, then find what they read where they write it.
  [[nodiscard]] bool have_same_places(const CheckedProblem& problem) const;
};

/// Finds where each array of the recipe lies on this rank. Throws Error.
[[nodiscard]] PlanArrays place_arrays(const Recipe& recipe, const Comm& comm);

/// With options.apply: what operators see, `middle`, with the wave numbers along its axes.
[[nodiscard]] std::shared_ptr<const MiddleArray> middle_array(const Recipe& recipe, const PlanArray& middle);
/// Whether operators see a spectrum, else points.
[[nodiscard]] bool sees_spectrum(const Recipe& recipe);
/// Components that operators take and leave.
[[nodiscard]] const Stage::Operated& operated(const Recipe& recipe);

struct Pipelines {
  std::unique_ptr<Pipeline> forward{}, backward{}, both{};  ///< `both`: with options.apply
  [[nodiscard]] std::vector<Pipeline*> all() const;
};

/// The parts of a plan, which stay the same for all runs. The constructor is collective, and makes all of them
/// (construct.cpp). Throws the same Error on every rank.
struct PlanParts {
  PlanParts(const Comm& group, const Problem& problem, const Options& options);

  Comm comm;
  Recipe recipe;
  PlanArrays arrays{};
  bool same_places = false;  ///< on all ranks the elements of input and output have the same places
  Kernels kernels;
  std::vector<std::string> notices{};                     ///< what had to be given up, and why
  std::unique_ptr<Home> home = std::make_unique<Home>();  ///< memory of the arrays
  std::shared_ptr<const Place> place = host_place();
  /// Workspace; empty if the caller's workspace serves. Both outlive the channel, which may still be copying from
  /// there.
  std::shared_ptr<std::byte> channel_memory{}, scratch_memory{};
  const Transport* transport = nullptr;  ///< the one that could be opened
  std::unique_ptr<Channel> channel{};
  Pipelines pipelines{};
  /// Inboxes are pinned for as long as the channel lives, also where the plan could not be made: this goes before it.
  struct Unpin {
    void operator()(Home* home) const { home->unpin(); }
  };
  std::unique_ptr<Home, Unpin> pins{};
  std::size_t workspace_bytes = 0;
  ChirpFilters chirp_filters{};  ///< of a plan with Recipe::chirped

  [[nodiscard]] const Options& options() const { return recipe.choices.options; }
  /// `applies`: of a run with an operator, which goes in applying_direction().
  [[nodiscard]] Pipeline& pipeline(Direction direction, bool applies) const {
    return *(applies ? pipelines.both : direction == Direction::forward ? pipelines.forward : pipelines.backward);
  }
  /// The direction of the part of apply() before the operator.
  [[nodiscard]] Direction applying_direction() const {
    return options().apply == Apply::to_inputs ? Direction::backward : Direction::forward;
  }
  /// Throws unless `view` is where the plan's arrays are. `asks_devices`: devices_may_own_memory().
  void check_space(const View& view, const char* name, bool asks_devices = true) const;
};

/// What the host knows of a run's result.
struct ResultSeen {
  const std::byte* result = nullptr;  ///< while the run is under way, where the host can look at it
  const std::byte* given = nullptr;   ///< the input, where that stays as it is
  double norm = 0;                    ///< this rank's part has at least that; 0: not known
  bool vanished = false;              ///< this rank's part is zeros, and that of the input is not
};

struct Plan::Impl : PlanParts {
  static constexpr const char* noun = "plan";

  Impl(const Comm& group, const Problem& problem, const Options& options)
      : PlanParts(group, problem, options), gate(*this) {}
  ~Impl();

  RunGate gate;
  Pipeline* last = nullptr;              ///< of the last run
  ResultSeen seen{};                     ///< of the last run
  std::array<double, 2> enough{-1, -1};  ///< far_above_floor() forward and backward; below 0: not asked yet
  Recorder recorder{};                   ///< of both pipelines, from the first record() on
  const std::thread::id maker = std::this_thread::get_id();
  std::atomic<bool> in_call = false;       ///< a thread runs the plan
  std::optional<std::string> broken{};     ///< why the plan cannot be used any more
  mutable std::optional<RunnerUp> next{};  ///< looked for when somebody asks

  /// Memory for the caller; `peers_reach_it`: of those arrays that the peers read or write where they are, if there is
  /// one left.
  [[nodiscard]] Array make_array(std::size_t bytes, bool peers_reach_it) const;
  void begin(Direction direction, View in, View out, const Variation& by, const Operator* f = nullptr);
  void run(Direction direction, View in, View out, const Variation& by, const Operator* f = nullptr);
  /// `asked`: by which of its two names.
  void apply(Apply asked, View in, View out, const Operator& f);
  /// Throws Error(invalid_argument) unless options.apply was set.
  void require_apply() const;
  /// What start() began.
  bool go_on(bool block);
  /// Runs on; an error leaves the plan broken, since peers may be anywhere.
  bool advance(bool block);

  /// Throws Error(transport_failed) if a run failed.
  void require_whole() const;

  void look_at_result();

  /// Whether this process is a child of fork() to which nothing of the plan belongs: no other rank, no device.
  [[nodiscard]] bool is_left_behind() const;
  /// Throws Error(invalid_argument) in such a child.
  void require_here() const;

  // describe.cpp
  [[nodiscard]] const RunnerUp& runner_up() const;

  // verified_arrays.cpp
  /// `view` as the host reads it: itself, or a copy that `keeper` then owns. All queued work is done.
  [[nodiscard]] View on_host(const View& view, std::size_t bytes, Array& keeper) const;
  [[nodiscard]] LocalArray local(const CallerArray& array, const View& view) const;
  [[nodiscard]] TransformSpec transform(Direction direction, double by = 1) const;

  // loss.cpp
  /// Collective: of encoded messages.
  void count_bytes(const ErrorControl& errors, Loss& loss) const;
  [[nodiscard]] double bound_of_verify(Direction direction) const;
  /// What underflow may add to the L2 error of a result.
  [[nodiscard]] double floor(Direction direction) const;
  /// From which modulus of one number on that does not show beside the bound.
  [[nodiscard]] double far_above_floor(Direction direction) const;
};

/// What the windows and buffers of this traffic take; nothing in a dry run. `own`: this rank's private buffers are
/// still to be taken.
[[nodiscard]] MemoryNeed need_of(const Comm& comm, const Transport& t, const Traffic& traffic, bool own);
/// Collective. Throws Error(out_of_memory) where they have no room. Before anything is taken: what the kernel ends for
/// want of memory says nothing, and leaves what it has written.
///   what     "a plan"
///   instead  what to do about it
void require_room(const Comm& comm, const MemoryNeed& need, const char* what, const char* instead);

/// Collective. Sums over all ranks.
[[nodiscard]] std::vector<double> summed(const Comm& comm, std::vector<double> values);

}  // namespace shardfft
