// The plan: what runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardfft/approximate.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

/// What verify() found.
struct Verdict {
  double error_rel_l2 = 0;  ///< measured ||out - exact|| / ||exact||, estimated by random probes
  double bound =
      0;  ///< what it must not exceed: that of exact mode, or the tolerance, with room for the probes' own spread
  [[nodiscard]] bool ok() const { return error_rel_l2 <= bound; }  // false for NaN
};

/// What a sweep over arrays of the host moves through a device; zeros if it goes through none.
struct LinkReport {
  Index bytes_link = 0;  ///< between the host's memory and the device, both ways
  /// How long the sweep copied to the device, computed there, copied back, and copied on the host between the caller's
  /// memory and pinned memory. They overlap, so their sum may be more than the step's seconds.
  double seconds_to_device = 0, seconds_kernels = 0, seconds_from_device = 0, seconds_staging = 0;
};

/// Time and traffic of one step of the last run, on this rank.
struct StepReport : LinkReport {
  std::string label;        ///< "sweep axes 2 1", "sweep axes 0 f 0" around an operator, "exchange 1", "copy"
  double seconds = 0;       ///< in the step; for an exchange, the time spent waiting. On a device, in its queue
  Index bytes_memory = 0;   ///< read and written by a sweep; on a device by all of its passes over memory
  Index bytes_network = 0;  ///< sent to other nodes' ranks or through MPI by an exchange
  Index bytes_shared = 0;   ///< stored by this rank directly into the memory of other ranks
  Index messages = 0;       ///< sent by this rank
};

/// What this rank did from `begin_ns` to `end_ns`, in nanoseconds of std::chrono::steady_clock, which all ranks of a
/// node share.
struct Span {
  enum class What {
    run,     ///< all of it; the label is "forward", "backward" or "apply"
    step,    ///< a sweep or a copy, with its label
    chunk,   ///< one of several parts of a step
    send,    ///< sends a part of an exchange, inside its step
    room,    ///< waited until the peers had read the previous content of an exchange's memory
    wait,    ///< waited for an exchange
    flight,  ///< an exchange, from its first part handed on to its last one here; beside the steps, where it overlaps
             ///< with them
  };
  What what{};
  std::string_view label{};  ///< as in StepReport; lives as long as the plan
  int run = 0;               ///< counted from record() on
  int chunk = -1;            ///< of `chunk` and `send`
  Index bytes = 0;           ///< of a step through memory, of a flight into other ranks' memory and the network
  std::int64_t begin_ns = 0, end_ns = 0;
};

enum class Direction { forward, backward };

struct Operator;      // operators/modes.hpp
class Formula;        // operators/formula.hpp
struct FormulaArray;  // operators/formula.hpp

/// A transform that is ready to run. Movable. All calls except queries are collective. Several plans may exist and run
/// at once on the same group; every rank must start them, and wait for them, in the same order.
class Plan {
 public:
  /// Collective. Throws the same Error on every rank.
  Plan(const Comm& comm, const Problem& problem, const Options& options = {});
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  [[nodiscard]] const Layout& input() const;      ///< of forward's input, in elements of its type
  [[nodiscard]] const Layout& output() const;     ///< of forward's output
  [[nodiscard]] std::size_t input_bytes() const;  ///< least length of this rank's input buffer
  [[nodiscard]] std::size_t output_bytes() const;
  /// Memory for this rank's part of the input or output, zero. Not collective. Some layouts need a copy before the
  /// first or after the last sweep, for example natural order on several ranks. With these arrays the ranks of a node
  /// store into each other's arrays instead. All of them must pass arrays of this plan, made in the same order on every
  /// rank. Up to 8 arrays that exist at once have this property. Others, and the caller's own memory, work as well,
  /// with that copy and the same bits. Throws Error(out_of_memory).
  [[nodiscard]] Array make_input() const;
  [[nodiscard]] Array make_output() const;
  /// Memory where the plan's arrays are, zero, for other data of the caller. Not collective.
  [[nodiscard]] Array make_array(std::size_t bytes) const;
  [[nodiscard]] Space space() const;  ///< where they are

  /// Collective. With arrays on a device, views are of its memory, and the run is ordered on options.queue: it starts
  /// after earlier work there. `in` keeps its values unless in_place or destroy_input is set. In place, both are the
  /// same memory. Throws on every rank Error(invalid_argument) for null, misaligned, too short or overlapping buffers
  /// on any rank, and Error(mismatch) if some ranks go forward and others backward.
  /// `factor`: the result is also multiplied by it, in the same pass, beside the plan's own scaling. It must be the
  /// same on all ranks, finite, not 0, and in the range of f32 for such a plan. For plans that only move it must be 1.
  void forward(View in, View out, double factor = 1);
  void backward(View in, View out, double factor = 1);  ///< `in` has the output layout, `out` the input layout

