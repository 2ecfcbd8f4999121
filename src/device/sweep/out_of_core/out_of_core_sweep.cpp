#include "device/sweep/out_of_core/out_of_core_sweep.hpp"

#include <algorithm>
#include <chrono>

#include "device/sweep/device_tiles.hpp"
#include "device/sweep/out_of_core/host_patches.hpp"

namespace shardfft {
namespace {

class OutOfCoreSweep final : public Sweep {
 public:
  OutOfCoreSweep(SweepSpec spec, std::shared_ptr<OutOfCoreBuffers> out_of_core)
      : spec_(std::move(spec)), buffers_(std::move(out_of_core)), order_(static_cast<std::size_t>(dims())) {
    for (std::size_t a = 0; a < order_.size(); ++a) order_[a] = static_cast<int>(a);
    const Index most = spec_.tuning.tile > 0 && !spec_.axes.empty() ? spec_.tuning.tile * spec_.axes.front().n
                                                                    : buffers_->elements_of_tile(spec_.scalar);
    if (!spec_.axes.empty())
      for (const HostPatches* end : {&from_, &to_})
        for (const auto& inbox : end->inboxes()) buffers_->pin(inbox.data(), inbox.size());
    for (const auto& boxes : spec_.chunks) {
      jobs_.emplace_back();
      for (const Box& box : boxes)
        for (const Box& tile : tiles_of(spec_, box, spec_.from.front().strides, Coord::filled(dims(), 1), most))
          add_tile(tile);
    }
  }

  std::size_t scratch_bytes() const override { return 0; }
  const SweepSpec& spec() const override { return spec_; }
  std::string about() const override { return bytes_link() > 0 ? ", all of it over the link to the device" : ""; }
  void count_link(LinkReport& link) const override { link.bytes_link = bytes_link(); }
  void add_link_seconds(LinkReport& link) const override {
    if (spec_.axes.empty()) return;
    const LinkReport& own = buffers_->link();
    link.seconds_to_device += own.seconds_to_device;
    link.seconds_kernels += own.seconds_kernels;
    link.seconds_from_device += own.seconds_from_device;
    link.seconds_staging += own.seconds_staging;
  }

  void run(int chunk, const Buffers& buffers, std::byte*, const std::function<void()>& poll) const override {
    const auto& jobs = jobs_[static_cast<std::size_t>(chunk)];
    if (spec_.axes.empty()) {
      for (const TileJob& job : jobs) from_.copy_to(to_, job.in, buffers);
      return;
    }
    // All of a tile is done before another one takes its slot: no queue has to wait for more than the tile's own steps.
    const std::size_t under_way = buffers_->streams() - 1;
    buffers_->link() = {};
    buffers_->use_callers(0, buffers.input + callers_in_.start, callers_in_.bytes());
    buffers_->use_callers(1, buffers.output + callers_out_.start, callers_out_.bytes());
    for (std::size_t i = 0; i < jobs.size() + under_way; ++i) {
      if (i < jobs.size()) begin(jobs[i], static_cast<Index>(i), buffers);
      if (i >= under_way) end(jobs[i - under_way], static_cast<Index>(i - under_way), buffers);
      if (poll) poll();
    }
  }

 private:
  [[nodiscard]] Index bytes_link() const { return spec_.axes.empty() ? 0 : bytes_read(spec_) + bytes_written(spec_); }

  struct TileJob {
    Box in{}, out{};
    Coord in_strides{}, out_strides{};  // as it comes and leaves: natural order, without gaps
    std::size_t in_bytes = 0, out_bytes = 0;
    std::size_t wide_in_bytes = 0, wide_out_bytes = 0;  // of the numbers that are computed with
    std::size_t work_bytes = 0;                         // where it is gathered to, whole along its axes
    std::unique_ptr<MoveList> gather{}, scatter{};
    const Fft* fft = nullptr;
    bool to_other = false;
  };

  [[nodiscard]] int dims() const { return spec_.from.empty() ? 0 : spec_.from.front().box.dims(); }
  [[nodiscard]] Index wide_element(bool complex) const {
    return static_cast<Index>(size_of(spec_.scalar)) * (complex ? 2 : 1);
  }
  [[nodiscard]] Coord packed(const Box& box, Index element_bytes) const {
    return packed_strides(box.shape(), order_, element_bytes, false);
  }

