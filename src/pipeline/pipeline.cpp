// How a pipeline is made. How it runs: run.cpp.
#include "pipeline/pipeline.hpp"

#include <utility>

namespace shardfft {

Pipeline::Pipeline(PipelineSpec spec, Kernels* kernels)
    : spec_(std::move(spec)),
      route_(make_route(spec_)),
      axes_(swept_axes(spec_, kernels)),
      turns_(schedule(route_.steps, /*approximate=*/spec_.encoding.loses())) {
  if (spec_.encoding.loses()) errors_ = std::make_unique<ErrorControl>(spec_, route_);
}

std::vector<Round> Pipeline::rounds() const {
  std::vector<Round> rounds;
  for (const Exchange& e : route_.exchanges) rounds.push_back(e.round());
  return rounds;
}

void Pipeline::bind(Channel& channel, int first_round, bool poll) {
  channel_ = &channel;
  bound_ = bind_route(spec_, route_, axes_, channel, first_round, errors_.get());
  add_lines();
  observer_.use(spec_.place->make_times(2 * observer_.most_spans()));  // a run may begin twice
  if (!poll) return;
  poll_ = [this] {
    const BoundStep& now = step(turns_[at_].step);
    channel_->progress(now.write->round() >= 0 ? now.write->round() : now.read->round());
  };
}

void Pipeline::use_scratch(std::byte* scratch) {
  scratch_ = scratch;
  for (const BoundStep& step : bound_.steps)
    if (step.codecs) step.codecs->use_scratch(scratch);
}

}  // namespace shardfft
