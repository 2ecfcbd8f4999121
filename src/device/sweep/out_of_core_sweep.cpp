#include "device/sweep/out_of_core_sweep.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "device/sweep/device_tiles.hpp"
#include "grid/patch_index.hpp"
#include "support/memory/copy_box.hpp"
#include "support/processor/startable_threads.hpp"

namespace shardfft {
namespace {

// A box that the host copies between two of its places.
struct HostMove {
  Patch from{}, to{};  // strides and places; `from.box` is what moves
};

// Of the axes from `axis` on.
void copy_rows(Queue& queue, const BoxMove& m, int axis, std::byte* to, const std::byte* from, Index element_bytes) {
  const int last = m.axes - 1;
  const bool contiguous = last >= 0 && m.from_step[last] == element_bytes && m.to_step[last] == element_bytes;
  const int outside = contiguous ? last : m.axes;  // axes beside the row
  if (outside - axis > 2) {
    for (Index i = 0; i < m.extent[axis]; ++i)
      copy_rows(queue, m, axis + 1, to + i * m.to_step[axis], from + i * m.from_step[axis], element_bytes);
    return;
  }
  RowsCopy rows{
      .to = to, .from = from, .row_bytes = static_cast<std::size_t>((contiguous ? m.extent[last] : 1) * element_bytes)};
  if (outside - axis >= 1)
    rows.rows = m.extent[outside - 1], rows.to_row_step = m.to_step[outside - 1],
    rows.from_row_step = m.from_step[outside - 1];
  if (outside - axis == 2)
    rows.planes = m.extent[axis], rows.to_plane_step = m.to_step[axis], rows.from_plane_step = m.from_step[axis];
  queue.copy_rows(rows);
}

// As few copies of rows as there can be: axes that go on in each other are joined, the last one is a row, the two
// before it go together.
void copy_rows(Queue& queue, const Box& box, std::byte* to, const Coord& to_strides, const std::byte* from,
               const Coord& from_strides, Index element_bytes) {
  BoxMove whole_box{.axes = box.dims()};
  for (int a = 0; a < box.dims(); ++a) {
    whole_box.extent[a] = box.extent(a);
    whole_box.from_step[a] = from_strides[a];
    whole_box.to_step[a] = to_strides[a];
  }
  for (const BoxMove& m : simplified({whole_box}, element_bytes)) copy_rows(queue, m, 0, to, from, element_bytes);
}

class OutOfCoreSweep final : public Sweep {
 public:
  OutOfCoreSweep(SweepSpec spec, std::shared_ptr<OutOfCoreBuffers> out_of_core)
      : spec_(std::move(spec)), buffers_(std::move(out_of_core)), order_(static_cast<std::size_t>(dims())) {
    for (std::size_t a = 0; a < order_.size(); ++a) order_[a] = static_cast<int>(a);
    const Index most = spec_.tile > 0 && !spec_.axes.empty() ? spec_.tile * spec_.axes.front().n
                                                             : buffers_->elements_of_tile(spec_.scalar);
    if (!spec_.axes.empty())
      for (const auto* patches : {&spec_.from, &spec_.to})
        pin_inboxes(*patches, patches == &spec_.from ? element_bytes_in(spec_) : element_bytes_out(spec_));
    for (const auto& boxes : spec_.chunks) {
      jobs_.emplace_back();
      for (const Box& box : boxes)
        for (const Box& tile : tiles_of(spec_, box, spec_.from.front().strides, Coord::filled(dims(), 1), most))
          add_tile(tile);
    }
  }

  std::size_t scratch_bytes() const override { return 0; }
  const SweepSpec& spec() const override { return spec_; }
  Index bytes_link() const override { return spec_.axes.empty() ? 0 : bytes_read(spec_) + bytes_written(spec_); }
  LinkSeconds link_seconds() const override { return spec_.axes.empty() ? LinkSeconds{} : buffers_->link_seconds(); }

