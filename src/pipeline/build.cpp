// From stages to steps: where data must change owners, and what can stay where it is.
#include <algorithm>
#include <tuple>

#include "pipeline/blocking.hpp"
#include "pipeline/pipeline.hpp"

namespace shardfft {
namespace {

struct Moves {
  bool in = false, out = false;  // a step of its own before the first, after the last sweep
  bool bypass_in = false,
       bypass_out =
           false;  // what stays on the rank is read from, written to the caller's array by the sweeps themselves
};

// First step that writes the caller's output and last one that reads the caller's input.
bool reads_after_writing(const Moves& m, std::size_t stages) {
  const int steps = static_cast<int>(stages) + m.in + m.out;
  const int last_read = m.in && m.bypass_in ? 1 : 0;
  const int first_write = m.out && m.bypass_out ? steps - 2 : steps - 1;
  return last_read >= first_write;
}

// In place, nothing may be overwritten before it is read. A single sweep may, where each tile or plane returns to its
// own place.
Moves choose_moves(const PipelineSpec& spec) {
  Moves m;
  m.in = !spec.from.layout.same_owners(spec.stages.front().in);
  m.out = !spec.stages.back().out.same_owners(spec.to.layout);
  m.bypass_in = m.in;
  m.bypass_out = m.out;
  if (!spec.in_place || !reads_after_writing(m, spec.stages.size())) return m;
  m.bypass_in = m.bypass_out = false;
  if (reads_after_writing(m, spec.stages.size()) && !spec.same_places) m.in = true;
  return m;
}

bool among(const std::vector<StageAxis>& list, int axis) {
  return std::any_of(list.begin(), list.end(), [&](const StageAxis& s) { return s.axis == axis; });
}

// Chunks follow an axis that the sweep before the exchange does not transform. Best one that the target layout does not
// cut, so that every chunk has something for every peer and not all ranks send to the same one; then one that the next
// sweep does not transform either, so that it can begin with the first chunk; then one that this layout does not cut,
// so that chunks are the same ones for all ranks, and the next step finds all of its first one in their first ones;
// then the slowest one that is long enough, so that chunks stay contiguous; else the longest.
Chunks choose_chunks(const Layout& from, const Layout& to, const std::vector<StageAxis>& axes,
                     const std::vector<StageAxis>& next, int wanted) {
  constexpr Index long_enough = 4;  // elements of a chunk
  Chunks chunks;
  std::tuple<bool, bool, bool, bool, Index> best{false, false, false, false, 1};
  for (int a = 0; a < from.global().dims(); ++a) {
    if (among(axes, a)) continue;
    const Index local = from.global()[a] / from.grid()[a];
    const bool ample = local >= long_enough * wanted;
    const std::tuple<bool, bool, bool, bool, Index> score{to.grid()[a] == 1 && local > 1, ample && !among(next, a),
                                                          ample && from.grid()[a] == 1, ample, ample ? 0 : local};
    if (score <= best) continue;
    best = score;
    chunks.axis = a;
    chunks.count = static_cast<int>(std::clamp<Index>(local, 1, wanted));
  }
  return chunks;
}

class Drafter {
 public:
  explicit Drafter(const PipelineSpec& spec) : spec_(spec), moves_(choose_moves(spec)) {}

