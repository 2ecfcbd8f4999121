#include "sweep/host/paths/tile_axis.hpp"

#include <algorithm>
#include <type_traits>

#include "support/memory/round_up.hpp"
#include "support/processor/processor_caches.hpp"

namespace shardfft {
namespace {

// Gather and scatter put the elements in order by their places; kernels know nothing of it.
std::shared_ptr<const CyclicOrder> cyclic_order(TileFormat& format, Index owners) {
  const CyclicMap map{format.length, owners};
  if (owners == 1) return nullptr;
  auto result = std::make_shared<CyclicOrder>();
  result->indices.reserve(static_cast<std::size_t>(map.n));
  result->places.reserve(static_cast<std::size_t>(map.n));
  for (Index at = 0; at < map.n; ++at) {
    result->indices.push_back(map.index(at));
    result->places.push_back(format.place(map.index(at)));
  }
  format.places = result->places.data();
  return result;
}

// Kernels of one pencil, one after the other, are one tile to gather and scatter.
TileFormat together(TileFormat format, int kernels, Index apart) {
  if (format.order != TileFormat::Order::rows || format.pencils != 1) return format;
  format.pencils = kernels;
  format.ld = apart;
  return format;
}

}  // namespace

TileAxis::TileAxis(Scalar scalar_, const SweepAxis& axis_, int wanted)
    : SweepAxis(axis_),
      scalar(scalar_),
      half(round_up(kernel->buffer_bytes(), cache_line)),
      own(kernel->in().pencils),
      kernels(std::clamp((wanted + own - 1) / own, 1, most_kernels)) {
  const auto apart = static_cast<Index>(2 * half / size_of(scalar));
  in = together(kernel->in(), kernels, apart);
  out = together(kernel->out(), kernels, apart);
  order_in = cyclic_order(in, owners_in);
  order_out = cyclic_order(out, owners_out);
}

void scale_element(Scalar scalar, std::byte* numbers, Index place, Index imaginary, double factor) {
  const auto scale = [&](auto* x) {
    using T = std::remove_pointer_t<decltype(x)>;
    x[place] *= static_cast<T>(factor);
    if (imaginary > 0) x[place + imaginary] *= static_cast<T>(factor);
  };
  scalar == Scalar::f32 ? scale(reinterpret_cast<float*>(numbers)) : scale(reinterpret_cast<double*>(numbers));
}

}  // namespace shardfft