  void run(int chunk, const Buffers& buffers, std::byte*, const std::function<void()>& poll) const override {
    const auto& jobs = jobs_[static_cast<std::size_t>(chunk)];
    if (spec_.axes.empty()) {
      for (const Job& job : jobs) move(job.in, buffers);
      return;
    }
    // All of a tile is done before another one takes its slot: no queue has to wait for more than the tile's own steps.
    const std::size_t under_way = buffers_->streams() - 1;
    buffers_->link_seconds() = {};
    buffers_->use_callers(0, buffers.input + callers_in_.start, callers_in_.bytes());
    buffers_->use_callers(1, buffers.output + callers_out_.start, callers_out_.bytes());
    for (std::size_t i = 0; i < jobs.size() + under_way; ++i) {
      if (i < jobs.size()) begin(jobs[i], static_cast<Index>(i), buffers);
      if (i >= under_way) end(jobs[i - under_way], static_cast<Index>(i - under_way), buffers);
      if (poll) poll();
    }
  }

 private:
  struct Job {
    Box in{}, out{};
    Coord in_strides{}, out_strides{};  // as it comes and leaves: natural order, without gaps
    std::size_t in_bytes = 0, out_bytes = 0;
    std::size_t wide_in_bytes = 0, wide_out_bytes = 0;  // of the numbers that are computed with
    std::size_t work_bytes = 0;                         // where it is gathered to, whole along its axes
    std::unique_ptr<MoveList> gather{}, scatter{};
    const Fft* fft = nullptr;
    bool to_other = false;
  };

  // Bytes of the caller's array between which patches lie.
  struct Extent {
    Index start = 0, end = 0;
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(end - start); }
  };
  [[nodiscard]] Extent of_callers(Base base) const {
    Extent all;
    for (const auto& [patches, element_bytes] :
         {std::pair(&spec_.from, element_bytes_in(spec_)), {&spec_.to, element_bytes_out(spec_)}})
      for (const Patch& p : *patches) {
        if (p.base != base || p.box.empty()) continue;
        const Patch up = upwards(p, p.box);
        const Index end = up.offset + packed_bytes(up.box.shape(), up.strides, element_bytes);
        all = all.end == 0 ? Extent{up.offset, end} : Extent{std::min(all.start, up.offset), std::max(all.end, end)};
      }
    return all;
  }

  [[nodiscard]] int dims() const { return spec_.from.empty() ? 0 : spec_.from.front().box.dims(); }
  [[nodiscard]] Index wide_element(bool complex) const {
    return static_cast<Index>(size_of(spec_.scalar)) * (complex ? 2 : 1);
  }
  [[nodiscard]] Coord packed(const Box& box, Index element_bytes) const {
    return packed_strides(box.shape(), order_, element_bytes, false);
  }

  // Patches of one memory that follow each other closely are pinned together, in whole pages.
  void pin_inboxes(const std::vector<Patch>& patches, Index element_bytes) {
    constexpr std::uintptr_t page = 4096, close = 16 * page;
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
    for (const Patch& p : patches)
      if (p.base == Base::fixed && p.address && !p.box.empty()) {  // a plan that is only looked at has no addresses
        const auto start = reinterpret_cast<std::uintptr_t>(p.address + p.offset);
        ranges.emplace_back(
            start / page * page,
            (start + static_cast<std::uintptr_t>(packed_bytes(p.box.shape(), p.strides, element_bytes)) + page - 1) /
                page * page);
      }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 0; i < ranges.size();) {
      auto [start, end] = ranges[i];
      for (++i; i < ranges.size() && ranges[i].first <= end + close; ++i) end = std::max(end, ranges[i].second);
      buffers_->pin(reinterpret_cast<const std::byte*>(start), end - start);
    }
  }

  void add_tile(const Box& tile) {
    Job job{.in = tile, .out = after(spec_, tile)};
    job.in_strides = packed(job.in, element_bytes_in(spec_));
    job.out_strides = packed(job.out, element_bytes_out(spec_));
    job.in_bytes = static_cast<std::size_t>(job.in.count() * element_bytes_in(spec_));
    job.out_bytes = static_cast<std::size_t>(job.out.count() * element_bytes_out(spec_));
    job.wide_in_bytes = static_cast<std::size_t>(job.in.count() * wide_element(spec_.complex_in));
    job.wide_out_bytes = static_cast<std::size_t>(job.out.count() * wide_element(spec_.complex_out));
    if (!spec_.axes.empty()) prepare(job);
    jobs_.back().push_back(std::move(job));
  }

