// The kernels of each task of a queue, in their order: launch(kernel) runs one, after those before it.
#pragma once

#include "device/kernels/codec_decode.hpp"

namespace shardfft::kernels {

namespace detail {

template <class T, class Launch>
void encode_passes(const EncodeBlocks& task, const Launch& launch) {
  for (int attempt = 0; attempt < task.tries; ++attempt) {
    launch(MeasureBlocks<T>{{}, task, attempt});
    launch(PlaceBlocks{{}, task, attempt});
  }
  launch(PlaceGroups{{}, task});
  launch(PackBlocks<T>{{}, task});
}

template <class T, class Launch>
void decode_passes(const DecodeBlocks& task, const Launch& launch) {
  launch(CheckGroups<T>{{}, task});
  launch(UnpackBlocks<T>{{}, task});
  launch(CountDamaged{{}, task});
}

}  // namespace detail

template <class Launch>
void passes(const EncodeBlocks& task, const Launch& launch) {
  task.tables.scalar == Scalar::f32 ? detail::encode_passes<float>(task, launch) : detail::encode_passes<double>(task, launch);
}
template <class Launch>
void passes(const DecodeBlocks& task, const Launch& launch) {
  task.tables.scalar == Scalar::f32 ? detail::decode_passes<float>(task, launch) : detail::decode_passes<double>(task, launch);
}

}  // namespace shardfft::kernels
