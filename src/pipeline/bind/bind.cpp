#include "pipeline/bind/bind.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "grid/patch_index.hpp"
#include "pipeline/bind/memory.hpp"

namespace shardfft {
namespace {

void append(std::vector<Patch>& to, std::vector<Patch> more) { to.insert(to.end(), more.begin(), more.end()); }

// What lies in the default places of the ranks' arrays: the pieces that go to or come from each.
std::vector<Patch> peers_patches(const CallerArray& array, Scalar scalar, const std::vector<Piece>& pieces, Base base,
                                 const PeerArrays& arrays) {
  std::map<int, std::vector<Box>> boxes;  // of each peer
  for (const Piece& piece : pieces) boxes[piece.peer].push_back(piece.box);
  std::vector<Patch> patches;
  for (const auto& [peer, of_peer] : boxes) {
    auto place = cut(array.default_patches(peer, base, scalar), of_peer);
    for (Patch& patch : place) patch.offset += arrays.array_distance(peer);
    append(patches, std::move(place));
  }
  return patches;
}

// Whether lines are still in a core's own cache when a sweep that read them writes them again: of a tile they are, of
// planes in so far as these and what is made of them fit there.
bool still_in_cache(const SweepSpec& s) {
  constexpr Index large_plane = 1 << 20;  // bytes
  if (s.operates && s.axes.size() == 2) return true;
  Index bytes = (s.complex_in || s.complex_out ? 2 : 1) * static_cast<Index>(size_of(s.scalar));
  for (const SweepAxis& axis : s.axes)
    bytes *= axis.complex_in() ? axis.length_in() : axis.length_out();  // of half spectra their half
  return s.axes.size() < 2 || bytes < large_plane;
}

bool hands_on_in_outputs(const PipelineSpec& spec, const Route& route, int stage) {
  if (stage < 0 || stage + 1 >= static_cast<int>(spec.stages.size())) return false;
  const bool exchanges = std::any_of(route.steps.begin(), route.steps.end(),
                                     [&](const RouteStep& step) { return step.stage == stage && step.writes >= 0; });
  // Between an operator's two transforms extents may change once more.
  const auto has_results_extents = [&](const Stage& s) { return s.out.global() == spec.to.layout.global(); };
  const bool fits = std::all_of(spec.stages.begin() + stage, spec.stages.end(), has_results_extents);
  return exchanges && fits && spec.between_in_output() && spec.to.complex == spec.complex_between() &&
         !spec.to.hermitian() && !spec.in_place && !spec.place->on_device() && !spec.encoding.loses() &&
         keeps_components(spec);
}

class Binder {
 public:
  Binder(const PipelineSpec& spec, const Route& route, const std::vector<std::vector<SweepAxis>>& axes,
         Channel& channel, int first_round, ErrorControl* errors)
      : spec_(spec), route_(route), axes_(axes), channel_(channel), first_round_(first_round), errors_(errors) {}

  BoundRoute bind() {
    bound_.access = access_of_route();
    for (auto& sweeps : bound_.sweeps) sweeps.resize(route_.steps.size());
    for (std::size_t i = 0; i < route_.steps.size(); ++i) bound_.steps.push_back(bind(i));
    if (errors_) {
      std::vector<StepCodecs*> codecs;
      for (const BoundStep& step : bound_.steps) codecs.push_back(step.codecs.get());
      errors_->bind(channel_, first_round_, codecs);
    }
    return std::move(bound_);
  }

 private:
  BoundStep bind(std::size_t i) {
    const RouteStep& step = route_.steps[i];
    BoundStep made{.codecs = make_codecs(step)};
    made.skips_inbox = hands_on_in_outputs(spec_, route_, step.stage - 1) || (step.stage < 0 && step.reads >= 0);
    const std::vector<std::vector<Box>> chunks = make_sweeps(i, made.codecs.get());
    made.read = read_end(step, made.codecs.get(), chunks);
    made.write = write_end(step, made.codecs.get());
    return made;
  }

