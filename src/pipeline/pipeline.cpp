#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "pipeline/memory.hpp"

namespace shardfft {

std::shared_ptr<const Kernel> Kernels::get(const KernelRequest& request) {
  for (const auto& [made, kernel] : made_)
    if (made == request) return kernel;
  made_.emplace_back(request, engine_.make(request));
  return made_.back().second;
}

Pipeline::Pipeline(PipelineSpec spec, Kernels& kernels) : spec_(std::move(spec)), draft_(draft_pipeline(spec_)) {
  for (const Stage& stage : spec_.stages) {
    kernels_.emplace_back();
    for (const StageAxis& axis : stage.axes)
      kernels_.back().push_back({axis.axis, kernels.get({.n = axis.n, .transform = axis.transform, .scalar = spec_.scalar})});
  }
}

std::vector<Round> Pipeline::rounds() const {
  std::vector<Round> rounds;
  for (const Exchange& e : draft_.exchanges) rounds.push_back(e.round());
  return rounds;
}

namespace {

void append(std::vector<Patch>& to, std::vector<Patch> more) { to.insert(to.end(), more.begin(), more.end()); }

std::string label_of(const SweepSpec& spec) {
  if (spec.axes.empty()) return "copy";
  std::string text = spec.axes.size() == 1 ? "sweep axis" : "sweep axes";
  for (const SweepAxis& axis : spec.axes) text += fmt::format(" {}", axis.axis);
  return text;
}

// A sweep does whole boxes; a copy only what really moves.
void add_boxes(SweepSpec& s, const Box& part, bool moves, bool last) {
  if (!moves) return s.chunks.back().push_back(part);
  for (const Patch& patch : last ? s.from : s.to)
    if (const Box moved = intersect(part, patch.box); !moved.empty()) s.chunks.back().push_back(moved);
}

// What lies in the default places of the ranks' arrays: the pieces that go to or come from each.
std::vector<Patch> peers_patches(const CallerArray& array, Scalar scalar, const std::vector<Piece>& pieces, Base base, const Channel& channel) {
  std::vector<Patch> patches;
  for (const Piece& piece : pieces) {
    const auto boxes = array.layout.boxes(piece.peer);
    auto place = cut(caller_patches(boxes, placements(array.layout, piece.peer, {}, ""), base, array.element_bytes(scalar)), {piece.box});
    for (Patch& patch : place) patch.offset += channel.array_distance(piece.peer);
    append(patches, std::move(place));
  }
  return patches;
}

}  // namespace

// The arrays of the peers as seen from this rank's own, which the run will know: the array with the same number lies at the same distance for every number.
std::vector<Patch> Pipeline::peers_inputs(const Exchange& exchange) const {
  const ExchangeSpec& e = exchange.spec();
  return peers_patches(spec_.from, spec_.scalar, pieces_to_receive(e.from, e.to, e.chunks, e.me), Base::input, *channel_);
}

std::vector<Patch> Pipeline::peers_outputs(const Exchange& exchange) const {
  const ExchangeSpec& e = exchange.spec();
  return peers_patches(spec_.to, spec_.scalar, pieces_to_send(e.from, e.to, e.chunks, e.me), Base::output, *channel_);
}

// A sweep reads the exchange before it, or the caller's input, or (beside a copy step that only handles what changes owners) both.
SweepSpec Pipeline::sweep_spec(const StepDraft& step, unsigned way) const {
  const auto exchange = [&](int i) -> const Exchange& { return draft_.exchanges[static_cast<std::size_t>(i)]; };
  const bool moves = step.stage < 0;
  SweepSpec s{.scalar = spec_.scalar, .threads = spec_.threads, .tile = spec_.tile, .stream = spec_.stream};
  if (!moves) s.axes = kernels_[static_cast<std::size_t>(step.stage)];
  const bool first = &step == &draft_.steps.front(), last = &step == &draft_.steps.back();
  s.complex_in = moves ? (first ? spec_.from.complex : spec_.to.complex) : s.axes.front().kernel->in().complex;
  s.complex_out = moves ? s.complex_in : s.axes.back().kernel->out().complex;
  if (step.stage + 1 == static_cast<int>(spec_.stages.size()) && !moves) s.scale = spec_.scale;

  if (way & reads_peers) {
    s.from = peers_inputs(exchange(step.reads));
  } else {
    if (step.reads >= 0) s.from = exchange(step.reads).incoming(*channel_, first_round_ + step.reads);
    if (step.takes_input) append(s.from, step.reads >= 0 ? cut(spec_.from.patches, exchange(step.reads).staying()) : spec_.from.patches);
  }
  if (way & writes_peers) {
    s.to = peers_outputs(exchange(step.writes));
  } else {
    if (step.writes >= 0) s.to = exchange(step.writes).outgoing(*channel_, first_round_ + step.writes);
    if (step.gives_output) append(s.to, step.writes >= 0 ? cut(spec_.to.patches, exchange(step.writes).staying()) : spec_.to.patches);
  }

  const Layout& layout = moves ? (first ? spec_.from.layout : spec_.to.layout) : spec_.stages[static_cast<std::size_t>(step.stage)].in;
  const Chunks chunks = step.writes >= 0 ? exchange(step.writes).spec().chunks : Chunks{};
  for (int c = 0; c < chunks.count; ++c) {
    s.chunks.emplace_back();
    for (const Box& box : layout.boxes(spec_.me))
      if (const Box part = chunks.part(box, c); !part.empty()) add_boxes(s, part, moves, last);
  }
  return s;
}

// The copy that a way leaves out, and the sweep next to it, which reads or writes other memory then.
unsigned Pipeline::ways_of(const StepDraft& step) const {
  const StepDraft *first = &draft_.steps.front(), *last = &draft_.steps.back();
  unsigned ways = by_copies;
  if (first->stage < 0 && (&step == first || &step == first + 1)) ways |= reads_peers;
  if (last->stage < 0 && (&step == last || &step == last - 1)) ways |= writes_peers;
  return ways & ways_;
}

bool Pipeline::is_copy_left_out(const StepDraft& step, unsigned way) const { return step.stage < 0 && way != by_copies; }

Pipeline::Step Pipeline::bound(const StepDraft& draft) {
  Step step{.ways = ways_of(draft)};
  step.read = draft.reads < 0 ? -1 : first_round_ + draft.reads;
  step.write = draft.writes < 0 ? -1 : first_round_ + draft.writes;
  step.chunks = draft.writes < 0 ? 1 : draft_.exchanges[static_cast<std::size_t>(draft.writes)].spec().chunks.count;
  for (unsigned way = by_copies; way < step.sweeps.size(); ++way) {
    if ((way & step.ways) != way || is_copy_left_out(draft, way)) continue;
    step.sweeps[way].emplace(sweep_spec(draft, way));
    scratch_bytes_ = std::max(scratch_bytes_, step.sweeps[way]->scratch_bytes());
  }
  return step;
}

void Pipeline::bind(Channel& channel, int first_round, bool poll) {
  channel_ = &channel;
  first_round_ = first_round;
  ways_ = 0;
  if (channel.has_arrays() && draft_.steps.front().stage < 0) ways_ |= reads_peers;
  if (channel.has_arrays() && draft_.steps.back().stage < 0) ways_ |= writes_peers;
  for (const StepDraft& draft : draft_.steps) steps_.push_back(bound(draft));
  add_reports();
  if (poll) poll_ = [this] { channel_->progress(steps_[at_].write); };
}

namespace {

Index bytes_of(const std::optional<Sweep>& sweep) { return sweep ? sweep->bytes_read() + sweep->bytes_written() : 0; }

}  // namespace

void Pipeline::add_reports() {
  const auto far = [&](int peer) { return !spec_.near || !spec_.near(peer); };
  const auto near = [&](int peer) { return !far(peer); };
  int exchanges = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Exchange* before = i == 0 || draft_.steps[i].reads < 0 ? nullptr : &draft_.exchanges[static_cast<std::size_t>(draft_.steps[i].reads)];
    if (before && !before->spec().from.same_owners(before->spec().to)) {
      steps_[i].wait_report = steps_[i - 1].send_report = report_.size();
      report_.push_back({.label = fmt::format("exchange {}", ++exchanges),
                         .bytes_network = before->payload(far),
                         .bytes_shared = before->payload(near),
                         .messages = before->messages(far)});
    }
    steps_[i].report = report_.size();
    const Sweep& sweep = *steps_[i].sweep(by_copies);
    report_.push_back({.label = label_of(sweep.spec()), .bytes_memory = bytes_of(steps_[i].sweep(by_copies))});
  }
}

