#include "device/sweep/kind_fft.hpp"

#include <fmt/format.h>

#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

/// What the library reads or writes, as the pencils lie that it is made of or becomes: side by side where they do, so
/// that neighbouring threads find neighbours at both ends of a kernel.
struct LibraryEnd {
  Index stride = 1, distance = 1;  ///< elements, as in FftSpec
  std::size_t bytes = 0;
  PencilPlaces places{};
};

LibraryEnd library_end(const FftSpec& spec, const PencilKind& kind, bool in) {
  const InnerTransform inner = inner_of(kind.kind, spec.n.front());
  const Index pencils = spec.batch * kind.parts(), scalars = inner.scalars_of_one(in);
  LibraryEnd end;
  if ((in ? spec.in_stride : spec.out_stride) > 1)
    end.stride = pencils;
  else
    end.distance = inner.elements(in);
  end.bytes = static_cast<std::size_t>(inner.elements(in) * pencils * scalars) * size_of(spec.scalar);
  end.places = {
      .step = end.stride * scalars, .pencil = end.distance * scalars * kind.parts(), .part = end.distance * scalars};
  return end;
}

PencilPlaces callers_end(const FftSpec& spec, const PencilKind& kind, bool in) {
  const Index distance = in ? spec.in_distance : spec.out_distance, parts = kind.parts();
  return {.step = (in ? spec.in_stride : spec.out_stride) * parts,
          .pencil = (distance != 0 ? distance : spec.n.front()) * parts};
}

FftSpec inner_spec(const FftSpec& spec, const PencilKind& kind, const LibraryEnd& in, const LibraryEnd& out) {
  const InnerTransform inner = inner_of(kind.kind, spec.n.front());
  return {.scalar = spec.scalar,
          .transform = inner.transform,
          .n = {inner.n},
          .batch = spec.batch * kind.parts(),
          .in_stride = in.stride,
          .in_distance = in.distance,
          .out_stride = out.stride,
          .out_distance = out.distance};
}

class KindFft final : public Fft {
 public:
  KindFft(Device& device, const FftSpec& spec, const PencilKind& kind)
      : reads_(library_end(spec, kind, true)),
        writes_(library_end(spec, kind, false)),
        inner_(device.make_fft(inner_spec(spec, kind, reads_, writes_))),
        before_{.side = KindSide::before,
                .pencils = kind,
                .scalar = spec.scalar,
                .n = spec.n.front(),
                .batch = spec.batch,
                .from = callers_end(spec, kind, true),
                .to = reads_.places},
        after_(before_) {
    after_.side = KindSide::after;
    after_.from = writes_.places;
    after_.to = callers_end(spec, kind, false);
  }

  [[nodiscard]] std::size_t work_bytes() const override {
    return round_up(reads_.bytes, device_line) + round_up(writes_.bytes, device_line) + inner_->work_bytes();
  }

  void run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const override {
    std::byte* const written = work + round_up(reads_.bytes, device_line);
    std::byte* const library = written + round_up(writes_.bytes, device_line);
    queue.run(with_memory(before_, in, work));
    inner_->run(queue, work, written, library);
    queue.run(with_memory(after_, written, out));
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} of {} by {}", to_string(before_.pencils.kind), before_.n, inner_->describe());
  }

 private:
  [[nodiscard]] static KindStep with_memory(KindStep step, std::byte* from, std::byte* to) {
    step.from.start = from;
    step.to.start = to;
    return step;
  }

  LibraryEnd reads_, writes_;
  std::unique_ptr<Fft> inner_;
  KindStep before_, after_;
};

}  // namespace

std::unique_ptr<Fft> make_kind_fft(Device& device, const FftSpec& spec, const PencilKind& kind) {
  return std::make_unique<KindFft>(device, spec, kind);
}

Index kind_bytes(const PencilKind& kind, Index n, Index pencils, Scalar scalar) {
  const InnerTransform inner = inner_of(kind.kind, n);
  return 2 * pencils * kind.parts() * static_cast<Index>(size_of(scalar)) *
         (inner.elements(true) * inner.scalars_of_one(true) + inner.elements(false) * inner.scalars_of_one(false));
}

}  // namespace shardfft
