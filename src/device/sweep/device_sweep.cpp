#include "device/sweep/device_sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "device/sweep/device_tiles.hpp"
#include "device/sweep/fused_families.hpp"
#include "device/sweep/kind_fft.hpp"
#include "device/sweep/launches/device_jobs.hpp"
#include "support/memory/round_up.hpp"
#include "support/text/text.hpp"

namespace shardfft {
namespace {

class TiledSweep final : public DeviceSweep {
 public:
  TiledSweep(SweepSpec spec, const DeviceSweeps& with, const DevicePlanes& planes)
      : DeviceSweep(planes),
        spec_(std::move(spec)),
        with_(with),
        scratch_{.planes = round_up(planes_.bytes, device_line)},
        kernels_(with.fused && !kind_of(spec_) ? find_fused(with.on.device->space()) : nullptr),
        most_(elements_of_tile(spec_, *with.on.device)),
        cache_(static_cast<Index>(with.on.device->facts().cache_bytes)) {
    decodes_ = may_decode();
    if (!add_jobs()) {
      decodes_ = false;
      (void)add_jobs();
    }
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(queues()); }
  const SweepSpec& spec() const override { return spec_; }
  bool is_fused() const override { return fuses_; }
  Index bytes_memory() const override { return bytes_; }
  Index tiles_as_they_lie() const override { return as_they_lie_; }
  bool decodes_to_tiles() const override { return decodes_; }

  // If something is decoded, the host waits between two launches.
  void run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const override {
    if (planes_.source && !decodes_) planes_.source->fill_planes();
    chunks_[static_cast<std::size_t>(chunk)].run(how(), arguments(buffers, scratch), poll);
  }
  void ask(int chunk, const Buffers& buffers, std::byte* scratch, Queue& queue) const override {
    chunks_[static_cast<std::size_t>(chunk)].ask(how(), arguments(buffers, scratch), queue, {});
  }

 private:
  [[nodiscard]] DeviceJobs::JobsRun how() const {
    return {with_.on, *with_.queues, queues(), captures_ && !planes_.source, scratch_, spec_.scale()};
  }
  [[nodiscard]] SweepArguments arguments(const Buffers& buffers, std::byte* scratch) const {
    return {buffers.input, buffers.output, scratch, spec_.takes_factor ? buffers.factor : 1};
  }
  // What is decoded to a tile is so on the plan's queue.
  [[nodiscard]] int queues() const { return decodes_ ? 1 : with_.queues->count(); }

  // The list that moves() returns. A plan that never runs does without: tables for thousands of ranks fill memory.
  template <class Moves>
  [[nodiscard]] std::unique_ptr<MoveList> list(bool complex, bool scales, const Moves& moves,
                                               const std::optional<TileTwiddles>& twiddles = {}) const {
    if (spec_.looks_only) return nullptr;
    const std::vector<BoxMove> all = moves();
    if (all.empty()) return nullptr;
    return with_.on.device->make_moves(
        {.scalar = spec_.scalar, .complex = complex, .scales = scales, .twiddles = twiddles}, all);
  }

  // Into the place that a tile is gathered to, where elements are in natural order. Kernels that gather by themselves
  // read planes.
  [[nodiscard]] bool may_decode() const {
    if (!planes_.source || spec_.axes.empty() || lacks_some(spec_, true) ||
        (kernels_ && spec_.axes.size() == 1 && kernels_->supports(fused_spec(spec_))))
      return false;
    return std::all_of(spec_.axes.begin(), spec_.axes.end(), [](const SweepAxis& a) { return a.owners_in == 1; });
  }

  // False where some of what is to be decoded together lies in two tiles.
  [[nodiscard]] bool add_jobs() {
    chunks_.clear();
    scratch_.tile = scratch_.library = 0;
    bytes_ = as_they_lie_ = 0;
    from_ = spec_.from;
    if (decodes_) std::erase_if(from_, [](const Patch& p) { return p.base == Base::plane; });
    for (const auto& boxes : spec_.chunks) {
      chunks_.emplace_back();
      if (spec_.axes.empty())
        add_moves(boxes);
      else if (!add_fused(boxes))
        for (const Box& box : boxes)
          if (!add_box(box)) return false;
    }
    return true;
  }

