#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "pipeline/budget.hpp"
#include "pipeline/memory.hpp"
#include "support/patience.hpp"

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
  budget_ = std::make_unique<Budget>(spec_, draft_);
}

Pipeline::~Pipeline() = default;

std::vector<Round> Pipeline::rounds() const {
  std::vector<Round> rounds;
  for (const Exchange& e : draft_.exchanges) rounds.push_back(e.round());
  return rounds;
}

namespace {

// Squares of a half spectrum's elements, which stand for two numbers each of the whole one, count twice on the way back to reals: that is the norm of the result.
Weights weights_of(const PipelineSpec& spec, bool complex) {
  Weights weights;
  if (!complex || !spec.from.complex || spec.to.complex) return weights;
  for (const Stage& stage : spec.stages)
    for (const StageAxis& axis : stage.axes)
      if (axis.transform == Transform1d::c2r) weights = {.axis = axis.axis, .n = axis.n, .inside = 2};
  return weights;
}

void append(std::vector<Patch>& to, std::vector<Patch> more) { to.insert(to.end(), more.begin(), more.end()); }

std::string label_of(const SweepSpec& spec) {
  if (spec.axes.empty()) return "copy";
  std::string text = spec.axes.size() == 1 ? "sweep axis" : "sweep axes";
  for (const SweepAxis& axis : spec.axes) text += fmt::format(" {}", axis.axis);
  return text;
}

std::vector<Box> boxes_of(const std::vector<Patch>& patches) {
  std::vector<Box> boxes;
  for (const Patch& patch : patches) boxes.push_back(patch.box);
  return boxes;
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
SweepSpec Pipeline::sweep_spec(const StepDraft& step, const Step& made, unsigned way) const {
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

  s.source = made.decoder.get();
  s.sink = made.encoder.get();
  s.steps = step.units;
  if (s.source) s.source_boxes = exchange(step.reads).encoded_boxes_in();
  if (s.sink && step.writes >= 0) s.sink_boxes = exchange(step.writes).encoded_boxes_out();
  if (s.sink && made.encoder->wants_all()) s.sink_boxes = {whole(step.writes >= 0 ? exchange(step.writes).spec().from.global() : spec_.to.layout.global())};

  const Layout& layout = moves ? (first ? spec_.from.layout : spec_.to.layout) : spec_.stages[static_cast<std::size_t>(step.stage)].in;
  // A sweep does whole boxes, and so does a copy that looks at all of the array; another copy only what really moves.
  const bool does_all = !moves || s.sink;
  std::vector<Box> moved = boxes_of(last ? s.from : s.to);
  if (last && step.reads >= 0)
    for (const Box& box : exchange(step.reads).encoded_boxes_in()) moved.push_back(box);
  const Chunks chunks = chunks_of(step);
  for (int c = 0; c < chunks.count; ++c) {
    s.chunks.emplace_back();
    for (const Box& box : layout.boxes(spec_.me))
      if (const Box part = chunks.part(box, c); !part.empty())
        for (const Box& done : does_all ? std::vector<Box>{part} : moved)
          if (const Box both = intersect(part, done); !both.empty()) s.chunks.back().push_back(both);
  }
  return s;
}

// The parts in which a step is done: those that it sends, or else those that it receives, where it can begin before all are there.
Chunks Pipeline::chunks_of(const StepDraft& step) const {
  const auto chunks = [&](int exchange) { return draft_.exchanges[static_cast<std::size_t>(exchange)].spec().chunks; };
  if (step.writes >= 0) return chunks(step.writes);
  if (step.reads < 0) return {};
  if (step.stage >= 0)
    for (const StageAxis& axis : spec_.stages[static_cast<std::size_t>(step.stage)].axes)
      if (axis.axis == chunks(step.reads).axis) return {};
  return chunks(step.reads);
}

std::vector<int> Pipeline::needs_of(const StepDraft& draft, const std::vector<std::vector<Box>>& chunks) const {
  std::vector<int> needs(chunks.size(), -1);
  if (draft.reads < 0) return needs;
  const ExchangeSpec& e = draft_.exchanges[static_cast<std::size_t>(draft.reads)].spec();
  const auto pieces = pieces_to_receive(e.from, e.to, e.chunks, e.me);
  for (std::size_t c = 0; c < chunks.size(); ++c)
    for (const Piece& piece : pieces)
      if (piece.chunk > needs[c] && std::any_of(chunks[c].begin(), chunks[c].end(), [&](const Box& box) { return !intersect(box, piece.box).empty(); }))
        needs[c] = piece.chunk;
  needs.back() = e.chunks.count - 1;  // nothing is under way when it has been read
  for (std::size_t c = 1; c < needs.size(); ++c) needs[c] = std::max(needs[c], needs[c - 1]);
  return needs;
}

bool Pipeline::is_complex_after(const StepDraft& step) const {
  if (step.stage >= 0) return kernels_[static_cast<std::size_t>(step.stage)].back().kernel->out().complex;
  return &step == &draft_.steps.front() ? spec_.from.complex : spec_.to.complex;
}

void Pipeline::make_codecs(const StepDraft& draft, Step& step) const {
  const NumberType type{spec_.scalar, is_complex_after(draft)};
  std::vector<Encoder::Outgoing> messages;
  Shape global = spec_.to.layout.global();
  if (draft.writes >= 0) {
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(draft.writes)];
    messages = e.encoded_outgoing(*channel_, step.write);
    step.item = budget_->item_of(draft.writes);
    global = e.spec().from.global();
  }
  const bool looks = draft.looks || draft.looks_at_result;
  if (!messages.empty() || looks) step.encoder = std::make_unique<Encoder>(std::move(messages), type, global, looks, weights_of(spec_, type.complex));
  if (draft.reads >= 0) {
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(draft.reads)];
    if (auto incoming = e.encoded_incoming(*channel_, step.read); !incoming.empty())
      step.decoder = std::make_unique<Decoder>(std::move(incoming), e.spec().type, e.spec().from.global());
  }
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
  step.chunks = chunks_of(draft).count;
  step.looks = draft.looks;
  step.looks_at_result = draft.looks_at_result;
  make_codecs(draft, step);
  for (unsigned way = by_copies; way < step.sweeps.size(); ++way) {
    if ((way & step.ways) != way || is_copy_left_out(draft, way)) continue;
    SweepSpec spec = sweep_spec(draft, step, way);
    if (step.needs.empty()) step.needs = needs_of(draft, spec.chunks);
    step.sweeps[way].emplace(std::move(spec));
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
  if (poll) poll_ = [this] { channel_->progress(steps_[at_].write >= 0 ? steps_[at_].write : steps_[at_].read); };
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
      steps_[i - 1].plain_network = before->payload([&](int peer) { return far(peer) && !before->encodes(peer); });
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

// A copy that is left out reads or fills no inbox.
void Pipeline::prepare(unsigned way) {
  const bool first_is_left_out = way & ways_ & reads_peers, last_is_left_out = way & ways_ & writes_peers;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool unread = (first_is_left_out && i == 1) || (last_is_left_out && i + 1 == steps_.size());
    if (steps_[i].read >= 0 && !unread) channel_->prepare(steps_[i].read);
  }
}

void Pipeline::start(const Buffers& buffers, unsigned way) {
  buffers_ = buffers;
  way_ = way & ways_;
  running_ = true;
  exactly_ = must_check_result() && !spec_.encoding.absolute && spec_.in_place;
  begin_run();
  for (StepReport& r : report_) r.seconds = 0;
  for (const Step& step : steps_)
    if (step.ways) report_[step.report].bytes_memory = bytes_of(step.sweep(way_));
  if (recorder_) {
    recorder_->begin_run();
    run_began_ = Recorder::now();
  }
}

void Pipeline::begin_run() {
  begun_ = knows_norm_ = sums_losses_ = false;
  ++runs_;
  at_ = 0;
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
  if (!begun_) chunk_ = came_ = 0;
  begun_ = true;
  return knows_norm(step, block);
}

// Waits for what `chunk` of a step reads. Encoded messages are looked at as soon as they are there.
bool Pipeline::has_come(Step& step, int chunk, bool block) {
  const int wanted = step.read < 0 ? 0 : step.needs[static_cast<std::size_t>(chunk)] + 1;
  if (came_ >= wanted) return true;
  const auto start = Clock::now();
  const std::int64_t waited_from = recorder_ ? Recorder::now() : 0;
  if (recorder_ && chunk > 0 && step_began_ < waited_from)  // the step goes on after the wait
    recorder_->add({.what = Span::What::step, .label = report_[step.report].label, .begin_ns = std::exchange(step_began_, std::numeric_limits<std::int64_t>::max()), .end_ns = waited_from});
  if (block)
    channel_->wait(step.read, wanted - 1);
  else if (!channel_->arrived(step.read, wanted - 1))
    return false;
  for (; came_ < wanted; ++came_)
    if (step.decoder) step.decoder->open(came_, [&](std::size_t number) { return channel_->received(step.read, number); });
  if (step.wait_report) report_[*step.wait_report].seconds += seconds_since(start);
  if (recorder_ && step.wait_report) record_wait(step, waited_from, came_ > step.needs.back());
  if (recorder_) step_began_ = Recorder::now();
  return true;
}

// What was sent in the round that the step has read may still be on its way, and nobody would help it along once the run is over.
bool Pipeline::has_left(Step& step, bool block) {
  if (step.read < 0) return true;
  if (!block) return channel_->arrived(step.read);
  channel_->wait(step.read);
  return true;
}

// The norm of everything is summed while data are on their way, and waited for only before it is needed.
bool Pipeline::knows_norm(const Step& step, bool block) {
  if (knows_norm_ || !sums_norm_ || !step.item || !budget_->needs_norm(*step.item)) return true;
  Patience patience(/*sleeps=*/true);
  while (!channel_->summed(std::span(&norm2_, 1))) {
    if (!block) return false;
    patience.pause();
  }
  return knows_norm_ = true;
}

void Pipeline::begin_encoding(Step& step) {
  if (!step.encoder) return;
  const std::uint64_t seed = (runs_ << 8) + static_cast<std::uint64_t>(step.write);
  step.encoder->begin(step.item ? budget_->terms(*step.item, norm2_, seed, exactly_) : Terms{});
}

// Rounds alternate with steps: one is in flight at a time, and its memory of when it began is free again when the next one begins.
void Pipeline::record_wait(const Step& step, std::int64_t waited_from, bool last) {
  const StepReport& exchange = report_[*step.wait_report];
  const std::int64_t now = Recorder::now();
  recorder_->add({.what = Span::What::wait, .label = exchange.label, .begin_ns = waited_from, .end_ns = now});
  if (last)
    recorder_->add({.what = Span::What::flight, .label = exchange.label, .bytes = exchange.bytes_network + exchange.bytes_shared, .begin_ns = flight_began_, .end_ns = now});
}

Recording Pipeline::recording(Span::What what, std::optional<std::size_t> line, int chunk) const {
  if (!recorder_ || !line) return Recording(nullptr, what, {});
  const StepReport& r = report_[*line];
  return Recording(recorder_, what, r.label, chunk);
}

void Pipeline::perform_chunk(Step& step, int chunk) {
  const auto start = Clock::now();
  {
    const Recording part = recording(Span::What::chunk, step.chunks > 1 ? std::optional(step.report) : std::nullopt, chunk);
    if (const auto& sweep = step.sweep(way_)) sweep->run(chunk, buffers_, scratch_, step.write >= 0 || step.read >= 0 ? poll_ : no_poll_);
  }
  if (step.decoder) step.decoder->check();
  if (step.write >= 0) {
    const Recording part = recording(Span::What::send, step.send_report, chunk);
    if (recorder_ && chunk == 0) next_flight_began_ = Recorder::now();
    if (step.encoder) step.encoder->seal(chunk, [&](std::size_t number, Index bytes) { channel_->shrink(step.write, number, bytes); });
    channel_->send(step.write, chunk);
  }
  report_[step.report].seconds += seconds_since(start);
}

bool Pipeline::perform(Step& step, bool block) {
  for (; chunk_ < step.chunks; ++chunk_) {
    if (!has_come(step, chunk_, block)) return false;
    if (chunk_ == 0) {
      if (recorder_) step_began_ = Recorder::now();
      begin_encoding(step);
    }
    perform_chunk(step, chunk_);
  }
  if (!has_left(step, block)) return false;
  finish(step);
  return true;
}

void Pipeline::finish(Step& step) {
  if (step.read >= 0) channel_->release(step.read);
  flight_began_ = next_flight_began_;
  const StepReport& line = report_[step.report];
  if (recorder_) recorder_->add({.what = Span::What::step, .label = line.label, .bytes = line.bytes_memory, .begin_ns = step_began_, .end_ns = Recorder::now()});
  if (step.encoder && step.send_report) report_[*step.send_report].bytes_network = step.plain_network + step.encoder->bytes();
  if (!step.looks || !sums_norm_) return;
  const double mine = step.encoder->norm2();
  channel_->start_sum(std::span(&mine, 1));
}

// A caller's input that peers read must stay as it is until they have.
bool Pipeline::leave(bool block) {
  if (!(way_ & reads_peers)) return true;
  if (!block && !channel_->ready(first_round_)) return false;
  const Recording room = recording(Span::What::room, steps_.front().send_report);
  channel_->drain(first_round_);
  return true;
}

// Half spectra that no real array has lose a part of their norm on the way back to reals, and the norm that was found may promise too much: then all is done again, and nothing is lost.
// That needs an input that is still there.
bool Pipeline::is_kept(bool block) {
  if (!must_check_result() || spec_.encoding.absolute || exactly_) return true;  // what is lost, as a norm, only shrinks with it
  std::array<double, 8> sums{};
  const std::span<double> of_all = std::span(sums).first(2 + budget_->size());
  if (!sums_losses_) channel_->start_sum(losses());
  sums_losses_ = true;
  Patience patience(/*sleeps=*/true);
  while (!channel_->summed(of_all)) {
    if (!block) return false;
    patience.pause();
  }
  sums_losses_ = false;
  if (relative_error(of_all) <= budget_->tolerance()) return true;
  exactly_ = true;
  begin_run();
  return true;
}

bool Pipeline::advance(bool block) {
  const bool was_running = running_;
  while (running_) {
    for (; at_ < steps_.size(); ++at_) {
      if (!enter(steps_[at_], block) || !perform(steps_[at_], block)) return false;
      begun_ = false;
    }
    if (!leave(block) || !is_kept(block)) return false;
    running_ = at_ < steps_.size();
  }
  if (recorder_ && was_running && !running_) recorder_->add({.what = Span::What::run, .label = name_, .begin_ns = run_began_, .end_ns = Recorder::now()});
  return !running_;
}

std::size_t Pipeline::most_spans() const {
  std::size_t n = 2;
  for (const Step& step : steps_) n += 4 + 4 * static_cast<std::size_t>(step.chunks);
  return n;
}

std::vector<double> Pipeline::encoded_values() const {
  std::vector<double> values(budget_->size());
  for (const Step& step : steps_)
    if (step.item && step.encoder) values[*step.item] = static_cast<double>(step.encoder->values());
  return values;
}

// The norm is summed in a run only where an exchange needs it.
void Pipeline::share_tolerance(std::span<const double> of_all_ranks) {
  losses_.resize(budget_->empty() ? 0 : 2 + budget_->size());
  budget_->set_values(of_all_ranks);
  sums_norm_ = false;
  for (std::size_t i = 0; i < budget_->size(); ++i) sums_norm_ |= budget_->needs_norm(i) && of_all_ranks[i] > 0;
}

bool Pipeline::must_check_result() const { return !budget_->empty() && spec_.from.complex && !spec_.to.complex && !spec_.encoding.forced; }

// Squared norms that the steps found, of what the first of them made and of the reals at the end; then what each exchange lost.
std::span<const double> Pipeline::losses() const {
  std::fill(losses_.begin(), losses_.end(), 0.0);
  for (const Step& step : steps_) {
    if (!step.encoder) continue;
    if (step.looks) losses_[0] = step.encoder->norm2();
    if (step.looks_at_result) losses_[1] = step.encoder->norm2();
    if (step.item) losses_[2 + *step.item] = step.encoder->lost2();
  }
  return losses_;
}

double Pipeline::bytes_encoded() const {
  double bytes = 0;
  for (const Step& step : steps_)
    if (step.item && step.encoder) bytes += static_cast<double>(step.encoder->bytes());
  return bytes;
}

double Pipeline::relative_error(std::span<const double> of_all_ranks) const {
  if (budget_->empty()) return 0;
  const std::span<const double> lost2 = of_all_ranks.subspan(2);
  if (!must_check_result()) return budget_->relative_error(lost2, of_all_ranks[0]);
  const double error = budget_->relative_error(lost2, of_all_ranks[1] / budget_->growth2_to_result());
  return error < 1 ? error / (1 - error) : error == 0 ? 0 : std::numeric_limits<double>::infinity();  // of what the result would be without it
}

}  // namespace shardfft
