// Plans of Views, in one process or over many ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shardfft/kokkos/sides.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::kokkos {

template <std::size_t Count>
[[nodiscard]] std::vector<Index> lengths_of(const shape_type<Count>& s) {
  return {s.begin(), s.end()};
}

/// A transform between two Views, ready to run in both directions. It keeps neither of them: execute() takes any Views
/// that lie as these did. As KokkosFFT's plans it may be const; it runs once at a time. Movable. Without pencils (an
/// axis of 0 elements that is not transformed) a run does nothing.
template <class Exec, class In, class Out>
class Plan {
 public:
  /// A plan for whole Views of this process. Throws Error(invalid_problem) if their extents do not fit each other.
  ///   direction  from `in` to `out`
  ///   s          lengths of the transformed axes, as numpy.fft has them: the input is cut off or continued by zeros
  ///   options    all but layouts, places, in_place, device and queue, which Views and execution space determine
  template <std::size_t Count>
  Plan(const Exec& exec, const In& in, const Out& out, Direction direction, const axis_type<Count>& axes,
       const shape_type<Count>& s = {}, const Options& options = {})
      : Plan(exec, in, out, local(),
             ask(exec, in, out, direction, {axes.begin(), axes.end()}, lengths_of(s), options)) {}
  Plan(const Exec& exec, const In& in, const Out& out, Direction direction, int axis,
       std::optional<std::size_t> n = std::nullopt, const Options& options = {})
      : Plan(exec, in, out, direction, axis_type<1>{axis}, shape_type<1>{n.value_or(0)}, options) {}

  /// Collective. Of Views that are this rank's parts (local_extents) of two arrays whose ranks along each axis
  /// `grid_in` and `grid_out` say. Throws the same Error on every rank.
  template <std::size_t Count>
  Plan(const Exec& exec, const In& in, const Out& out, const axis_type<Count>& axes,
       const topology_type<static_cast<std::size_t>(rank_of<In>)>& grid_in,
       const topology_type<static_cast<std::size_t>(rank_of<Out>)>& grid_out, const Comm& comm,
       const Options& options = {})
      : Plan(exec, in, out, comm,
             ask(exec, in, out, {axes.begin(), axes.end()}, Coord(grid_in), Coord(grid_out), comm, options)) {}

  [[nodiscard]] Direction direction() const { return direction_; }  ///< from In to Out
  /// The library's plan, for all else that plans can: describe, verify, error_bound, apply, ... with view_of(view).
  /// Throws Error(invalid_argument) if there are no pencils.
  [[nodiscard]] shardfft::Plan& plan() const {
    if (!plan_)
      throw Error(Status::invalid_argument,
                  "Views of a plan that is described, verified or applied have elements; got " +
                      to_string(in_.extents) + "; skip the call for empty Views");
    return *plan_;
  }

  /// Collective. As execute().
  template <class From, class To>
  void run(const From& from, const To& to, Direction direction, Normalization norm) const {
    constexpr bool along = are_alike<From, In> && are_alike<To, Out>, back = are_alike<From, Out> && are_alike<To, In>;
    static_assert(along || back, "shardfft: execute() takes Views of the value type, rank and layout of the plan's");
    static_assert(can_reach<Exec, From> && can_reach<Exec, To>,
                  "shardfft: the execution space reaches the memory of both Views");
    static_assert(!std::is_const_v<typename To::value_type>, "shardfft: the output is not const");
    const bool is_along = direction == direction_;
    const auto check = [&] {
      if (!(is_along ? along : back))
        throw Error(Status::invalid_argument, "execute() goes from the plan's first View to its second in direction " +
                                                  std::string(is_forward(direction_) ? "forward" : "backward") +
                                                  " and back in the other; got the other way; swap the Views");
      require_as_planned("input", is_along ? in_ : out_, strided(from));
      require_as_planned("output", is_along ? out_ : in_, strided(to));
    };
    if (!plan_) return collectively(comm_, check);
    run_checked(view_of(from), view_of(to), direction, factor(norm, direction, points_), check);
  }

 private:
  Plan(const Exec& exec, const In& in, const Out& out, const Comm& comm, const Asked& asked)
      : exec_(exec),
        comm_(comm),
        in_(strided(in)),
        out_(strided(out)),
        direction_(asked.direction),
        points_(asked.points()) {
    if (!asked.is_empty_batch()) plan_.emplace(comm, asked.problem, asked.options);
  }

  static bool is_forward(Direction direction) { return direction == Direction::forward; }

  void require_as_planned(const std::string& side, const Strided& planned, const Strided& got) const {
    const bool fits = planned.count() > 0 ? planned == got : plan_ || planned.extents == got.extents;
    if (!fits)
      throw Error(Status::invalid_argument, "the " + side + " View lies as the plan's: extents " +
                                                to_string(planned.extents) + ", strides " + to_string(planned.strides) +
                                                "; got " + to_string(got.extents) + ", " + to_string(got.strides) +
                                                "; make a plan for it");
  }

  /// Null pointers stand for wrong Views of one rank: they make the plan refuse on all ranks with one message.
  template <class Check>
  void run_checked(View from, View to, Direction direction, double scale, const Check& check) const {
    try {
      check();
    } catch (const Error&) { from = to = View{}; }
    if constexpr (is_host<Exec>) exec_.fence();
    try {
      if (is_forward(direction))
        plan_->forward(from, to, scale);
      else
        plan_->backward(from, to, scale);
    } catch (const Error& error) {
      if (error.status() == Status::invalid_argument) collectively(comm_, check);
      throw;
    }
  }

  Exec exec_;
  Comm comm_;
  Strided in_, out_;
  Direction direction_;
  double points_;
  mutable std::optional<shardfft::Plan> plan_{};  ///< none without pencils
};

/// Collective, where the plan is. Fences the execution space of a host before it and is done when it returns; on a
/// device it is done in the order of the execution space's stream. Throws Error(invalid_argument) on every rank for
/// Views that do not lie as those of the plan.
///   direction  forward has the exponent -1; which Views it goes from and to is the plan's matter
///   norm       backward: 1/N after backward transforms
template <class Exec, class In, class Out, class From, class To>
void execute(const Plan<Exec, In, Out>& plan, const From& in, const To& out, Direction direction,
             Normalization norm = Normalization::backward) {
  plan.run(in, out, direction, norm);
}
/// In the plan's own direction.
template <class Exec, class In, class Out, class From, class To>
void execute(const Plan<Exec, In, Out>& plan, const From& in, const To& out,
             Normalization norm = Normalization::backward) {
  plan.run(in, out, plan.direction(), norm);
}

}  // namespace shardfft::kokkos
