// A machine that counts as measured: for tests of what comes after, because measuring takes seconds.
#pragma once

#include <gtest/gtest.h>

#include "planner/model/machine.hpp"
#include "planner/model/machine_file.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::testing {

/// Keeps the default machine where SHARDFFT_WISDOM says, as if it had been measured on up to `ranks` ranks of one node.
inline void keep_known_machine(int ranks) {
  for (int r = 1; r <= ranks; ++r) ASSERT_EQ(keep_measured(Machine(), dry_run(r, 0, r)), "");
}

}  // namespace shardfft::testing
