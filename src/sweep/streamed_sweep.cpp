#include "sweep/streamed_sweep.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "support/copy_box.hpp"
#include "sweep/device_tiles.hpp"

namespace shardfft {
namespace {

// A box that the host copies between two of its places.
struct HostMove {
  Patch from{}, to{};  // strides and places; `from.box` is what moves
};

class StreamedSweep final : public Sweep {
 public:
  StreamedSweep(SweepSpec spec, std::shared_ptr<Streams> streams) : spec_(std::move(spec)), streams_(std::move(streams)), order_(static_cast<std::size_t>(dims())) {
    for (std::size_t a = 0; a < order_.size(); ++a) order_[a] = static_cast<int>(a);
    const Index most = spec_.tile > 0 && !spec_.axes.empty() ? spec_.tile * spec_.axes.front().n : streams_->elements_of_tile(spec_.scalar);
    for (const auto& boxes : spec_.chunks) {
      jobs_.emplace_back();
      for (const Box& box : boxes)
        for (const Box& tile : tiles_of(spec_, box, spec_.from.front().strides, most)) add_tile(tile);
    }
  }

  std::size_t scratch_bytes() const override { return 0; }
  const SweepSpec& spec() const override { return spec_; }

  void run(int chunk, const Buffers& buffers, std::byte*, const std::function<void()>& poll) const override {
    const auto& jobs = jobs_[static_cast<std::size_t>(chunk)];
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (spec_.axes.empty()) {
        copy(spec_.from, spec_.to, jobs[i].in, buffers, nullptr, nullptr);
      } else {
        begin(jobs[i], static_cast<Index>(i), buffers);
        if (i > 0) end(jobs[i - 1], static_cast<Index>(i) - 1, buffers);
      }
      if (poll) poll();
    }
    if (!jobs.empty() && !spec_.axes.empty()) end(jobs.back(), static_cast<Index>(jobs.size()) - 1, buffers);
  }

 private:
  struct Job {
    Box in{}, out{};
    Coord in_strides{}, out_strides{};  // as it comes and leaves: natural order, without gaps
    std::size_t in_bytes = 0, out_bytes = 0;
    std::unique_ptr<MoveList> gather{}, scatter{};
    const Fft* fft = nullptr;
    bool to_other = false;
  };

  [[nodiscard]] int dims() const { return spec_.from.empty() ? 0 : spec_.from.front().box.dims(); }
  [[nodiscard]] Index element(bool complex) const { return static_cast<Index>(size_of(spec_.scalar)) * (complex ? 2 : 1); }

  void add_tile(const Box& tile) {
    Job job{.in = tile, .out = after(spec_, tile)};
    job.in_strides = packed_strides(job.in.shape(), order_, element(spec_.complex_in), false);
    job.out_strides = packed_strides(job.out.shape(), order_, element(spec_.complex_out), false);
    job.in_bytes = static_cast<std::size_t>(job.in.count() * element(spec_.complex_in));
    job.out_bytes = static_cast<std::size_t>(job.out.count() * element(spec_.complex_out));
    if (!spec_.axes.empty()) prepare(job);
    jobs_.back().push_back(std::move(job));
  }

  // On the device: from where it came (`input`) to `work`, and from there or from `other` to where it leaves (`output`).
  void prepare(Job& job) {
    const TileForm form = form_of(spec_, job.in);
    Device& device = streams_->device();
    const Patch came{.box = job.in, .base = Base::input, .strides = job.in_strides}, leaves{.box = job.out, .base = Base::output, .strides = job.out_strides};
    job.to_other = !form.same_type();
    job.gather = device.make_moves({.scalar = spec_.scalar, .complex = spec_.complex_in}, gathers({came}, job.in, MoveBase::work, form.in_strides));
    job.scatter = device.make_moves({.scalar = spec_.scalar, .complex = spec_.complex_out, .scales = spec_.scale != 1},
                                    scatters({leaves}, job.out, job.to_other ? MoveBase::other : MoveBase::work, form.out_strides));
    job.fft = &streams_->ffts().get(form.fft);
    streams_->need({.in = job.in_bytes, .work = job.in_bytes, .other = job.to_other ? job.out_bytes : 0, .out = job.out_bytes});
  }

