#include "pipeline/route/route.hpp"

#include <algorithm>

#include "pipeline/route/blocking.hpp"
#include "pipeline/route/chunking.hpp"

namespace shardfft {
namespace {

// What only moves: before the first sweep, behind the last one.
struct AllowedMoves {
  bool in = false, out = false;
  /// What stays on the rank is read from, written to the caller's array by the sweeps themselves.
  bool bypass_in = false, bypass_out = false;
};

// First step that writes the caller's output and last one that reads the caller's input.
bool reads_after_writing(const AllowedMoves& m, std::size_t stages) {
  const int steps = static_cast<int>(stages) + m.in + m.out;
  const int last_read = m.in && m.bypass_in ? 1 : 0;
  const int first_write = m.out && m.bypass_out ? steps - 2 : steps - 1;
  return last_read >= first_write;
}

// In place, nothing may be overwritten before it is read. A single sweep may, where each tile or plane returns to its
// own place.
AllowedMoves choose_moves(const PipelineSpec& spec) {
  AllowedMoves m;
  m.in = !spec.from.layout.same_owners(spec.stages.front().in);
  m.out = !spec.stages.back().out.same_owners(spec.to.layout);
  m.bypass_in = m.in;
  m.bypass_out = m.out;
  if (!spec.in_place || !reads_after_writing(m, spec.stages.size())) return m;
  m.bypass_in = m.bypass_out = false;
  if (reads_after_writing(m, spec.stages.size()) && !spec.same_places) m.in = true;
  return m;
}

class Router {
 public:
  explicit Router(const PipelineSpec& spec) : spec_(spec), moves_(choose_moves(spec)) {}

  // The algorithm, as papers draw it. Backward is the same on reversed stages.
  //
  //   slabs          sweep z, y | exchange | sweep x         a plane that fits the cache is one sweep
  //   pencils        sweep z | exchange | sweep y | exchange | sweep x
  //   bricks         copy | exchange | pencils | exchange | copy
  //   one long axis  sweep n1 | exchange | twiddles, sweep n2     (four-step)
  Route route() {
    const auto& stages = spec_.stages;
    if (moves_.in) {
      add_step(-1);
      add_exchange(spec_.from.layout, filled(stages.front().in), nullptr, &stages.front(), ArrayBeside::input);
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
      add_step(static_cast<int>(s));
      if (s + 1 < stages.size()) hand_on(s);
    }
    if (moves_.out) {
      add_exchange(stages.back().out, spec_.to.layout, &stages.back(), nullptr, ArrayBeside::output);
      add_step(-1);
    }
    mark_callers_arrays();
    cut_in_parts(spec_, route_.steps, exchanges_);
    plan_encoding();
    for (ExchangeSpec& e : exchanges_) route_.exchanges.emplace_back(std::move(e));
    chunk_steps(spec_, route_);
    return std::move(route_);
  }

 private:
  enum class ArrayBeside { input, output, neither };

  // Between two sweeps the array changes owners, or stays where it is: in buffers, or in one of the caller's arrays.
  void hand_on(std::size_t s) {
    const Stage &stage = spec_.stages[s], &next = spec_.stages[s + 1];
    if (stays_in_output(s)) {
      route_.steps.back().gives_output = true;
    } else if (stays_in_input(s)) {
      route_.steps.back().gives_input = true;
    } else {
      add_exchange(stage.out, next.in, &stage, &next, ArrayBeside::neither);
      make_storage(exchanges_.back());
    }
  }

  void add_step(int stage) {
    RouteStep step{.stage = stage};
    step.takes_output = stage > 0 && stays_in_output(static_cast<std::size_t>(stage) - 1);
    step.takes_input = stage > 0 && !step.takes_output && stays_in_input(static_cast<std::size_t>(stage) - 1);
    if (!step.takes_output && !step.takes_input) step.reads = static_cast<int>(exchanges_.size()) - 1;
    route_.steps.push_back(step);
  }