  // On the device: from where it came, or was cast to, (`input`) to `work`, and from there or from `other` to where it
  // leaves, or is cast from (`output`).
  void prepare(Job& job) {
    const TileForm form = form_of(spec_, job.in);
    Device& device = buffers_->device();
    const auto came = on_device(
        from_, {.box = job.in, .base = Base::input, .strides = packed(job.in, wide_element(spec_.complex_in))});
    const auto leaves = on_device(
        to_, {.box = job.out, .base = Base::output, .strides = packed(job.out, wide_element(spec_.complex_out))});
    job.to_other = !form.same_type();
    job.work_bytes = static_cast<std::size_t>(form.in_bytes);
    job.gather = device.make_moves(
        {.scalar = spec_.scalar, .complex = spec_.complex_in, .twiddles = twiddles_of(spec_, job.in, form, 0)},
        gathers(spec_, came, job.in, {MoveBase::work, 0}, form.in_strides));
    job.scatter = device.make_moves(
        {.scalar = spec_.scalar, .complex = spec_.complex_out, .scales = spec_.takes_factor || spec_.scale() != 1},
        scatters(spec_, leaves, job.out, {job.to_other ? MoveBase::other : MoveBase::work, 0}, form.out_strides));
    job.fft = &buffers_->ffts().get(form.fft, form.kind);
    buffers_->need(
        {.in = job.in_bytes,
         .work = job.work_bytes,
         .other = job.to_other ? static_cast<std::size_t>(form.out_bytes) : 0,
         .out = job.out_bytes,
         .wide = std::max(spec_.from_narrow ? job.wide_in_bytes : 0, spec_.to_narrow ? job.wide_out_bytes : 0),
         .tiles = jobs_.back().size() + 1});
  }

  // What of a tile lies downwards in the caller's memory, conjugated, comes and leaves upwards: moves on the device
  // turn it round.
  [[nodiscard]] static std::vector<Patch> on_device(const PatchIndex& patches, const Patch& tile) {
    std::vector<Patch> parts;
    patches.for_meeting(tile.box, [&](std::size_t number) {
      const Patch& of_caller = patches.patch(number);
      if (!of_caller.conjugated) return;
      Patch part = tile;
      part.box = intersect(of_caller.box, tile.box);
      part.conjugated = true;
      for (int a = 0; a < tile.box.dims(); ++a) {
        const bool down = of_caller.strides[a] < 0;
        part.offset += ((down ? part.box.hi[a] - 1 : part.box.lo[a]) - tile.box.lo[a]) * tile.strides[a];
        if (down) part.strides[a] = -tile.strides[a];
      }
      parts.push_back(std::move(part));
    });
    if (parts.empty()) return {tile};
    patches.for_meeting(tile.box, [&](std::size_t number) {
      const Patch& of_caller = patches.patch(number);
      if (of_caller.conjugated) return;
      Patch& part = parts.emplace_back(tile);
      part.box = intersect(of_caller.box, tile.box);
      for (int a = 0; a < tile.box.dims(); ++a) part.offset += (part.box.lo[a] - tile.box.lo[a]) * tile.strides[a];
    });
    return parts;
  }
  // A part of a patch as it comes and leaves: its first element is where memory begins.
  [[nodiscard]] static Patch upwards(const Patch& patch, const Box& piece) {
    Patch up = patch;
    up.box = piece;
    up.conjugated = false;
    for (int a = 0; a < piece.dims(); ++a) {
      up.offset += ((patch.strides[a] < 0 ? piece.hi[a] - 1 : piece.lo[a]) - patch.box.lo[a]) * patch.strides[a];
      up.strides[a] = std::abs(patch.strides[a]);
    }
    return up;
  }

  [[nodiscard]] Index numbers_of(std::size_t wide_bytes) const {
    return static_cast<Index>(wide_bytes / size_of(spec_.scalar));
  }