  void add_tile(const Box& tile) {
    TileJob job{.in = tile, .out = after(spec_, tile)};
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
  void prepare(TileJob& job) {
    const TileForm form = form_of(spec_, job.in);
    Device& device = buffers_->device();
    const auto came = from_.on_device(
        {.box = job.in, .base = Base::input, .strides = packed(job.in, wide_element(spec_.complex_in))});
    const auto leaves = to_.on_device(
        {.box = job.out, .base = Base::output, .strides = packed(job.out, wide_element(spec_.complex_out))});
    job.to_other = !form.same_type();
    job.work_bytes = static_cast<std::size_t>(form.in_bytes);
    job.gather = device.make_moves(
        {.scalar = spec_.scalar, .complex = spec_.complex_in, .twiddles = twiddles_of(spec_, job.in, form, 0)},
        gathers(spec_, came, job.in, {MoveBase::work, 0}, form.in_strides));
    job.scatter = device.make_moves(
        {.scalar = spec_.scalar, .complex = spec_.complex_out, .scales = spec_.takes_factor || spec_.scale() != 1},
        scatters(spec_, leaves, job.out, {job.to_other ? MoveBase::other : MoveBase::work, 0}, form.out_strides));
    job.fft = &buffers_->ffts().get(form);
    buffers_->need(
        {.in = job.in_bytes,
         .work = job.work_bytes,
         .other = job.to_other ? static_cast<std::size_t>(form.out_bytes) : 0,
         .out = job.out_bytes,
         .wide = std::max(spec_.from_narrow ? job.wide_in_bytes : 0, spec_.to_narrow ? job.wide_out_bytes : 0),
         .tiles = jobs_.back().size() + 1});
  }

  [[nodiscard]] Index numbers_of(std::size_t wide_bytes) const {
    return static_cast<Index>(wide_bytes / size_of(spec_.scalar));
  }

  void begin(const TileJob& job, Index i, const Buffers& buffers) const {
    OutOfCoreBuffers::TileSlot& slot = buffers_->slot(i);
    if (are_pinned(from_, job.in, buffers)) {
      buffers_->in().record(*slot.comes);
      from_.for_parts(job.in, buffers, [&](const HostPatches::Part& part) {
        copy_rows(buffers_->in(), part.box, slot.device_in + offset_between(job.in.lo, part.box.lo, job.in_strides),
                  job.in_strides, part.at, part.strides, from_.element_bytes());
      });
    } else {
      staged([&] { from_.bring(job.in, slot.host_in, job.in_strides, buffers); });
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
    if (are_pinned(to_, job.out, buffers))
      to_.for_parts(job.out, buffers, [&](const HostPatches::Part& part) {
        copy_rows(buffers_->out(), part.box, part.at, part.strides,
                  slot.device_out + offset_between(job.out.lo, part.box.lo, job.out_strides), job.out_strides,
                  to_.element_bytes());
      });
    else
      buffers_->out().copy(slot.host_out, slot.device_out, job.out_bytes);
    buffers_->out().record(*slot.left);
  }

  void end(const TileJob& job, Index i, const Buffers& buffers) const {
    OutOfCoreBuffers::TileSlot& slot = buffers_->slot(i);
    slot.left->synchronize();
    LinkReport& link = buffers_->link();
    link.seconds_to_device += slot.came->seconds_since(*slot.comes);
    link.seconds_kernels += slot.done->seconds_since(*slot.begins);
    link.seconds_from_device += slot.left->seconds_since(*slot.leaves);
    if (are_pinned(to_, job.out, buffers)) return;
    staged([&] { to_.take(job.out, slot.host_out, job.out_strides, buffers); });
  }

  // By the host, between the caller's memory and pinned memory.
  template <class Copy>
  void staged(const Copy& copy) const {
    const auto began = std::chrono::steady_clock::now();
    copy();
    buffers_->link().seconds_staging += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  [[nodiscard]] bool are_pinned(const HostPatches& patches, const Box& box, const Buffers& buffers) const {
    bool all = true;
    patches.for_parts(box, buffers, [&](const HostPatches::Part& part) {
      const Index bytes = packed_bytes(part.box.shape(), part.strides, patches.element_bytes());
      all = all && buffers_->is_pinned(part.at, static_cast<std::size_t>(bytes));
    });
    return all;
  }

  SweepSpec spec_;
  HostPatches from_{spec_, true}, to_{spec_, false};
  std::shared_ptr<OutOfCoreBuffers> buffers_;
  std::vector<int> order_;
  CallersExtent callers_in_{callers_extent(spec_, Base::input)}, callers_out_{callers_extent(spec_, Base::output)};
  std::vector<std::vector<TileJob>> jobs_{};  // by chunk
};

}  // namespace

std::unique_ptr<Sweep> make_out_of_core_sweep(SweepSpec spec, const std::shared_ptr<OutOfCoreBuffers>& out_of_core) {
  return std::make_unique<OutOfCoreSweep>(std::move(spec), out_of_core);
}

}  // namespace shardfft