void Pipeline::start(const Buffers& buffers, unsigned way) {
  buffers_ = buffers;
  way_ = way & ways_;
  running_ = true;
  begun_ = false;
  at_ = 0;
  for (StepReport& r : report_) r.seconds = 0;
  for (const Step& step : steps_)
    if (step.ways) report_[step.report].bytes_memory = bytes_of(step.sweep(way_));
  if (recorder_) {
    recorder_->begin_run();
    run_began_ = Recorder::now();
  }
}

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

bool Pipeline::enter(Step& step, bool block) {
  if (!begun_ && step.write >= 0) {
    if (!block && !channel_->ready(step.write)) return false;
    const Recording room = recording(Span::What::room, step.send_report);
    channel_->begin(step.write);
  }
  begun_ = true;
  if (step.read < 0) return true;
  const auto start = Clock::now();
  const std::int64_t waited_from = recorder_ ? Recorder::now() : 0;
  if (block)
    channel_->wait(step.read);
  else if (!channel_->arrived(step.read))
    return false;
  if (step.wait_report) report_[*step.wait_report].seconds += seconds_since(start);
  if (recorder_ && step.wait_report) record_arrival(step, waited_from);
  return true;
}

// Rounds alternate with steps: one is in flight at a time, and its memory of when it began is free again when the next one begins.
void Pipeline::record_arrival(const Step& step, std::int64_t waited_from) {
  const StepReport& exchange = report_[*step.wait_report];
  const std::int64_t now = Recorder::now();
  recorder_->add({.what = Span::What::wait, .label = exchange.label, .begin_ns = waited_from, .end_ns = now});
  recorder_->add({.what = Span::What::flight, .label = exchange.label, .bytes = exchange.bytes_network + exchange.bytes_shared, .begin_ns = flight_began_, .end_ns = now});
}

