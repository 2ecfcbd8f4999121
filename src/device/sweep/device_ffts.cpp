#include "device/sweep/device_ffts.hpp"

#include <algorithm>

#include "device/sweep/kind_fft.hpp"

namespace shardfft {
namespace {

bool same(const FftSpec& a, const FftSpec& b) {
  return a.scalar == b.scalar && a.transform == b.transform && a.n == b.n && a.batch == b.batch &&
         a.in_stride == b.in_stride && a.in_distance == b.in_distance && a.out_stride == b.out_stride &&
         a.out_distance == b.out_distance;
}

}  // namespace

const Fft& DeviceFfts::get(const FftSpec& spec, const std::optional<PencilKind>& kind, int queue) {
  for (const Made& known : made_)
    if (known.queue == queue && known.kind == kind && same(known.spec, spec)) return *known.fft;
  const Fft& fft =
      *made_.emplace_back(Made{spec, kind, queue, kind ? make_kind_fft(device_, spec, *kind) : device_.make_fft(spec)})
           .fft;
  work_bytes_ = std::max(work_bytes_, fft.work_bytes());
  return fft;
}

}  // namespace shardfft