  void begin(const Job& job, Index i, const Buffers& buffers) const {
    OutOfCoreBuffers::Slot& slot = buffers_->slot(i);
    if (are_pinned(from_, job.in, buffers, element_bytes_in(spec_))) {
      buffers_->in().record(*slot.comes);
      for_pieces(from_, job.in, buffers, [&](std::byte* at, const Coord& strides, const Box& piece) {
        copy_rows(buffers_->in(), piece, slot.device_in + offset_in(job.in, job.in_strides, piece), job.in_strides, at,
                  strides, element_bytes_in(spec_));
      });
    } else {
      staged([&] { bring(job, slot.host_in, buffers); });
      buffers_->in().record(*slot.comes);
      buffers_->in().copy(slot.device_in, slot.host_in, job.in_bytes);
    }
    buffers_->in().record(*slot.came);

    // One place serves both casts: the second one comes after all that was made of the first one.
    std::byte *wide_in = spec_.from_narrow ? buffers_->wide() : slot.device_in,
              *wide_out = spec_.to_narrow ? buffers_->wide() : slot.device_out;
    const MoveBases bases{{nullptr, wide_in, wide_out, buffers_->work(), buffers_->other()}};
    Queue& queue = buffers_->run();
    queue.wait(*slot.came);
    queue.record(*slot.begins);
    if (const ScaledStorage* n = spec_.from_narrow)
      queue.run(CastNumbers{.way = CastNumbers::Cast::widen,
                            .scalar = spec_.scalar,
                            .format = n->format,
                            .numbers = numbers_of(job.wide_in_bytes),
                            .from = slot.device_in,
                            .to = wide_in,
                            .scale = 1 / n->scale});
    if (lacks_some(spec_, true)) queue.zero(buffers_->work(), job.work_bytes);
    queue.move(*job.gather, bases, 1);
    job.fft->run(queue, buffers_->work(), job.to_other ? buffers_->other() : buffers_->work(), buffers_->library());
    queue.move(*job.scatter, bases, spec_.scale() * (spec_.takes_factor ? buffers.factor : 1));
    if (const ScaledStorage* n = spec_.to_narrow)
      queue.run(CastNumbers{.way = CastNumbers::Cast::narrow,
                            .scalar = spec_.scalar,
                            .format = n->format,
                            .numbers = numbers_of(job.wide_out_bytes),
                            .from = wide_out,
                            .to = slot.device_out,
                            .scale = n->scale});
    queue.record(*slot.done);

    buffers_->out().wait(*slot.done);
    buffers_->out().record(*slot.leaves);
    if (are_pinned(to_, job.out, buffers, element_bytes_out(spec_)))
      for_pieces(to_, job.out, buffers, [&](std::byte* at, const Coord& strides, const Box& piece) {
        copy_rows(buffers_->out(), piece, at, strides, slot.device_out + offset_in(job.out, job.out_strides, piece),
                  job.out_strides, element_bytes_out(spec_));
      });
    else
      buffers_->out().copy(slot.host_out, slot.device_out, job.out_bytes);
    buffers_->out().record(*slot.left);
  }

  void end(const Job& job, Index i, const Buffers& buffers) const {
    OutOfCoreBuffers::Slot& slot = buffers_->slot(i);
    slot.left->synchronize();
    LinkSeconds& seconds = buffers_->link_seconds();
    seconds.to_device += slot.came->seconds_since(*slot.comes);
    seconds.kernels += slot.done->seconds_since(*slot.begins);
    seconds.from_device += slot.left->seconds_since(*slot.leaves);
    if (are_pinned(to_, job.out, buffers, element_bytes_out(spec_))) return;
    staged([&] { take(job, slot.host_out, buffers); });
  }

