// Sweeps on the processor.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>

#include "shardfft/programs/team.hpp"
#include "support/memory/copy_box.hpp"
#include "support/memory/round_up.hpp"
#include "support/processor/processor_caches.hpp"
#include "support/processor/processor_profile.hpp"
#include "support/squares.hpp"
#include "sweep/host/planes.hpp"
#include "sweep/host/rows.hpp"
#include "sweep/host/tile_moves.hpp"
#include "sweep/host/tile_pass.hpp"
#include "sweep/joined_axes.hpp"
#include "sweep/memory_order.hpp"
#include "sweep/pencils.hpp"
#include "sweep/sweep.hpp"
#include "sweep/units.hpp"

namespace shardfft {
namespace {

// Whether a plane that was written is in another cache than the core's own, in part, when it is read again.
bool leaves_own_cache(std::size_t bytes) {
  const Index own = processor_profile().plane_cache_bytes;
  return own > 0 && 4 * static_cast<Index>(bytes) > 3 * own;
}

// A sweep that never runs is asked for its bytes, its axes and its scratch: patches of a hundred thousand peers take
// more memory than all else.
void forget_patches(SweepSpec& spec) {
  for (std::vector<Patch>* patches : {&spec.from, &spec.to}) std::vector<Patch>().swap(*patches);
}

// What one thread needs to itself.
struct Worker {
  PencilRows from{}, to{};
  PartialLines partial{};                   // of what it stores past the cache
  std::vector<Patch> sources{}, targets{};  // staged sweeps: the patches of the spec, then the boxes in planes
  PatchIndex all_from{}, all_to{};          // of these, or else of the patches of the spec
  std::size_t scratch = 0;  // offset of its tile buffers; its planes follow them, then what source and sink need
};

class HostSweep final : public Sweep {
 public:
  explicit HostSweep(SweepSpec s);
  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(what.tuning.threads) * scratch_of_worker();
  }
  void run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const override;
  const SweepSpec& spec() const override { return given; }

 private:
  SweepSpec given, what;                // as others see it, and over as few axes as there can be
  std::optional<SweepSpec> stored{};    // over fewer axes still, what is stored
  std::vector<TilePass> passes;         // one per axis
  std::vector<Units> units;             // one per chunk
  std::vector<RecordedTiles> recorded;  // one per chunk of a small sweep; else empty
  Planes planes{};                      // of each thread, behind its tile
  std::size_t tile_bytes = 0;
  mutable std::vector<Worker> workers;

