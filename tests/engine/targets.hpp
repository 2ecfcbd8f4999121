// Runs a test once for every instruction set that was compiled in and that this machine has.
#pragma once

#include <gtest/gtest.h>

#include "support/processor/simd_targets.hpp"
// before any header of Highway
#include "hwy/highway.h"

namespace shardfft::testing {

template <class Body>
void on_every_target(Body body) {
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace shardfft::testing