  void add_exchange(const Layout& from, const Layout& to, const Stage* stage, const Stage* next, ArrayBeside beside) {
    const int number = static_cast<int>(exchanges_.size());
    const Chunks chunks = choose_chunks(from, to, stage, next, spec_.tuning.chunks);
    route_.steps.back().writes = number;
    exchanges_.push_back(
        ExchangeSpec{.from = from,
                     .to = to,
                     .chunks = chunks,
                     .element_bytes = beside == ArrayBeside::input ? spec_.from.element_bytes(spec_.scalar)
                                      : beside == ArrayBeside::output
                                          ? spec_.to.element_bytes(spec_.scalar)
                                          : numbers_between() * static_cast<Index>(size_of(spec_.scalar)),
                     .me = spec_.me,
                     .slot = number % 2,
                     .skip_self = (beside == ArrayBeside::input && moves_.bypass_in) ||
                                  (beside == ArrayBeside::output && moves_.bypass_out),
                     .whole_self = from.same_owners(to) && next && next->spans(chunks.axis),
                     .near = spec_.pads ? spec_.near : nullptr,
                     .looks_only = spec_.looks_only});
  }

  [[nodiscard]] Index numbers_between() const { return spec_.complex_between() ? 2 : 1; }

  // A hermitian array is moved row by row: what it fills has its rows the same way.
  [[nodiscard]] Layout filled(const Layout& stage) const {
    if (!spec_.from.hermitian()) return stage;
    const AxisSplit s = *spec_.from.split();
    LayoutSpec spec = stage.spec();
    spec.order = stage.order();
    for (int& a : spec.order) a = a == s.axis ? s.axis + 1 : a == s.axis + 1 ? s.axis : a;
    return Layout(spec, stage.global(), stage.ranks());
  }

  // What a stage leaves need not change owners any more, and the caller's output has room for it.
  [[nodiscard]] bool stays_in_output(std::size_t stage) const {
    if (!spec_.between_in_output() || moves_.out || spec_.to.complex != spec_.complex_between() ||
        spec_.to.hermitian() || spec_.encoding.loses() || !keeps_components(spec_) ||
        (spec_.in_place && !spec_.same_places))
      return false;
    return std::all_of(spec_.stages.begin() + static_cast<std::ptrdiff_t>(stage), spec_.stages.end(),
                       [&](const Stage& s) { return s.out.same_owners(spec_.to.layout); });
  }

  // Likewise what has not changed owners yet, where the caller's input may be overwritten.
  [[nodiscard]] bool stays_in_input(std::size_t stage) const {
    const bool free = spec_.in_place ? spec_.same_places && !moves_.out : spec_.destroy_input;
    if (!spec_.between_in_output() || !free || moves_.in || spec_.from.complex != spec_.complex_between() ||
        spec_.from.split() || spec_.encoding.loses() || !keeps_components(spec_))
      return false;
    return std::all_of(spec_.stages.begin(), spec_.stages.begin() + static_cast<std::ptrdiff_t>(stage) + 2,
                       [&](const Stage& s) { return s.in.same_owners(spec_.from.layout); });
  }

  // What two sweeps hand on; what copies do is the caller's.
  void make_storage(ExchangeSpec& e) const {
    if (spec_.encoding.storage) e.storage_bytes = numbers_between() * facts_of(*spec_.encoding.storage).bytes;
  }

  void mark_callers_arrays() {
    auto& steps = route_.steps;
    steps.front().takes_input = steps.back().gives_output = true;
    if (moves_.bypass_in) steps[1].takes_input = true;
    if (moves_.bypass_out) steps[steps.size() - 2].gives_output = true;
  }

  void plan_encoding() {
    for (const ExchangeSpec& e : exchanges_)
      route_.steps.front().after_norm |= e.storage_bytes > 0;  // the power of two follows from it
    plan_blocking(spec_, route_.steps, exchanges_);
  }

  const PipelineSpec& spec_;
  AllowedMoves moves_;
  Route route_{};
  std::vector<ExchangeSpec> exchanges_{};
};

}  // namespace

bool keeps_components(const PipelineSpec& spec) {
  return std::all_of(spec.stages.begin(), spec.stages.end(),
                     [](const Stage& stage) { return !stage.operates || stage.operates->in == stage.operates->out; });
}

Route make_route(const PipelineSpec& spec) { return Router(spec).route(); }

}  // namespace shardfft
