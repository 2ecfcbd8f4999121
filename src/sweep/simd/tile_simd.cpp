#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/simd/tile_simd.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "sweep/simd/tile_patterns-inl.h"
#include "sweep/simd/tile_simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

bool gather_f32(const TileFormat& format, float* tile, Index k0, Index v0, const Rectangle<const std::byte>& source) {
  return gather_vectors(format, tile, k0, v0, source);
}
bool gather_f64(const TileFormat& format, double* tile, Index k0, Index v0, const Rectangle<const std::byte>& source) {
  return gather_vectors(format, tile, k0, v0, source);
}
bool scatter_f32(const TileFormat& format, const float* tile, Index k0, Index v0, const Rectangle<std::byte>& target,
                 double scale, bool non_temporal) {
  return scatter_vectors(format, tile, k0, v0, target, scale, non_temporal);
}
bool scatter_f64(const TileFormat& format, const double* tile, Index k0, Index v0, const Rectangle<std::byte>& target,
                 double scale, bool non_temporal) {
  return scatter_vectors(format, tile, k0, v0, target, scale, non_temporal);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {

HWY_EXPORT(gather_f32);
HWY_EXPORT(gather_f64);
HWY_EXPORT(scatter_f32);
HWY_EXPORT(scatter_f64);

template <>
bool gather_simd<float>(const TileFormat& format, float* tile, Index k0, Index v0,
                        const Rectangle<const std::byte>& source) {
  return HWY_DYNAMIC_DISPATCH(gather_f32)(format, tile, k0, v0, source);
}
template <>
bool gather_simd<double>(const TileFormat& format, double* tile, Index k0, Index v0,
                         const Rectangle<const std::byte>& source) {
  return HWY_DYNAMIC_DISPATCH(gather_f64)(format, tile, k0, v0, source);
}
template <>
bool scatter_simd<float>(const TileFormat& format, const float* tile, Index k0, Index v0,
                         const Rectangle<std::byte>& target, double scale, bool non_temporal) {
  return HWY_DYNAMIC_DISPATCH(scatter_f32)(format, tile, k0, v0, target, scale, non_temporal);
}
template <>
bool scatter_simd<double>(const TileFormat& format, const double* tile, Index k0, Index v0,
                          const Rectangle<std::byte>& target, double scale, bool non_temporal) {
  return HWY_DYNAMIC_DISPATCH(scatter_f64)(format, tile, k0, v0, target, scale, non_temporal);
}

}  // namespace shardfft
#endif
