#include "pipeline/route/chunking.hpp"

#include <algorithm>
#include <tuple>

namespace shardfft {

// Chunks follow an axis that the sweep before the exchange does not transform. Best one that the target layout does not
// cut, so that every chunk has something for every peer and not all ranks send to the same one; then one that the next
// sweep does not transform either, so that it can begin with the first chunk; then one that this layout does not cut,
// so that chunks are the same ones for all ranks, and the next step finds all of its first one in their first ones;
// then the slowest one that is long enough, so that chunks stay contiguous; else the longest.
Chunks choose_chunks(const Layout& from, const Layout& to, const Stage* stage, const Stage* next, int wanted) {
  constexpr Index long_enough = 4;  // elements of a chunk
  Chunks chunks;
  std::tuple<bool, bool, bool, bool, Index> best{false, false, false, false, 1};
  for (const int a : from.order()) {
    if (stage && stage->spans(a)) continue;
    const Index local = from.global()[a] / from.grid()[a];
    const bool ample = local >= long_enough * wanted;
    const std::tuple<bool, bool, bool, bool, Index> score{to.grid()[a] == 1 && local > 1,
                                                          ample && !(next && next->spans(a)),
                                                          ample && from.grid()[a] == 1, ample, ample ? 0 : local};
    if (score <= best) continue;
    best = score;
    chunks.axis = a;
    chunks.count = static_cast<int>(std::clamp<Index>(local, 1, wanted));
  }
  return chunks;
}

namespace {

class Cutter {
 public:
  Cutter(const PipelineSpec& spec, std::vector<RouteStep>& steps, std::vector<ExchangeSpec>& exchanges)
      : spec_(spec), steps_(steps), exchanges_(exchanges) {}

  void cut() {
    if (spec_.parts < 2 || spec_.place->on_device() || spec_.encoding.storage || steps_.size() < 3) return;
    const std::size_t last = steps_.size() - 1;
    // With a codec each part is encoded at its own norm; of a largest error no part may have more than its share.
    const bool own_norms = spec_.encoding.codec && spec_.encoding.of_elements;
    if (!own_norms && go_together(0) && steps_[0].reads < 0 && steps_[1].writes >= 0)
      cut(0, exchange(steps_[1].writes), /*of_receiver=*/false);
    if (go_together(last - 1) && steps_[last].writes < 0 && steps_[last - 1].reads >= 0)
      cut(last - 1, exchange(steps_[last - 1].reads), /*of_receiver=*/true);
  }

 private:
  // Whether this step and the next one transform what stays where it is.
  [[nodiscard]] bool go_together(std::size_t i) {
    const RouteStep &one = steps_[i], &next = steps_[i + 1];
    return one.stage >= 0 && next.stage >= 0 && one.writes >= 0 && one.writes == next.reads &&
           exchange(one.writes).from.same_owners(exchange(one.writes).to);
  }

  void cut(std::size_t i, ExchangeSpec& sent, bool of_receiver) {
    constexpr Index worth_a_part = 32;  // elements of each: blocks of encoded messages want as many neighbours
    const Stage &one = stage_of(i), &next = stage_of(i + 1);
    if (sent.chunks.count == 1 || sent.chunks.parts > 1 || sent.from.same_owners(sent.to)) return;
    if (spec_.in_place && steps_[i].takes_input && steps_[i + 1].gives_output)
      return;  // the first part of the output would lie where the second one of the input does
    for (int a = 0; a < one.in.global().dims(); ++a) {
      if (one.spans(a) || next.spans(a) || a == sent.chunks.axis ||
          one.in.global()[a] / one.in.grid()[a] < spec_.parts * worth_a_part)
        continue;
      ExchangeSpec& kept = exchange(steps_[i].writes);
      if (!of_receiver)
        kept.chunks.count = 1, kept.whole_self = false;  // nothing is sent behind the first one's chunks
      for (ExchangeSpec* e : {&kept, &sent}) {
        e->chunks.count *= spec_.parts;
        e->chunks.parts = spec_.parts;
        e->chunks.parts_axis = a;
      }
      sent.chunks.of_receiver = of_receiver;
      steps_[i].goes_on = true;
      return;
    }
  }

  [[nodiscard]] ExchangeSpec& exchange(int number) { return exchanges_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const Stage& stage_of(std::size_t step) const {
    return spec_.stages[static_cast<std::size_t>(steps_[step].stage)];
  }

  const PipelineSpec& spec_;
  std::vector<RouteStep>& steps_;
  std::vector<ExchangeSpec>& exchanges_;
};

// Those that a step sends, or else those that it receives, where it can begin before all are there.
Chunks chunks_of(const PipelineSpec& spec, const Route& route, const RouteStep& step, bool follows) {
  if (step.writes >= 0) return route.written_by(step)->spec().chunks.stored();
  if (step.reads < 0) return {};
  Chunks read = route.read_by(step)->spec().chunks;
  if (!follows) read = read.in_one_part();
  if (step.stage >= 0 && spec.stages[static_cast<std::size_t>(step.stage)].spans(read.axis)) read.count = read.parts;
  return read;
}

}  // namespace

void cut_in_parts(const PipelineSpec& spec, std::vector<RouteStep>& steps, std::vector<ExchangeSpec>& exchanges) {
  Cutter(spec, steps, exchanges).cut();
}

void chunk_steps(const PipelineSpec& spec, Route& route) {
  for (std::size_t i = 0; i < route.steps.size(); ++i) {
    RouteStep& step = route.steps[i];
    const bool follows = i > 0 && route.steps[i - 1].goes_on;
    step.chunks = chunks_of(spec, route, step, follows);
    if (step.goes_on || follows) step.parts = step.chunks.parts;
  }
}

}  // namespace shardfft