  [[nodiscard]] std::unique_ptr<StepCodecs> make_codecs(const RouteStep& step) const {
    if (!errors_) return nullptr;
    const NumberType type{spec_.scalar, is_complex_after(step)};
    return spec_.place->make_codecs({.reads = route_.read_by(step),
                                     .writes = route_.written_by(step),
                                     .read_round = first_round_ + step.reads,
                                     .write_round = first_round_ + step.writes,
                                     .type = type,
                                     .result = spec_.to.layout.global(),
                                     .measures_norm = step.measures_norm || step.measures_result,
                                     .basis = errors_->basis_of(step.writes),
                                     .weights = errors_->weights(type.complex),
                                     .threads = spec_.tuning.threads},
                                    channel_);
  }

  // For each kind of access that makes a difference to it; returns the boxes of its chunks. Those that take most of a
  // message come first, which pin it for the others.
  std::vector<std::vector<Box>> make_sweeps(std::size_t i, const StepCodecs* codecs) {
    const RouteStep& step = route_.steps[i];
    const unsigned own = access_of(step);
    std::vector<std::vector<Box>> chunks;
    for (auto access = static_cast<unsigned>(bound_.sweeps.size()); access-- > by_copies;) {
      if ((access & own) != access || (step.stage < 0 && access != by_copies)) continue;
      SweepSpec spec = sweep_spec(step, codecs, access);
      if (chunks.empty()) chunks = spec.chunks;
      const std::size_t planes = codecs ? codecs->plane_bytes() : 0;
      bound_.owned.push_back(spec_.place->make_sweep(std::move(spec), codecs));
      const Sweep* sweep = bound_.owned.back().get();
      bound_.scratch_bytes = std::max({bound_.scratch_bytes, sweep->scratch_bytes(), planes});
      for (unsigned run = 0; run < bound_.sweeps.size(); ++run)
        if ((run & own) == access) bound_.sweeps[run][i] = sweep;
    }
    return chunks;
  }

  [[nodiscard]] std::unique_ptr<ReadEnd> read_end(const RouteStep& step, StepCodecs* codecs,
                                                  const std::vector<std::vector<Box>>& chunks) const {
    if (step.reads < 0 || spec_.looks_only) return std::make_unique<ReadEnd>();
    const int round = first_round_ + step.reads;
    if (codecs && codecs->reader())
      return std::make_unique<EncodedInbox>(channel_, round, needs_of(step, chunks), *codecs->reader());
    return std::make_unique<Inbox>(channel_, round, needs_of(step, chunks));
  }

  [[nodiscard]] std::unique_ptr<WriteEnd> write_end(const RouteStep& step, StepCodecs* codecs) const {
    if (step.writes < 0 || spec_.looks_only) return std::make_unique<WriteEnd>();
    const int round = first_round_ + step.writes;
    if (codecs && codecs->writer())
      return std::make_unique<EncodedOutbox>(channel_, round, sends_of(step), *codecs->writer());
    if (errors_ && errors_->storage(step.writes))
      return std::make_unique<NarrowOutbox>(channel_, round, sends_of(step), *route_.written_by(step), *errors_);
    return std::make_unique<Outbox>(channel_, round, sends_of(step));
  }

  // Chunks are sent in their order: those of a later part wait for all of the parts before it.
  [[nodiscard]] std::vector<int> sends_of(const RouteStep& step) const {
    std::vector<int> sends(static_cast<std::size_t>(step.chunks.count));
    std::iota(sends.begin(), sends.end(), 1);
    sends.back() = route_.written_by(step)->spec().chunks.count;
    return sends;
  }

