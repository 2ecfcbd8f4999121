// Operators of C: what their functions see. Python calls such functions by their address.
#pragma once

#include "shardfft.h"
#include "shardfft/operators/modes.hpp"

namespace shardfft::c {

[[nodiscard]] inline shardfft_modes seen(const Modes& m) {
  return {.bytes = sizeof(shardfft_modes),
          .axes = m.first.dims(),
          .axis = m.axis,
          .count = m.count,
          .components_in = m.components_in,
          .components_out = m.components_out,
          .precision = m.precision == f32 ? SHARDFFT_F32 : SHARDFFT_F64,
          .complex_elements = m.complex ? 1 : 0,
          .first = m.first.begin(),
          .wave = m.wave.data(),
          .data = m.data,
          .component_bytes = m.component_bytes,
          .place = m.place,
          .step = m.step,
          .component_step = m.component_step};
}

[[nodiscard]] inline Operator calling(shardfft_operator function, void* user) {
  return {[function, user](const Modes& m) {
    const shardfft_modes modes = seen(m);
    function(&modes, user);
  }};
}

}  // namespace shardfft::c
