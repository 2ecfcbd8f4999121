#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "grid/patch_index.hpp"
#include "pipeline/budget.hpp"
#include "pipeline/input_norm.hpp"
#include "pipeline/memory.hpp"

namespace shardfft {

std::shared_ptr<const Kernel> Kernels::get(const KernelRequest& asked) {
  KernelRequest request = asked;
  request.looks_only = look_only_;
  for (const auto& [made, kernel] : made_)
    if (made == request) return kernel;
  made_.emplace_back(request, engine_.make(request));
  return made_.back().second;
}

Pipeline::Pipeline(PipelineSpec spec, Kernels* kernels) : spec_(std::move(spec)), draft_(draft_pipeline(spec_)) {
  std::vector<StageAxis> done;
  for (const Stage& stage : spec_.stages) {
    kernels_.emplace_back();
    for (const StageAxis& axis : stage.axes) {
      SweepAxis swept{.axis = axis.axis,
                      .n = axis.n,
                      .transform = axis.transform,
                      .owners_in = axis.owners_in,
                      .owners_out = axis.owners_out};
      if (kernels) swept.kernel = kernels->get(axis.request(spec_.scalar));
      const auto other =
          std::find_if(done.begin(), done.end(), [&](const StageAxis& a) { return a.axis == axis.other; });
      if (other != done.end()) {
        swept.other = axis.other;
        swept.other_map = {.n = other->transform == Transform1d::r2c ? other->n / 2 + 1 : other->n,
                           .owners = other->owners_out};
        swept.whole = axis.whole;
        if (kernels)
          swept.twiddles = spec_.looks_only ? std::make_shared<Twiddles>()
                                            : std::make_shared<Twiddles>(axis.whole, axis.n, axis.transform);
      }
      kernels_.back().push_back(std::move(swept));
      done.push_back(axis);
    }
  }
  budget_ = std::make_unique<Budget>(spec_, draft_);
  for (const Exchange& e : draft_.exchanges)
    storage_.push_back({.format = e.spec().storage_bytes > 0 ? *spec_.encoding.storage : StorageFormat::f32});
}

Pipeline::~Pipeline() = default;

std::vector<Round> Pipeline::rounds() const {
  std::vector<Round> rounds;
  for (const Exchange& e : draft_.exchanges) rounds.push_back(e.round());
  return rounds;
}

namespace {

void append(std::vector<Patch>& to, std::vector<Patch> more) { to.insert(to.end(), more.begin(), more.end()); }

// What lies in the default places of the ranks' arrays: the pieces that go to or come from each.
std::vector<Patch> peers_patches(const CallerArray& array, Scalar scalar, const std::vector<Piece>& pieces, Base base,
                                 const Channel& channel) {
  std::map<int, std::vector<Box>> boxes;  // of each peer
  for (const Piece& piece : pieces) boxes[piece.peer].push_back(piece.box);
  std::vector<Patch> patches;
  for (const auto& [peer, of_peer] : boxes) {
    auto place = cut(array.default_patches(peer, base, scalar), of_peer);
    for (Patch& patch : place) patch.offset += channel.array_distance(peer);
    append(patches, std::move(place));
  }
  return patches;
}

}  // namespace

// The arrays of the peers as seen from this rank's own, which the run will know: the array with the same number lies at
// the same distance for every number.
std::vector<Patch> Pipeline::peers_inputs(const Exchange& exchange) const {
  const ExchangeSpec& e = exchange.spec();
  return peers_patches(spec_.from, spec_.scalar, pieces_to_receive(e.from, e.to, e.chunks, e.me), Base::input,
                       *channel_);
}

std::vector<Patch> Pipeline::peers_outputs(const Layout& mine) const {
  return peers_patches(spec_.to, spec_.scalar, pieces_to_send(mine, spec_.to.layout, {}, spec_.me), Base::output,
                       *channel_);
}

namespace {

// Whether lines are still in a core's own cache when a sweep that read them writes them again: of a tile they are, of
// planes in so far as these and what is made of them fit there.
bool still_near(const SweepSpec& s) {
  constexpr Index large_plane = 1 << 20;  // bytes
  Index bytes = 2 * static_cast<Index>(size_of(s.scalar));
  for (const SweepAxis& axis : s.axes)
    bytes *= axis.complex_in() ? axis.length_in() : axis.length_out();  // of half spectra their half
  return s.axes.size() < 2 || bytes < large_plane;
}

}  // namespace

// A sweep reads the exchange before it, or the caller's input, or (beside a copy step that only handles what changes
// owners) both.
SweepSpec Pipeline::sweep_spec(const StepDraft& step, const Step& made, unsigned way) const {
  const auto exchange = [&](int i) -> const Exchange& { return draft_.exchanges[static_cast<std::size_t>(i)]; };
  const bool moves = step.stage < 0;
  SweepSpec s{.scalar = spec_.scalar, .threads = spec_.threads, .tile = spec_.tile, .non_temporal = spec_.non_temporal};
  s.looks_only = spec_.looks_only;
  if (!moves) s.axes = kernels_[static_cast<std::size_t>(step.stage)];
  const bool first = &step == &draft_.steps.front(), last = &step == &draft_.steps.back();
  s.complex_in = moves ? (first ? spec_.from.complex : spec_.to.complex) : s.axes.front().complex_in();
  s.complex_out = moves ? s.complex_in : s.axes.back().complex_out();
  for (SweepAxis& axis : s.axes) axis.scale = scale_of(spec_.scaling, static_cast<double>(axis.n));

  if (way & reads_peers) {
    s.from = peers_inputs(exchange(step.reads));
  } else if (way & writes_peers && passes_on(step.stage - 1)) {
    s.from = peers_outputs(exchange(step.reads).spec().to);
  } else {
    const Exchange* narrow = way & all_wide ? nullptr : storage_exchange(step.reads);
    if (narrow) s.from_narrow = &storage_[static_cast<std::size_t>(step.reads)];
    if (step.reads >= 0)
      s.from = narrow ? narrow->storage_incoming(*channel_, first_round_ + step.reads)
                      : exchange(step.reads).incoming(*channel_, first_round_ + step.reads);
    if (step.takes_output) s.from = spec_.to.patches;
    if (step.takes_input)
      append(s.from, step.reads >= 0 ? cut(spec_.from.patches, exchange(step.reads).staying()) : spec_.from.patches);
  }
  if (way & writes_peers) {
    s.to = peers_outputs(spec_.stages[static_cast<std::size_t>(step.stage)].out);
  } else {
    const Exchange* narrow = way & all_wide ? nullptr : storage_exchange(step.writes);
    if (narrow) s.to_narrow = &storage_[static_cast<std::size_t>(step.writes)];
    if (step.writes >= 0)
      s.to = narrow ? narrow->storage_outgoing(*channel_, first_round_ + step.writes)
                    : exchange(step.writes).outgoing(*channel_, first_round_ + step.writes);
    if (step.gives_input) s.to = spec_.from.patches;
    if (step.gives_output)
      append(s.to, step.writes >= 0 ? cut(spec_.to.patches, exchange(step.writes).staying()) : spec_.to.patches);
  }

  const bool rewrites = step.takes_output || (step.takes_input && step.gives_input) ||
                        (way & writes_peers && passes_on(step.stage - 1)) ||
                        (step.takes_input && step.gives_output && spec_.in_place && spec_.same_places);
  if (rewrites && still_near(s)) s.non_temporal = false;

  if (made.device_decoder) append(s.from, made.device_decoder->patches());
  if (made.device_encoder) append(s.to, made.device_encoder->patches());
  s.plane_bytes = planes_of(made);
  s.device_source = made.device_decoder.get();
  s.source = made.decoder.get();
  s.sink = made.encoder.get();
  s.steps = step.units;
  if (s.source) s.source_boxes = exchange(step.reads).encoded_boxes_in();
  if (s.source)
    s.source_order =
        exchange(step.reads)
            .spec()
            .blocking.order;  // as they are encoded, so that nothing is copied between the plane and the codec
  if (s.sink && step.writes >= 0) s.sink_order = exchange(step.writes).spec().blocking.order;
  if (s.sink && step.writes >= 0) s.sink_boxes = exchange(step.writes).encoded_boxes_out();
  if (s.sink && made.encoder->wants_all())
    s.sink_boxes = {whole(step.writes >= 0 ? exchange(step.writes).spec().from.global() : spec_.to.layout.global())};

  const Layout& layout =
      moves ? (first ? spec_.from.layout : spec_.to.layout) : spec_.stages[static_cast<std::size_t>(step.stage)].in;
  // A sweep does whole boxes, and so does a copy that looks at all of the array; another copy only what really moves.
  const bool does_all = !moves || s.sink;
  std::vector<Patch> moved = last ? s.from : s.to;
  if (last && s.source)
    for (const Box& box : exchange(step.reads).encoded_boxes_in()) moved.push_back({.box = box});
  const PatchIndex index(moved);
  const Chunks chunks = chunks_of(step);
  for (int c = 0; c < chunks.count; ++c) {
    s.chunks.emplace_back();
    for (const Box& box : layout.boxes(spec_.me))
      if (const Box part = chunks.part(box, c); part.empty())
        continue;
      else if (does_all)
        s.chunks.back().push_back(part);
      else
        for (const std::size_t number : index.meeting(part))
          s.chunks.back().push_back(intersect(part, moved[number].box));
  }
  return s;
}
// The parts in which a step is done: those that it sends, or else those that it receives, where it can begin before all
// are there.
Chunks Pipeline::chunks_of(const StepDraft& step) const {
  const auto chunks = [&](int exchange) { return draft_.exchanges[static_cast<std::size_t>(exchange)].spec().chunks; };
  if (step.writes >= 0) return chunks(step.writes).stored();
  if (step.reads < 0) return {};
  Chunks read = chunks(step.reads);
  if (!follows(step)) read = read.in_one_part();
  if (step.stage >= 0)
    for (const StageAxis& axis : spec_.stages[static_cast<std::size_t>(step.stage)].axes)
      if (axis.axis == read.axis) read.count = read.parts;
  return read;
}

// Part by part, the step before it.
bool Pipeline::follows(const StepDraft& step) const {
  const auto i = static_cast<std::size_t>(&step - draft_.steps.data());
  return i > 0 && draft_.steps[i - 1].goes_on;
}

int Pipeline::parts_of(const StepDraft& step) const {
  return step.goes_on || follows(step) ? chunks_of(step).parts : 1;
}

// Chunks are sent in their order: those of a later part wait for all of the parts before it.
std::vector<int> Pipeline::sends_of(const StepDraft& draft, int chunks) const {
  std::vector<int> sends(static_cast<std::size_t>(chunks));
  std::iota(sends.begin(), sends.end(), 1);
  if (draft.writes >= 0) sends.back() = draft_.exchanges[static_cast<std::size_t>(draft.writes)].spec().chunks.count;
  return sends;
}

std::vector<int> Pipeline::needs_of(const StepDraft& draft, const std::vector<std::vector<Box>>& chunks) const {
  std::vector<int> needs(chunks.size(), -1);
  if (draft.reads < 0) return needs;
  const ExchangeSpec& e = draft_.exchanges[static_cast<std::size_t>(draft.reads)].spec();
  const auto pieces = pieces_to_receive(e.from, e.to, e.chunks, e.me);
  for (std::size_t c = 0; c < chunks.size(); ++c)
    for (const Piece& piece : pieces)
      if (piece.chunk > needs[c] && std::any_of(chunks[c].begin(), chunks[c].end(),
                                                [&](const Box& box) { return !intersect(box, piece.box).empty(); }))
        needs[c] = piece.chunk;
  needs.back() = e.chunks.count - 1;  // nothing is under way when it has been read
  for (std::size_t c = 1; c < needs.size(); ++c) needs[c] = std::max(needs[c], needs[c - 1]);
  return needs;
}

// The copy that a way leaves out, and the sweep next to it, which reads or writes other memory then.
unsigned Pipeline::ways_of(const StepDraft& step) const {
  const StepDraft *first = &draft_.steps.front(), *last = &draft_.steps.back();
  unsigned ways = by_copies;
  if (first->stage < 0 && (&step == first || &step == first + 1)) ways |= reads_peers;
  if (last->stage < 0 && (&step == last || &step == last - 1)) ways |= writes_peers;
  if (passes_on(step.stage) || passes_on(step.stage - 1)) ways |= writes_peers;
  ways &= ways_;
  if (storage_exchange(step.reads) || storage_exchange(step.writes)) ways |= all_wide;
  return ways;
}

// nullptr: what is exchanged lies as it is computed with in every run.
const Exchange* Pipeline::storage_exchange(int number) const {
  if (number < 0) return nullptr;
  const Exchange& e = draft_.exchanges[static_cast<std::size_t>(number)];
  return e.spec().storage_bytes > 0 ? &e : nullptr;
}

bool Pipeline::passes_on_in_outputs() const {
  return std::any_of(draft_.steps.begin(), draft_.steps.end(),
                     [&](const StepDraft& step) { return passes_on(step.stage); });
}

// Whether what a stage hands on to the next one may lie in the ranks' outputs, which all of them reach then. Without an
// exchange it does, or else in the way that copies nothing.
bool Pipeline::passes_on(int stage) const {
  if (stage < 0 || stage + 1 >= static_cast<int>(spec_.stages.size())) return false;
  const bool exchanges = std::any_of(draft_.steps.begin(), draft_.steps.end(),
                                     [&](const StepDraft& step) { return step.stage == stage && step.writes >= 0; });
  return exchanges && !spec_.intermediate_buffers && spec_.to.complex && !spec_.to.hermitian() && !spec_.in_place &&
         !spec_.on.queue && !spec_.encoding.codec && !spec_.encoding.storage;
}

bool Pipeline::is_copy_left_out(const StepDraft& step, unsigned way) const {
  return step.stage < 0 && way != by_copies;
}

Pipeline::Step Pipeline::bound(const StepDraft& draft) {
  Step step{.ways = ways_of(draft)};
  step.read = draft.reads < 0 ? -1 : first_round_ + draft.reads;
  step.write = draft.writes < 0 ? -1 : first_round_ + draft.writes;
  step.chunks = chunks_of(draft).count;
  step.parts = parts_of(draft);
  step.goes_on = draft.goes_on;
  step.sends = sends_of(draft, step.chunks);
  step.measures_norm = draft.measures_norm;
  step.skips_inbox = passes_on(draft.stage - 1) || (draft.stage < 0 && draft.reads >= 0);
  step.measures_result = draft.measures_result;
  make_codecs(draft, step);
  step.storage = storage_exchange(draft.writes);
  for (auto way = static_cast<unsigned>(step.sweeps.size());
       way-- > by_copies;) {  // those that take most of a message first, which pin it for the others
    if ((way & step.ways) != way || is_copy_left_out(draft, way)) continue;
    SweepSpec spec = sweep_spec(draft, step, way);
    if (step.needs.empty()) step.needs = needs_of(draft, spec.chunks);
    step.sweeps[way] = spec_.make_sweep(std::move(spec));
    scratch_bytes_ = std::max({scratch_bytes_, step.sweeps[way]->scratch_bytes(), planes_of(step)});
  }
  return step;
}

void Pipeline::bind(Channel& channel, int first_round, bool poll) {
  channel_ = &channel;
  first_round_ = first_round;
  ways_ = 0;
  if (channel.has_arrays() && draft_.steps.front().stage < 0) ways_ |= reads_peers;
  if (channel.has_arrays() && (draft_.steps.back().stage < 0 || passes_on_in_outputs())) ways_ |= writes_peers;
  for (const StepDraft& draft : draft_.steps) steps_.push_back(bound(draft));
  make_norms();
  add_reports();
  if (spec_.on.queue) times_.emplace(spec_.on, 2 * most_spans());  // a run may begin twice
  if (poll) poll_ = [this] { channel_->progress(steps_[at_].write >= 0 ? steps_[at_].write : steps_[at_].read); };
}

void Pipeline::add_reports() {
  const auto far = [&](int peer) { return !spec_.near || !spec_.near(peer); };
  const auto near = [&](int peer) { return !far(peer); };
  int exchanges = 0;
  if (input_norm_) {
    norm_report_ = report_.size();
    report_.push_back({.label = "norm of the input", .bytes_memory = input_norm_->bytes()});
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Exchange* before = i == 0 || draft_.steps[i].reads < 0
                                 ? nullptr
                                 : &draft_.exchanges[static_cast<std::size_t>(draft_.steps[i].reads)];
    if (before && !before->spec().from.same_owners(before->spec().to)) {
      steps_[i].wait_report = steps_[i - 1].send_report = report_.size();
      steps_[i - 1].plain_network = before->payload([&](int peer) { return far(peer) && !before->encodes(peer); });
      steps_[i - 1].far_bytes = before->payload(far);
      steps_[i - 1].near_bytes = before->payload(near);
      report_.push_back({.label = fmt::format("exchange {}", ++exchanges),
                         .bytes_network = before->payload(far),
                         .bytes_shared = before->payload(near),
                         .messages = before->messages(far)});
    }
    steps_[i].report = report_.size();
    const Sweep& sweep = *steps_[i].sweep(by_copies);
    report_.push_back({.label = label_of(sweep.spec())});
  }
  take_way(by_copies);
}

// What a run moves this way.
void Pipeline::take_way(unsigned way) {
  way_ = way;
  for (const Step& step : steps_) {
    report_[step.report].bytes_memory = step.bytes_moved(way_);
    report_[step.report].bytes_link = step.bytes_link(way_);
    if (!step.storage || !step.send_report) continue;
    const ExchangeSpec& e = step.storage->spec();
    const auto as_it_lies = [&](Index bytes, bool narrow) {
      return narrow ? bytes / e.element_bytes * e.storage_bytes : bytes;
    };
    report_[*step.send_report].bytes_network = as_it_lies(step.far_bytes, !is_wide() && e.varies);
    report_[*step.send_report].bytes_shared = as_it_lies(step.near_bytes, !is_wide());
  }
}

}  // namespace shardfft