  double scale_of(std::size_t pass, const Bases& bases) const {
    return passes[pass].scale(bases.adjoint) * (pass + 1 == passes.size() ? bases.factor : 1);
  }
  bool weighs() const {
    return std::any_of(passes.begin(), passes.end(), [](const TilePass& pass) { return pass.weighs(); });
  }
  Index element(bool complex) const { return static_cast<Index>(size_of(what.scalar)) * (complex ? 2 : 1); }
  void prepare_planes();
  void forget_memory() {
    units.clear();
    for (SweepSpec* spec : {&given, &what}) forget_patches(*spec);
  }
  std::size_t scratch_of_worker() const { return tile_bytes + planes.bytes(); }
  /// One thread of a team, which may be smaller than it was asked for.
  struct TeamShare {
    int thread, threads;
  };
  void run_units(const TeamShare& share, int chunk, const Buffers& buffers, std::byte* scratch,
                 const std::function<void()>* poll) const;
  bool is_worth_recording() const;
  bool record();
  template <class Visit>
  void for_tiles_of_planes(const Box& unit, const Box* next, Worker& w, const Bases& bases, bool measures_norm,
                           Visit visit) const;
  template <class Visit>
  void for_tiles_of_pencils(const Units& all, Index first, Index last, Worker& w, const Bases& bases,
                            Visit visit) const;
  double run_planes(const Box& unit, const Box* next, Worker& w, const Bases& bases, std::byte* tiles,
                    const Operator* operates = nullptr) const;
  void run_staged(const Box& unit, const Box* next, Worker& w, const Bases& bases, std::byte* tiles,
                  const Operator* operates) const;
  void run_pencils(const Units& all, Index first, Index last, Worker& w, const Bases& bases, std::byte* tiles,
                   const std::function<void()>* poll) const;
  const Patch* straight_through(const Worker& w, const Box& unit) const;
  double run_moves(const Worker& w, const Box& unit, const Bases& bases, bool with_planes = true) const;
};

SweepSpec over_fewest_axes(const SweepSpec& spec) {
  if (spec.staged() || spec.operates) return spec;
  const SweepSpec in_order = with_axes_in_memory_order(spec);
  return spec.axes.empty() ? in_order : with_interleaved_rows(with_joined_axes(in_order));
}

HostSweep::HostSweep(SweepSpec s) : given(std::move(s)), what(over_fewest_axes(given)) {
  for (const SweepAxis& axis : what.axes) {
    passes.emplace_back(what.scalar, axis, tile_width(what, axis, processor_profile()));
    tile_bytes = std::max(tile_bytes, passes.back().buffer_bytes());
  }
  tile_bytes = round_up(tile_bytes, cache_line);
  const bool has_planes = what.axes.size() > 1 || what.staged();
  if (what.looks_only && !has_planes) {
    forget_memory();
    return;
  }
  if (passes.size() == 1 && !what.staged()) stored = stored_with_joined_axes(what, passes.front().kernel_pencils());
  for (std::size_t chunk = 0; chunk < what.chunks.size(); ++chunk)
    units.emplace_back(chunk, what, passes, stored ? &*stored : nullptr);
  if (has_planes) prepare_planes();
  if (what.looks_only) {
    forget_memory();
    return;
  }
  Index longest = 0;
  for (const SweepAxis& axis : what.axes) longest = std::max(longest, axis.n);
  workers.resize(static_cast<std::size_t>(what.tuning.threads));
  for (std::size_t t = 0; t < workers.size(); ++t) {
    Worker& w = workers[t];
    if (what.staged()) {
      w.sources = planes.coming.beside(what.from, what.source_boxes);
      w.targets = planes.leaving.beside(what.to, what.sink_boxes);
    }
    w.all_from = PatchIndex(what.staged() ? w.sources : what.from);
    w.all_to = PatchIndex(what.staged() ? w.targets : stored ? stored->to : what.to);
    w.from.reserve(std::max<std::size_t>({what.from.size(), w.sources.size(), 1}), longest);
    w.to.reserve(std::max<std::size_t>({what.to.size(), w.targets.size(), 1}), longest);
    if (what.non_temporal() && !passes.empty()) w.partial = PartialLines(passes.back().length_out());
    w.scratch = t * scratch_of_worker();
  }
  if (!is_worth_recording() || !record()) recorded.clear();
}

// Sweeps so small that to find their tiles takes part in their time; others would read their records from memory. Where
// stores go depends on lines of memory when they bypass the cache, and a sink is asked in each run.
bool HostSweep::is_worth_recording() const {
  if (passes.empty() || what.staged() || what.non_temporal() || what.operates) return false;
  Index at_least = 0;
  for (const Units& all : units)
    for (const TilePass& pass : passes)
      at_least += all.elements() / std::max<Index>(pass.pencils() * pass.length_out(), 1);
  return at_least <= what.most_recorded;
}

// False where it cannot be written down.
bool HostSweep::record() {
  constexpr Index moves_of_a_tile = 4;  // more of them, of layouts of many boxes, take time themselves
  Worker& w = workers.front();
  const Bases nowhere = RecordedTiles::bases();
  Index tiles = 0;
  for (const Units& all : units) {
    RecordedTiles& of_chunk = recorded.emplace_back();
    bool possible = true;
    const auto add = [&](std::size_t pass, const TileOf& tile) {
      possible = possible && ++tiles <= what.most_recorded && passes[pass].record(tile, w.from, w.to, pass, of_chunk) &&
                 of_chunk.moves() <= moves_of_a_tile * what.most_recorded;
      return possible;
    };
    for (Index u = 0; u < all.count() && possible; ++u) {
      of_chunk.begin_unit();
      if (passes.size() == 1)
        for_tiles_of_pencils(all, u, u + 1, w, nowhere, [&](Index, const TileOf& tile) { return add(0, tile); });
      else
        for_tiles_of_planes(all.unit(u), nullptr, w, nowhere, /*measures_norm=*/false, add);
    }
    if (!possible) return false;
    of_chunk.finish();
  }
  return true;
}

void HostSweep::prepare_planes() {
  Shape largest{};
  for (const Units& u : units) largest = u.largest_unit(largest);
  planes = Planes(what, passes, largest, tile_bytes);
  if (leaves_own_cache(planes.between_bytes))
    for (TilePass& pass : passes) pass.prefetch_in_planes();
}

void HostSweep::run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const {
  const std::function<void()>* help = poll ? &poll : nullptr;
  const int threads = units[static_cast<std::size_t>(chunk)].threads();
  if (threads == 1) return run_units({0, 1}, chunk, buffers, scratch, help);
  on_team(threads, [&](TeamMember me) {
    run_units({me.thread, me.threads}, chunk, buffers, scratch, me.thread == 0 ? help : nullptr);
  });
}

// Static shares: thread t does the units of its part, so that a page is touched by the same thread in every run.
void HostSweep::run_units(const TeamShare& share, int chunk, const Buffers& buffers, std::byte* scratch,
                          const std::function<void()>* poll) const {
  const Units& all = units[static_cast<std::size_t>(chunk)];
  const Index first = all.count() * share.thread / share.threads,
              last = all.count() * (share.thread + 1) / share.threads;
  Worker& w = workers[static_cast<std::size_t>(share.thread)];
  std::byte* tiles = scratch + w.scratch;
  w.partial.forget();
  const Bases bases{const_cast<std::byte*>(buffers.input), buffers.output, tiles,
                    what.takes_factor ? buffers.factor : 1, buffers.adjoint && weighs()};
  if (!recorded.empty() && !bases.adjoint)
    return recorded[static_cast<std::size_t>(chunk)].run(first, last, passes, bases, tiles, poll);
  if (what.axes.size() == 1 && !what.staged()) {
    run_pencils(all, first, last, w, bases, tiles, poll);
  } else {
    std::array<Box, 2> boxes{};  // this unit and the next one, in turn
    if (first < last) boxes[first % 2] = all.unit(first);
    for (Index u = first; u < last; ++u) {
      const Box& unit = boxes[u % 2];
      const Box* next = u + 1 < last ? &(boxes[(u + 1) % 2] = all.unit(u + 1)) : nullptr;
      if (what.staged())
        run_staged(unit, next, w, bases, tiles, buffers.operates);
      else if (what.axes.empty())
        run_moves(w, unit, bases);
      else
        run_planes(unit, next, w, bases, tiles, buffers.operates);
      if (poll) (*poll)();
    }
  }
  if (what.non_temporal()) {
    w.partial.store();
    non_temporal_fence();
  }
}

// Calls visit(number of the tile, tile) until that is false.
template <class Visit>
void HostSweep::for_tiles_of_pencils(const Units& all, Index first, Index last, Worker& w, const Bases& bases,
                                     Visit visit) const {
  const Box* box = nullptr;
  for (Index u = first; u < last; ++u) {
    const TileOf tile = all.tile(u, bases);
    if (tile.count == 0) continue;
    if (tile.box != box) {
      box = tile.box;
      w.from.select(w.all_from, *box, *tile.walk, bases);
      w.to.select(w.all_to, passes[0].after(tile.stored ? tile.stored->box : *box),
                  tile.stored ? tile.stored->walk : *tile.walk, bases);
    }
    if (!visit(u, tile)) return;
  }
}

void HostSweep::run_pencils(const Units& all, Index first, Index last, Worker& w, const Bases& bases, std::byte* tiles,
                            const std::function<void()>* poll) const {
  constexpr Index between_polls = 8;
  const TileRun how{
      .scale = scale_of(0, bases), .adjoint = bases.adjoint, .past_cache = what.non_temporal() ? &w.partial : nullptr};
  for_tiles_of_pencils(all, first, last, w, bases, [&](Index u, const TileOf& tile) {
    passes[0].run(tile, w.from, w.to, tiles, how);
    if (poll && (u - first) % between_polls == 0) (*poll)();
    return true;
  });
}

// Calls visit(pass, tile) until that is false. `next`: the unit after this one, or nullptr.
template <class Visit>
void HostSweep::for_tiles_of_planes(const Box& unit, const Box* next, Worker& w, const Bases& bases, bool measures_norm,
                                    Visit visit) const {
  Box in = unit;
  const std::vector<Patch>&sources = what.staged() ? w.sources : what.from,
        &targets = what.staged() ? w.targets : what.to;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const bool first = i == 0, last = i + 1 == passes.size();
    if (what.operates && what.operates->before == i && what.operates->axis >= 0)
      in.hi[what.operates->axis] = in.lo[what.operates->axis] + what.operates->components_out;
    const Box out = passes[i].after(in);
    const Patch from = first ? Patch{} : planes.between[i - 1].holding(in),
                to = last ? Patch{} : planes.between[i].holding(out);
    Walk walk = choose_walk(in, passes[i].axis(), passes[i].kernel_pencils(),
                            first ? sources.front().strides : from.strides, last ? targets.front().strides : to.strides,
                            last && what.non_temporal() ? element(what.complex_out) : 0);
    // A pass that writes elsewhere than it reads may compute a pencil twice: better than a tile that goes on in the
    // next row, for which the kernel cannot reach memory by itself.
    const bool full = first != last && !(last && (what.non_temporal() || measures_norm)) && passes[i].reaches_rows() &&
                      walk.lane >= 0 && in.extent(walk.lane) >= passes[i].pencils();
    if (full) walk.across = false;
    first ? w.from.select(w.all_from, in, walk, bases) : w.from.select(from, walk, bases);
    last ? w.to.select(w.all_to, out, walk, bases) : w.to.select(to, walk, bases);
    if (first && next != nullptr) w.from.goes_on_at(next->lo);
    const Tiling tiling(in, walk, passes[i].pencils(), 0, full);
    for (Index t = 0; t < tiling.count(); ++t)
      if (!visit(i, TileOf{&in, &walk, tiling.first(t), tiling.size(t)})) return;
    in = out;
  }
}