  void add_moves(const std::vector<Box>& boxes) {
    for (const Box& box : boxes) bytes_ += 2 * box.count() * element_bytes_in(spec_);
    DeviceJob job{.gather = list(spec_.complex_in, false, [&] { return moves_between(from_, spec_.to, boxes); })};
    if (job.gather) chunks_.back().add(std::move(job));
  }

  // Libraries want natural order. c2r may overwrite what it reads, which the caller's input must not be unless the
  // caller allows it, and twiddles are multiplied where a tile is gathered. In place, reals and the half spectrum do
  // not lie in the same places.
  [[nodiscard]] std::optional<AsItLies> input_as_it_lies(const Box& box) const {
    if (has_twiddles(spec_) || lacks_some(spec_, true)) return std::nullopt;
    if (std::any_of(spec_.axes.begin(), spec_.axes.end(), [](const SweepAxis& a) { return a.owners_in > 1; }))
      return std::nullopt;
    auto found = as_it_lies(spec_, from_, box, spec_.complex_in);
    if (found && transform_of(spec_) == DeviceTransform::c2r && found->place.base == MoveBase::input &&
        !with_.destroys_input)
      return std::nullopt;
    return found;
  }
  [[nodiscard]] std::optional<AsItLies> output_as_it_lies(const Box& result) const {
    if (lacks_some(spec_, false)) return std::nullopt;
    if (std::any_of(spec_.axes.begin(), spec_.axes.end(), [](const SweepAxis& a) { return a.owners_out > 1; }))
      return std::nullopt;
    return as_it_lies(spec_, spec_.to, result, spec_.complex_out);
  }

  // In place a pencil returns to its own elements, or of reals to its own row, so that a block writes only what it has
  // read itself.
  [[nodiscard]] bool add_fused(const std::vector<Box>& boxes) {
    if (!kernels_ || spec_.axes.size() > 1 || has_twiddles(spec_) || lacks_some(spec_, true) ||
        lacks_some(spec_, false) || !kernels_->supports(fused_spec(spec_)))
      return false;
    const auto families = fused_families(spec_, boxes);
    if (!families) return false;
    if (!families->empty() && !spec_.looks_only)
      chunks_.back().add({.fused = kernels_->make(*with_.on.device, fused_spec(spec_), *families)});
    for (const Box& box : boxes) {
      const TileForm form = form_of(spec_, box);
      bytes_ += form.in_bytes + form.out_bytes;
    }
    fuses_ = true;
    return true;
  }

  // Tiles that are decoded to end where messages are cut, unless so many pencils are asked for that they cannot.
  [[nodiscard]] Coord units_of_tiles(const Box& box) const {
    Index least = 1;
    for (int a = 0; decodes_ && a < box.dims(); ++a) least *= std::min(spec_.steps[a], box.extent(a));
    return decodes_ && (spec_.tuning.tile == 0 || least <= most_) ? spec_.steps : Coord::filled(box.dims(), 1);
  }

  [[nodiscard]] bool add_box(const Box& box) {
    if (box.empty()) return true;
    const Box result = after(spec_, box);
    const auto in = input_as_it_lies(box), out = output_as_it_lies(result);
    if (in && out && may_stay(*in, *out) && !kind_of(spec_)) return add_as_they_lie(box, *in, *out);
    const Coord& strides = spec_.from.front().strides;
    for (const Box& tile : tiles_of(spec_, box, strides, units_of_tiles(box), most_)) {
      const auto tile_in = input_as_it_lies(tile), tile_out = output_as_it_lies(after(spec_, tile));
      const bool stays = tile_out && (!tile_in || may_stay(*tile_in, *tile_out));
      if (!add_tile(tile, tile_in, stays ? tile_out : std::nullopt)) return false;
    }
    return true;
  }

