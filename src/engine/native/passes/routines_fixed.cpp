// Fixed point has no vectors: one instruction set, the compiler's.
#include "support/processor/simd_targets.hpp"
// what Highway compiles for is known before its headers
#include "engine/native/passes/radix-inl.h"
#include "engine/native/passes/routines-inl.h"

namespace shardfft::native {

template <>
const Routines<Fixed>& routines<Fixed>() {
  static const Routines<Fixed> table = HWY_NAMESPACE::make_routines<Fixed>();
  return table;
}

template <>
const Routines<Fixed>* narrower(const Routines<Fixed>& /*than*/) {
  return nullptr;
}

}  // namespace shardfft::native
