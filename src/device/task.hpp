// What a queue can be asked for beside copies, moves and transforms: one task is a few kernels in a row
// (kernels/codec_passes.hpp), the same for all drivers.
#pragma once

#include <variant>

#include "device/blocks.hpp"
#include "device/cast.hpp"
#include "device/kinds.hpp"
#include "device/payload_sums.hpp"
#include "device/squares.hpp"
#include "support/formula/run_formula.hpp"

namespace shardfft {

using DeviceTask =
    std::variant<EncodeBlocks, DecodeBlocks, SetTries, SumSquares, CastNumbers, SumPayloads, RunFormula, KindStep>;

}  // namespace shardfft