  // By the host, between the caller's memory and pinned memory.
  template <class Copy>
  void staged(const Copy& copy) const {
    const auto began = std::chrono::steady_clock::now();
    copy();
    buffers_->link_seconds().staging += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  [[nodiscard]] static std::byte* place(const Patch& patch, const Coord& at, const Buffers& buffers) {
    std::byte* p = patch.base == Base::input    ? const_cast<std::byte*>(buffers.input)
                   : patch.base == Base::output ? buffers.output
                                                : patch.address;
    p += patch.offset;
    for (int a = 0; a < at.dims(); ++a) p += (at[a] - patch.box.lo[a]) * patch.strides[a];
    return p;
  }
  [[nodiscard]] static Index offset_in(const Box& box, const Coord& strides, const Box& piece) {
    Index bytes = 0;
    for (int a = 0; a < box.dims(); ++a) bytes += (piece.lo[a] - box.lo[a]) * strides[a];
    return bytes;
  }

  // Visits what patches have of a box: visit(where its first element is, strides, the piece).
  template <class Visit>
  static void for_pieces(const PatchIndex& patches, const Box& box, const Buffers& buffers, Visit visit) {
    patches.for_meeting(box, [&](std::size_t number) {
      const Patch& patch = patches.patch(number);
      const Patch piece = upwards(patch, intersect(patch.box, box));
      visit(place(piece, piece.box.lo, buffers), piece.strides, piece.box);
    });
  }

  [[nodiscard]] bool are_pinned(const PatchIndex& patches, const Box& box, const Buffers& buffers,
                                Index element_bytes) const {
    bool all = true;
    for_pieces(patches, box, buffers, [&](const std::byte* at, const Coord& strides, const Box& piece) {
      all =
          all && buffers_->is_pinned(at, static_cast<std::size_t>(packed_bytes(piece.shape(), strides, element_bytes)));
    });
    return all;
  }

  // What lies in `box`: between patches,
  void move(const Box& box, const Buffers& buffers) const {
    from_.for_meeting(box, [&](std::size_t number) {
      const Patch& from = from_.patch(number);
      const Box part = intersect(from.box, box);
      to_.for_meeting(part, [&](std::size_t other) {
        copy_shared({from, to_.patch(other)}, intersect(part, to_.patch(other).box), buffers, element_bytes_in(spec_));
      });
    });
  }
  // or between patches and a place where the box lies alone.
  void bring(const Job& job, std::byte* alone, const Buffers& buffers) const {
    const Patch place{.box = job.in, .address = alone, .strides = job.in_strides};
    from_.for_meeting(job.in, [&](std::size_t number) {
      const Patch piece = upwards(from_.patch(number), intersect(from_.patch(number).box, job.in));
      copy_shared({piece, place}, piece.box, buffers, element_bytes_in(spec_));
    });
  }
  void take(const Job& job, std::byte* alone, const Buffers& buffers) const {
    const Patch place{.box = job.out, .address = alone, .strides = job.out_strides};
    to_.for_meeting(job.out, [&](std::size_t number) {
      const Patch piece = upwards(to_.patch(number), intersect(to_.patch(number).box, job.out));
      copy_shared({place, piece}, piece.box, buffers, element_bytes_out(spec_));
    });
  }

  // By all threads of the rank, along the longest axis but the last.
  void copy_shared(const HostMove& move, const Box& box, const Buffers& buffers, Index element_bytes) const {
    int along = 0;
    for (int a = 1; a + 1 < box.dims(); ++a)
      if (box.extent(a) > box.extent(along)) along = a;
    constexpr Index worth_a_thread = 1 << 18;
    const bool turns_round = move.from.conjugated != move.to.conjugated;
    const Index parts =
        std::min<Index>({spec_.threads, box.extent(along), 1 + box.count() * element_bytes / worth_a_thread});
    const auto copy_part = [&](Index i) {
      Box part = box;
      part.lo[along] = box.lo[along] + box.extent(along) * i / parts;
      part.hi[along] = box.lo[along] + box.extent(along) * (i + 1) / parts;
      std::byte *from = place(move.from, part.lo, buffers), *to = place(move.to, part.lo, buffers);
      if (turns_round)
        copy_conjugates(from, move.from.strides, to, move.to.strides, part.shape(),
                        static_cast<Index>(size_of(spec_.scalar)));
      else
        copy_box(from, move.from.strides, to, move.to.strides, part.shape(), element_bytes, false);
    };
    const int team = team_of(static_cast<int>(parts));
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
    for (Index i = 0; i < parts; ++i) copy_part(i);
  }

  SweepSpec spec_;
  PatchIndex from_{spec_.from}, to_{spec_.to};
  std::shared_ptr<OutOfCoreBuffers> buffers_;
  std::vector<int> order_;
  Extent callers_in_{of_callers(Base::input)}, callers_out_{of_callers(Base::output)};
  std::vector<std::vector<Job>> jobs_{};  // by chunk
};

}  // namespace

std::unique_ptr<Sweep> make_out_of_core_sweep(SweepSpec spec, const std::shared_ptr<OutOfCoreBuffers>& out_of_core) {
  return std::make_unique<OutOfCoreSweep>(std::move(spec), out_of_core);
}

}  // namespace shardfft