// Sum of squares of the results, where a sink wants to know it.
double HostSweep::run_planes(const Box& unit, const Box* next, Worker& w, const Bases& bases, std::byte* tiles,
                             const Operator* operates) const {
  double norm2 = 0;
  bool operated = !what.operates;
  const bool measures_norm = what.sink && what.sink->wants_norm();
  for_tiles_of_planes(unit, next, w, bases, measures_norm, [&](std::size_t i, const TileOf& tile) {
    const bool last = i + 1 == passes.size();
    if (!operated && i == what.operates->before) {
      operated = true;
      const Patch plane = planes.between[i - 1].holding(*tile.box);
      what.operates->run(*operates, *tile.box, bases.element(plane, tile.box->lo), plane.strides);
    }
    norm2 += passes[i].run(tile, w.from, w.to, tiles,
                           {.scale = scale_of(i, bases),
                            .adjoint = bases.adjoint,
                            .past_cache = last && what.non_temporal() ? &w.partial : nullptr,
                            .measures_norm = last && measures_norm});
    return true;
  });
  return norm2;
}

void HostSweep::run_staged(const Box& unit, const Box* next, Worker& w, const Bases& bases, std::byte* tiles,
                           const Operator* operates) const {
  std::byte* stage = tiles + scratch_of_worker() - planes.stage_bytes;
  const Box out = after(what, unit);
  planes.coming.place(std::span(w.sources).subspan(what.from.size()), unit);
  planes.leaving.place(std::span(w.targets).subspan(what.to.size()), out);
  const Patch* straight = straight_through(w, unit);
  if (what.source) {
    const Patch to = straight ? *straight : planes.coming.holding(unit);
    what.source->fill(unit, bases.element(to, unit.lo), to.strides, stage, straight && what.non_temporal());
  }
  const double norm2 = what.axes.empty() ? run_moves(w, unit, bases, /*with_planes=*/!straight)
                                         : run_planes(unit, next, w, bases, tiles, operates);
  if (what.sink) {
    const Patch from = straight ? *straight : planes.leaving.holding(out);
    const double factor = passes.empty() ? 1 : scale_of(passes.size() - 1, bases);
    what.sink->take(out, bases.element(from, out.lo), from.strides, norm2 * factor * factor, stage);
  }
}