Recording Pipeline::recording(Span::What what, std::optional<std::size_t> line, int chunk) const {
  if (!recorder_ || !line) return Recording(nullptr, what, {});
  const StepReport& r = report_[*line];
  return Recording(recorder_, what, r.label, chunk, what == Span::What::step ? r.bytes_memory : 0);
}

void Pipeline::perform_chunk(Step& step, int chunk) {
  {
    const Recording part = recording(Span::What::chunk, step.chunks > 1 ? std::optional(step.report) : std::nullopt, chunk);
    if (const auto& sweep = step.sweep(way_)) sweep->run(chunk, buffers_, scratch_, step.write >= 0 ? poll_ : std::function<void()>{});
  }
  if (step.write < 0) return;
  const Recording part = recording(Span::What::send, step.send_report, chunk);
  if (recorder_ && chunk == 0) flight_began_ = Recorder::now();
  channel_->send(step.write, chunk);
}

void Pipeline::perform(Step& step) {
  const auto start = Clock::now();
  const Recording whole = recording(Span::What::step, step.report);
  for (int c = 0; c < step.chunks; ++c) perform_chunk(step, c);
  if (step.read >= 0) channel_->release(step.read);
  report_[step.report].seconds = seconds_since(start);
}

// A caller's input that peers read must stay as it is until they have.
bool Pipeline::leave(bool block) {
  if (!(way_ & reads_peers)) return true;
  if (!block && !channel_->ready(first_round_)) return false;
  const Recording room = recording(Span::What::room, steps_.front().send_report);
  channel_->drain(first_round_);
  return true;
}

bool Pipeline::advance(bool block) {
  const bool was_running = running_;
  for (; running_ && at_ < steps_.size(); ++at_) {
    if (!enter(steps_[at_], block)) return false;
    perform(steps_[at_]);
    begun_ = false;
  }
  if (running_) running_ = !leave(block);
  if (recorder_ && was_running && !running_) recorder_->add({.what = Span::What::run, .label = name_, .begin_ns = run_began_, .end_ns = Recorder::now()});
  return !running_;
}

std::size_t Pipeline::most_spans() const {
  std::size_t n = 2;
  for (const Step& step : steps_) n += 4 + 2 * static_cast<std::size_t>(step.chunks);
  return n;
}

}  // namespace shardfft