  Draft draft() {
    const int stages = static_cast<int>(spec_.stages.size());
    if (moves_.in) {
      add_step(-1);
      add_exchange(spec_.from.layout, filled(spec_.stages.front().in), {}, spec_.stages.front().axes,
                   spec_.from.element_bytes(spec_.scalar), moves_.bypass_in);
    }
    for (int s = 0; s < stages; ++s) {
      add_step(s);
      const Stage& stage = spec_.stages[static_cast<std::size_t>(s)];
      const Index complex_bytes = 2 * static_cast<Index>(size_of(spec_.scalar));
      if (s + 1 < stages && stays_in_output(s)) {
        draft_.steps.back().gives_output = true;
      } else if (s + 1 < stages && stays_in_input(s)) {
        draft_.steps.back().gives_input = true;
      } else if (s + 1 < stages) {
        add_exchange(stage.out, spec_.stages[static_cast<std::size_t>(s) + 1].in, stage.axes,
                     spec_.stages[static_cast<std::size_t>(s) + 1].axes, complex_bytes, false);
        make_storage(exchanges_.back());
      } else if (moves_.out)
        add_exchange(stage.out, spec_.to.layout, stage.axes, {}, spec_.to.element_bytes(spec_.scalar),
                     moves_.bypass_out);
    }
    if (moves_.out) add_step(-1);
    mark_callers_arrays();
    cut_in_parts();
    for (const ExchangeSpec& e : exchanges_)
      draft_.steps.front().after_norm |= e.storage_bytes > 0;  // the power of two follows from it
    plan_blocking(spec_, draft_.steps, exchanges_);
    for (ExchangeSpec& e : exchanges_) draft_.exchanges.emplace_back(std::move(e));
    return std::move(draft_);
  }

 private:
  void add_step(int stage) {
    StepDraft step{.stage = stage};
    step.takes_output = stage > 0 && stays_in_output(stage - 1);
    step.takes_input = stage > 0 && !step.takes_output && stays_in_input(stage - 1);
    if (!step.takes_output && !step.takes_input) step.reads = static_cast<int>(exchanges_.size()) - 1;
    draft_.steps.push_back(step);
  }

  void add_exchange(const Layout& from, const Layout& to, const std::vector<StageAxis>& axes,
                    const std::vector<StageAxis>& next, Index element_bytes, bool skip_self) {
    const int number = static_cast<int>(exchanges_.size());
    const Chunks chunks = choose_chunks(from, to, axes, next, spec_.chunks);
    draft_.steps.back().writes = number;
    exchanges_.push_back(ExchangeSpec{.from = from,
                                      .to = to,
                                      .chunks = chunks,
                                      .element_bytes = element_bytes,
                                      .me = spec_.me,
                                      .slot = number % 2,
                                      .skip_self = skip_self,
                                      .whole_self = from.same_owners(to) && among(next, chunks.axis),
                                      .near = spec_.pads ? spec_.near : nullptr,
                                      .looks_only = spec_.looks_only});
  }

  // A hermitian array is moved row by row: what it fills has its rows the same way.
  [[nodiscard]] Layout filled(const Layout& stage) const {
    if (!spec_.from.hermitian()) return stage;
    const AxisSplit s = *spec_.from.split();
    LayoutSpec spec = stage.spec();
    spec.order.clear();
    for (int a = 0; a < stage.global().dims(); ++a)
      spec.order.push_back(a == s.axis ? s.axis + 1 : a == s.axis + 1 ? s.axis : a);
    return Layout(spec, stage.global(), stage.ranks());
  }

  // What a stage leaves need not change owners any more, and the caller's output has room for it: then no window is
  // needed.
  [[nodiscard]] bool stays_in_output(int stage) const {
    if (spec_.intermediate_buffers || moves_.out || !spec_.to.complex || spec_.to.hermitian() || encodes() ||
        (spec_.in_place && !spec_.same_places))
      return false;
    return std::all_of(spec_.stages.begin() + stage, spec_.stages.end(),
                       [&](const Stage& s) { return s.out.same_owners(spec_.to.layout); });
  }

  // Likewise what has not changed owners yet, where the caller's input may be overwritten.
  [[nodiscard]] bool stays_in_input(int stage) const {
    const bool free = spec_.in_place ? spec_.same_places && !moves_.out : spec_.destroy_input;
    if (spec_.intermediate_buffers || !free || moves_.in || !spec_.from.complex || spec_.from.split() || encodes())
      return false;
    return std::all_of(spec_.stages.begin(), spec_.stages.begin() + stage + 2,
                       [&](const Stage& s) { return s.in.same_owners(spec_.from.layout); });
  }
  [[nodiscard]] bool encodes() const { return spec_.encoding.codec || spec_.encoding.storage; }

