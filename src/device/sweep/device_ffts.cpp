#include "device/sweep/device_ffts.hpp"

#include <algorithm>

#include "device/sweep/device_tiles.hpp"
#include "device/sweep/kind_fft.hpp"

namespace shardfft {
namespace {

bool same(const FftSpec& a, const FftSpec& b) {
  return a.scalar == b.scalar && a.transform == b.transform && a.n == b.n && a.batch == b.batch &&
         a.in_stride == b.in_stride && a.in_distance == b.in_distance && a.out_stride == b.out_stride &&
         a.out_distance == b.out_distance;
}

std::unique_ptr<Fft> made_for(Device& device, const TileForm& form) {
  if (form.kind) return make_kind_fft(device, form.fft, *form.kind);
  auto fft = device.make_fft(form.fft);
  return form.folded ? make_folded_fft(std::move(fft), form.fft.scalar, form.fft.batch, *form.folded) : std::move(fft);
}

}  // namespace

const Fft& DeviceFfts::get(const TileForm& form, int queue) {
  for (const Made& known : made_)
    if (known.queue == queue && known.kind == form.kind && known.folded == form.folded && same(known.spec, form.fft))
      return *known.fft;
  const Fft& fft = *made_.emplace_back(Made{form.fft, form.kind, form.folded, queue, made_for(device_, form)}).fft;
  work_bytes_ = std::max(work_bytes_, fft.work_bytes());
  return fft;
}

}  // namespace shardfft
