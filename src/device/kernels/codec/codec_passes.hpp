// The kernels of each task of a queue, in their order: launch(kernel) runs one, after those before it.
#pragma once

#include <variant>

#include "device/kernels/codec/cast_numbers.hpp"
#include "device/kernels/codec/codec_checksums.hpp"
#include "device/kernels/codec/codec_decode.hpp"
#include "device/kernels/codec/codec_elements.hpp"
#include "device/kernels/codec/codec_encode.hpp"
#include "device/kernels/codec/codec_tries.hpp"
#include "device/kernels/formula.hpp"
#include "device/kernels/kinds.hpp"
#include "device/kernels/squares.hpp"
#include "device/task.hpp"

namespace shardfft::kernels {

namespace detail {

/// A kernel that goes over tiles, and before it what large groups want.
template <class Kernel, class Launch>
void launch_tiles(const Kernel& kernel, const Launch& launch) {
  const BlockTables& t = kernel.task.tables;
  if (t.tiles > t.groups) launch(SumTiles<Kernel>{{}, kernel});
  launch(kernel);
}

template <class T, class Launch>
void passes_of(const EncodeBlocks& task, const Launch& launch) {
  for (int attempt = 0; attempt < task.tries; ++attempt) {
    launch(MeasureBlocks<T>{{}, task, attempt});
    launch_tiles(PlaceBlocks{{}, task, attempt}, launch);
  }
  launch(PlaceGroups{{}, task});
  if (task.far)
    launch(PackBlocks<T, true>{{}, task});
  else
    launch(PackBlocks<T>{{}, task});
}

template <class T, class Launch>
void passes_of(const DecodeBlocks& task, const Launch& launch) {
  if (task.step != DecodeStep::decode) launch_tiles(CheckGroups<T>{{}, task}, launch);
  if (task.step != DecodeStep::check) {
    if (task.twiddles)
      launch(UnpackBlocks<T, TwiddlesByPlace>{{}, task, TwiddlesByPlace(*task.twiddles)});
    else
      launch(UnpackBlocks<T>{{}, task});
  }
  if (task.step != DecodeStep::decode) launch(CountDamaged{{}, task});
}

template <class T, class Launch>
void passes_of(const SetTries& task, const Launch& launch) {
  launch(ScaleTries<T>{task});
}
template <class T, class Launch>
void passes_of(const SumSquares& task, const Launch& launch) {
  launch(SquaresOfParts<T>{{}, task});
  launch(SquaresOfUnits{{}, task});
}
template <class T, class Launch>
void passes_of(const SumPayloads& task, const Launch& launch) {
  launch(SumChunks{task});
  launch(SumGroups{task});
}

template <class T, class Launch>
void passes_of(const RunFormula& task, const Launch& launch) {
  launch(FormulaKernel<T>(task));
}

template <class T, class Launch>
void passes_of(const KindStep& task, const Launch& launch) {
  if (task.side == KindSide::before)
    launch(BeforeKind<T>(task));
  else
    launch(AfterKind<T>(task));
}

template <class Format, class T, class Launch>
void cast_with(const CastNumbers& task, const Launch& launch) {
  if (task.way == CastNumbers::Cast::narrow)
    launch(CastedNumbers<Format, T>{{task}});
  else
    launch(WidenNumbers<Format, T>{{task}});
}
template <class T, class Launch>
void passes_of(const CastNumbers& task, const Launch& launch) {
  task.format == StorageFormat::f32 ? cast_with<CastF32, T>(task, launch) : cast_with<CastF16, T>(task, launch);
}

[[nodiscard]] inline Scalar scalar_of(const SetTries& task) { return task.scalar; }
[[nodiscard]] inline Scalar scalar_of(const CastNumbers& task) { return task.scalar; }
[[nodiscard]] inline Scalar scalar_of(const SumSquares& task) { return task.scalar; }
[[nodiscard]] inline Scalar scalar_of(const RunFormula& task) { return task.scalar; }
[[nodiscard]] inline Scalar scalar_of(const KindStep& task) { return task.scalar; }
[[nodiscard]] inline Scalar scalar_of(const SumPayloads& task) { return task.tables.scalar; }
[[nodiscard]] inline Scalar scalar_of(const EncodeBlocks& task) { return task.tables.scalar; }
[[nodiscard]] inline Scalar scalar_of(const DecodeBlocks& task) { return task.tables.scalar; }

}  // namespace detail

template <class Task, class Launch>
void passes(const Task& task, const Launch& launch) {
  detail::scalar_of(task) == Scalar::f32 ? detail::passes_of<float>(task, launch)
                                         : detail::passes_of<double>(task, launch);
}
template <class Launch>
void passes(const DeviceTask& task, const Launch& launch) {
  std::visit([&](const auto& one) { passes(one, launch); }, task);
}

}  // namespace shardfft::kernels