  [[nodiscard]] std::vector<int> needs_of(const RouteStep& step, const std::vector<std::vector<Box>>& chunks) const {
    std::vector<int> needs(chunks.size(), -1);
    const ExchangeSpec& e = route_.read_by(step)->spec();
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

  [[nodiscard]] unsigned access_of_route() const {
    unsigned access = by_copies;
    if (!channel_.has_arrays()) return access;
    if (route_.steps.front().stage < 0) access |= reads_peers;
    if (route_.steps.back().stage < 0 || hands_on_in_outputs(spec_, route_)) access |= writes_peers;
    return access;
  }

  // The copy that is left out, and the sweep next to it, which reads or writes other memory then.
  [[nodiscard]] unsigned access_of(const RouteStep& step) const {
    const RouteStep *first = &route_.steps.front(), *last = &route_.steps.back();
    unsigned access = by_copies;
    if (first->stage < 0 && (&step == first || &step == first + 1)) access |= reads_peers;
    if (last->stage < 0 && (&step == last || &step == last - 1)) access |= writes_peers;
    if (hands_on(step.stage) || hands_on(step.stage - 1)) access |= writes_peers;
    access &= bound_.access;
    if (storage(step.reads) || storage(step.writes)) access |= full_width;
    return access;
  }
  [[nodiscard]] const Stage& stage_of(const RouteStep& step) const {
    return spec_.stages[static_cast<std::size_t>(step.stage)];
  }
  [[nodiscard]] const std::vector<SweepAxis>& axes_of(const RouteStep& step) const {
    return axes_[static_cast<std::size_t>(step.stage)];
  }
  [[nodiscard]] bool hands_on(int stage) const { return hands_on_in_outputs(spec_, route_, stage); }
  [[nodiscard]] const ScaledStorage* storage(int exchange) const {
    return errors_ ? errors_->storage(exchange) : nullptr;
  }

  [[nodiscard]] bool is_complex_after(const RouteStep& step) const {
    if (step.stage >= 0 && !axes_of(step).empty()) return axes_of(step).back().complex_out();
    return &step == &route_.steps.front() ? spec_.from.complex : spec_.to.complex;
  }

  SweepSpec sweep_spec(const RouteStep& step, const StepCodecs* codecs, unsigned access) const {
    const bool moves = step.stage < 0 || axes_of(step).empty(), first = &step == &route_.steps.front();
    SweepSpec s{.scalar = spec_.scalar, .tuning = spec_.tuning};
    s.looks_only = spec_.looks_only;
    if (!moves) s.axes = axes_of(step);
    if (const auto& o = moves ? std::nullopt : stage_of(step).operates; o)
      s.operates = OperatorPass{.before = o->before,
                                .axis = o->axis,
                                .components_in = o->in,
                                .components_out = o->out,
                                .middle = spec_.middle};
    s.takes_factor = !moves && step.stage + 1 == static_cast<int>(spec_.stages.size());
    s.complex_in = moves ? (first ? spec_.from.complex : spec_.to.complex) : s.axes.front().complex_in();
    s.complex_out = moves ? s.complex_in : s.axes.back().complex_out();
    s.steps = step.units;
    place_input(s, step, access);
    place_output(s, step, access);
    if (rewrites(step, access) && still_in_cache(s)) s.tuning.non_temporal = NonTemporal::none;
    if (codecs) codecs->join(s);
    s.chunks = chunks_of(s, step);
    return s;
  }

  // A sweep reads the exchange before it, or the caller's input, or (beside a copy that only handles what changes
  // owners) both. The peers' arrays are seen from this rank's own, which the run will know: the array with the same
  // number lies at the same distance for every number.
  void place_input(SweepSpec& s, const RouteStep& step, unsigned access) const {
    const Exchange* e = route_.read_by(step);
    if (access & reads_peers) {
      const ExchangeSpec& x = e->spec();
      s.from = peers_patches(spec_.from, spec_.scalar, pieces_to_receive(x.from, x.to, x.chunks, x.me), Base::input,
                             channel_);
      return;
    }
    if (access & writes_peers && hands_on(step.stage - 1)) {
      s.from = peers_outputs(e->spec().to);
      return;
    }
    if (!(access & full_width)) s.from_narrow = storage(step.reads);
    if (e)
      s.from = s.from_narrow ? e->storage_incoming(channel_, first_round_ + step.reads)
                             : e->incoming(channel_, first_round_ + step.reads);
    if (step.takes_output) s.from = spec_.to.patches;
    if (step.takes_input) append(s.from, e ? cut(spec_.from.patches, e->staying()) : spec_.from.patches);
  }

  void place_output(SweepSpec& s, const RouteStep& step, unsigned access) const {
    const Exchange* e = route_.written_by(step);
    if (access & writes_peers) {
      s.to = peers_outputs(spec_.stages[static_cast<std::size_t>(step.stage)].out);
      return;
    }
    if (!(access & full_width)) s.to_narrow = storage(step.writes);
    if (e)
      s.to = s.to_narrow ? e->storage_outgoing(channel_, first_round_ + step.writes)
                         : e->outgoing(channel_, first_round_ + step.writes);
    if (step.gives_input) s.to = spec_.from.patches;
    if (step.gives_output) append(s.to, e ? cut(spec_.to.patches, e->staying()) : spec_.to.patches);
  }

  [[nodiscard]] std::vector<Patch> peers_outputs(const Layout& mine) const {
    return peers_patches(spec_.to, spec_.scalar, pieces_to_send(mine, spec_.to.layout, {}, spec_.me), Base::output,
                         channel_);
  }

  // Whether the sweep writes the lines that it has read.
  [[nodiscard]] bool rewrites(const RouteStep& step, unsigned access) const {
    return step.takes_output || (step.takes_input && step.gives_input) ||
           (access & writes_peers && hands_on(step.stage - 1)) ||
           (step.takes_input && step.gives_output && spec_.in_place && spec_.same_places);
  }

  // A sweep does whole boxes, and so does a copy that looks at all of the array; another copy only what really moves.
  [[nodiscard]] std::vector<std::vector<Box>> chunks_of(const SweepSpec& s, const RouteStep& step) const {
    const bool moves = step.stage < 0, first = &step == &route_.steps.front(), last = &step == &route_.steps.back();
    const Layout& layout =
        moves ? (first ? spec_.from.layout : spec_.to.layout) : spec_.stages[static_cast<std::size_t>(step.stage)].in;
    const bool does_all = !moves || s.sink;
    std::vector<Patch> with_source;  // and what comes out of the codec
    if (!does_all && last && s.source) {
      with_source = s.from;
      for (const Box& box : s.source_boxes) with_source.push_back({.box = box});
    }
    const std::vector<Patch>& moved = !with_source.empty() ? with_source : last ? s.from : s.to;
    const PatchIndex index(does_all ? std::span<const Patch>() : moved);
    std::vector<std::vector<Box>> chunks(static_cast<std::size_t>(step.chunks.count));
    for (int c = 0; c < step.chunks.count; ++c)
      for (const Box& box : layout.boxes(spec_.me)) {
        const Box part = step.chunks.part(box, c);
        auto& boxes = chunks[static_cast<std::size_t>(c)];
        if (part.empty()) continue;
        if (does_all)
          boxes.push_back(part);
        else
          for (const std::size_t number : index.meeting(part)) boxes.push_back(intersect(part, moved[number].box));
      }
    return chunks;
  }

  const PipelineSpec& spec_;
  const Route& route_;
  const std::vector<std::vector<SweepAxis>>& axes_;
  Channel& channel_;
  int first_round_;
  ErrorControl* errors_;
  BoundRoute bound_{};
};

}  // namespace

BoundRoute bind_route(const PipelineSpec& spec, const Route& route, const std::vector<std::vector<SweepAxis>>& axes,
                      Channel& channel, int first_round, ErrorControl* errors) {
  return Binder(spec, route, axes, channel, first_round, errors).bind();
}

bool hands_on_in_outputs(const PipelineSpec& spec, const Route& route) {
  return std::any_of(route.steps.begin(), route.steps.end(),
                     [&](const RouteStep& step) { return hands_on_in_outputs(spec, route, step.stage); });
}

}  // namespace shardfft