  // In place a library returns every element to where it took it from.
  [[nodiscard]] bool may_stay(const AsItLies& in, AsItLies out) const {
    const auto is_callers = [](MoveBase base) { return base == MoveBase::input || base == MoveBase::output; };
    if (!is_callers(in.place.base) || !is_callers(out.place.base)) return true;
    if (in.place.base != out.place.base && !with_.in_place) return true;
    out.place.base = in.place.base;
    return spec_.complex_in == spec_.complex_out && in == out;
  }

  // If the library makes one pass and nothing scales, one call does all of it, unless a number of pencils is asked for.
  [[nodiscard]] bool add_as_they_lie(const Box& box, const AsItLies& in, const AsItLies& out) {
    if (spec_.axes.size() == 1 && spec_.scale() == 1 && spec_.tuning.tile == 0) return add_tile(box, in, out);
    const Coord even = Coord::filled(box.dims(), spec_.complex_in && spec_.complex_out ? 1 : 2);  // rows of reals
    const auto tiles = tiles_of(spec_, box, spec_.from.front().strides, even, most_);
    std::vector<std::pair<AsItLies, AsItLies>> places;
    for (const Box& tile : tiles) {
      const auto tile_in = input_as_it_lies(tile), tile_out = output_as_it_lies(after(spec_, tile));
      if (!tile_in || !tile_out) return add_tile(box, in, out);
      places.emplace_back(*tile_in, *tile_out);
    }
    for (std::size_t i = 0; i < tiles.size(); ++i)
      if (!add_tile(tiles[i], places[i].first, places[i].second)) return false;
    as_they_lie_ += static_cast<Index>(tiles.size());
    return true;
  }

  // Over the device's memory: what its cache holds is read once and written once; else a library makes a pass for each
  // axis, and moves are passes, too.
  void count(const TileForm& form, bool gathered, bool scattered, bool moved) {
    const Index in = form.in_bytes, out = form.out_bytes, more = static_cast<Index>(spec_.axes.size()) - 1,
                between = form.kind ? kind_bytes(*form.kind, form.fft.n.front(), form.fft.batch, spec_.scalar) : 0;
    bytes_ += in + out;
    if (in + out + between / 2 + int{gathered || scattered} * std::max(in, out) <= cache_ / 2) return;
    bytes_ += 2 * (more * std::max(in, out) + int{gathered} * in + int{scattered || moved} * out) + between;
  }

  // Without both ends the tile is gathered to one place. Reals go from there to a second one, or the reverse.
  [[nodiscard]] bool add_tile(const Box& tile, const std::optional<AsItLies>& in, const std::optional<AsItLies>& out) {
    TileForm form = form_of(spec_, tile);
    const Box result = after(spec_, tile);
    const bool in_kernel = form.kind && out && !spec_.takes_factor;
    if (in_kernel) form.kind->scale = spec_.scale();
    const bool scales = spec_.scale() != 1 && !in_kernel;
    const std::size_t first_bytes = in ? 0 : round_up(static_cast<std::size_t>(form.in_bytes), device_line);
    const DevicePlace first{MoveBase::other, 0}, second{MoveBase::other, static_cast<Index>(first_bytes)};
    DeviceJob job;
    job.in = in ? in->place : first;
    job.out = out ? out->place : form.same_type() ? first : second;
    if (form.fft.n.size() == 1) {
      if (in) form.fft.in_stride = in->stride, form.fft.in_distance = in->distance;
      if (out) form.fft.out_stride = out->stride, form.fft.out_distance = out->distance;
    }
    job.gather_scales = scales && !in && out && !decodes_;
    if (!in)
      job.gather = list(
          spec_.complex_in, job.gather_scales, [&] { return gathers(spec_, from_, tile, first, form.in_strides); },
          twiddles_of(spec_, tile, form, first.at));
    if (!in && lacks_some(spec_, true)) job.zeros = static_cast<std::size_t>(form.in_bytes);
    if (!in && decodes_) {
      const auto at = static_cast<Index>(scratch_.planes);  // the tile's place, from the scratch
      job.decoded = planes_.source->part({.box = tile, .base = Base::plane, .offset = at, .strides = form.in_strides},
                                         twiddles_of(spec_, tile, form, at));
      if (!job.decoded) return false;
    }
    const auto leave = [&] { return scatters(spec_, spec_.to, result, job.out, form.out_strides); };
    const auto stay = [&] { return moves_between(spec_.to, spec_.to, {result}); };
    const bool scaled_there = out && scales && !job.gather_scales;
    if (!out) job.scatter = list(spec_.complex_out, scales, leave);
    if (scaled_there) job.scatter = list(spec_.complex_out, true, stay);
    if (spec_.takes_factor && !scales)
      job.factored = out ? list(spec_.complex_out, true, stay) : list(spec_.complex_out, true, leave);
    job.fft = &with_.ffts->get(form, chunks_.back().next_queue(queues()));
    count(form, !in, !out, scaled_there);
    const auto end = static_cast<std::size_t>(job.out.base == MoveBase::other ? job.out.at + form.out_bytes : 0);
    scratch_.tile = std::max({scratch_.tile, first_bytes, out ? 0 : round_up(end, device_line)});
    scratch_.library = std::max(scratch_.library, round_up(job.fft->work_bytes(), device_line));
    chunks_.back().add(std::move(job));
    return true;
  }