  /// Collective. The adjoint of a run in direction `of` with this factor, including the scaling, as a map of real
  /// numbers: <forward(x), y> = <x, adjoint(y)>. The product of two arrays is the real part of the sum of conj(a) b
  /// over the elements that they store. `in` has the layout of that run's output, `out` of its input. Costs as much as
  /// a run, and has the same bits on any number of ranks.
  void adjoint(View in, View out, Direction of = Direction::forward, double factor = 1);
  /// Collective. out = backward(f(forward(in))), in fewer passes and exchanges. `in` has the input layout, `out` that
  /// of applied(). Gives the bits of the three steps by a plan with the same input whose output layout is left to the
  /// planner (docs/theory/apply.md). Needs options.apply = to_outputs. Throws on every rank as forward does.
  void apply(View in, View out, const Operator& f);
  /// Collective. out = forward(f(backward(in))), both in the output layout. Needs options.apply = to_inputs.
  void apply_physical(View in, View out, const Operator& f);
  /// The layout of the elements that operators get. They are never stored. Arrays beside them, such as those of
  /// spectral::multiply, have this layout. These queries throw Error(invalid_argument) without options.apply.
  [[nodiscard]] const Layout& middle() const;
  [[nodiscard]] std::size_t middle_bytes() const;
  [[nodiscard]] Array make_middle() const;
  [[nodiscard]] bool middle_is_complex() const;
  [[nodiscard]] bool middle_is_spectrum() const;  ///< else operators get points
  /// The layout of results: the input (or output) layout, with options.components_out elements along axis 0.
  [[nodiscard]] const Layout& applied() const;
  [[nodiscard]] std::size_t applied_bytes() const;
  [[nodiscard]] Array make_applied() const;
  /// Modes::wave of axis `axis`, by global index.
  [[nodiscard]] std::span<const double> wave(int axis) const;

  /// A run without blocking: start() returns early, test() makes progress and says whether the run is done, wait()
  /// completes it. One run at a time per plan.
  void start(Direction direction, View in, View out, double factor = 1);
  [[nodiscard]] bool test();
  void wait();
  /// Waits until queued runs are done, for plans whose arrays are on a device; synchronising options.queue does the
  /// same. For other plans it does nothing. Not collective.
  void synchronize() const;
  /// Copies between host memory and memory of this rank's device, in the order of the queue, and waits until it is
  /// done. The shorter view decides how many bytes. Without a device, copies within host memory. Not collective.
  void copy(View from, View to) const;
  /// An operator for apply() from a formula, with the same bits on the processor and on a device. A formula in f64
  /// suits every plan. Not collective. The formula's arrays are, in this order:
  ///   components  the numbers of each component's elements (of input or output, whichever has more); for complex
  ///               elements the real parts, then the imaginary parts
  ///   waves       Modes::wave along each axis of the array
  ///   `arrays`    laid out like the first component in an array of make_middle(), in steps of numbers of the plan's
  ///               precision: these stay the caller's. Or a table along one axis, by global index, in the formula's
  ///               precision: it is copied
  [[nodiscard]] Operator make_operator(const Formula& formula, std::span<const FormulaArray> arrays = {},
                                       std::span<const double> parameters = {}) const;
  /// Evaluates a formula for every element of a box of `extents` (1 to 8 axes), in the space of the plan's arrays.
  /// Returns the largest term that the formula asks for, or -infinity without such a term or without elements. On a
  /// device the work follows the order of the queue; the call waits only for a largest term. Not collective. An array
  /// that the formula writes may overlap another one only if each element has the same place in both.
  double evaluate(const Formula& formula, const Shape& extents, std::span<const FormulaArray> arrays,
                  std::span<const double> parameters = {}) const;

  /// Collective. Compares `out` with the exact transform of `in`, times `factor`, by random probes, O(N). Neither is
  /// changed. For a plan that only moves, the hashes are compared, and the error is 0 or infinite.
  [[nodiscard]] Verdict verify(View in, View out, Direction direction = Direction::forward, double factor = 1) const;
  /// Collective. Bound of the last run's error, relative to the L2 norm of its result; never above the tolerance. If
  /// all numbers of a result on the host are nearly subnormal, it includes what underflow may add (loss().floor). After
  /// apply: the bound of both transforms, relative to the largest |f| times the norm of the input, without errors of f.
  [[nodiscard]] double error_bound() const;
  /// Collective. error_bound(), with the bytes that encoding saved.
  [[nodiscard]] Loss loss() const;
  /// Collective. Exact outputs at `positions` (global coordinates of the result, the same on all ranks), computed from
  /// `in` alone in double-double and rounded to double: re, im of each, the same on every rank. O(N) for each position.
  [[nodiscard]] std::vector<double> exact_samples(View in, const std::vector<Coord>& positions,
                                                  Direction direction = Direction::forward) const;
  /// Collective. Hash of the distributed output (or input) array, keyed by global position: equal for equal data in any
  /// layout on any number of ranks.
  [[nodiscard]] std::uint64_t hash_input(View in) const;
  [[nodiscard]] std::uint64_t hash_output(View out) const;

  [[nodiscard]] std::string describe()
      const;  ///< sweeps, exchanges, bytes and messages, memory, and where each choice came from
  [[nodiscard]] std::string describe_json() const;  ///< the same as one JSON object
  [[nodiscard]] const std::vector<StepReport>& last_run()
      const;  ///< steps of the last run on this rank; on a device their times there, for which it waits until the run
              ///< is done. One in 16 runs of less than 20 us is timed: times are then those of the last one of these
  /// Records the next `runs` runs of this plan on this rank. Allocates the memory now, and discards earlier records.
  /// Not collective. Throws Error(out_of_memory).
  void record(std::size_t runs);
  /// Spans in the order in which they ended. Spans of steps nest. A step that waits for a later part of an exchange has
  /// one span before and one after the wait. Flights lie beside the steps, and may overlap each other.
  [[nodiscard]] std::span<const Span> recorded() const;
  [[nodiscard]] std::size_t workspace_bytes()
      const;  ///< private memory of this rank that `options.workspace` may provide
  [[nodiscard]] const Problem& problem() const;
  [[nodiscard]] const Comm& comm() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