  // Where the array stays on its ranks between the first two sweeps or the last two, and is sent behind or before them:
  // one part of it after the other goes through both.
  void cut_in_parts() {
    auto& steps = draft_.steps;
    if (spec_.parts < 2 || spec_.on.queue || spec_.encoding.storage || steps.size() < 3) return;
    const std::size_t last = steps.size() - 1;
    const bool measures_norm =
        spec_.encoding.codec !=
        nullptr;  // at each part's own norm; of a largest error no part may have more than its share
    if (!(measures_norm && spec_.encoding.of_elements) && go_together(0) && steps[0].reads < 0 && steps[1].writes >= 0)
      cut_in_parts(0, exchange(steps[1].writes), /*of_receiver=*/false);
    if (go_together(last - 1) && steps[last].writes < 0 && steps[last - 1].reads >= 0)
      cut_in_parts(last - 1, exchange(steps[last - 1].reads), /*of_receiver=*/true);
  }

  // Whether this step and the next one transform what stays where it is.
  [[nodiscard]] bool go_together(std::size_t i) {
    const auto &one = draft_.steps[i], &next = draft_.steps[i + 1];
    return one.stage >= 0 && next.stage >= 0 && one.writes >= 0 && one.writes == next.reads &&
           exchange(one.writes).from.same_owners(exchange(one.writes).to);
  }

  void cut_in_parts(std::size_t i, ExchangeSpec& sent, bool of_receiver) {
    constexpr Index worth_a_part =
        32;  // elements along the axis, of each part: blocks of encoded messages want as many neighbours
    const Stage &one = stage_of(i), &next = stage_of(i + 1);
    if (sent.chunks.count == 1 || sent.chunks.parts > 1 || sent.from.same_owners(sent.to)) return;
    if (spec_.in_place && draft_.steps[i].takes_input && draft_.steps[i + 1].gives_output)
      return;  // the first part of the output would lie where the second one of the input does
    for (int a = 0; a < one.in.global().dims(); ++a) {
      if (among(one.axes, a) || among(next.axes, a) || a == sent.chunks.axis ||
          one.in.global()[a] / one.in.grid()[a] < spec_.parts * worth_a_part)
        continue;
      ExchangeSpec& kept = exchange(draft_.steps[i].writes);
      if (!of_receiver)
        kept.chunks.count = 1, kept.whole_self = false;  // nothing is sent behind the first one's chunks
      for (ExchangeSpec* e : {&kept, &sent}) {
        e->chunks.count *= spec_.parts;
        e->chunks.parts = spec_.parts;
        e->chunks.parts_axis = a;
      }
      sent.chunks.of_receiver = of_receiver;
      draft_.steps[i].goes_on = true;
      return;
    }
  }

  [[nodiscard]] ExchangeSpec& exchange(int number) { return exchanges_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const Stage& stage_of(std::size_t step) const {
    return spec_.stages[static_cast<std::size_t>(draft_.steps[step].stage)];
  }

  // Between two sweeps; what steps that only move data hand on is the caller's.
  void make_storage(ExchangeSpec& e) const {
    if (!spec_.encoding.storage) return;
    e.storage_bytes = 2 * facts_of(*spec_.encoding.storage).bytes;
    e.varies = spec_.encoding.varies;
  }

  void mark_callers_arrays() {
    auto& steps = draft_.steps;
    steps.front().takes_input = steps.back().gives_output = true;
    if (moves_.bypass_in) steps[1].takes_input = true;
    if (moves_.bypass_out) steps[steps.size() - 2].gives_output = true;
  }

  const PipelineSpec& spec_;
  Moves moves_;
  Draft draft_{};
  std::vector<ExchangeSpec> exchanges_{};
};

}  // namespace

Draft draft_pipeline(const PipelineSpec& spec) { return Drafter(spec).draft(); }

}  // namespace shardfft
