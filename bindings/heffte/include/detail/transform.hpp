// What heFFTe's classes run on. They learn at a call what shardfft's plans know from the start: precision, number of
// signals, and whether the arrays are the same. So a transform keeps a plan for each of these that was met.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "detail/side.hpp"
#include "shardfft/plan.hpp"

namespace heffte::detail {

/// What stays the same over all calls.
struct Asked {
  shardfft::Kind kind = shardfft::c2c;
  shardfft::Shape shape{};  ///< of reals
  std::vector<int> axes{};
  shardfft::AxisKind axis_kind = shardfft::AxisKind::fourier;
  std::string device{};
  void* stream = nullptr;
};

/// One call. `in` and `out` have `signals` boxes each, one after the other.
struct Call {
  shardfft::Direction direction{};
  shardfft::Precision precision{};
  shardfft::Index signals = 1;
  const void* in = nullptr;
  void* out = nullptr;
  double factor = 1;
};

class Transform {
 public:
  /// Collective. Throws std::invalid_argument on every rank for boxes that overlap or leave gaps.
  Transform(shardfft::Comm comm, Asked asked, Side in, Side out)
      : comm_(std::move(comm)), asked_(std::move(asked)), in_(std::move(in)), out_(std::move(out)) {
    try {
      shardfft::Shape spectrum = asked_.shape;
      if (asked_.kind == shardfft::r2c) spectrum[asked_.axes.back()] = spectrum[asked_.axes.back()] / 2 + 1;
      const shardfft::Layout from(layout_of(in_, 1), asked_.shape, comm_.size());
      const shardfft::Layout to(layout_of(out_, 1), spectrum, comm_.size());
    } catch (const shardfft::Error& error) { throw std::invalid_argument(error.what()); }
    name_axes_as_they_lie();
  }

  /// Collective. Throws shardfft::Error on every rank.
  void run(const Call& call) {
    const std::lock_guard only_one(mutex_);
    const bool in_place = agree(call);
    shardfft::Plan& plan = plan_for({call.precision, call.signals, in_place});
    const bool forward = call.direction == shardfft::Direction::forward;
    const std::size_t bytes = forward ? plan.input_bytes() : plan.output_bytes();
    const void* in = call.in;
    shardfft::Array copied;
    if (!in_place && in == call.out && bytes > 0) {  // here alone: others have two arrays
      copied = plan.make_array(bytes);
      plan.copy(shardfft::View(in, bytes), copied);
      in = copied.data();
    }
    const shardfft::View from(in, bytes), to(call.out, forward ? plan.output_bytes() : plan.input_bytes());
    forward ? plan.forward(from, to, call.factor) : plan.backward(from, to, call.factor);
    if (copied.bytes() > 0) plan.synchronize();
  }

 private:
  using Key = std::tuple<shardfft::Precision, shardfft::Index, bool>;

  /// What ranks tell each other before a run.
  struct Word {
    std::int64_t way, precision, signals, memory;  // memory: 0 two arrays, 1 the same one, 2 no elements
  };

  /// Whether all work in place. Throws if they call for different things: a run would hang.
  bool agree(const Call& call) const {
    const auto me = static_cast<std::size_t>(comm_.rank());
    const bool nothing = in_.boxes[me].empty() && out_.boxes[me].empty();
    const Word mine{static_cast<int>(call.direction), static_cast<int>(call.precision), call.signals,
                    nothing               ? 2
                    : call.in == call.out ? 1
                                          : 0};
    std::vector<Word> all(in_.boxes.size(), mine);
    if (all.size() > 1) comm_.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    bool same = false, two = false;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const auto call_of = [](const Word& w) { return std::tuple(w.way, w.precision, w.signals); };
      if (call_of(all[r]) != call_of(all[0])) throw differing(all[0], all[r], r);
      same = same || all[r].memory == 1;
      two = two || all[r].memory == 0;
    }
    return same && !two;
  }
  static shardfft::Error differing(const Word& first, const Word& other, std::size_t rank) {
    const auto text = [](const Word& w) {
      return std::string(w.way == 0 ? "forward" : "backward") + " of " + std::to_string(w.signals) + " arrays in " +
             (w.precision == static_cast<int>(shardfft::f32) ? "float" : "double");
    };
    return {shardfft::Status::mismatch, "ranks make the same call; got " + text(first) + " on rank 0 and " +
                                            text(other) + " on rank " + std::to_string(rank)};
  }

  /// Renames the axes, after boxes were checked by the caller's names: the slowest axis in memory becomes the first
  /// one. Kernels of plans suit that. Without an order that ranks share, the names stay.
  void name_axes_as_they_lie() {
    const std::vector<int> of_in = common_order(in_), order = of_in.empty() ? common_order(out_) : of_in;
    if (order.empty()) return;
    const auto name = [&](int axis) {
      return static_cast<int>(std::find(order.begin(), order.end(), axis) - order.begin());
    };
    const shardfft::Shape shape = asked_.shape;
    for (int a = 0; a < 3; ++a) asked_.shape[a] = shape[order[static_cast<std::size_t>(a)]];
    for (int& axis : asked_.axes) axis = name(axis);
    for (Side* side : {&in_, &out_}) rename_axes(*side, order);
  }

  shardfft::Plan& plan_for(const Key& key) {
    const auto found = plans_.find(key);
    if (found != plans_.end()) return found->second;
    const auto [precision, signals, in_place] = key;
    if (signals < 1)
      throw shardfft::Error(shardfft::Status::invalid_argument,
                            "a batch has one array or more; got " + std::to_string(signals));
    const int shift = signals == 1 ? 0 : 1;
    shardfft::Problem problem;
    problem.shape = shift == 0 ? asked_.shape : with_signals(signals, asked_.shape);
    problem.kind = asked_.kind;
    problem.precision = precision;
    problem.axes = asked_.axes;
    for (int& axis : problem.axes) axis += shift;
    if (asked_.kind == shardfft::r2r) problem.kinds.assign(asked_.axes.size(), asked_.axis_kind);
    problem.backward = shardfft::Scaling::none;
    shardfft::Options options;
    options.input = layout_of(in_, signals);
    options.output = layout_of(out_, signals);
    options.input_memory = memory_of(in_, comm_.rank(), signals);
    options.output_memory = memory_of(out_, comm_.rank(), signals);
    options.in_place = in_place;
    options.device = asked_.device;
    options.queue = asked_.stream;
    return plans_.emplace(key, shardfft::Plan(comm_, problem, options)).first->second;
  }

  shardfft::Comm comm_;
  Asked asked_;
  Side in_, out_;
  std::mutex mutex_;
  std::map<Key, shardfft::Plan> plans_;
};

}  // namespace heffte::detail