// A sweep without transforms needs no plane if one patch holds the whole unit. Returns this patch, which lies opposite
// the sink or the source; nullptr if there is none.
const Patch* HostSweep::straight_through(const Worker& w, const Box& unit) const {
  if (!what.axes.empty() || (what.source && what.sink)) return nullptr;
  const Patch* all = what.sink ? w.all_from.holder(unit) : w.all_to.holder(unit);
  return all && !all->conjugated ? all : nullptr;
}

// Sum of squares as above. Without planes, what lies there is left out.
double HostSweep::run_moves(const Worker& w, const Box& unit, const Bases& bases, bool with_planes) const {
  const bool measures_norm = what.sink && what.sink->wants_norm();
  double norm2 = 0;
  w.all_from.for_meeting(unit, [&](std::size_t source) {
    const Patch& from = w.all_from.patch(source);
    if (!with_planes && from.base == Base::plane) return;
    const Box part = intersect(from.box, unit);
    if (measures_norm)
      norm2 += sum_of_squares(what.scalar, what.complex_in, bases.element(from, part.lo), from.strides, part.shape());
    w.all_to.for_meeting(part, [&](std::size_t target) {
      const Patch& to = w.all_to.patch(target);
      if (!with_planes && to.base == Base::plane) return;
      const Box both = intersect(part, to.box);
      if (from.conjugated != to.conjugated)
        copy_conjugates(bases.element(from, both.lo), from.strides, bases.element(to, both.lo), to.strides,
                        both.shape(), static_cast<Index>(size_of(what.scalar)));
      else
        copy_box(bases.element(from, both.lo), from.strides, bases.element(to, both.lo), to.strides, both.shape(),
                 element(what.complex_in), to.base != Base::plane && what.non_temporal());
    });
  });
  return norm2;
}

}  // namespace

std::unique_ptr<Sweep> make_host_sweep(SweepSpec spec) {
  if (spec.looks_only && spec.axes.empty() && !spec.staged()) forget_patches(spec);  // its scratch does not need them
  return std::make_unique<HostSweep>(std::move(spec));
}

}  // namespace shardfft