  SweepSpec spec_;
  DeviceSweeps with_;
  DeviceScratch scratch_;
  const FusedKernels* kernels_;
  Index most_;   // elements of a tile
  Index cache_;  // bytes of the device's
  std::vector<DeviceJobs> chunks_{};
  std::vector<Patch> from_{};  // that are gathered
  Index bytes_ = 0, as_they_lie_ = 0;
  bool fuses_ = false, decodes_ = false, captures_ = captures_sweeps();
};

}  // namespace

// What is gathered, or went through the first of several passes, is still in the device's cache in the next one. Few
// launches where that is small.
std::size_t device_tile_bytes(std::size_t cache_bytes) {
  constexpr std::size_t least = 4 << 20, most = 64 << 20;
  if (cache_bytes == 0) return least;
  return std::clamp(cache_bytes / 6, std::min(least, cache_bytes / 4), most);
}

Index elements_of_tile(const SweepSpec& spec, const Device& device) {
  const Index complex_bytes = 2 * static_cast<Index>(size_of(spec.scalar));
  if (spec.tuning.tile > 0 && !spec.axes.empty()) return spec.tuning.tile * spec.axes.front().n;
  const Index usual = static_cast<Index>(device_tile_bytes(device.facts().cache_bytes)) / complex_bytes;
  const std::optional<PencilKind> kind = kind_of(spec);
  if (!kind) return usual;
  const bool twice = scheme_of(kind->kind, spec.axes.front().n) == KindScheme::extended;
  return usual / kind->parts() / (twice ? 2 : 1);  // work memory is to stay in the cache, too
}

std::string DeviceSweep::about() const {
  std::string text = is_fused() ? "; one kernel gathers, transforms and scatters" : "";
  if (const Index tiles = tiles_as_they_lie(); tiles > 1) text += fmt::format("; {} tiles as they lie", tiles);
  if (const Index all = bytes_memory(); all != bytes_read(spec()) + bytes_written(spec()))
    text += fmt::format("; {} counted over the device's memory", bytes_text(all));
  if (planes_.source)
    text += decodes_to_tiles() ? "; messages are decoded into its tiles" : "; messages are decoded before it";
  return text;
}

std::unique_ptr<DeviceSweep> make_device_sweep(SweepSpec spec, const DeviceSweeps& with, const DevicePlanes& planes) {
  if (spec.operates) return make_operated_sweep(std::move(spec), with, planes);
  return std::make_unique<TiledSweep>(std::move(spec), with, planes);
}

}  // namespace shardfft
