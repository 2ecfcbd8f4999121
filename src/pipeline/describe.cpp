// A pipeline in words.
#include <fmt/format.h>

#include "pipeline/input_norm.hpp"
#include "pipeline/pipeline.hpp"

namespace shardfft {
namespace {

// A device's transforms are told about by its sweeps, as it is they who know how many axes they do at once.
std::string described(const SweepAxis& axis) { return axis.kernel ? axis.kernel->describe() : "on the device"; }

}  // namespace

namespace {

std::string dealt(const StageAxis& axis) {
  std::string text;
  if (axis.hands_in > 1) text += fmt::format(", dealt to {} before", axis.hands_in);
  if (axis.hands_out > 1) text += fmt::format(", dealt to {} after", axis.hands_out);
  return text;
}

}  // namespace

int Pipeline::callers_axis(int axis) const { return spec_.from.split() ? spec_.from.split()->callers(axis) : axis; }

std::string Pipeline::label_of(const SweepSpec& spec) const {
  if (spec.axes.empty()) return "copy";
  std::string text = spec.axes.size() == 1 ? "sweep axis" : "sweep axes";
  for (const SweepAxis& axis : spec.axes) text += fmt::format(" {}", callers_axis(axis.axis));
  return text;
}

std::string Pipeline::describe() const {
  const auto far = [&](int peer) { return !spec_.near || !spec_.near(peer); };
  const auto near = [&](int peer) { return !far(peer); };
  std::string text;
  if (input_norm_) text += fmt::format("  {:<10}of the input; {} bytes read\n", "norm", input_norm_->bytes());
  for (std::size_t i = 0; i < draft_.steps.size(); ++i) {
    const StepDraft& step = draft_.steps[i];
    const bool moves = step.stage < 0;
    text += fmt::format("  {:<10}", moves ? "copy" : "sweep");
    if (moves) {
      const CallerArray& array = i == 0 ? spec_.from : spec_.to;
      text += (array.whole ? array.whole->layout : array.layout).describe();
    } else {
      const Stage& stage = spec_.stages[static_cast<std::size_t>(step.stage)];
      for (std::size_t a = 0; a < stage.axes.size(); ++a)
        text += fmt::format("{}axis {} ({}, n = {}{}: {}{})", a ? ", " : "", callers_axis(stage.axes[a].axis), name(stage.axes[a].transform), stage.axes[a].n,
                            stage.axes[a].whole > 0 ? fmt::format(" of {}", stage.axes[a].whole) : "", described(kernels_[static_cast<std::size_t>(step.stage)][a]), dealt(stage.axes[a]));
      text += fmt::format(" on {}", stage.in.describe());
    }
    if (i < steps_.size()) {
      const Sweep& sweep = *steps_[i].sweep(by_copies);
      text += fmt::format("; {} bytes read, {} written", bytes_read(sweep.spec()), bytes_written(sweep.spec()));
      if (step.goes_on) text += fmt::format("; in {} parts, each of which the next sweep takes at once", steps_[i].parts);
      if (sweep.is_fused()) text += "; one kernel gathers, transforms and scatters";
      if (sweep.spec().device_source) text += sweep.decodes_to_tiles() ? "; messages are decoded into its tiles" : "; messages are decoded before it";
      if (sweep.bytes_link() > 0) text += ", all of it over the link to the device";
      if (moves && steps_[i].ways) text += "; nothing when every rank passes an array that its plan made";
    }
    text += "\n";
    if (step.writes < 0) continue;
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(step.writes)];
    if (e.spec().narrow_bytes > 0)
      text += fmt::format("  {:<10}{}: what this sweep hands on, {} bytes instead of {}; a run that may lose nothing does without\n", "narrow", facts_of(*spec_.encoding.narrow).name,
                          e.elements_out() * e.spec().narrow_bytes, e.elements_out() * e.spec().element_bytes);
    if (e.spec().from.same_owners(e.spec().to)) continue;  // it stays where it is
    text += fmt::format("  {:<10}to {}; {} bytes{} in {} messages over the network, {} bytes into shared memory, {} chunk{}\n", "exchange",
                        e.spec().to.describe(), e.payload(far), e.encoded_boxes_out().empty() ? "" : " before encoding", e.messages(far), e.payload(near), e.spec().chunks.count,
                        e.spec().chunks.count == 1 ? "" : "s");
    if (e.spec().saves_nothing)
      text += fmt::format("  {:<10}none: encoded, messages of {:.0f} bytes would take about {:.0f} with heads and fill\n", "codec", e.spec().saves_nothing->plain, e.spec().saves_nothing->encoded);
    if (!e.encoded_boxes_out().empty() || !e.encoded_boxes_in().empty())
      text += fmt::format("  {:<10}{}: {}; units of {} before, {} after, blocks along axis {}\n", "codec", e.spec().codec->name(), e.spec().codec->about(),
                          to_string(e.spec().blocking.writer_steps), to_string(e.spec().blocking.reader_steps), e.spec().blocking.order.back());
  }
  return text;
}

}  // namespace shardfft
