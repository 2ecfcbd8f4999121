// A pipeline in words.
#include <algorithm>

#include <fmt/format.h>

#include "pipeline/pipeline.hpp"
#include "support/text/text.hpp"

namespace shardfft {
namespace {

// A device's transforms are told about by its sweeps, as it is they who know how many axes they do at once.
std::string described(const SweepAxis& axis) { return axis.kernel ? axis.kernel->describe() : "on the device"; }

std::string row(std::string_view head, const std::string& what) { return fmt::format("  {:<10}{}\n", head, what); }

std::string exchange_text(const Exchange& e, const PipelineSpec& pipeline) {
  const auto far = [&](int peer) { return !pipeline.near || !pipeline.near(peer); };
  const auto near = [&](int peer) { return !far(peer); };
  const ExchangeSpec& spec = e.spec();
  std::string text;
  if (spec.storage_bytes > 0)
    text += row("narrow", fmt::format("this sweep stores {}: {} instead of {}; not in runs that must be exact",
                                      facts_of(*pipeline.encoding.storage).name,
                                      bytes_text(e.elements_out() * spec.storage_bytes),
                                      bytes_text(e.elements_out() * spec.element_bytes)));
  if (spec.from.same_owners(spec.to)) return text;  // it stays where it is
  text +=
      row("exchange", fmt::format("to {}; {}{} in {} over the network, {} into shared memory, {}", spec.to.describe(),
                                  bytes_text(e.payload(far)), e.encoded_boxes_out().empty() ? "" : " before encoding",
                                  counted(e.messages(far), "message"), bytes_text(e.payload(near)),
                                  counted(spec.chunks.count, "chunk")));
  if (spec.saves_nothing)
    text += row("codec",
                fmt::format("none: messages of {} would have about {} if they were encoded, with headers and padding",
                            bytes_text(spec.saves_nothing->plain), bytes_text(spec.saves_nothing->encoded)));
  if (!e.encoded_boxes_out().empty() || !e.encoded_boxes_in().empty())
    text += row("codec", fmt::format("{}: {}; encoded in units of {}, decoded in units of {}, blocks along axis {}",
                                     spec.codec->name(), spec.codec->about(), to_string(spec.blocking.writer_steps),
                                     to_string(spec.blocking.reader_steps), spec.blocking.order.back()));
  return text;
}

std::string owners_text(const AxisTransform& axis) {
  std::string text;
  if (axis.owners_in > 1) text += fmt::format(", cyclic over {} before", axis.owners_in);
  if (axis.owners_out > 1) text += fmt::format(", cyclic over {} after", axis.owners_out);
  return text;
}

std::string axis_text(int axis, const AxisTransform& stage, const SweepAxis& sweep) {
  const std::string whole = stage.whole > 0 ? fmt::format(" of {}", stage.whole) : "";
  return fmt::format("axis {} ({}, n = {}{}: {}{})", axis, name(stage.transform), stage.n, whole, described(sweep),
                     owners_text(stage));
}

std::string sweep_text(const Sweep& sweep) {
  const SweepSpec& spec = sweep.spec();
  const std::string text =
      fmt::format("; {} read, {} written", bytes_text(bytes_read(spec)), bytes_text(bytes_written(spec)));
  return text + sweep.about();
}

}  // namespace

int Pipeline::callers_axis(int axis) const { return spec_.from.split() ? spec_.from.split()->callers(axis) : axis; }

std::string Pipeline::label_of(const SweepSpec& spec) const {
  if (spec.axes.empty()) return "copy";
  std::string text = spec.axes.size() == 1 ? "sweep axis" : "sweep axes";
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    text +=
        fmt::format("{} {}", spec.operates && spec.operates->before == i ? " f" : "", callers_axis(spec.axes[i].axis));
  return text;
}

std::string Pipeline::describe() const {
  std::string text;
  if (errors_ && errors_->input_norm())
    text += row("norm", fmt::format("of the input; {} read", bytes_text(errors_->input_norm()->bytes())));
  for (std::size_t i = 0; i < route_.steps.size(); ++i) {
    const RouteStep& step = route_.steps[i];
    const bool moves = step.stage < 0;
    std::string what;
    if (moves) {
      const CallerArray& array = i == 0 ? spec_.from : spec_.to;
      what = (array.whole ? array.whole->layout : array.layout).describe();
    } else {
      const Stage& stage = spec_.stages[static_cast<std::size_t>(step.stage)];
      for (std::size_t a = 0; a < stage.axes.size(); ++a) {
        if (a > 0) what += stage.operates && stage.operates->before == a ? ", the operator, " : ", ";
        what +=
            axis_text(callers_axis(stage.axes[a].axis), stage.axes[a], axes_[static_cast<std::size_t>(step.stage)][a]);
      }
      what += fmt::format(" on {}", stage.in.describe());
    }
    if (i < bound_.steps.size()) {
      what += sweep_text(*bound_.sweeps[by_copies][i]);
      if (step.goes_on)
        what += fmt::format("; in {} parts, and the next sweep takes each part as soon as it is there", step.parts);
      const bool left_out = std::any_of(bound_.sweeps.begin(), bound_.sweeps.end(),
                                        [&](const auto& sweeps) { return sweeps[i] == nullptr; });
      if (left_out) what += "; left out if every rank passes an array that its plan made";
    }
    text += row(moves ? "copy" : "sweep", what);
    if (step.writes >= 0) text += exchange_text(route_.exchanges[static_cast<std::size_t>(step.writes)], spec_);
  }
  return text;
}

}  // namespace shardfft