  // Tile number `i` comes: the slot's memory is free again once what tile i - 2 asked for is done.
  void begin(const Job& job, Index i, const Buffers& buffers) const {
    Streams::Slot& slot = streams_->slot(i);
    slot.came->synchronize();
    copy(spec_.from, {}, job.in, buffers, slot.host_in, &job.in_strides);
    streams_->in().wait(*slot.done);
    streams_->in().copy(slot.device_in, slot.host_in, job.in_bytes);
    streams_->in().record(*slot.came);

    const MoveBases bases{{nullptr, slot.device_in, slot.device_out, streams_->work(), streams_->other()}};
    Queue& queue = streams_->run();
    queue.wait(*slot.came);
    queue.move(*job.gather, bases, 1);
    job.fft->run(queue, streams_->work(), job.to_other ? streams_->other() : streams_->work(), streams_->library());
    queue.wait(*slot.left);
    queue.move(*job.scatter, bases, spec_.scale);
    queue.record(*slot.done);

    streams_->out().wait(*slot.done);
    streams_->out().copy(slot.host_out, slot.device_out, job.out_bytes);
    streams_->out().record(*slot.left);
  }

  void end(const Job& job, Index i, const Buffers& buffers) const {
    Streams::Slot& slot = streams_->slot(i);
    slot.left->synchronize();
    copy({}, spec_.to, job.out, buffers, slot.host_out, &job.out_strides);
  }

  // What lies in `box`: between patches, or between patches and a place where the box lies alone.
  void copy(const std::vector<Patch>& from, const std::vector<Patch>& to, const Box& box, const Buffers& buffers, std::byte* alone, const Coord* strides) const {
    const Patch place{.box = box, .address = alone, .strides = strides ? *strides : Coord{}};
    const bool out = from.empty();
    const auto copy_all = [&](const Patch& a, const Patch& b) {
      if (const Box both = intersect(intersect(a.box, b.box), box); !both.empty()) copy_shared({a, b}, both, buffers, element(out ? spec_.complex_out : spec_.complex_in));
    };
    if (!alone) {
      for (const Patch& a : from)
        for (const Patch& b : to) copy_all(a, b);
    } else if (out) {
      for (const Patch& b : to) copy_all(place, b);
    } else {
      for (const Patch& a : from) copy_all(a, place);
    }
  }

  // By all threads of the rank, along the longest axis but the last.
  void copy_shared(const HostMove& move, const Box& box, const Buffers& buffers, Index element_bytes) const {
    const auto at = [&](const Patch& patch, const Box& part) {
      std::byte* p = patch.base == Base::input ? const_cast<std::byte*>(buffers.input) : patch.base == Base::output ? buffers.output : patch.address;
      p += patch.offset;
      for (int a = 0; a < part.dims(); ++a) p += (part.lo[a] - patch.box.lo[a]) * patch.strides[a];
      return p;
    };
    int along = 0;
    for (int a = 1; a + 1 < box.dims(); ++a)
      if (box.extent(a) > box.extent(along)) along = a;
    constexpr Index worth_a_thread = 1 << 18;
    const auto parts = std::min<Index>({spec_.threads, box.extent(along), 1 + box.count() * element_bytes / worth_a_thread});
    const auto copy_part = [&](Index i) {
      Box part = box;
      part.lo[along] = box.lo[along] + box.extent(along) * i / parts;
      part.hi[along] = box.lo[along] + box.extent(along) * (i + 1) / parts;
      copy_box(at(move.from, part), move.from.strides, at(move.to, part), move.to.strides, part.shape(), element_bytes, false);
    };
    if (parts == 1) return copy_part(0);
#pragma omp parallel for num_threads(static_cast<int>(parts)) schedule(static)
    for (Index i = 0; i < parts; ++i) copy_part(i);
  }

  SweepSpec spec_;
  std::shared_ptr<Streams> streams_;
  std::vector<int> order_;
  std::vector<std::vector<Job>> jobs_{};  // by chunk
};

}  // namespace

std::unique_ptr<Sweep> make_streamed_sweep(SweepSpec spec, const std::shared_ptr<Streams>& streams) { return std::make_unique<StreamedSweep>(std::move(spec), streams); }

}  // namespace shardfft
