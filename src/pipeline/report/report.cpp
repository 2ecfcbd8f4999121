// The lines of a pipeline's report, and the bytes of each.
#include <utility>

#include <fmt/format.h>

#include "pipeline/pipeline.hpp"

namespace shardfft {
namespace {

// Bytes of one direction of a run through the network or the memory that ranks share, as they lie there.
Index as_it_lies(const ExchangeSpec& e, Index bytes, bool narrow) {
  return narrow ? bytes / e.element_bytes * e.storage_bytes : bytes;
}

StepReport line_of(std::string label, Index messages = 0) {
  StepReport line;
  line.label = std::move(label);
  line.messages = messages;
  return line;
}

}  // namespace

void Pipeline::add_lines() {
  const auto far = [&](int peer) { return !spec_.near || !spec_.near(peer); };
  const auto near = [&](int peer) { return !far(peer); };
  if (errors_ && errors_->input_norm()) {
    StepReport norm = line_of("norm of the input");
    norm.bytes_memory = errors_->input_norm()->bytes();
    observer_.add_norm(observer_.add_line(std::move(norm)));
  }
  int exchanges = 0;
  std::vector<Observer::Lines> lines;
  for (std::size_t i = 0; i < route_.steps.size(); ++i) {
    const RouteStep& step = route_.steps[i];
    Observer::Lines& own = lines.emplace_back(Observer::Lines{.chunks = step.chunks.count, .parts = step.parts});
    const Exchange* before = route_.read_by(step);
    if (before && !before->spec().from.same_owners(before->spec().to)) {
      Observer::Lines& sender = lines[i - 1];
      const Index together = channel_->messages_of(this->step(static_cast<int>(i) - 1).write->round());
      sender.send = own.wait = observer_.add_line(
          line_of(fmt::format("exchange {}", ++exchanges), together < 0 ? before->messages(far) : together));
      sender.far_bytes = before->payload(far);
      sender.near_bytes = before->payload(near);
      sender.plain_bytes = before->payload([&](int peer) { return far(peer) && !before->encodes(peer); });
    }
    own.step = observer_.add_line(line_of(label_of(bound_.sweeps[by_copies][i]->spec())));
  }
  for (const Observer::Lines& line : lines) observer_.add_step(line);
  count_bytes();
}

// What a run moves.
void Pipeline::count_bytes() {
  counted_ = access_;
  for (std::size_t i = 0; i < route_.steps.size(); ++i) {
    const Observer::Lines& lines = observer_.lines(static_cast<int>(i));
    const Sweep* s = sweep(static_cast<int>(i));
    StepReport& line = observer_.line(lines.step);
    line.bytes_memory = s ? s->bytes_memory() : 0;
    line.bytes_link = 0;
    if (s) s->count_link(line);
    if (!lines.send) continue;
    const ExchangeSpec& e = route_.written_by(route_.steps[i])->spec();
    const bool narrow = e.storage_bytes > 0 && !(access_ & full_width);
    StepReport& sent = observer_.line(*lines.send);
    sent.bytes_network = as_it_lies(e, lines.far_bytes, narrow);
    sent.bytes_shared = as_it_lies(e, lines.near_bytes, narrow);
  }
}

// Encoded messages become as long as they become.
void Pipeline::count_encoded(int number) {
  const Observer::Lines& lines = observer_.lines(number);
  const BoundStep& bound = step(number);
  if (lines.send && bound.codecs && bound.codecs->writer())
    observer_.line(*lines.send).bytes_network = lines.plain_bytes + bound.codecs->writer()->bytes();
}

}  // namespace shardfft
